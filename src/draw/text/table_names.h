/* table_names.h - the names of a table that is too narrow for them, told apart.
 *
 * A name is shortened by itself (cells.h), which may leave two functions with the same letters: two
 * instances of a template, "unsigned long spin" twice. Those rows are shortened with each other in
 * mind (short_names.h): "…spin<1>", "…spin<3>". All other rows stay as they are. */
#ifndef FLAMEL_DRAW_TEXT_TABLE_NAMES_H
#define FLAMEL_DRAW_TEXT_TABLE_NAMES_H

#include "draw/text/table.h"

struct flm_table_names {
    struct flm_text text;
    struct flm_table_name {
        size_t from, size; /* in `text`; none: the name is shortened by itself */
    } * row;               /* NULL: so are all */
};

/* Of a column that is `room` cells wide. False when memory ran out. */
bool flm_table_names_init(struct flm_table_names *names, const struct flm_table *table,
                          size_t column, size_t room, enum flm_charset charset);
void flm_table_names_clear(struct flm_table_names *names);

#endif
