/* gate.c - `flamel gate`: two groups of runs, and whether the new ones are slower. */
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/gate/gate_ab.h"
#include "cli/gate/gate_policy.h"
#include "cli/report/gate_output.h"
#include "cli/report/print.h"
#include "cli/report/run_files.h"
#include "flamel/gate.h"
#include "os/thread/threads.h"

struct fields {
    struct flm_load_fields load;
    struct flm_gate_ab_fields ab;
    struct flm_gate_output_fields output;
    struct flm_option_words base, new;
    const char *metric, *side, *method, *policy;
    double alpha, min_effect, require_mde, tolerance, sample;
    int permutations, seed, rows, threshold, most;
    bool all_columns, absolute, exact, allow_failed;
};

static const struct flm_option options[] = {
    {"base", 0, "FILE...", "the runs before the change, one file each", FLM_OPTION_WORDS,
     offsetof(struct fields, base)},
    {"new", 0, "FILE...", "the runs after the change", FLM_OPTION_WORDS,
     offsetof(struct fields, new)},
    {"metric", 'm', "NAME", "the metric to test (default: the first)", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"alpha", 0, "SHARE",
     "false positive rate: how often a gate may fail although nothing changed (default: 0.01)",
     FLM_OPTION_SHARE, offsetof(struct fields, alpha)},
    {"side", 0, "SIDE", "which changes fail: growth (the default), or both", FLM_OPTION_TEXT,
     offsetof(struct fields, side)},
    {"min-effect", 0, "SHARE",
     "changes below this share of the baseline's total do not fail (default: 0.1%)",
     FLM_OPTION_SHARE, offsetof(struct fields, min_effect)},
    {"require-mde", 0, "SHARE",
     "INCONCLUSIVE if the minimum detectable effect on the total is above SHARE", FLM_OPTION_SHARE,
     offsetof(struct fields, require_mde)},
    {"tolerance", 0, "SHARE",
     "PASS only if it is significant that nothing grew by SHARE of the baseline's total",
     FLM_OPTION_SHARE, offsetof(struct fields, tolerance)},
    {"exact", 0, NULL,
     "the metric has no noise: every change is real, and one run of each is enough",
     FLM_OPTION_FLAG, offsetof(struct fields, exact)},
    {"method", 0, "METHOD", "maxt (the default), or paper: Hotelling's test of frequent stacks",
     FLM_OPTION_TEXT, offsetof(struct fields, method)},
    {"threshold", 0, "N", "for paper: test stacks that are in at least N runs (default: 5)",
     FLM_OPTION_COUNT, offsetof(struct fields, threshold)},
    {"most", 0, "N", "for paper: of these, test the N most frequent only", FLM_OPTION_COUNT,
     offsetof(struct fields, most)},
    {"permutations", 0, "N", "number of random permutations of the runs (default: 9999)",
     FLM_OPTION_COUNT, offsetof(struct fields, permutations)},
    {"seed", 0, "N", "seed of the random permutations (default: 1)", FLM_OPTION_COUNT,
     offsetof(struct fields, seed)},
    {"sample", 0, "N", "weight of one sample, in the unit of the metric (default: detected)",
     FLM_OPTION_NUMBER, offsetof(struct fields, sample)},
    {"all-columns", 0, NULL,
     "also test frames with less than 5 samples per run, or in fewer than 3 runs", FLM_OPTION_FLAG,
     offsetof(struct fields, all_columns)},
    {"absolute", 0, NULL, "test values as measured only, not also divided by the size of the run",
     FLM_OPTION_FLAG, offsetof(struct fields, absolute)},
    {"rows", 0, "N", "print at most N changes (default: 20; 0: all)", FLM_OPTION_COUNT,
     offsetof(struct fields, rows)},
    {"policy", 0, "FILE",
     "judge by the thresholds in FILE instead, without statistics: least change, least calls, what "
     "is ignored, for each metric",
     FLM_OPTION_TEXT, offsetof(struct fields, policy)},
    {"allow-failed", 0, NULL, "judge runs whose command failed, instead of refusing them",
     FLM_OPTION_FLAG, offsetof(struct fields, allow_failed)},
    FLM_GATE_OUTPUT_OPTIONS(struct fields, output),
    FLM_GATE_AB_OPTIONS(struct fields, ab),
    {"", 0, NULL, "reading:", FLM_OPTION_TITLE, 0},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- The verdict ----------------------------------------------------------------------------- */

struct files {
    const char **path;
    bool *is_new;
    uint32_t count, new_count;
};

/* False when memory ran out; that was printed then. Cleared in any case. */
static bool files_init(struct files *files, size_t room)
{
    *files = (struct files){.path = calloc(room, sizeof *files->path),
                            .is_new = calloc(room, sizeof *files->is_new)};
    if (!files->path || !files->is_new)
        flm_message("out of memory");
    return files->path && files->is_new;
}

static void files_add(struct files *files, const char *path, bool is_new)
{
    files->path[files->count] = path;
    files->is_new[files->count++] = is_new;
    files->new_count += is_new;
}

static void files_clear(struct files *files)
{
    free(files->path);
    free(files->is_new);
}

/* A program that ends early is not faster. False, and `why`, when a recorded command failed; each
 * was named then. */
static bool check_ends(const struct flm_run_files *files, struct flm_error *why)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        const struct flm_profile *p = files->run[i].profile;
        struct flm_name status = flm_profile_note_named(p, FLM_NOTE_EXIT_STATUS);
        struct flm_name signal = flm_profile_note_named(p, FLM_NOTE_SIGNAL);
        bool good = !status.at || flm_bytes_are((struct flm_bytes){status.at, status.size}, "0");
        failed += !good || signal.at;
        if (signal.at)
            flm_message("%s: its command was ended by signal %.*s", files->run[i].name,
                        (int)signal.size, signal.at);
        else if (!good)
            flm_message("%s: its command ended with status %.*s", files->run[i].name,
                        (int)status.size, status.at);
    }
    return failed == 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "%u of %u runs failed, so nothing is judged: record them again, or "
                         "--allow-failed judges them too",
                         failed, files->count);
}

/* All runs, over one tree. NULL when it failed; the error has then been printed. */
static struct flm_run_set *load_runs(const struct fields *f, const struct files *paths)
{
    const struct flm_run_set_options how = {.size = sizeof how, .metric = f->metric};
    struct flm_run_files files;
    struct flm_error why;
    if (!flm_run_files_load(&files, paths->path, paths->count, paths->is_new, true, &f->load))
        return NULL;
    bool good = f->allow_failed || check_ends(&files, &why);
    struct flm_run_set *set = good ? flm_run_set_new(files.run, files.count, &how, &why) : NULL;
    flm_run_files_clear(&files);
    if (!set)
        flm_message_error(&why);
    return set;
}

static void warn_of_empty_runs(const struct flm_run_set *set)
{
    for (uint32_t i = 0; i < flm_run_set_count(set); i++)
        if (flm_run_set_total(set, i) == 0)
            flm_message("%s: it has no samples, and counts as a run", flm_run_set_name(set, i));
}

/* There is a difference even where the runs cannot be tested. */
static void print_difference(const struct flm_run_set *set, uint32_t rows)
{
    struct flm_report *difference = flm_gate_difference(set, rows, NULL);
    if (difference)
        flm_report_print(difference, FLM_REPORT_TEXT, "-", NULL);
    flm_report_free(difference);
}

static int exit_of(enum flm_gate_verdict verdict)
{
    static const int status[] = {
        [FLM_GATE_PASS] = FLM_EXIT_DONE,
        [FLM_GATE_FAIL] = FLM_EXIT_NO,
        [FLM_GATE_INCONCLUSIVE] = FLM_EXIT_UNKNOWN,
    };
    return status[verdict];
}

/* No more runs are needed: a regression was found, or its absence is significant, or there is no
 * noise. */
static bool is_decided(const struct flm_gate_settings *how, int status)
{
    return status == FLM_EXIT_NO || how->exact || (how->tolerance > 0 && status == FLM_EXIT_DONE);
}

/* With `is_last`, or where it is decided, the verdict is printed. */
static int judge(const struct fields *f, const struct files *files,
                 const struct flm_gate_settings *how, bool is_last)
{
    struct flm_error why;
    struct flm_run_set *set = load_runs(f, files);
    if (!set)
        return FLM_EXIT_WRONG;
    if (!f->load.quiet)
        warn_of_empty_runs(set);
    struct flm_gate_result *result = flm_gate_test(set, how, &why);
    bool good = result != NULL;
    int status = good ? exit_of(flm_gate_verdict(result)) : FLM_EXIT_WRONG;
    if (!good && why.kind == FLM_ERROR_USAGE && how->method == FLM_GATE_MAX_T)
        print_difference(set, how->rows);
    if (good && (is_last || is_decided(how, status))) {
        struct flm_report *report = flm_gate_report(result, &why);
        good = report &&
               flm_gate_output_write(&f->output, result, report, files->count - files->new_count,
                                     files->new_count, &why);
        flm_report_free(report);
    }
    flm_gate_result_free(result);
    flm_run_set_free(set);
    return good ? status : flm_message_error(&why);
}

static int judge_by_policy(const struct fields *f, const struct files *files)
{
    return flm_gate_policy_run(&(struct flm_gate_policy){.path = f->policy,
                                                         .files = files->path,
                                                         .is_new = files->is_new,
                                                         .count = files->count,
                                                         .rows = (uint32_t)f->rows,
                                                         .format = f->output.format,
                                                         .load = &f->load});
}

static int judge_files(const struct fields *f, const struct flm_gate_settings *how)
{
    struct files files;
    int status = FLM_EXIT_WRONG;
    if (files_init(&files, f->base.count + f->new.count)) {
        for (size_t i = 0; i < f->base.count; i++)
            files_add(&files, f->base.at[i], false);
        for (size_t i = 0; i < f->new.count; i++)
            files_add(&files, f->new.at[i], true);
        status = f->policy ? judge_by_policy(f, &files) : judge(f, &files, how, true);
    }
    files_clear(&files);
    return status;
}

/* ---- Runs that are recorded first ------------------------------------------------------------ */

static int judge_recorded(const struct fields *f, const struct flm_gate_ab *ab,
                          const struct flm_gate_settings *how, bool is_last)
{
    struct files files;
    int status = FLM_EXIT_WRONG;
    if (files_init(&files, (uint32_t)ab->ab.runs.count)) {
        for (size_t i = 0; i < ab->ab.runs.count; i++)
            files_add(&files, ab->ab.runs.at[i].path, ab->ab.runs.at[i].is_new);
        status = judge(f, &files, how, is_last);
    }
    files_clear(&files);
    return status;
}

static void report_look(const struct flm_gate_ab *ab)
{
    if (ab->look_count > 1 && ab->looks < ab->look_count)
        flm_message("look %u of %u, %u runs of each: nothing yet", ab->looks, ab->look_count,
                    (uint32_t)ab->ab.runs.count / 2);
}

static bool is_paper(const struct fields *f)
{
    return strcmp(f->method, "paper") == 0;
}

static int record_and_judge(const struct fields *f, struct flm_gate_settings *how)
{
    struct flm_gate_ab ab;
    struct flm_error why;
    struct flm_load_fields quiet = f->load;
    struct fields later = *f;
    int status = FLM_EXIT_DONE;
    /* The losses of forty runs would be forty messages. */
    quiet.reports_losses = true;
    later.load = quiet;
    bool needs_p = !how->exact && !(how->tolerance > 0) && !is_paper(f);
    bool good =
        flm_gate_ab_open(&ab, &f->ab, &f->load, needs_p ? how->alpha : 0, f->allow_failed, &why);
    if (good && ab.look_count > 1) {
        double level = flm_gate_ab_level(&ab, how->alpha);
        if (!f->load.quiet)
            flm_message("at most %u looks, each at alpha %.3g, %g together", ab.look_count, level,
                        how->alpha);
        how->alpha = level;
    }
    bool is_over = false;
    while (good && ab.looks < ab.look_count && !is_over) {
        good = flm_gate_ab_record(&ab, &why);
        if (!good)
            break;
        status = judge_recorded(&later, &ab, how, ab.looks == ab.look_count);
        is_over = status == FLM_EXIT_WRONG || is_decided(how, status);
        if (!f->load.quiet && !is_over)
            report_look(&ab);
    }
    if (!good)
        status = flm_message_error(&why);
    else if (!f->load.quiet)
        flm_message("the %u runs are kept in %s", (uint32_t)ab.ab.runs.count, ab.ab.options.folder);
    flm_gate_ab_clear(&ab);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Options of one way to judge, with another one. */
static bool check_method(const struct fields *f, struct flm_error *why)
{
    bool cut = f->threshold >= 0 || f->most >= 0;
    if (!is_paper(f) && strcmp(f->method, "maxt") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--method is maxt or paper, not '%s'",
                             f->method);
    if (!is_paper(f) && cut)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--threshold and --most are for --method=paper: other methods test "
                             "all stacks");
    if (f->tolerance == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--tolerance is above 0");
    if (f->require_mde == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--require-mde is above 0");
    if (f->threshold == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--threshold is 1 at least");
    if (is_paper(f) && (f->tolerance > 0 || f->require_mde > 0 || f->exact))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--tolerance, --require-mde and --exact are not for --method=paper");
    if (f->exact && (f->tolerance > 0 || f->require_mde > 0))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--exact has no noise: --min-effect says what fails, without "
                             "--tolerance and --require-mde");
    return true;
}

static bool read_options(const struct fields *f, int operands, struct flm_gate_settings *how,
                         struct flm_error *why)
{
    if (operands > 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "gate takes files as --base FILE... --new FILE...");
    bool records = f->ab.commands.count > 0;
    if (records && f->base.count + f->new.count > 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--ab records the runs: it does not go with --base and --new");
    if (!records && flm_gate_ab_is_given(&f->ab))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "options for recording, such as -n (runs of each command), need "
                             "--ab './old' './new'; --rows limits what is printed");
    if (!records && (f->base.count == 0 || f->new.count == 0))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "gate needs runs on both sides: --base FILE... --new FILE..., or "
                             "commands to record: --ab './old' './new'");
    if (f->policy && (records || f->metric || f->exact || f->output.files.count > 0))
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "--policy goes with --base and --new; its sections are the metrics, and "
            "the verdict is printed (--format json, for a file)");
    if (strcmp(f->side, "growth") != 0 && strcmp(f->side, "both") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--side is growth or both, not '%s'", f->side);
    if (!(f->alpha > 0 && f->alpha < 1))
        return flm_error_set(why, FLM_ERROR_USAGE, "--alpha is between 0 and 1");
    if (f->permutations < 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "--permutations is 1 at least");
    if (!check_method(f, why) || !flm_gate_output_check(&f->output, why))
        return false;
    if (!(f->sample >= 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "--sample is above 0");
    *how = (struct flm_gate_settings){
        .size = sizeof *how,
        .alpha = f->alpha,
        .permutations = (uint32_t)f->permutations,
        .seed = (uint64_t)f->seed,
        .zero_seed = f->seed == 0,
        .both_directions = strcmp(f->side, "both") == 0,
        .min_effect = f->min_effect > 0 ? f->min_effect : -1,
        .require_mde = f->require_mde > 0 ? f->require_mde : 0,
        .tolerance = f->tolerance > 0 ? f->tolerance : 0,
        .exact = f->exact,
        .rows = (uint32_t)f->rows,
        .sample = f->sample,
        .all_columns = f->all_columns,
        .absolute = f->absolute,
        .method = is_paper(f) ? FLM_GATE_PAPER : FLM_GATE_MAX_T,
        .threshold = f->threshold > 0 ? (uint32_t)f->threshold : 0,
        .most = f->most > 0 ? (uint32_t)f->most : 0,
        .threads = f->load.threads > 0 ? f->load.threads : flm_processor_count(),
    };
    return true;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct flm_gate_settings how;
    /* The defaults of the library, which the help texts name. */
    struct fields f = {.ab = FLM_GATE_AB_FIELDS_UNSET,
                       .side = "growth",
                       .method = "maxt",
                       .threshold = -1,
                       .most = -1,
                       .alpha = 0.01,
                       .min_effect = 0.001,
                       .require_mde = -1,
                       .tolerance = -1,
                       .permutations = 9999,
                       .seed = 1,
                       .rows = 20};
    struct flm_error why;
    f.load.drop_times = true;
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    if (operands >= 0 && !read_options(&f, operands, &how, &why))
        status = flm_message_error(&why);
    else if (operands >= 0)
        status = f.ab.commands.count > 0 ? record_and_judge(&f, &how) : judge_files(&f, &how);
    flm_option_words_clear(&f.ab.commands);
    flm_option_words_clear(&f.base);
    flm_option_words_clear(&f.new);
    return status;
}

const struct flm_command flm_command_gate = {
    .name = "gate",
    .synopsis = "[OPTION]... (--base FILE... --new FILE... | --ab COMMAND COMMAND)",
    .summary = "test whether a program became slower, where and by how much",
    .description =
        "Compares several profiles of a program before a change with several after it, and\n"
        "reports the changes that are larger than the differences between the runs of one side.\n"
        "The verdict is PASS (exit status 0), FAIL (1), or INCONCLUSIVE (3) when the runs are\n"
        "too few or too noisy to decide.",
    .examples =
        "  flamel gate --base runs/base/*.flm --new runs/new/*.flm\n"
        "  flamel gate --base old*.flm --new new*.flm --require-mde 2%\n"
        "  flamel gate --ab './old' './new' -n 20   records the runs, alternately\n"
        "  flamel gate --ab './old' './new' --sequential   stops when a change is significant\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
