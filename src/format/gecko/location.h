/* location.h - the frames of unprocessed Gecko profiles, which are text.
 *
 *     0x7f1234                                              an address
 *     js::RunScript (in libxul.so) + 123                    a symbol: also (in libxul.so), and with
 *                                                           (file:line) in place of the offset
 *     onclick (https://a.org/b.js:12:34)[5]                 JavaScript: function, file, line and
 *                                                           column
 *     https://a.org/b.js:12:34                              JavaScript outside of functions
 *     AutoEntryScript event handler                         anything else: a label
 *
 * The rules are those of the Firefox Profiler (processGeckoProfile). */
#ifndef FLAMEL_FORMAT_GECKO_LOCATION_H
#define FLAMEL_FORMAT_GECKO_LOCATION_H

#include "base/core/bytes.h"

struct flm_gecko_location {
    struct flm_bytes name; /* parts of the text; empty: JavaScript outside of functions */
    struct flm_bytes module, file;
    uint32_t line;
    uint64_t address;
    bool is_js, is_address;
};

void flm_gecko_location_parse(struct flm_bytes text, struct flm_gecko_location *location);

/* Whether a name is only an address: 0x and hexadecimal digits. */
bool flm_gecko_is_address(struct flm_bytes name, uint64_t *address);

#endif
