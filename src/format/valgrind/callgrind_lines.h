/* callgrind_lines.h - what the lines of functions cost, of a large file in bounded memory.
 *
 * A file names a function once and then lists its costs, many of them of the same few lines: with
 * instructions, three of one line. So they are summed in a *block*, which is small enough for the
 * processor's cache, and go to the call graph when the next function begins: without a look into a
 * table of all lines, unless the function has had a block before.
 *
 *     block      file 7, line 12   300         graph.items    main 7:12 | main 7:14 | parse 9:2
 *                file 7, line 14    40   ->                   a function: one item for each line,
 *                                                             or one without a line
 *
 * Lines beyond the first of each function are counted, and there are at most `most_lines` of them.
 * Beyond that, the functions that cost least lose their lines, until half of them are left: their
 * costs are those of the function then. From there on blocks that cost no more than the largest of
 * these have no lines from the beginning. `lost` says how many lines that were. */
#ifndef FLAMEL_FORMAT_VALGRIND_CALLGRIND_LINES_H
#define FLAMEL_FORMAT_VALGRIND_CALLGRIND_LINES_H

#include "base/core/array.h"
#include "format/call_graph/call_graph.h"

/* The items of a function. */
struct flm_callgrind_own {
    uint32_t first, end; /* of its first block; none: both are 0 */
    bool is_indexed;     /* there were other blocks: all are in graph->item_index */
    bool has_no_lines;   /* `first` is its only item */
};

struct flm_callgrind_lines {
    struct flm_call_graph *graph;
    size_t most_lines;
    size_t line_count; /* of the graph: items, without the first of each function */
    double lost;
    bool is_large; /* a sum of costs was 2^64 or more */

    struct FLM_ARRAY(struct flm_callgrind_own) own; /* by function */
    struct FLM_ARRAY(struct flm_call_item) block;
    struct FLM_ARRAY(uint64_t) block_costs;
    struct FLM_ARRAY(uint32_t) slots; /* of the block, by file and line: an item, from 1 */

    struct FLM_ARRAY(double) scale; /* of each cost: 1 / its sum, when lines were dropped last */
    double least;                   /* of the functions that cost as much, lines are dropped */
};

/* How many lines are kept of a file with so many metrics: they take about 1 GiB in the graph, the
 * builder and the profile together. One line with 14 metrics, and samples, took 490 bytes; with 2
 * and without samples it was 240. */
static inline size_t flm_callgrind_most_lines(size_t metric_count)
{
    return ((size_t)1 << 30) / (200 + 21 * metric_count);
}

/* Of the current block: the index of the item of that line. UINT32_MAX when memory ran out. */
uint32_t flm_callgrind_lines_find(struct flm_callgrind_lines *lines, uint32_t file, uint32_t line);

/* Ends the block: its costs become those of the function. False when memory ran out, or a sum is
 * too large. */
bool flm_callgrind_lines_end(struct flm_callgrind_lines *lines, uint32_t function);

/* The one item of a function whose lines are not asked for; UINT32_MAX when memory ran out. */
uint32_t flm_callgrind_lines_item(struct flm_callgrind_lines *lines, uint32_t function);

/* Begins anew, for a graph without items: `functions` are those that had some. */
void flm_callgrind_lines_restart(struct flm_callgrind_lines *lines, const uint32_t *functions,
                                 size_t count);

void flm_callgrind_lines_clear(struct flm_callgrind_lines *lines);

#endif
