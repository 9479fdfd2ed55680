/* report.h - reports: a profile as tables of rows and columns, made once, and written as
 * text for a terminal, as Markdown, JSON or CSV.
 *
 *     struct flm_report_options options = {.size = sizeof options, .rows = 30};
 *     struct flm_report *report = flm_report_top(profile, &options, &why);
 *     flm_report_write(report, FLM_REPORT_TEXT, NULL, sink, context, &why);
 *
 *     const struct flm_report_table *functions = flm_report_table_named(report, "functions");
 *     size_t self = flm_report_column_named(functions, "self");
 *     for (size_t row = 0; row < flm_report_row_count(functions); row++)
 *         sum += flm_report_number(functions, row, self);
 *     flm_report_free(report);
 *
 * The names of tables and columns are those of the JSON that `flamel report --json` writes, and the
 * manual pages of the commands list them. A report owns everything that it holds: the profile may
 * be freed before it. It never changes; threads may share it. */
#ifndef FLAMEL_REPORT_H
#define FLAMEL_REPORT_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_report;
struct flm_report_table;

enum flm_report_form { FLM_REPORT_TEXT, FLM_REPORT_MARKDOWN, FLM_REPORT_JSON, FLM_REPORT_CSV };

/* What is at an address of a program. */
enum flm_report_address { FLM_ADDRESS_UNKNOWN, FLM_ADDRESS_FUNCTION, FLM_ADDRESS_VARIABLE };

enum flm_report_sort { FLM_REPORT_BY_SELF, FLM_REPORT_BY_TOTAL, FLM_REPORT_BY_NAME };

/* `size` is sizeof (struct flm_report_options): fields that later versions add are 0 for programs
 * that do not know them. NULL is the same as all defaults. FLM_ERROR_USAGE for a size of 0, or
 * one that is larger than this library's. Texts are borrowed until the call returns. */
struct flm_report_options {
    size_t size;
    const char *source; /* the name of the profile in the report: its file; NULL: "" */
    const char *metric; /* NULL: the first; not used by flm_report_info */

    /* flm_report_top */
    enum flm_report_sort sort;
    uint32_t rows; /* at most; 0: all */

    /* The trees: smaller branches and deeper rows are counted and not shown. */
    double min_percent;   /* of the total */
    uint32_t levels;      /* 0: all */
    const char *function; /* callers, callees: of the functions that this pattern matches */

    /* flm_report_info */
    const char *format; /* of the file; NULL: "" */
    double file_bytes;  /* its size; 0: not known */
    bool label_values;  /* each value of each label, with the samples that have it: table
                           "label_values" */

    /* flm_report_probe; `rows` is of each section */
    const double *percentiles; /* up to 100; NULL: 95 */
    uint32_t percentile_count;

    /* Names what the file has only an address of: functions of stacks, locks of a program that runs
     * or was killed. `file` is the index of the process, 0 where there is one; `name` gets a
     * terminated text of less than `room` bytes. NULL: they stay addresses. */
    enum flm_report_address (*name_address)(void *context, size_t file, uint64_t address,
                                            char *name, size_t room);
    void *name_context;
    bool for_command; /* its hints name options of `flamel probe`, not words of FLAMEL */
};

/* The functions with the largest self or total value. Table "functions". */
struct flm_report *flm_report_top(const struct flm_profile *profile,
                                  const struct flm_report_options *options, struct flm_error *why);

/* Trees of calls: from the root; the callees, and the callers, of the functions of a pattern. Table
 * "rows". FLM_ERROR_USAGE where no function matches. */
struct flm_report *flm_report_tree(const struct flm_profile *profile,
                                   const struct flm_report_options *options, struct flm_error *why);
struct flm_report *flm_report_callees(const struct flm_profile *profile,
                                      const struct flm_report_options *options,
                                      struct flm_error *why);
struct flm_report *flm_report_callers(const struct flm_profile *profile,
                                      const struct flm_report_options *options,
                                      struct flm_error *why);

/* Metrics, sizes, labels, losses and metadata. Tables "metrics", "labels", "lost", "notes". */
struct flm_report *flm_report_info(const struct flm_profile *profile,
                                   const struct flm_report_options *options, struct flm_error *why);

/* The notes that people wrote on a profile (flamel/notes.h). Table "notes". */
struct flm_report *flm_report_notes(const struct flm_profile *profile, struct flm_error *why);

/* The file of a program that measured itself (flamel/probe.h), complete or of one that runs or was
 * killed: a table for each signal, "time", "memory", "cpu", "locks", "io" and so on, of those that
 * it has. `metric` and the fields of trees are not used. */
struct flm_report *flm_report_probe(const void *bytes, size_t size,
                                    const struct flm_report_options *options,
                                    struct flm_error *why);

/* The same of a file, which may be compressed. NULL, with the kind of `why` FLM_ERROR_NONE, where
 * it is of another format. */
struct flm_report *flm_report_probe_file(const char *path, const struct flm_report_options *options,
                                         struct flm_error *why);

/* The report of several processes, of the bytes of their files: those that run the same program are
 * one, with the sums of all, and what cost most is first. JSON has them in "commands", CSV in a
 * first column. `rows` limits programs too. A file that is not complete is counted, and left
 * out. */
struct flm_report *flm_report_probe_processes(const struct flm_name *files, size_t count,
                                              const struct flm_report_options *options,
                                              struct flm_error *why);

/* The formats of files: names, whether they are read and written, extensions, descriptions. Table
 * "formats", which alone is the JSON. */
struct flm_report *flm_report_formats(struct flm_error *why);

/* Accepts NULL. */
void flm_report_free(struct flm_report *report);

/* ---- Writing --------------------------------------------------------------------------------- */

enum flm_report_charset {
    FLM_REPORT_PLAIN, /* a file or a pipe: names as they are, our own marks in ASCII */
    FLM_REPORT_UTF8,  /* a terminal that shows all letters */
    FLM_REPORT_ASCII  /* a terminal that shows only ASCII: other letters become '?' */
};

/* The terminal that a text is for. NULL or {size}: a file. */
struct flm_report_style {
    size_t size;  /* sizeof (struct flm_report_style) */
    size_t width; /* in cells; 0: unlimited, nothing is shortened and no bars are drawn */
    enum flm_report_charset charset;
    int colors; /* 0, 16 or 256 */
};

/* Hands the report to `sink` in chunks. `style` is used for text only. CSV is the main table alone;
 * FLM_ERROR_USAGE for a report that has none. False, and `why`, also if memory ran out or the sink
 * returned false. */
bool flm_report_write(const struct flm_report *report, enum flm_report_form form,
                      const struct flm_report_style *style, flm_profile_sink sink, void *context,
                      struct flm_error *why);

/* ---- Lines of one's own, as the writers have them -------------------------------------------- */

/* A value as people read it, in the unit of a metric: "1.24 s", "12.4 MiB", "1,204,331 samples";
 * and with every digit: "1,240,113,402 ns". A terminated text of less than `room` bytes, 64 are
 * enough for every value and a short unit; returns its size. */
size_t flm_print_quantity(double value, struct flm_name unit, char *to, size_t room);
size_t flm_print_exact(double value, struct flm_name unit, char *to, size_t room);

/* value / whole: "12.3 %", "< 0.01 %". */
size_t flm_print_percent(double value, double whole, char *to, size_t room);

enum flm_report_tone {
    FLM_REPORT_TONE_PLAIN,
    FLM_REPORT_TONE_MUTED,
    FLM_REPORT_TONE_STRONG,
    FLM_REPORT_TONE_ACCENT
};

/* The escape sequence after which a terminal writes in this tone; "" where it has no colors, or the
 * style's size is wrong. */
const char *flm_report_tone(enum flm_report_tone tone, const struct flm_report_style *style);

/* Lines, broken between words where they are wider than the terminal; second and later rows of such
 * a line are `indent` cells in. Tones take no room. False, and `why`, as flm_report_write. */
bool flm_report_write_lines(struct flm_name lines, const struct flm_report_style *style,
                            size_t indent, flm_profile_sink sink, void *context,
                            struct flm_error *why);

/* A name, which may have any bytes, with marks in place of those that a terminal would obey, or
 * cannot show. */
bool flm_report_write_name(struct flm_name name, const struct flm_report_style *style,
                           flm_profile_sink sink, void *context, struct flm_error *why);

/* ---- Facts, rows and columns ----------------------------------------------------------------- */

/* A fact of the report by its path in the JSON: "total", "metric.unit", "hidden.functions". NaN,
 * and {"", 0}, where there is none, or it is not of that kind. */
double flm_report_fact_number(const struct flm_report *report, const char *path);
struct flm_name flm_report_fact_string(const struct flm_report *report, const char *path);

enum flm_report_kind {
    FLM_REPORT_NOTHING, /* the row has no value in this column */
    FLM_REPORT_NUMBER,
    FLM_REPORT_BOOL, /* flm_report_number is 0 or 1 */
    FLM_REPORT_STRING,
    FLM_REPORT_STACK /* names of functions, the outermost first: flm_report_stack_frame */
};

/* The tables that the JSON has. Tables that only lay out the text are not counted. */
size_t flm_report_table_count(const struct flm_report *report);
const struct flm_report_table *flm_report_table_at(const struct flm_report *report, size_t index);

/* NULL: there is none. */
const struct flm_report_table *flm_report_table_named(const struct flm_report *report,
                                                      const char *name);

const char *flm_report_table_name(const struct flm_report_table *table);
size_t flm_report_column_count(const struct flm_report_table *table);
const char *flm_report_column_name(const struct flm_report_table *table, size_t column);

/* How people see a column: its heading, and the unit of its numbers ("ns", "bytes"; "" of counts).
 * NULL: they do not see it, in this report or in any. */
const char *flm_report_column_heading(const struct flm_report_table *table, size_t column);
struct flm_name flm_report_column_unit(const struct flm_report_table *table, size_t column);

/* SIZE_MAX: there is none. */
size_t flm_report_column_named(const struct flm_report_table *table, const char *name);

size_t flm_report_row_count(const struct flm_report_table *table);
uint32_t flm_report_row_depth(const struct flm_report_table *table, size_t row); /* of a tree */

enum flm_report_kind flm_report_kind_of(const struct flm_report_table *table, size_t row,
                                        size_t column);

/* NaN where it is no number. */
double flm_report_number(const struct flm_report_table *table, size_t row, size_t column);

/* Good until the report is freed; {"", 0} where it is no string. */
struct flm_name flm_report_string(const struct flm_report_table *table, size_t row, size_t column);

/* 0 where it is no stack. */
size_t flm_report_stack_depth(const struct flm_report_table *table, size_t row, size_t column);
struct flm_name flm_report_stack_frame(const struct flm_report_table *table, size_t row,
                                       size_t column, size_t frame);

#ifdef __cplusplus
}
#endif

#endif
