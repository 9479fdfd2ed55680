/* series.c - change points in 60 runs, which changed from run 41 on. */
#include "gate/verdict/series.h"

#include "parts.h"
#include "table.h"

enum { BY_COLUMNS, BY_DISTANCES, METHODS };
enum { SERIES_FOUND, SERIES_PLACED, SERIES_COUNT, SERIES_MEASURED };
static const uint32_t series_base = 40, series_new = 20;

static void measure_series(const struct experiment *e, uint64_t index, double *result)
{
    struct simulated_program base = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_program new = simulated_changed(&base, e->change);
    struct simulated_runs *s =
        simulated_runs_new(&base, &new, series_base, series_new, &e->machine,
                           seed_of(e->settings, SEED_RUNS + 16 * (uint64_t)e->change, index));
    struct flm_runs runs;
    struct flm_error why = {0};
    if (!s || !flm_runs_init(&runs, simulated_inputs(s), series_base + series_new, NULL, &why))
        stop("out of memory");
    for (int method = 0; method < METHODS; method++) {
        struct flm_series_options how = flm_series_defaults();
        struct flm_series series;
        how.method = method == BY_COLUMNS ? FLM_SERIES_BY_COLUMNS : FLM_SERIES_BY_DISTANCES;
        how.alpha = e->settings->alpha;
        how.orders = e->settings->permutations;
        how.seed = seed_of(e->settings, SEED_PERMUTATIONS, index);
        how.threads = 1;
        if (!flm_series_init(&series, &runs, &how, &why))
            stop(why.text);
        double *to = result + method * SERIES_MEASURED;
        to[SERIES_FOUND] = series.count > 0;
        to[SERIES_COUNT] = series.count;
        for (uint32_t i = 0; i < series.count; i++)
            if (series.change[i].at + 2 >= series_base && series.change[i].at <= series_base + 2)
                to[SERIES_PLACED] = 1;
        flm_series_clear(&series);
    }
    flm_runs_clear(&runs);
    simulated_runs_free(s);
}

bool part_series(const struct settings *s)
{
    static const char *const columns[] = {"by columns", "within two", "all places", "by distances",
                                          "within two", "all places", NULL};
    static const enum simulated_change tried[] = {SIMULATED_NONE, SIMULATED_HOT, SIMULATED_APPEAR,
                                                  SIMULATED_DIFFUSE};
    struct table table = table_open(s, "series", columns);
    for (size_t c = 0; c < sizeof tried / sizeof tried[0]; c++) {
        if (!is_asked(s, (int)tried[c]) || !table_begins(&table, change_names[tried[c]]))
            continue;
        struct experiment e = {.settings = s,
                               .change = tried[c],
                               .machine = {SIMULATED_UNEVEN, SIMULATED_BASE_FIRST, 0},
                               .runs = 30};
        struct share share[METHODS * SERIES_MEASURED];
        try_all(&e, METHODS * SERIES_MEASURED, measure_series, share);
        table_row(&table, share, "");
    }
    table_close(&table);
    return true;
}
