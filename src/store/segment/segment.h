/* segment.h - an immutable file with the samples of many programs in a range of time.
 *
 *     header   magic, range of time, where the index is, its checksum
 *     blocks   of each group: totals, times, rows                  each compressed by zstd,
 *     tree     all stacks of all groups, as one packed profile     with a checksum in the index
 *     index    series, types, groups, blocks
 *
 * A *series* is a set of labels: one process of one service, say. A *group* has the values of
 * all series of one service (and tenant) in one type (a metric and its unit). Its blocks are
 * three views of the same rows (store_rows.h), so that most questions are answered by a small one:
 *
 *     totals   a value for each stack                    a service over the whole segment
 *     times    a value for each series and time          its timeline
 *     rows     a value for each stack, series and time   parts of the time, some of the series
 *
 * A stack is a node of the tree, so summing is adding to a column of numbers by index; the
 * column and the tree together are a profile, of which stacks without a value fall away. The
 * tree is read at the first query and kept until the segment is closed.
 *
 * A segment is written under another name, made durable, and renamed; it never changes.
 * Everything read is checked: what a damaged file has is refused, with its name and the place. */
#ifndef FLAMEL_STORE_SEGMENT_SEGMENT_H
#define FLAMEL_STORE_SEGMENT_SEGMENT_H

#include "base/core/array.h"
#include "flamel/profile.h"
#include "store/segment/store_rows.h"

struct flm_segment;

/* ---- Reading --------------------------------------------------------------------------------- */

/* Maps the file and reads its index. NULL, and `why` with the path, when it is damaged. */
struct flm_segment *flm_segment_open(const char *path, struct flm_error *why);
void flm_segment_close(struct flm_segment *segment);

/* What is in it, borrowed. Series are ordered by their text (store/labels/series_labels.h), so
 * those of a service are a range; the texts are contiguous in memory, in this order. */
struct flm_segment_group {
    struct flm_bytes type; /* "cpu:ns" */
    uint32_t first_series, series_count;
    uint64_t row_count;
};
int64_t flm_segment_from_ms(const struct flm_segment *segment); /* of the epoch */
int64_t flm_segment_until_ms(const struct flm_segment *segment);
uint64_t flm_segment_size(const struct flm_segment *segment); /* of the file */
uint32_t flm_segment_series_count(const struct flm_segment *segment);
struct flm_bytes flm_segment_series(const struct flm_segment *segment, uint32_t series);
uint32_t flm_segment_group_count(const struct flm_segment *segment);
const struct flm_segment_group *flm_segment_group(const struct flm_segment *segment,
                                                  uint32_t group);

/* The tree: read and checked at the first call. Its first metric says how many rows a stack has.
 * NULL, and `why`, where it is damaged. */
const struct flm_profile *flm_segment_tree(struct flm_segment *segment, struct flm_error *why);

/* Adds the values of a group between two times to `self`, a value for each node of the tree.
 * `series`: a byte for each series of the *group*, whether it is wanted; NULL: all are. */
bool flm_segment_sum(struct flm_segment *segment, uint32_t group, int64_t from_ms, int64_t until_ms,
                     const unsigned char *series, double *self, struct flm_error *why);

/* Calls `add` for each series (counted in the group) and time that has a value, times ascending
 * within a series. */
typedef void (*flm_segment_time_sink)(void *context, uint32_t series, int64_t time_ms,
                                      double value);
bool flm_segment_times(struct flm_segment *segment, uint32_t group, flm_segment_time_sink add,
                       void *context, struct flm_error *why);

/* Appends all rows of a group, series counted in it, times from the segment's beginning. */
bool flm_segment_rows(struct flm_segment *segment, uint32_t group, struct flm_store_rows *rows,
                      struct flm_error *why);

/* Reads every block: false, and `why`, at the first that is damaged. */
bool flm_segment_check(struct flm_segment *segment, struct flm_error *why);

/* ---- Writing --------------------------------------------------------------------------------- */

struct flm_segment_writer;

/* Begins the segment `path` of the stacks of `tree`, which must stay. `series`, ascending and
 * distinct, too. */
struct flm_segment_writer *flm_segment_begin(const char *path, int64_t from_ms, int64_t until_ms,
                                             const struct flm_profile *tree,
                                             const struct flm_bytes *series, size_t series_count,
                                             struct flm_error *why);

/* Adds a group, whose type and first series ascend. Sorts the rows; their series are counted from
 * `first_series`. */
bool flm_segment_add(struct flm_segment_writer *writer, struct flm_bytes type,
                     uint32_t first_series, uint32_t series_count, struct flm_store_rows *rows,
                     struct flm_error *why);

/* Completes it: when this returns true the file is there, whatever happens to the machine. Frees
 * the writer in any case; *size receives the size of the file. */
bool flm_segment_finish(struct flm_segment_writer *writer, uint64_t *size, struct flm_error *why);
void flm_segment_abandon(struct flm_segment_writer *writer);

#endif
