/* live_sections.h - what a program that measures itself says, look by look: the sections of its
 * report (flm_report_probe), with what came since the look before.
 *
 * Counts and sums get a column of how many per second, times one of how much of the time: "now".
 * What is a mean, a percentile or the last value has none. */
#ifndef FLAMEL_CLI_REPORT_LIVE_SECTIONS_H
#define FLAMEL_CLI_REPORT_LIVE_SECTIONS_H

#include "base/text/json_write.h"
#include "draw/text/table.h"
#include "flamel/report.h"

struct flm_sections {
    struct flm_report *now, *before; /* owned; NULL: there was none yet */
    double now_s, seconds;           /* when that was, and how long after the one before */
};

/* Takes the report, which was made at that time. */
void flm_sections_add(struct flm_sections *sections, struct flm_report *report, double at_s);
void flm_sections_clear(struct flm_sections *sections);

/* The sections, in the order of tabs: some are always there, and some where the program has them.
 * NULL behind the last. */
struct flm_section_tab {
    const char *name, *title;
    bool is_always;
};
const struct flm_section_tab *flm_sections_tab(size_t index);
bool flm_sections_has(const struct flm_sections *sections, const struct flm_section_tab *tab);

/* Whether it has rows. */
bool flm_sections_has_rows(const struct flm_sections *sections, const struct flm_section_tab *tab);

/* How a section is shown. */
struct flm_section_view {
    const struct flm_section_tab *tab;
    char sort[40];      /* a column by its name, "calls/s" of its rate; "": as the report has it */
    bool is_reversed;   /* the smallest first */
    const char *search; /* only rows with this in their name; NULL, "": all */
    size_t first, rows; /* which rows; `rows` 0: all */
    size_t found, hidden; /* receives how many there are, and are behind the last one shown */
};

/* The table as text; or a sentence where the section is empty. */
void flm_sections_write(const struct flm_sections *sections, struct flm_section_view *view,
                        const struct flm_table_style *style, struct flm_text *out);

/* The column to sort by that is so many behind the one that it is sorted by now. */
void flm_sections_sort(const struct flm_sections *sections, struct flm_section_view *view, int by);

/* All sections as members of the object that is open, on one line. */
void flm_sections_write_json(const struct flm_sections *sections, size_t rows,
                             struct flm_json_writer *json);

/* All that are shown, as a page shows them: {"status", "sections": [{"name", "title", "heading",
 * "columns": [{"name", "title", "rate", "text"}], "rows": [{"name", "key", "cells", "values"}],
 * "more", "sentence"}]}. Cells are texts; values numbers, or null. */
void flm_sections_write_cells(const struct flm_sections *sections, size_t rows,
                              struct flm_json_writer *json);

/* "app 4711: 15.6 s in 4 threads" */
void flm_sections_write_status(const struct flm_sections *sections, struct flm_text *out);

#endif
