/* json.h - a profile as JSON, for other programs: flamel's own tables, and nested for d3.
 *
 *     {"format": "flamel profile", "version": 1,
 *      "metrics": [{"name": "cpu-clock", "unit": "ns"}],
 *      "frames":  [{"function": "main", "module": "app", "file": "a.c", "kind": "native"}, ...],
 *      "empty_stack": [3],
 *      "stacks":  [{"parent": null, "frame": 0, "self": [0]},
 *                  {"parent": 0, "frame": 3, "self": [120]}, ...],
 *      "samples": [{"time_ns": 1000, "duration_ns": 40, "stack": 1, "labels": [["thread", "7"]],
 *                   "values": [120]}, ...],
 *      "markers": [...], "counters": [...], "notes": {...}, "losses": [...]}
 *
 * Frames and stacks are counted from 0; a stack is its parent's with one frame more, and follows
 * its parent. "self" has a value for each metric, and the values of samples are part of it; that of
 * samples without a stack is the value of the empty stack. What is not known is left out.
 * docs/json.md describes all members; the file reads back as the same profile.
 *
 *     {"name": "all", "value": 120, "children": [{"name": "main", "value": 120, "children": []}]}
 *
 * is what d3-flame-graph and d3.hierarchy() take: one metric, "value" with all that is below. */
#ifndef FLAMEL_FORMAT_JSON_JSON_H
#define FLAMEL_FORMAT_JSON_JSON_H

#include "format/core/format.h"

#define FLM_JSON_PROFILE "flamel profile" /* the member "format" */

bool flm_json_write_profile(const struct flm_profile *profile,
                            const struct flm_write_options *options, struct flm_text *out,
                            struct flm_error *why);
bool flm_json_read_profile(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why);

#endif
