/* gate.c - `flamel gate`: two groups of runs, and whether the new ones are slower. */
#include "gate/verdict/gate.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command/gate_ab.h"
#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "cli/report/gate_output.h"
#include "cli/report/gate_paper.h"
#include "cli/report/print.h"
#include "gate/runs/normalize.h"
#include "gate/runs/strata.h"
#include "os/output.h"
#include "os/threads.h"

struct fields {
    struct flm_load_fields load;
    struct flm_gate_ab_fields ab;
    struct flm_gate_output_fields output;
    struct flm_option_words base, new;
    const char *metric, *side, *method;
    double alpha, min_effect, require_mde, tolerance, sample;
    int permutations, seed, rows, threshold, most;
    bool all_columns, absolute, exact;
};

static const struct flm_option options[] = {
    {"base", 0, "FILE...", "the runs to compare with, one file each", FLM_OPTION_WORDS,
     offsetof(struct fields, base)},
    {"new", 0, "FILE...", "the runs to judge", FLM_OPTION_WORDS, offsetof(struct fields, new)},
    {"metric", 'm', "NAME", "of several metrics, the one to judge", FLM_OPTION_TEXT,
     offsetof(struct fields, metric)},
    {"alpha", 0, "SHARE", "how often a gate without any change may fail (default: 0.01)",
     FLM_OPTION_SHARE, offsetof(struct fields, alpha)},
    {"side", 0, "SIDE", "what fails: growth (the default), or both", FLM_OPTION_TEXT,
     offsetof(struct fields, side)},
    {"min-effect", 0, "SHARE", "smaller changes, of base's total, do not fail (default: 0.1%)",
     FLM_OPTION_SHARE, offsetof(struct fields, min_effect)},
    {"require-mde", 0, "SHARE",
     "inconclusive where a change of the total by so much would not be found", FLM_OPTION_SHARE,
     offsetof(struct fields, require_mde)},
    {"tolerance", 0, "SHARE",
     "pass only if it is significant that nothing grew by so much, of base's total",
     FLM_OPTION_SHARE, offsetof(struct fields, tolerance)},
    {"exact", 0, NULL, "a metric without noise: every change is real, and one run of each will do",
     FLM_OPTION_FLAG, offsetof(struct fields, exact)},
    {"method", 0, "METHOD", "maxt (the default), or paper: Hotelling's test of frequent stacks",
     FLM_OPTION_TEXT, offsetof(struct fields, method)},
    {"threshold", 0, "N", "of paper: test stacks that are in N runs or more (default: 5)",
     FLM_OPTION_COUNT, offsetof(struct fields, threshold)},
    {"most", 0, "N", "of paper: and of these the N most frequent", FLM_OPTION_COUNT,
     offsetof(struct fields, most)},
    {"permutations", 0, "N", "other permutations of the runs to compare with (default: 9999)",
     FLM_OPTION_COUNT, offsetof(struct fields, permutations)},
    {"seed", 0, "N", "another one draws other permutations (default: 1)", FLM_OPTION_COUNT,
     offsetof(struct fields, seed)},
    {"sample", 0, "N", "what one sample counts, in the unit of the metric", FLM_OPTION_NUMBER,
     offsetof(struct fields, sample)},
    {"all-columns", 0, NULL, "test frames too that have less than 5 samples a run", FLM_OPTION_FLAG,
     offsetof(struct fields, all_columns)},
    {"absolute", 0, NULL, "neither by the size of the run nor the total by itself", FLM_OPTION_FLAG,
     offsetof(struct fields, absolute)},
    {"rows", 0, "N", "print at most N changes (default: 20; 0: all)", FLM_OPTION_COUNT,
     offsetof(struct fields, rows)},
    FLM_GATE_OUTPUT_OPTIONS(struct fields, output),
    FLM_GATE_AB_OPTIONS(struct fields, ab),
    {"", 0, NULL, "reading:", FLM_OPTION_TITLE, 0},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- Runs ------------------------------------------------------------------------------------ */

struct file {
    const char *path;
    bool is_new;
};

struct loaded {
    struct flm_profile **profile;
    struct flm_run_input *input;
    uint32_t *block;
    uint32_t count;
};

/* The profile with its frames normalized for the comparison. */
static bool load_file(struct loaded *loaded, const struct flm_load_fields *load,
                      const struct file *file, struct flm_error *why)
{
    struct flm_profile *profile = flm_load_with(load, file->path);
    if (!profile)
        return false;
    struct flm_profile *normalized = flm_normalize_frames(profile, load->lines, why);
    flm_profile_free(profile);
    if (!normalized) {
        flm_message_error(why);
        return false;
    }
    loaded->profile[loaded->count] = normalized;
    loaded->input[loaded->count++] =
        (struct flm_run_input){.profile = normalized, .name = file->path, .is_new = file->is_new};
    return true;
}

static void unload(struct loaded *loaded)
{
    for (uint32_t i = 0; i < loaded->count; i++)
        flm_profile_free(loaded->profile[i]);
    free(loaded->profile);
    free(loaded->input);
    free(loaded->block);
}

/* All runs, over one tree. False when it failed; the error has then been printed. */
static bool load_runs(const struct fields *f, const struct file *files, size_t count,
                      struct flm_runs *runs)
{
    struct loaded loaded = {calloc(count, sizeof *loaded.profile),
                            calloc(count, sizeof *loaded.input),
                            calloc(count, sizeof *loaded.block), 0};
    struct flm_error why;
    bool good = loaded.profile && loaded.input && loaded.block;
    if (!good) {
        flm_error_memory(&why);
        flm_message_error(&why);
    }
    for (size_t i = 0; good && i < count; i++)
        good = load_file(&loaded, &f->load, &files[i], &why);
    if (good) {
        flm_strata_find((const struct flm_profile *const *)loaded.profile, loaded.count,
                        loaded.block);
        for (uint32_t i = 0; i < loaded.count; i++)
            loaded.input[i].block = loaded.block[i];
        good = flm_runs_init(runs, loaded.input, loaded.count, f->metric, &why);
        if (!good)
            flm_message_error(&why);
    }
    unload(&loaded);
    return good;
}

static void warn_of_empty_runs(const struct flm_runs *runs)
{
    for (uint32_t i = 0; i < runs->run_count; i++)
        if (runs->run[i].count == 0)
            flm_message("%s: there is nothing in it, and it counts as a run", runs->run[i].name.at);
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static bool print_difference(const struct flm_gate_report *report, struct flm_error *why)
{
    struct flm_report *difference = flm_gate_report_difference(report, why);
    bool good = difference && flm_report_print(difference, FLM_REPORT_TEXT, "-", why);
    flm_report_free(difference);
    return good;
}

static int exit_of(enum flm_verdict verdict)
{
    static const int status[] = {
        [FLM_VERDICT_PASS] = FLM_EXIT_DONE,
        [FLM_VERDICT_FAIL] = FLM_EXIT_NO,
        [FLM_VERDICT_INCONCLUSIVE] = FLM_EXIT_UNKNOWN,
    };
    return status[verdict];
}

/* More runs are not waited for: what was found is found, what is significant is significant, and
 * without noise there is nothing to wait for. */
static bool is_decided(const struct flm_gate_options *how, int status)
{
    return status == FLM_EXIT_NO || how->exact || (how->tolerance > 0 && status == FLM_EXIT_DONE);
}

/* As in the paper. */
static int judge_as_paper(const struct fields *f, const struct flm_runs *runs,
                          const struct flm_gate_options *how, bool is_last)
{
    const struct flm_paper_options usual = flm_paper_defaults();
    struct flm_paper_options test = {.alpha = how->alpha,
                                     .threshold = f->threshold > 0 ? (uint32_t)f->threshold
                                                                   : usual.threshold,
                                     .most = f->most > 0 ? (uint32_t)f->most : 0,
                                     .side = how->side,
                                     .min_effect = how->min_effect};
    struct flm_paper paper;
    struct flm_output output;
    struct flm_error why;
    if (!flm_paper_init(&paper, runs, &test, &why))
        return flm_message_error(&why);
    int status = exit_of(paper.verdict);
    struct flm_gate_paper_text text = {
        .runs = runs, .options = &test, .look = flm_look_of_output(), .rows = (uint32_t)f->rows};
    bool good = true;
    if (is_last || is_decided(how, status)) {
        good = flm_output_open(&output, "-", &why);
        text.out = &output.text;
        if (good) {
            good = flm_gate_paper_write(&text, &paper) || flm_error_memory(&why);
            good = flm_output_close(&output, good, &why) && good;
        }
    }
    flm_paper_clear(&paper);
    return good ? status : flm_message_error(&why);
}

static bool is_paper(const struct fields *f)
{
    return strcmp(f->method, "paper") == 0;
}

/* With `is_last`, or where something fails, the answer is printed. */
static int judge(const struct fields *f, const struct file *files, size_t count,
                 const struct flm_gate_options *how, bool is_last)
{
    struct flm_runs runs;
    struct flm_gate gate;
    struct flm_error why, other;
    if (!load_runs(f, files, count, &runs))
        return FLM_EXIT_WRONG;
    if (!f->load.quiet)
        warn_of_empty_runs(&runs);
    if (is_paper(f)) {
        int said = judge_as_paper(f, &runs, how, is_last);
        flm_runs_clear(&runs);
        return said;
    }
    struct flm_gate_report report = {.runs = &runs, .options = how, .rows = (uint32_t)f->rows};
    int status;
    if (!flm_gate_judge(&gate, &runs, how, &why)) {
        /* There is a difference even where nothing can be said of it. */
        if (why.kind == FLM_ERROR_USAGE)
            print_difference(&report, &other);
        status = flm_message_error(&why);
    } else {
        status = exit_of(gate.verdict);
        report.gate = &gate;
        if ((is_last || is_decided(how, status)) &&
            !flm_gate_output_write(&f->output, &report, &why))
            status = flm_message_error(&why);
        flm_gate_clear(&gate);
    }
    flm_runs_clear(&runs);
    return status;
}

static int judge_files(const struct fields *f, const struct flm_gate_options *how)
{
    size_t count = f->base.count + f->new.count;
    struct file *files = calloc(count, sizeof *files);
    struct flm_error why;
    if (!files) {
        flm_error_memory(&why);
        return flm_message_error(&why);
    }
    for (size_t i = 0; i < count; i++) {
        bool is_new = i >= f->base.count;
        const struct flm_option_words *words = is_new ? &f->new : &f->base;
        files[i] = (struct file){words->items[is_new ? i - f->base.count : i], is_new};
    }
    int status = judge(f, files, count, how, true);
    free(files);
    return status;
}

/* ---- Runs that are recorded first ------------------------------------------------------------ */

static int judge_recorded(const struct fields *f, const struct flm_gate_ab *ab,
                          const struct flm_gate_options *how, bool is_last)
{
    struct file *files = calloc(ab->ab.count, sizeof *files);
    struct flm_error why;
    if (!files) {
        flm_error_memory(&why);
        return flm_message_error(&why);
    }
    for (uint32_t i = 0; i < ab->ab.count; i++)
        files[i] = (struct file){ab->ab.run[i].path, ab->ab.run[i].is_new};
    int status = judge(f, files, ab->ab.count, how, is_last);
    free(files);
    return status;
}

static void report_look(const struct flm_gate_ab *ab)
{
    if (ab->look_count > 1 && ab->looks < ab->look_count)
        flm_message("look %u of %u, %u runs of each: nothing yet", ab->looks, ab->look_count,
                    ab->ab.count / 2);
}

static int record_and_judge(const struct fields *f, struct flm_gate_options *how)
{
    struct flm_gate_ab ab;
    struct flm_error why;
    struct flm_load_fields quiet = f->load;
    struct fields later = *f;
    int status = FLM_EXIT_DONE;
    /* What was lost in each of forty runs is no news forty times. */
    quiet.tells_losses = true;
    later.load = quiet;
    bool needs_p = !how->exact && !(how->tolerance > 0) && !is_paper(f);
    bool good = flm_gate_ab_open(&ab, &f->ab, &f->load, needs_p ? how->alpha : 0, &why);
    if (good && ab.look_count > 1) {
        double level = flm_gate_ab_level(&ab, how->alpha);
        if (!f->load.quiet)
            flm_message("%u looks at most, each at alpha %.3g: together they have %g",
                        ab.look_count, level, how->alpha);
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
        flm_message("the %u runs are kept in %s", ab.ab.count, ab.ab.options.folder);
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
    if (f->threshold == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--threshold is 1 at least");
    if (is_paper(f) && (f->tolerance > 0 || f->require_mde > 0 || f->exact))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--tolerance, --require-mde and --exact are not for --method=paper");
    if (is_paper(f) && (f->output.format || f->output.files.count > 0))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--method=paper says its verdict as text alone, without --format and "
                             "-o");
    if (f->exact && (f->tolerance > 0 || f->require_mde > 0))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--exact has no noise: --min-effect says what fails, without "
                             "--tolerance and --require-mde");
    return true;
}

static bool read_options(const struct fields *f, int operands, struct flm_gate_options *how,
                         struct flm_error *why)
{
    if (operands > 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "gate takes files as --base FILE... --new FILE...");
    bool records = f->ab.commands.count > 0;
    if (records && f->base.count + f->new.count > 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--ab records runs, and --base and --new have some: one of them");
    if (!records && (f->base.count == 0 || f->new.count == 0))
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            flm_gate_ab_is_asked(&f->ab)
                ? "that is for recording: --ab './old' './new'"
                : "gate needs runs on both sides: --base FILE... --new FILE..., or "
                  "commands to record: --ab './old' './new'");
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
    how->alpha = f->alpha;
    how->permutations = (uint32_t)f->permutations;
    how->seed = (uint64_t)f->seed;
    how->side = strcmp(f->side, "both") == 0 ? FLM_SIDE_BOTH : FLM_SIDE_GROWTH;
    how->min_effect = f->min_effect;
    how->require_mde = f->require_mde;
    how->tolerance = f->tolerance;
    how->exact = f->exact;
    how->unit = f->sample;
    how->has_all_columns = f->all_columns;
    how->absolute_only = f->absolute;
    how->threads = f->load.threads > 0 ? f->load.threads : flm_processor_count();
    return true;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct flm_gate_options how = flm_gate_defaults();
    struct fields f = {.ab = FLM_GATE_AB_FIELDS_UNSET,
                       .side = "growth",
                       .method = "maxt",
                       .threshold = -1,
                       .most = -1,
                       .alpha = how.alpha,
                       .min_effect = how.min_effect,
                       .permutations = (int)how.permutations,
                       .seed = (int)how.seed,
                       .rows = 20};
    struct flm_error why;
    f.load.drop_times = true;
    int operands = flm_options_parse(command, &f, count, words, &why);
    int status = FLM_EXIT_DONE;
    if (operands == -1 || (operands >= 0 && !read_options(&f, operands, &how, &why)))
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
    .summary = "whether new runs are slower than old ones, where, and how sure",
    .description =
        "Compares several profiles of a program before a change with several after it, and\n"
        "says what changed by more than the runs differ among themselves: PASS (0), FAIL (1),\n"
        "or INCONCLUSIVE (3), where so few runs could not have shown it.",
    .examples = "  flamel gate --base runs/base/*.flm --new runs/new/*.flm\n"
                "  flamel gate --base old*.flm --new new*.flm --require-mde 2%\n"
                "  flamel gate --ab './old' './new' -n 20   records them too, alternately\n"
                "  flamel gate --ab './old' './new' --sequential   as few runs as will do\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
