/* html.h - where a page of one file has its profiles. load/page.h writes and opens such pages.
 *
 *     <!DOCTYPE html>
 *     ... <meta name="generator" content="flamel 0.1.0">        by which it is recognized
 *     ... style, body, script
 *     <script type="text/plain" id="flamel-after" data-size="2811604" data-name="app.perf">
 *     ...letters of the gzip of the packed profile...</script>
 *
 * The letters (letters.h) have no '<', so what stands before them is found by searching. */
#ifndef FLAMEL_FORMAT_HTML_HTML_H
#define FLAMEL_FORMAT_HTML_HTML_H

#include "base/text/text.h"

#define FLM_HTML_BEGINS "<!DOCTYPE html>"
#define FLM_HTML_GENERATOR "<meta name=\"generator\" content=\"flamel "

/* Parts by their ids: "script", "unpack", "after", "before". */
struct flm_html_part {
    struct flm_bytes letters;
    uint64_t size; /* of the bytes, as they are */
};

/* Adds what stands before the letters of a part of `size` bytes. Of them the first `module` are a
 * module in parts (web/module_parts.h). `name` may be NULL. */
void flm_html_part_begin(struct flm_text *out, const char *id, uint64_t size, uint64_t module,
                         const char *name);

/* False when there is no such part, or not all of it. */
bool flm_html_part_find(struct flm_bytes page, const char *id, struct flm_html_part *part);

/* Adds a text so that a page shows it as it is, within quotation marks too. */
void flm_html_escape(struct flm_text *out, struct flm_bytes text);

#endif
