/* builder.h - making a profile, one stack or sample at a time.
 *
 * A builder is the mutable half of a profile: strings and frames are interned, nodes are found or
 * added by (parent, frame) through one hash table. flm_builder_finish sorts everything into the
 * canonical order and returns the profile; it is the only way to make one from nothing.
 *
 *     struct flm_builder *b = flm_builder_new(&why);
 *     struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
 *     struct flm_node node = flm_builder_root(b);
 *     node = flm_builder_child(b, node, flm_builder_function(b, "main", 4));
 *     flm_builder_add(b, node, cpu, 12e6);
 *     struct flm_profile *p = flm_builder_finish(b, &why);
 *
 * The builder remembers a failed allocation: later calls do nothing and return index 0, and
 * flm_builder_finish reports it. So a reader checks once, at the end.
 *
 * While a profile is built it takes about 60 bytes a node and metric, and for each distinct frame
 * 70 more and twice its name: a stack of 4 million frames 225 MB, 10 million different functions
 * with names of 24 letters 1.7 GB (measured, 64 bits). A value that is the sum of several and is
 * not exact (fractions; 2^53 and more) takes 50 more. There may be 2^30 nodes and 4 GiB of names;
 * where that, or memory, is passed, a sentence says what is held. */
#ifndef FLAMEL_BUILDER_H
#define FLAMEL_BUILDER_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_builder;

struct flm_builder *flm_builder_new(struct flm_error *why);
void flm_builder_free(struct flm_builder *builder);

/* Interned: the same text gives the same index. The builder copies. */
struct flm_string flm_builder_string(struct flm_builder *builder, const char *text, size_t size);
struct flm_frame flm_builder_frame(struct flm_builder *builder,
                                   const struct flm_frame_record *record);

/* The frame at a place in its function. Stacks of one frame at several locations are one node of
 * the profile, which keeps what each location has. Of more than 2^24 different locations the rest
 * are not kept, which is counted. */
struct flm_frame flm_builder_frame_at(struct flm_builder *builder, struct flm_frame frame,
                                      const struct flm_location *where);

/* A frame that has only a function name. */
struct flm_frame flm_builder_function(struct flm_builder *builder, const char *name, size_t size);

/* The metric of that name, added when it is new. The first one is the profile's default. A metric
 * that exists keeps its unit. */
struct flm_metric flm_builder_metric(struct flm_builder *builder, const char *name,
                                     const char *unit);

struct flm_node flm_builder_root(const struct flm_builder *builder);
struct flm_node flm_builder_child(struct flm_builder *builder, struct flm_node parent,
                                  struct flm_frame frame);

/* The node of a whole stack, root first. Quicker than one child at a time: see builder.c. */
struct flm_node flm_builder_stack(struct flm_builder *builder, const struct flm_frame *frames,
                                  size_t count);

/* Adds to the self value of a node. Sums are exact, and rounded once, when the profile is made: the
 * order of the values does not matter. */
void flm_builder_add(struct flm_builder *builder, struct flm_node node, struct flm_metric metric,
                     double value);

/* Counts values of 2^53 or more that were rounded to a double before they were added. They become
 * part of FLM_NOTE_ROUNDED, as sums do that a double does not hold exactly. */
void flm_builder_rounded(struct flm_builder *builder, uint64_t count);

/* Labels (thread, command, span ...) are key and value; sets of them are interned. `labels` holds
 * 2 x count strings: key, value, key, value ... in any order; a key may repeat. */
struct flm_label_set flm_builder_label_set(struct flm_builder *builder,
                                           const struct flm_string *labels, size_t count);

/* One sample: adds `value` to the node, and keeps when (nanoseconds on the profile's own clock, or
 * FLM_NO_TIME) and with which labels. */
void flm_builder_sample(struct flm_builder *builder, int64_t time_ns, struct flm_node node,
                        struct flm_label_set labels, struct flm_metric metric, double value);

/* Adds a value in another metric to the sample that was added last. */
void flm_builder_sample_add(struct flm_builder *builder, struct flm_metric metric, double value);

/* How long the sample lasts that was added last: from its time on, in nanoseconds, 0 or more; no
 * longer than until the last moment that a time can name. Without this it is a moment, as is one
 * without a time. */
void flm_builder_sample_lasts(struct flm_builder *builder, int64_t duration_ns);

/* A marker: what happened, and when; `detail` may be string 0, `labels` {0}: profile.h has more. A
 * duration that is beyond the last moment that a time can name ends there. One without a time
 * (FLM_NO_TIME) is a loss. */
void flm_builder_marker(struct flm_builder *builder, int64_t time_ns, int64_t duration_ns,
                        struct flm_string name, struct flm_string detail,
                        struct flm_label_set labels);

/* The counter of that name, unit and labels, added when it is new; and its value from a time on,
 * until that of the next point. Points come in any order; of several at one time the largest value
 * stays. One without a time, or that is not finite, is a loss; a counter without points is left
 * out. */
struct flm_counter flm_builder_counter(struct flm_builder *builder, struct flm_string name,
                                       struct flm_string unit, struct flm_label_set labels);
void flm_builder_counter_point(struct flm_builder *builder, struct flm_counter counter,
                               int64_t time_ns, double value);

/* Facts about the recording: "command", "host", "source". The last value of a key stays. */
void flm_builder_note(struct flm_builder *builder, const char *key, const char *value, size_t size);

/* Input that was not kept: `count` more of `what` ("malformed lines"). The first one was at `unit`
 * `number`: "line", 812 (or "", 0: not known). Losses are part of the profile, and commands show
 * them. */
void flm_builder_lost(struct flm_builder *builder, const char *what, const char *unit,
                      uint64_t number, double count);

/* For an input that is read in chunks: how many lines came before this one. Losses at
 * lines are shown with it added. Called before flm_builder_finish, when the number is known. */
void flm_builder_lines_before(struct flm_builder *builder, uint64_t lines);

/* Whether flm_builder_lost was called yet. */
bool flm_builder_has_losses(const struct flm_builder *builder);

/* How many nodes there are so far, without the root. */
uint32_t flm_builder_node_count(const struct flm_builder *builder);
bool flm_builder_failed(const struct flm_builder *builder);

/* The profile; the builder is freed in any case. Nodes whose subtree has no value in any metric
 * and no sample are left out. NULL, and `why`, if memory ran out, or if the values of a metric are
 * not finite or sum, without their signs, to more than 2^1000. */
struct flm_profile *flm_builder_finish(struct flm_builder *builder, struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
