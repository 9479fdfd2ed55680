/* table.h - rows and columns as text: aligned for a window, as Markdown or as CSV.
 *
 *     struct flm_table table;
 *     flm_table_init(&table, columns, 3);
 *     flm_quantity_add(flm_table_cell(&table), 1.24e9, flm_bytes_of("ns"));
 *     flm_table_bar(&table, 0.38);
 *     flm_text_puts(flm_table_cell(&table), "main");           and so on, row by row
 *     flm_table_print(&table, &look, out);
 *
 *         self         function                      numbers end, and units begin, in one column;
 *      1.24 s  ███     net::Connection::serve        what does not fit is shortened, and the least
 *      318 ms  █       malloc                        important columns are left out
 *
 * A text is made harmless for the terminal (cells.h); Markdown and CSV have everything in full. */
#ifndef FLAMEL_DRAW_TEXT_TABLE_H
#define FLAMEL_DRAW_TEXT_TABLE_H

#include "base/text/text.h"
#include "draw/text/cells.h"

enum flm_column_kind {
    FLM_COLUMN_TEXT,
    FLM_COLUMN_NUMBER, /* "318", "1.24 s", "< 0.1 %": a number and its unit */
    FLM_COLUMN_NAME,   /* a function */
    FLM_COLUMN_STACK,  /* functions with semicolons between them: the last ones tell most */
    FLM_COLUMN_PATH,   /* a file or module; said more quietly */
    FLM_COLUMN_BAR     /* only where bars can be drawn: a terminal that shows UTF-8 */
};

struct flm_column {
    const char *title;
    enum flm_column_kind kind;
    int leave_out; /* in a window that is too narrow the largest goes first; 0: stays */
};

/* Where the text goes. {0}: a file. */
struct flm_table_style {
    size_t width; /* in cells; 0: unlimited, nothing is shortened and no bars are drawn */
    enum flm_charset charset;
    int colors; /* 0, 16 or 256 */
};

enum flm_table_tone {
    FLM_TONE_PLAIN,
    FLM_TONE_MUTED,
    FLM_TONE_STRONG,
    FLM_TONE_ACCENT,
};

/* What follows is in this tone, until the next one. Nothing where there are no colors. */
void flm_tone_add(struct flm_text *out, enum flm_table_tone tone,
                  const struct flm_table_style *look);

/* The escape sequence that does it, or "". */
const char *flm_tone_sequence(enum flm_table_tone tone, const struct flm_table_style *look);

struct flm_table_cell;
struct flm_table {
    const struct flm_column *columns;
    size_t column_count;
    struct flm_text text; /* of all cells, one after the other */
    struct flm_table_cell *cell;
    size_t cell_count, cell_capacity;
    bool failed;
};

/* `columns` must stay. */
void flm_table_init(struct flm_table *table, const struct flm_column *columns, size_t count);
void flm_table_clear(struct flm_table *table);

/* The next cell, row by row. What is added to the text until the next call is in it. */
struct flm_text *flm_table_cell(struct flm_table *table);

/* The next cell, as numbers stand best below each other: a quantity with three digits wherever it
 * is rounded ("5.00 s"), without a unit that all of the column have ("samples"). Counts are exact
 * in a table whose `largest` is below 10 million, else rounded all of them: 6.69 M, 12.0 k. */
void flm_table_quantity(struct flm_table *table, double value, struct flm_bytes unit,
                        double largest);

/* The same of a change: with its sign, and in front of that a mark or nothing: "~". */
void flm_table_change(struct flm_table *table, const char *mark, double value,
                      struct flm_bytes unit, double largest);

/* The next cell, a percentage of `whole` with one decimal: "12.3 %", "<0.1 %". */
void flm_table_percent(struct flm_table *table, double value, double whole);

/* The next cell, of a column of bars: 0 <= share <= 1. */
void flm_table_bar(struct flm_table *table, double share);

/* What the cell has so far is the lines of a tree: not a part of the name that may be shortened. */
void flm_table_end_prefix(struct flm_table *table);

/* The cell is not in the tone of its column. */
void flm_table_tone(struct flm_table *table, enum flm_table_tone tone);

/* All of these add to `out`, which then says whether memory ran out. A table without rows is its
 * titles. */
void flm_table_print(const struct flm_table *table, const struct flm_table_style *look,
                     struct flm_text *out);
void flm_table_markdown(const struct flm_table *table, struct flm_text *out);
void flm_table_csv(const struct flm_table *table, struct flm_text *out);

#endif
