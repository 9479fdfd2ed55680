#include "report/core/text_tree.h"

#include <stdlib.h>
#include <string.h>

enum sibling { SIBLING_ONLY, SIBLING_BEFORE_OTHERS, SIBLING_LAST };

/* Two passes with a flag for each depth: whether the parent that is open there has had a child. */
bool flm_tree_lines_init(struct flm_tree_lines *lines, const struct flm_report_table *table)
{
    *lines = (struct flm_tree_lines){0};
    uint32_t deepest = 0;
    for (size_t i = 0; i < table->rows.count; i++)
        if (table->rows.at[i].depth > deepest)
            deepest = table->rows.at[i].depth;
    lines->sibling = calloc(table->rows.count + 1, 1);
    bool *seen = calloc((size_t)deepest + 2, sizeof *seen);
    if (!lines->sibling || !seen) {
        free(seen);
        return false;
    }
    for (size_t i = table->rows.count; i-- > 0;) {
        uint32_t depth = table->rows.at[i].depth;
        lines->sibling[i] = seen[depth] ? SIBLING_BEFORE_OTHERS : SIBLING_ONLY;
        seen[depth] = true;
        seen[depth + 1] = false;
    }
    memset(seen, 0, ((size_t)deepest + 2) * sizeof *seen);
    for (size_t i = 0; i < table->rows.count; i++) {
        uint32_t depth = table->rows.at[i].depth;
        if (lines->sibling[i] == SIBLING_ONLY && seen[depth])
            lines->sibling[i] = SIBLING_LAST;
        seen[depth] = true;
        seen[depth + 1] = false;
    }
    free(seen);
    return true;
}

void flm_tree_lines_clear(struct flm_tree_lines *lines)
{
    free(lines->sibling);
    FLM_ARRAY_CLEAR(&lines->branches);
}

bool flm_tree_lines_add(struct flm_tree_lines *lines, struct flm_text *cell,
                        const struct flm_report_table *table, size_t row, bool is_utf8)
{
    uint32_t depth = table->rows.at[row].depth;
    enum sibling sibling = lines->sibling[row];
    while (lines->branches.count > 0 &&
           lines->branches.at[lines->branches.count - 1].depth >= depth)
        lines->branches.count--;
    for (size_t i = 0; i < lines->branches.count; i++)
        flm_text_puts(cell, lines->branches.at[i].ends ? (is_utf8 ? "  " : "   ")
                            : is_utf8                  ? "\xE2\x94\x82 "
                                                       : "|  ");
    if (sibling == SIBLING_ONLY)
        return true;
    bool ends = sibling == SIBLING_LAST;
    if (is_utf8)
        flm_text_puts(cell, ends ? "\xE2\x94\x94 " : "\xE2\x94\x9C ");
    else
        flm_text_puts(cell, ends ? "`- " : "|- ");
    return FLM_ARRAY_ADD(&lines->branches, ((struct flm_tree_branch){depth, ends}));
}
