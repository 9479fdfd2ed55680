/* flamebearer.h - a flame graph as Pyroscope has it: names, and levels of boxes.
 *
 *     names    "total" "main" "work"
 *     level    4 numbers a box: how far it begins behind the end of the one before, total, self,
 *              name; the first level is the root. Of a comparison 7: the first three of the left
 *              side, those of the right side, name
 *
 * Of a profile with more nodes than are wanted, those with the smallest totals become a box "other"
 * of their parent, so that all sums stay. */
#ifndef FLAMEL_SERVE_QUERY_FLAMEBEARER_H
#define FLAMEL_SERVE_QUERY_FLAMEBEARER_H

#include "base/core/array.h"
#include "base/text/json_write.h"
#include "base/text/text.h"
#include "flamel/profile.h"

struct flm_flamebearer_box {
    uint32_t level, name;
    struct {
        int64_t gap, total, self;
    } side[2]; /* the second one of a comparison */
};

struct flm_flamebearer {
    struct FLM_ARRAY(struct flm_name) names;            /* of the profile; [0] is "total" */
    struct FLM_ARRAY(struct flm_flamebearer_box) boxes; /* those of a level in their order */
    uint32_t level_count;
    unsigned side_count;
    int64_t total[2], max_self;
};

/* Of one metric, or of two compared; NULL stands for one that is 0 everywhere. At most about
 * `most_nodes` boxes (0: all). False when memory ran out. */
bool flm_flamebearer_make(const struct flm_profile *profile, const struct flm_metric *const *sides,
                          unsigned side_count, size_t most_nodes, struct flm_flamebearer *out,
                          struct flm_error *why);
void flm_flamebearer_clear(struct flm_flamebearer *flamebearer);

/* As querier.v1 has it: `{"flamegraph": ...}`; SelectMergeStacktracesResponse, and DiffResponse of
 * a comparison. */
void flm_flamebearer_write_json(const struct flm_flamebearer *flamebearer, struct flm_text *out);
void flm_flamebearer_write_wire(const struct flm_flamebearer *flamebearer, struct flm_text *out);

/* As /pyroscope/render has it: the member "flamebearer" of an object that is being written. */
void flm_flamebearer_write_render(const struct flm_flamebearer *flamebearer,
                                  struct flm_json_writer *json);

#endif
