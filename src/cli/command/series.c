/* series.c - `flamel series`: many profiles of one program over time, and where it changed. */
#include "cli/report/series_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "gate/runs/normalize.h"
#include "os/output.h"
#include "os/threads.h"

struct fields {
    struct flm_load_fields load;
    const char *metric, *order, *method;
    double alpha, sample;
    int least, last, permutations, seed, rows;
    bool json;
};

static const struct flm_option options[] = {
    {"metric", 'm', "NAME", "of several metrics, the one to look at", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"order", 0, "BY",
     "recorded (when the profiles say so; the default where all do), file (times of the files), "
     "given (as they stand here)",
     FLM_OPTION_TEXT, offsetof(struct fields, order)},
    {"method", 0, "METHOD",
     "columns (the default): the frame that differs most; distances: of whole profiles",
     FLM_OPTION_TEXT, offsetof(struct fields, method)},
    {"alpha", 0, "SHARE", "how often a series without any change may show one (default: 0.01)",
     FLM_OPTION_SHARE, offsetof(struct fields, alpha)},
    {"least", 0, "N", "profiles on both sides of a change (default: 5)", FLM_OPTION_COUNT,
     offsetof(struct fields, least)},
    {"last", 0, "N", "profiles at the end that say whether a change has stayed (default: 5)",
     FLM_OPTION_COUNT, offsetof(struct fields, last)},
    {"permutations", 0, "N", "other orders of the profiles to compare with (default: 999)",
     FLM_OPTION_COUNT, offsetof(struct fields, permutations)},
    {"seed", 0, "N", "another one draws other permutations (default: 1)", FLM_OPTION_COUNT,
     offsetof(struct fields, seed)},
    {"sample", 0, "N", "what one sample counts, in the unit of the metric", FLM_OPTION_NUMBER,
     offsetof(struct fields, sample)},
    {"rows", 'n', "N", "print at most N frames of each change (default: 5; 0: all)",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"json", 0, NULL, "everything as JSON", FLM_OPTION_FLAG, offsetof(struct fields, json)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- Profiles -------------------------------------------------------------------------------- */

struct loaded {
    struct flm_dated *dated;
    uint32_t count;
    uint32_t undated; /* do not say when they were recorded */
    enum flm_series_order order;
};

static void unload(struct loaded *loaded)
{
    for (uint32_t i = 0; i < loaded->count; i++)
        flm_profile_free(loaded->dated[i].profile);
    free(loaded->dated);
}

/* As it was recorded, for its metadata; then its frames are normalized. */
static bool load_one(struct loaded *loaded, const struct flm_load_fields *load, const char *path,
                     struct flm_error *why)
{
    struct flm_dated *dated = &loaded->dated[loaded->count];
    struct flm_profile *profile = flm_load_with(load, path);
    if (!profile)
        return false;
    *dated = (struct flm_dated){.path = path, .profile = profile, .given = loaded->count++};
    loaded->undated += !flm_dated_find(dated, FLM_SERIES_RECORDED);
    dated->profile = flm_normalize_frames(profile, load->lines, why);
    flm_profile_free(profile);
    if (!dated->profile)
        flm_message_error(why);
    return dated->profile;
}

static bool put_in_order(struct loaded *loaded, const char *wanted, struct flm_error *why)
{
    loaded->order = !wanted && loaded->undated == 0 ? FLM_SERIES_RECORDED : FLM_SERIES_GIVEN;
    if (wanted && strcmp(wanted, "recorded") == 0)
        loaded->order = FLM_SERIES_RECORDED;
    else if (wanted && strcmp(wanted, "file") == 0)
        loaded->order = FLM_SERIES_BY_FILE;
    for (uint32_t i = 0; i < loaded->count; i++)
        if (!flm_dated_find(&loaded->dated[i], loaded->order))
            return flm_error_set(
                why, FLM_ERROR_USAGE,
                loaded->order == FLM_SERIES_RECORDED
                    ? "%s does not say when it was recorded: --order file, or given"
                    : "%s is no file that has a time: --order given",
                loaded->dated[i].path);
    flm_dated_sort(loaded->dated, loaded->count);
    return true;
}

static bool make_runs(const struct loaded *loaded, const char *metric, struct flm_runs *runs,
                      struct flm_error *why)
{
    struct flm_run_input *input = calloc(loaded->count, sizeof *input);
    if (!input)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < loaded->count; i++)
        input[i] = (struct flm_run_input){.profile = loaded->dated[i].profile,
                                          .name = loaded->dated[i].path};
    bool good = flm_runs_init(runs, input, loaded->count, metric, why);
    free(input);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool print(const struct flm_series_text *text, const struct flm_series *series, bool json,
                  struct flm_error *why)
{
    struct flm_output output;
    if (!flm_output_open(&output, "-", why))
        return false;
    struct flm_series_text to = *text;
    to.out = &output.text;
    if (json)
        flm_series_json_write(&to, series);
    else
        flm_series_text_write(&to, series);
    return flm_output_close(&output, true, why);
}

static bool look_and_print(const struct fields *f, const struct flm_series_options *how,
                           const struct loaded *loaded, struct flm_error *why)
{
    struct flm_runs runs;
    struct flm_series series;
    if (!make_runs(loaded, f->metric, &runs, why))
        return false;
    bool good = flm_series_init(&series, &runs, how, why);
    if (good) {
        const struct flm_series_text text = {.dated = loaded->dated,
                                             .order = loaded->order,
                                             .undated = f->order ? 0 : loaded->undated,
                                             .runs = &runs,
                                             .options = how,
                                             .look = flm_look_of_output(),
                                             .rows = (uint32_t)f->rows};
        good = print(&text, &series, f->json, why);
        flm_series_clear(&series);
    }
    flm_runs_clear(&runs);
    return good;
}

static int look(const struct fields *f, const struct flm_series_options *how, int count,
                char **paths)
{
    struct loaded loaded = {.dated = calloc((size_t)count, sizeof *loaded.dated)};
    struct flm_error why;
    bool read = loaded.dated != NULL, good = false;
    if (!read) {
        flm_error_memory(&why);
        flm_message_error(&why);
    }
    for (int i = 0; read && i < count; i++)
        read = load_one(&loaded, &f->load, paths[i], &why);
    if (read) {
        good = put_in_order(&loaded, f->order, &why) && look_and_print(f, how, &loaded, &why);
        if (!good)
            flm_message_error(&why);
    }
    unload(&loaded);
    return good ? FLM_EXIT_DONE : FLM_EXIT_WRONG;
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool read_options(const struct fields *f, int operands, struct flm_series_options *how,
                         struct flm_error *why)
{
    static const char *const orders[] = {"recorded", "file", "given"};
    static const char *const methods[] = {"columns", "distances"};
    if (operands == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "series takes the profiles: flamel series FILE...");
    if (f->order && !is_one_of(f->order, orders, 3))
        return flm_error_set(why, FLM_ERROR_USAGE, "--order is recorded, file or given, not '%s'",
                             f->order);
    if (!is_one_of(f->method, methods, 2))
        return flm_error_set(why, FLM_ERROR_USAGE, "--method is columns or distances, not '%s'",
                             f->method);
    if (!(f->alpha > 0 && f->alpha < 1))
        return flm_error_set(why, FLM_ERROR_USAGE, "--alpha is between 0 and 1");
    if (f->least < 2)
        return flm_error_set(why, FLM_ERROR_USAGE, "--least is 2 at least");
    if (f->permutations < flm_series_least_orders(f->alpha))
        return flm_error_set(
            why, FLM_ERROR_USAGE, "%d permutations are too few for that alpha: ask for %u",
            f->permutations, (unsigned)fmin(flm_series_least_orders(f->alpha), 4e9));
    if (!(f->sample >= 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "--sample is above 0");
    *how = (struct flm_series_options){
        .method =
            strcmp(f->method, "distances") == 0 ? FLM_SERIES_BY_DISTANCES : FLM_SERIES_BY_COLUMNS,
        .alpha = f->alpha,
        .least = (uint32_t)f->least,
        .orders = (uint32_t)f->permutations,
        .last = (uint32_t)f->last,
        .seed = (uint64_t)f->seed,
        .unit = f->sample,
        .threads = f->load.threads > 0 ? f->load.threads : flm_processor_count(),
    };
    return true;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct flm_series_options how = flm_series_defaults();
    struct fields f = {.method = "columns",
                       .alpha = how.alpha,
                       .least = (int)how.least,
                       .last = (int)how.last,
                       .permutations = (int)how.orders,
                       .seed = (int)how.seed,
                       .rows = 5};
    struct flm_error why;
    f.load.drop_times = true;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands < 0 || !read_options(&f, operands, &how, &why))
        return flm_message_error(&why);
    return look(&f, &how, operands, words);
}

const struct flm_command flm_command_series = {
    .name = "series",
    .synopsis = "[OPTION]... FILE...",
    .summary = "where a program changed in the course of time, and which frames",
    .description =
        "Takes profiles of one program, of every night for instance, and finds the places\n"
        "where they change by more than they differ among themselves: since when, which\n"
        "frames, by how much, how sure, and whether it has stayed. Ten profiles at least.",
    .examples = "  flamel series nightly/*.flm\n"
                "  flamel series --order given releases/1.?/*.folded\n"
                "  flamel series --json nightly/*.flm | jq '.changes[] | select(.stays)'\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
