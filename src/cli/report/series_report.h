/* series.h - profiles with their dates, in order: what `flamel series` reads and reports.
 *
 *     recorded   each profile says when it was recorded: those of `flamel record` do
 *     file       times of the files: when they were written
 *     given      as they stand on the command line: a shell sorts them by name */
#ifndef FLAMEL_CLI_REPORT_SERIES_REPORT_H
#define FLAMEL_CLI_REPORT_SERIES_REPORT_H

#include "draw/text/table.h"
#include "gate/verdict/series.h"

enum flm_series_order { FLM_SERIES_RECORDED, FLM_SERIES_BY_FILE, FLM_SERIES_GIVEN };

struct flm_dated {
    const char *path;
    struct flm_profile *profile;
    char date[24];  /* "2026-11-20T17:58:21Z", or "" */
    uint32_t given; /* its place on the command line */
};

/* Fills in the date that the order asks for. False: the profile, or the file, has none. */
bool flm_dated_find(struct flm_dated *dated, enum flm_series_order order);

/* By date, those of one date as they were given. */
void flm_dated_sort(struct flm_dated *dated, uint32_t count);

struct flm_series_text {
    const struct flm_dated *dated; /* by run */
    enum flm_series_order order;
    uint32_t undated; /* profiles that do not say when they were recorded, where that is why the
                         order is another one */
    const struct flm_runs *runs;
    const struct flm_series_options *options;
    struct flm_table_style look;
    uint32_t rows; /* frames of each change at most; 0: all */
    struct flm_text *out;
};

/* Both add to `out`, which then says whether memory ran out. */
void flm_series_text_write(const struct flm_series_text *text, const struct flm_series *series);
void flm_series_json_write(const struct flm_series_text *text, const struct flm_series *series);

#endif
