/* write_json.h - what all answers share: values, shares and names as words, into JSON.
 *
 *     struct flm_telling t;
 *     if (!flm_tell_begin(&t, viewer, out, why))
 *         return false;
 *     flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
 *     flm_tell_quantity(&t, "total", total);               "total": "1.24 s"
 *     flm_tell_share(&t, "share", total, t.all);           "share": "12.3 %"
 *     flm_json_end(&t.json);
 *     return flm_tell_end(&t, why); */
#ifndef FLAMEL_VIEWER_QUERY_WRITE_JSON_H
#define FLAMEL_VIEWER_QUERY_WRITE_JSON_H

#include "base/text/json_write.h"
#include "viewer/internal.h"

struct flm_telling {
    struct flm_viewer *viewer;
    const struct flm_profile *profile; /* the shown one; NULL: none is open */
    struct flm_metric metric;          /* the shown one */
    struct flm_bytes unit;
    double all; /* the sum of |self| of everything in that metric */
    struct flm_json_writer json;
    struct flm_text words;
};

/* Makes the viewer settle. False, and `why`, if memory ran out. */
bool flm_tell_begin(struct flm_telling *t, struct flm_viewer *viewer, struct flm_text *out,
                    struct flm_error *why);

/* False, and `why`, if memory ran out at any time. */
bool flm_tell_end(struct flm_telling *t, struct flm_error *why);

/* The words that are being made: what is added until flm_tell_words is one text. */
struct flm_text *flm_tell_words_begin(struct flm_telling *t);
void flm_tell_words(struct flm_telling *t, const char *key);

void flm_tell_text(struct flm_telling *t, const char *key, const char *text); /* NULL: null */
void flm_tell_quantity(struct flm_telling *t, const char *key, double value);
void flm_tell_exact(struct flm_telling *t, const char *key, double value);
void flm_tell_count(struct flm_telling *t, const char *key, uint64_t count);
void flm_tell_string(struct flm_telling *t, const char *key, uint32_t string); /* "": null */
void flm_tell_color(struct flm_telling *t, const char *key, uint32_t rgb);     /* "#rrggbb" */
void flm_tell_ref(struct flm_telling *t, uint32_t pane, struct flm_node node); /* "node" */

/* null where there is no whole. */
void flm_tell_share(struct flm_telling *t, const char *key, double value, double whole);

/* flm_frame_title. */
void flm_tell_title(struct flm_telling *t, const char *key, uint32_t frame);

/* The search that is on and finds a frame: its color; -1: none. As "found". */
void flm_tell_found(struct flm_telling *t, uint32_t frame);

/* Two numbers: "20 40" is rows 20 to 59. What is missing is 0 and 100. */
struct flm_row_range {
    uint32_t from, count;
};
struct flm_row_range flm_row_range_of(struct flm_bytes argument);

#endif
