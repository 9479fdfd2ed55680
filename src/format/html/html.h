/* html.h - the profiles inside of a page of one file. load/page.h writes and opens such pages.
 *
 *     <!DOCTYPE html>
 *     ... <meta name="generator" content="flamel 0.1.0">        recognized by this
 *     ... style, body, script
 *     <script type="text/plain" id="flamel-after" data-size="2811604" data-name="app.perf">
 *     ...the packed profile under gzip, in base 91...</script>
 *
 * A page that was saved from the viewer has a .flm file there (web/share/html.js).
 *
 * Base 91 (base/encode/base91.h) has no '<', and text in the page is escaped, so a search finds
 * these tags and nothing else. */
#ifndef FLAMEL_FORMAT_HTML_HTML_H
#define FLAMEL_FORMAT_HTML_HTML_H

#include "base/text/text.h"

#define FLM_HTML_BEGINS "<!DOCTYPE html>"
#define FLM_HTML_GENERATOR "<meta name=\"generator\" content=\"flamel "

/* Parts by their ids: "module", "script", "after", "before". */
struct flm_html_part {
    struct flm_bytes base91;
    uint64_t size; /* before gzip and base 91 */
};

/* Appends a part whose bytes are `size` long before gzip and base 91. `name` may be NULL. */
void flm_html_part_add(struct flm_text *out, const char *id, const char *name,
                       const struct flm_html_part *part);

/* False if the page has no such part, or ends within it. */
bool flm_html_part_find(struct flm_bytes page, const char *id, struct flm_html_part *part);

/* Whether flamel wrote the page: `sniff` of the format, which load/all_formats.c has. */
int flm_html_sniff(struct flm_bytes head, bool whole);

/* Appends text for HTML, in attributes too: markup characters as entities, NUL as U+FFFD. */
void flm_html_escape(struct flm_text *out, struct flm_bytes text);

#endif
