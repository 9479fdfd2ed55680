#include "store/runs/run_sides.h"

/* Both sides in one list. */
static bool find_runs(struct flm_run_sides *sides, struct flm_store *store,
                      const struct flm_store_query *before, const struct flm_store_query *after,
                      const struct flm_store_runs_options *options, struct flm_error *why)
{
    size_t all = 0;
    *sides = (struct flm_run_sides){.runs = flm_store_runs_new(why)};
    bool good = sides->runs && flm_store_runs_add(sides->runs, store, before, options, false, why);
    if (good) {
        flm_store_runs_list(sides->runs, &sides->before);
        good = flm_store_runs_add(sides->runs, store, after, options, true, why);
    }
    if (!good) {
        flm_store_runs_free(sides->runs);
        return false;
    }
    flm_store_runs_list(sides->runs, &all);
    sides->after = all - sides->before;
    return true;
}

static size_t fewest(const struct flm_run_sides *sides)
{
    return sides->before < sides->after ? sides->before : sides->after;
}

/* About a twentieth of the range, rounded up to a multiple of 15 s, the interval at which most
 * clients push. */
static int64_t step_of(const struct flm_store_query *query)
{
    enum { STEPS = 20, PUSHED_MS = 15000 };
    int64_t step_ms = (query->until_ms - query->from_ms + STEPS - 1) / STEPS;
    return (step_ms + PUSHED_MS - 1) / PUSHED_MS * PUSHED_MS;
}

/* Whether each of `count` series has a profile in the first and in the last quarter of the range.
 * Less than two minutes may be without a profile where clients push each minute. */
static bool find_whole(struct flm_store *store, const struct flm_store_query *query,
                       const struct flm_store_runs_options *options, size_t count, bool *whole,
                       struct flm_error *why)
{
    enum { PARTS = 4, LEAST_MS = 120000 };
    int64_t range_ms = query->until_ms - query->from_ms, part_ms = range_ms / PARTS;
    part_ms = part_ms < LEAST_MS ? LEAST_MS : part_ms;
    *whole = true;
    for (int last = 0; last < 2 && *whole && part_ms < range_ms; last++) {
        struct flm_store_query part = *query;
        size_t found = 0;
        if (last)
            part.from_ms = part.until_ms - part_ms;
        else
            part.until_ms = part.from_ms + part_ms;
        struct flm_store_runs *runs = flm_store_runs_new(why);
        bool good = runs && flm_store_runs_add(runs, store, &part, options, false, why);
        if (good)
            flm_store_runs_list(runs, &found);
        flm_store_runs_free(runs);
        if (!good)
            return false;
        *whole = found == count;
    }
    return true;
}

/* Takes steps of all series for the runs, where there are enough of them for a verdict. */
static bool take_steps_of_all(struct flm_run_sides *sides, struct flm_store *store,
                              const struct flm_store_query *before,
                              const struct flm_store_query *after,
                              struct flm_store_runs_options options, uint32_t least,
                              struct flm_error *why)
{
    enum { FEWEST = 5 };
    struct flm_run_sides steps;
    options.of_all = true;
    options.step_ms = step_of(after);
    if (!find_runs(&steps, store, before, after, &options, why))
        return false;
    steps.is_replaced = fewest(&steps) >= (least > 0 ? least : FEWEST);
    flm_store_runs_free(steps.is_replaced ? sides->runs : steps.runs);
    *sides = steps.is_replaced ? steps : *sides;
    return true;
}

bool flm_run_sides_find(struct flm_run_sides *sides, struct flm_store *store,
                        const struct flm_store_query *before, const struct flm_store_query *after,
                        const struct flm_store_runs_options *options, uint32_t least,
                        struct flm_error *why)
{
    bool is_whole[2] = {true, true};
    struct flm_store_runs_options split = *options;
    if (!find_runs(sides, store, before, after, options, why))
        return false;
    if (options->step_ms > 0)
        return true;
    bool good =
        options->by || (find_whole(store, before, options, sides->before, &is_whole[0], why) &&
                        find_whole(store, after, options, sides->after, &is_whole[1], why));
    if (good && (!is_whole[0] || !is_whole[1]))
        good = take_steps_of_all(sides, store, before, after, *options, least, why);
    if (good && fewest(sides) >= least)
        return true;
    flm_store_runs_free(sides->runs);
    split.step_ms = step_of(after);
    return good && find_runs(sides, store, before, after, &split, why);
}
