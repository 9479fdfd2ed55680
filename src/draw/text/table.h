/* table.h - rows and columns as text: aligned for a window, as Markdown or as CSV.
 *
 *     struct flm_table table;
 *     flm_table_init(&table, columns, 3);
 *     flm_quantity_add(flm_table_cell(&table), 1.24e9, flm_bytes_of("ns"));
 *     flm_table_bar(&table, 0.38);
 *     flm_text_puts(flm_table_cell(&table), "main");           and so on, row by row
 *     flm_table_print(&table, &style, out);
 *
 *         self         function                      numbers are right-aligned, units left-aligned;
 *      1.24 s  ███     net::Connection::serve        long names are shortened, and the least
 *      318 ms  █       malloc                        important columns are left out
 *
 * Texts are made showable in the terminal (cells.h); Markdown and CSV have everything in full.
 *
 * A spreadsheet that opens CSV computes cells which begin with =, +, - or @, and a formula can send
 * away what is in the others, or start a program. Names come out of files, so text that begins so
 * has a ' before it, the usual remedy, which spreadsheets show as text. Numbers are left alone: -5
 * is one. Programs that need the names of functions to the byte read JSON. */
#ifndef FLAMEL_DRAW_TEXT_TABLE_H
#define FLAMEL_DRAW_TEXT_TABLE_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "draw/text/cells.h"
#include "draw/text/quantity.h"

enum flm_column_kind {
    FLM_COLUMN_TEXT,
    FLM_COLUMN_CODE,   /* a line of it: blanks in front matter */
    FLM_COLUMN_NUMBER, /* "318", "1.24 s", "< 0.1 %": a number and its unit */
    FLM_COLUMN_NAME,   /* a function */
    FLM_COLUMN_STACK,  /* functions with semicolons between them: the last ones matter most */
    FLM_COLUMN_PATH,   /* a file or module; in a fainter tone */
    FLM_COLUMN_BAR     /* only on a terminal that shows UTF-8 */
};

struct flm_column {
    const char *title;
    enum flm_column_kind kind;
    int leave_out; /* in a narrow window the largest is left out first; 0: never */
};

/* The reader of the text. {0}: a file. */
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

/* Text after it is in this tone, until the next one. Adds nothing if there are no colors. */
void flm_tone_add(struct flm_text *out, enum flm_table_tone tone,
                  const struct flm_table_style *style);

/* The escape sequence that does it, or "". */
const char *flm_tone_sequence(enum flm_table_tone tone, const struct flm_table_style *style);

struct flm_table_cell;
struct flm_table {
    const struct flm_column *columns;
    size_t column_count;
    struct flm_text text; /* of all cells, one after the other */
    struct FLM_ARRAY(struct flm_table_cell) cells;
    bool failed;
};

/* `columns` must outlive the table. */
void flm_table_init(struct flm_table *table, const struct flm_column *columns, size_t count);
void flm_table_clear(struct flm_table *table);

/* The next cell, row by row. Text that is added until the next call is in it. */
struct flm_text *flm_table_cell(struct flm_table *table);

/* The next cell, a quantity in the scale of its column (quantity.h), with its unit, unless that is
 * a word that is the same in the whole column ("samples"): 2,964.0 ms, 104.13 M, 1,204. */
void flm_table_quantity(struct flm_table *table, double value, const struct flm_scale *scale);

/* The same for a change: with its sign, and before it a mark such as "~", or nothing. */
void flm_table_change(struct flm_table *table, const char *mark, double value,
                      const struct flm_scale *scale);

/* The next cell, a percentage of `whole` with one decimal: "12.3 %", "<0.1 %". */
void flm_table_percent(struct flm_table *table, double value, double whole);

/* The next cell, of a column of bars: 0 <= share <= 1. */
void flm_table_bar(struct flm_table *table, double share);

/* The text of the cell so far is the lines of a tree, which are not shortened with the name. */
void flm_table_end_prefix(struct flm_table *table);

/* Sets the tone of the cell, instead of its column's. */
void flm_table_tone(struct flm_table *table, enum flm_table_tone tone);

/* All of these add to `out`, whose `failed` is set if memory ran out. A table without rows has only
 * titles. */
void flm_table_print(const struct flm_table *table, const struct flm_table_style *style,
                     struct flm_text *out);
void flm_table_markdown(const struct flm_table *table, struct flm_text *out);
void flm_table_csv(const struct flm_table *table, struct flm_text *out);

#endif
