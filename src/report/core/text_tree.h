/* text_tree.h - the lines in front of the rows of a tree in text.
 *
 * A row stands right below its parent when it is the only one: only where the tree branches are
 * there lines, and the names move to the right. So a chain of a hundred calls is a straight column.
 *
 *     main
 *     run
 *     |- parse
 *     |  |- lex
 *     |  `- build
 *     |     allocate          build calls only this
 *     `- (3 more)             branches below the cut, where they are worth a row together
 */
#ifndef FLAMEL_REPORT_CORE_TEXT_TREE_H
#define FLAMEL_REPORT_CORE_TEXT_TREE_H

#include "base/core/array.h"
#include "report/core/blocks.h"

/* Where a line of the tree runs down. */
struct flm_tree_branch {
    uint32_t depth;
    bool ends; /* with this row */
};

struct flm_tree_lines {
    unsigned char *sibling; /* by row: whether it is the only one, or the last */
    struct FLM_ARRAY(struct flm_tree_branch) branches;
};

/* Of the rows of a table, whose depths say what is below what. False if memory ran out. */
bool flm_tree_lines_init(struct flm_tree_lines *lines, const struct flm_report_table *table);
void flm_tree_lines_clear(struct flm_tree_lines *lines);

/* Adds the lines before a row: those that run past it, and its own. Rows come in their order. */
bool flm_tree_lines_add(struct flm_tree_lines *lines, struct flm_text *cell,
                        const struct flm_report_table *table, size_t row, bool is_utf8);

#endif
