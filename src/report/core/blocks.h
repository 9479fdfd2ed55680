/* blocks.h - how a report is made: a sequence of blocks, each for some of the forms it is written
 * in.
 *
 *     fact, group     "total": 100                          for programs: JSON
 *     line            "app.folded: 100 samples in 6 stacks" for people: text and Markdown
 *     section         a heading, and what follows it        for people
 *     table           columns, rows, values                 for all, and the only thing in CSV
 *
 * A table has the columns that programs read, and a second list of views: the columns that people
 * see, in which order and under which heading. One column may have several views, a quantity, its
 * percentage and its bar:
 *
 *     columns   function  module  self  total               values, stored once
 *     views     self  self %  self bar  total  total %  function
 *
 * A name with a point, "hidden.total", is a member of an object in JSON ("hidden": {"total": 9})
 * and has an underscore in CSV. Rows of a tree have a depth; the lines that connect them are drawn
 * by the writer (text.c).
 *
 * Values of a row are added in the order of the columns. Functions that return a text begin a
 * value: it is all that is added to the text until the next call. Failed allocations are
 * remembered, and reported once, by flm_report_finish. */
#ifndef FLAMEL_REPORT_CORE_BLOCKS_H
#define FLAMEL_REPORT_CORE_BLOCKS_H

#include "base/core/array.h"
#include "base/text/json_write.h"
#include "base/text/text.h"
#include "draw/text/table.h"
#include "flamel/report.h"

enum {
    FLM_IN_TEXT = 1,
    FLM_IN_MARKDOWN = 2,
    FLM_IN_JSON = 4,
    FLM_IN_CSV = 8,
    FLM_IN_PEOPLES = FLM_IN_TEXT | FLM_IN_MARKDOWN,
    FLM_IN_PROGRAMS = FLM_IN_JSON | FLM_IN_CSV,
    FLM_IN_ALL = FLM_IN_PEOPLES | FLM_IN_PROGRAMS
};

enum flm_value_kind {
    FLM_VALUE_ABSENT, /* JSON leaves it out */
    FLM_VALUE_NULL,
    FLM_VALUE_NUMBER,
    FLM_VALUE_BOOL,
    FLM_VALUE_TEXT,
    FLM_VALUE_STACK
};

struct flm_report_value {
    enum flm_value_kind kind;
    enum flm_table_tone tone; /* PLAIN: that of its column */
    double number;
    size_t start, end;  /* in the text of the report; of a stack: in its names */
    const char *prefix; /* before what people see: "~"; a quantity that has one, maybe "", is a
                           change, and shown with its sign */
};

struct flm_report_column {
    const char *name;
    unsigned forms;  /* FLM_IN_JSON, FLM_IN_CSV */
    bool is_percent; /* CSV has six digits of it */
    bool is_literal; /* the name of a file, say: points in it mean nothing */
};

/* How people see a value. */
enum flm_view_format {
    FLM_VIEW_AS_TEXT,
    FLM_VIEW_AS_COUNT,    /* 1,204,331 */
    FLM_VIEW_AS_QUANTITY, /* flm_table_quantity: "2,964.0 ms" */
    FLM_VIEW_AS_CHANGE,   /* flm_table_change: "+2,964.0 ms" */
    FLM_VIEW_AS_ANY_QUANTITY, /* "2.96 s", "310 ns": in the unit that fits it, where a column has values of
                                 all sizes, and each is read for itself */
    FLM_VIEW_AS_PERCENT,      /* of `whole`, one decimal: "12.3 %" */
    FLM_VIEW_AS_SHARE,        /* of `whole`, three digits: "0.0412 %" */
    FLM_VIEW_AS_CHANGE_SHARE, /* the same with its sign; "of 0" */
    FLM_VIEW_AS_ROUNDED,      /* two digits */
    FLM_VIEW_AS_SIMILARITY,   /* two decimals; 1 and 0 only if they are exact */
    FLM_VIEW_AS_BAR,          /* as a share of `whole` */
};

struct flm_report_view {
    const char *heading;
    size_t column;
    enum flm_view_format format;
    enum flm_column_kind kind; /* of draw/text/table.h */
    int leave_out;             /* the same */
    double whole;              /* of percentages */
    struct flm_bytes unit;     /* kept by the report */
    bool is_mean;              /* of counts: the digits behind the point say nothing */
    bool has_unit; /* in Markdown: with the unit, also where all of the column have the same */
};

struct flm_report_row {
    uint32_t depth;
    unsigned forms;
};

struct flm_report_table {
    const struct flm_report *report;
    const char *name;
    unsigned forms;
    bool is_tree;      /* the last view has the lines of the tree */
    bool is_spread;    /* JSON has a line for each member of a row */
    bool is_matrix;    /* a row in JSON is an array without names */
    size_t most_cells; /* of a stack in Markdown: longer ones stand in full at the end; 0: all */
    struct FLM_ARRAY(struct flm_report_column) columns;
    struct FLM_ARRAY(struct flm_report_view) views;
    struct FLM_ARRAY(struct flm_report_row) rows;
    struct FLM_ARRAY(uint32_t) program_rows; /* without those that only people see */
    struct FLM_ARRAY(struct flm_report_value) values;
};

enum flm_block_kind {
    FLM_BLOCK_FACT,
    FLM_BLOCK_BEGIN, /* of a group */
    FLM_BLOCK_END,
    FLM_BLOCK_LINE,
    FLM_BLOCK_HEADING,
    FLM_BLOCK_SECTION,
    FLM_BLOCK_SECTION_END,
    FLM_BLOCK_TABLE
};

/* Text for a terminal may need another table than text for a narrower one. */
enum flm_block_width {
    FLM_WIDTH_ANY,
    FLM_WIDTH_LEAST, /* least_width or more */
    FLM_WIDTH_BELOW  /* less than that */
};

struct flm_report_block {
    enum flm_block_kind kind;
    unsigned forms;
    const char *key;    /* of a fact or group; the title of a heading or section */
    const char *detail; /* behind the title of a section; the verdict of a heading */
    enum flm_json_shape shape;
    struct flm_report_value value; /* of a fact, a line, a heading */
    bool has_gap;                  /* an empty line before it */
    bool is_open;                  /* a section: unfolded in Markdown */
    size_t path_size;              /* a line begins with a path, which is shortened to fit */
    size_t indent;                 /* of the second and later rows of a line that is broken */
    size_t strong;                 /* 1 + where the strong end of a line begins; 0: there is none */
    enum flm_block_width width;    /* of the text that it is for */
    size_t least_width;            /* in cells */
    size_t table;
};

struct flm_report {
    struct FLM_ARRAY(struct flm_report_block) blocks;
    struct FLM_ARRAY(struct flm_report_table *) tables;
    struct FLM_ARRAY(char *) kept;
    struct flm_text text;           /* of all values */
    struct FLM_ARRAY(size_t) names; /* of stacks: where each begins in the text, and its end */
    struct flm_report_value *open;  /* the value that text is being added to */
    bool is_table;                  /* JSON is the only table, without an object around it */
    bool failed;
};

/* NULL, and `why`, if memory ran out. */
struct flm_report *flm_report_new(struct flm_error *why);

/* The report; or NULL, with the report freed and `why` filled, if memory ran out on the way. */
struct flm_report *flm_report_finish(struct flm_report *report, struct flm_error *why);

/* A copy of the text, terminated, that lives as long as the report; "" if memory ran out. */
const char *flm_report_keep(struct flm_report *report, struct flm_bytes text);

/* ---- For programs ---------------------------------------------------------------------------- */

void flm_report_begin(struct flm_report *report, const char *key, enum flm_json_shape shape);
void flm_report_end(struct flm_report *report);
void flm_report_add_text(struct flm_report *report, const char *key, struct flm_bytes value);
void flm_report_add_number(struct flm_report *report, const char *key, double value);
void flm_report_add_bool(struct flm_report *report, const char *key, bool value);
void flm_report_add_null(struct flm_report *report, const char *key);

/* A stack: add its names, the outermost first, with flm_report_add_name. */
void flm_report_add_stack(struct flm_report *report, const char *key);
void flm_report_add_name(struct flm_report *report, struct flm_bytes name);

/* The names of all frames of a stack. `parent`: of each node (flm_profile_parents). */
void flm_report_add_node(struct flm_report *report, const struct flm_profile *profile,
                         const uint32_t *parent, uint32_t node);

/* ---- For people ------------------------------------------------------------------------------ */

/* A line or several, without the last newline. The text may have tones (flm_tone_add) no more than
 * the one given. Escaped in Markdown. */
struct flm_text *flm_report_add_line(struct flm_report *report, unsigned forms, bool has_gap,
                                     enum flm_table_tone tone);

/* The line so far is a path, which is shortened where the line is too long. */
void flm_report_end_path(struct flm_report *report);

/* Second and later rows of the last line, where it is broken, are so many cells in. */
void flm_report_indent_line(struct flm_report *report, size_t indent);

/* Text added to the last line from now on is strong: bold in Markdown. */
void flm_report_begin_strong(struct flm_report *report);

/* The last block is in the text only if that is at least so wide, or only if it is narrower. The
 * width of a file is unlimited, which is SIZE_MAX; Markdown has it in any case. */
void flm_report_limit_width(struct flm_report *report, enum flm_block_width width, size_t cells);

/* The first line of a verdict. Text: "FAIL: sentence"; Markdown: "### title: FAIL", and the
 * sentence in bold. Without a verdict (NULL): only in Markdown, "### title: sentence". */
struct flm_text *flm_report_add_heading(struct flm_report *report, const char *title,
                                        const char *verdict);

void flm_report_begin_section(struct flm_report *report, const char *title, const char *detail,
                              bool is_open);
void flm_report_end_section(struct flm_report *report);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A new one, to which the functions below add until the next. The result is for setting its flags;
 * NULL if memory ran out. */
struct flm_report_table *flm_report_begin_table(struct flm_report *report, const char *name,
                                                unsigned forms, bool has_gap);

/* Returns the index of the column. `forms`: 0 for a column that is only seen. */
size_t flm_report_add_column(struct flm_report *report, const char *name, unsigned forms);
size_t flm_report_add_percent_column(struct flm_report *report, const char *name, unsigned forms);
size_t flm_report_add_literal_column(struct flm_report *report, const char *name, unsigned forms);
void flm_report_add_view(struct flm_report *report, struct flm_report_view view);

void flm_report_begin_row(struct flm_report *report, uint32_t depth, unsigned forms);
void flm_report_cell_number(struct flm_report *report, double value);
void flm_report_cell_bool(struct flm_report *report, bool value);
struct flm_text *flm_report_cell_text(struct flm_report *report);
void flm_report_cell_bytes(struct flm_report *report, struct flm_bytes text);
void flm_report_cell_null(struct flm_report *report);
void flm_report_cell_absent(struct flm_report *report);
void flm_report_cell_stack(struct flm_report *report); /* and flm_report_add_name */

/* Of the last value. */
void flm_report_cell_tone(struct flm_report *report, enum flm_table_tone tone);
void flm_report_cell_prefix(struct flm_report *report, const char *prefix);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Adds to `out`, which then says whether memory ran out. */
void flm_report_to_text(const struct flm_report *report, const struct flm_table_style *style,
                        struct flm_text *out);
void flm_report_to_markdown(const struct flm_report *report, struct flm_text *out);
void flm_report_to_json(const struct flm_report *report, struct flm_text *out);
void flm_report_to_csv(const struct flm_report *report, struct flm_text *out);

/* The table that CSV is; NULL: the report has none. */
const struct flm_report_table *flm_report_csv_table(const struct flm_report *report);

/* Reads the caller's style; NULL: the defaults. False, and `why`, for a wrong size. */
bool flm_report_table_style(const struct flm_report_style *style, struct flm_table_style *read,
                            struct flm_error *why);

/* A text of the report: of a fact, a line or a value. Of a stack: with semicolons, in `scratch`. */
struct flm_bytes flm_report_value_text(const struct flm_report *report,
                                       const struct flm_report_value *value,
                                       struct flm_text *scratch);
struct flm_bytes flm_report_value_name(const struct flm_report *report,
                                       const struct flm_report_value *value, size_t frame);

/* The values of a row, by column. */
const struct flm_report_value *flm_report_row_values(const struct flm_report_table *table,
                                                     size_t row);

#endif
