/* allocated_stacks.h - the stacks that a program allocated with, of one process or of several.
 *
 *     struct flm_probe_stacks stacks = {0};
 *     flm_probe_stacks_add(&stacks, &decoded, options, file, &why);     for each process
 *     flm_report_add_stacks(report, &stacks, options);
 *     flm_probe_stacks_clear(&stacks);
 *
 * A stack is a text, "get < parse < main": addresses differ in each process, and names do not. Its
 * innermost frames are in it; those that differ further out are one row. */
#ifndef FLAMEL_REPORT_PROBE_ALLOCATED_STACKS_H
#define FLAMEL_REPORT_PROBE_ALLOCATED_STACKS_H

#include "base/core/index.h"
#include "report/core/blocks.h"
#include "report/probe/site_names.h"

struct flm_stack_row {
    size_t start, size; /* of the text */
    double live, blocks, allocated, allocations, samples;
};

struct flm_probe_stacks {
    struct FLM_ARRAY(struct flm_stack_row) rows;
    struct flm_index index; /* by text */
    struct flm_text texts;
    uint64_t rate;    /* bytes from a sample to the next; 1: each allocation is one; 0: no stacks */
    bool has_unfreed; /* it has ended: what is live was not freed */
};

/* False, and `why`: no memory. */
bool flm_probe_stacks_add(struct flm_probe_stacks *stacks, const struct flm_probe_decoded *decoded,
                          const struct flm_report_options *options, size_t file,
                          struct flm_error *why);
void flm_probe_stacks_clear(struct flm_probe_stacks *stacks);

/* How all rows of a section are had. */
const char *flm_probe_all_rows(const struct flm_report_options *options);

/* The section: what is not freed where each allocation was looked at ("leaks"), else what was
 * allocated, by samples ("stacks"). Nothing where there are none. */
void flm_report_add_stacks(struct flm_report *report, const struct flm_probe_stacks *stacks,
                           const struct flm_report_options *options);

/* Rows of CSV; `command` as flm_report_add_probe_csv has it. */
void flm_report_add_stacks_csv(struct flm_report *report, const struct flm_probe_stacks *stacks,
                               const struct flm_report_options *options, const char *command);

#endif
