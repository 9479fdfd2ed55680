/* aggregate.h - sums over a profile: by function, by caller and callee, in all.
 *
 * A function is all frames of one name in one module; where the module is not known, of one file.
 * Lines, addresses and kinds are not distinguished. Self is the sum over the nodes of its frames;
 * total is the sum over their subtrees, each subtree once, so recursion counts once. Values are in
 * the unit of the metric.
 *
 *     struct flm_functions *functions = flm_functions_new(profile, metric, &why);
 *     uint32_t *order = malloc(flm_functions_count(functions) * sizeof *order);
 *     uint32_t count = flm_functions_sort(functions, FLM_FUNCTIONS_BY_SELF, order);
 *     for (uint32_t i = 0; i < count; i++)
 *         row(flm_functions_at(functions, order[i]));
 *
 * What flm_..._new returns is freed by the flm_..._free of that name, which accepts NULL; the
 * profile must live as long. Each returns NULL, and `why`, if memory ran out, if the profile does
 * not have the metric (one without samples may have none), or if the options are malformed. */
#ifndef FLAMEL_AGGREGATE_H
#define FLAMEL_AGGREGATE_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- By function ----------------------------------------------------------------------------- */

struct flm_function {
    uint32_t name, module, file;       /* strings; `file` is "" where the module is known */
    uint32_t first_frame, frame_count; /* its frames are a range of the profile's */
    double self, total;
};

struct flm_functions;

/* Self and total of every function in one metric: one pass over the nodes, about 6 ns each. */
struct flm_functions *flm_functions_new(const struct flm_profile *profile, struct flm_metric metric,
                                        struct flm_error *why);
void flm_functions_free(struct flm_functions *functions);

/* In name order. Function 0 is the root's, with the sum of everything as its total. */
uint32_t flm_functions_count(const struct flm_functions *functions);
const struct flm_function *flm_functions_at(const struct flm_functions *functions, uint32_t index);

/* The index of the function of a frame. */
uint32_t flm_functions_of_frame(const struct flm_functions *functions, struct flm_frame frame);

enum flm_function_order { FLM_FUNCTIONS_BY_SELF, FLM_FUNCTIONS_BY_TOTAL, FLM_FUNCTIONS_BY_NAME };

/* The functions whose self or total is not 0, without the root's: the largest (by size: -5 before
 * 3) first, equal ones in name order. `order` has room for all and receives indices; returns how
 * many, or FLM_NONE if memory ran out. */
uint32_t flm_functions_sort(const struct flm_functions *functions, enum flm_function_order by,
                            uint32_t *order);

/* ---- Callers and callees --------------------------------------------------------------------- */

enum flm_calls_view {
    FLM_CALLS_FROM_ROOT, /* the whole profile, callers above callees */
    FLM_CALLS_CALLEES,   /* what the marked functions call */
    FLM_CALLS_CALLERS    /* from where the marked functions are called */
};

struct flm_calls_options {
    size_t size; /* sizeof (struct flm_calls_options) */
    enum flm_calls_view view;
    struct flm_metric metric;
    const unsigned char *marks; /* by frame: whose callees or callers; not used from the root */
    double cut;                 /* rows whose size is below are not shown */
    uint32_t levels;            /* how many are shown at most */
};

/* A row. Its size, for the cut and the order, is the sum of |self| below it: where nothing is
 * negative that is the total. */
struct flm_call {
    uint32_t function;
    uint32_t level;   /* from 0 */
    uint32_t sibling; /* its index among the shown siblings, from 0 */
    uint32_t sibling_count;
    double total;          /* callers: how much of the functions' total came this way */
    double self;           /* callers: how much of it has no further caller */
    uint32_t hidden_count; /* branches below it that are not shown */
    double hidden;         /* their total */
};

/* Rows in preorder: the largest sibling first; equal ones in name order. */
struct flm_calls {
    struct flm_call *call;
    size_t count;
    double total;          /* of all rows of level 0, hidden ones too */
    uint32_t hidden_count; /* in all */
    double hidden;
    uint32_t hidden_top_count; /* of these, how many on level 0 */
    double hidden_top;
    uint32_t deeper_count; /* and how many for the levels alone */
    double deeper;
};

struct flm_calls *flm_calls_new(const struct flm_profile *profile,
                                const struct flm_functions *functions,
                                const struct flm_calls_options *options, struct flm_error *why);
void flm_calls_free(struct flm_calls *calls);

/* ---- In all ---------------------------------------------------------------------------------- */

/* Of one metric. */
struct flm_metric_summary {
    double total;
    double size;                  /* the sum of |self|: what shares are of */
    uint32_t stack_count;         /* nodes with a value */
    double kinds[FLM_KIND_COUNT]; /* |self| by the kind of the innermost frame */
    double unsymbolized;          /* |self| where the innermost frame has no symbol */
};

struct flm_label_key {
    uint32_t key;         /* string */
    uint32_t value_count; /* distinct values */
};

struct flm_summary {
    struct flm_metric_summary *metric; /* one for each */
    uint32_t depth;                    /* frames of the longest stack */
    uint32_t unsymbolized_frames;

    uint32_t timed_samples; /* that have a time */
    int64_t first_ns, last_ns;
    struct flm_label_key *label_key; /* in name order */
    uint32_t label_key_count;
};

struct flm_summary *flm_summary_new(const struct flm_profile *profile, struct flm_error *why);
void flm_summary_free(struct flm_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
