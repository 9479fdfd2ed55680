/* internal.h - the cells of a table, for its writers: table.c aligns them for a window,
 * table_export.c writes Markdown and CSV. */
#ifndef FLAMEL_DRAW_TEXT_INTERNAL_H
#define FLAMEL_DRAW_TEXT_INTERNAL_H

#include "draw/text/table.h"

struct flm_table_cell {
    size_t start, prefix, end; /* in the text; [start, prefix) is never shortened */
    double share;              /* of a bar */
    enum flm_table_tone tone;
};

static inline bool flm_column_is_name(enum flm_column_kind kind)
{
    return kind == FLM_COLUMN_NAME || kind == FLM_COLUMN_STACK;
}

static inline size_t flm_table_row_count(const struct flm_table *table)
{
    return table->cells.count / table->column_count;
}

static inline const struct flm_table_cell *flm_table_cell_at(const struct flm_table *t, size_t row,
                                                             size_t column)
{
    return &t->cells.at[row * t->column_count + column];
}

/* The text of a cell. The last cell has no end yet. */
static inline struct flm_bytes flm_table_cell_text(const struct flm_table *t,
                                                   const struct flm_table_cell *cell)
{
    bool is_last = cell == &t->cells.at[t->cells.count - 1];
    size_t end = is_last ? t->text.size : cell->end;
    return (struct flm_bytes){t->text.at + cell->start, end - cell->start};
}

#endif
