/* diff.c - `flamel diff`: what changed between two profiles, or between two sets of runs. */
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/report/print.h"
#include "cli/save/page_code.h"
#include "flamel/compare.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 15 };

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
    struct flm_option_words base, new;
    struct flm_option_list renames;
    const char *base_apply, *by, *part, *relative, *sort;
    struct flm_form_fields form;
    struct flm_page_code_fields code;
    bool shares;
    int rows;
};

static const struct flm_option options[] = {
    {"base", 'b', "FILE...", "the runs before the change: their mean is compared", FLM_OPTION_WORDS,
     offsetof(struct fields, base)},
    {"new", 0, "FILE...", "the runs after the change", FLM_OPTION_WORDS,
     offsetof(struct fields, new)},
    FLM_SAVE_OPTIONS(struct fields, save),
    {"part", 'p', "PART",
     "write a part of the difference as a profile or picture: appeared, grown, disappeared, "
     "shrunk, plus, minus or delta",
     FLM_OPTION_TEXT, offsetof(struct fields, part)},
    {"relative-to", 0, "SIDE", "print values as shares of the total of base, or of new",
     FLM_OPTION_TEXT, offsetof(struct fields, relative)},
    {"shares", 0, NULL, "compare shares: each side is divided by its own total", FLM_OPTION_FLAG,
     offsetof(struct fields, shares)},
    {"by", 0, "CLASS", "merge frames first: by function, line, module, file ...", FLM_OPTION_TEXT,
     offsetof(struct fields, by)},
    {"rename", 0, "RULE", "rename functions first: 's/old/new/'; may be repeated", FLM_OPTION_LIST,
     offsetof(struct fields, renames)},
    {"base-apply", 0, "EXPRESSION", "operations for the baseline, instead of those of --apply",
     FLM_OPTION_TEXT, offsetof(struct fields, base_apply)},
    {"sort", 's', "KEY", "sort functions by the change of self (the default) or total, or by name",
     FLM_OPTION_TEXT, offsetof(struct fields, sort)},
    {"rows", 'n', "N",
     "print at most N functions and N stacks (default: 15, or all with --json and --csv); 0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    FLM_PAGE_CODE_OPTIONS(struct fields, code),
    FLM_FORM_OPTIONS(struct fields, form),
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- The form of the output ------------------------------------------------------------------ */

enum { NO_REPORT = -1, REPORT_COUNT = 4 };

static const struct {
    const char *name, *end;
} reports[REPORT_COUNT] = {[FLM_REPORT_TEXT] = {"text", ".txt"},
                           [FLM_REPORT_MARKDOWN] = {"markdown", ".md"},
                           [FLM_REPORT_JSON] = {"json", ".json"},
                           [FLM_REPORT_CSV] = {"csv", ".csv"}};

/* The form of the report (enum flm_report_form); NO_REPORT: a profile or a picture is written. */
static int report_of(const struct fields *f)
{
    enum flm_report_form form = flm_form_of(&f->form);
    if (form != FLM_REPORT_TEXT)
        return (int)form;
    if (!f->save.to && !f->save.output)
        return f->part ? NO_REPORT : FLM_REPORT_TEXT;
    for (int i = 0; i < REPORT_COUNT; i++)
        if (f->save.to ? strcmp(f->save.to, reports[i].name) == 0
                       : flm_bytes_end_with(flm_bytes_of(f->save.output), reports[i].end))
            return i;
    return NO_REPORT;
}

/* Options that make no sense together: a message, or NULL. */
static const char *misuse(const struct fields *f, int operands)
{
    bool sets = f->base.count > 0 || f->new.count > 0;
    if (sets ? operands != 0 || f->base.count == 0 || f->new.count == 0 : operands != 2)
        return "diff takes two files, the one before and the one that it became; or two sets of "
               "runs: --base FILE... --new FILE...";
    if (f->form.json + f->form.csv + f->form.markdown + (f->save.to != NULL) > 1)
        return "one of --to, --json, --csv and --markdown is enough";
    if (f->part && report_of(f) != NO_REPORT)
        return "--part is written as a profile or a picture: it needs -o d.svg, -t folded ... "
               "(reports have all parts)";
    if (f->part)
        return flm_save_missing(&f->save);
    if (f->shares && f->relative)
        return "--shares compares shares of both: there is nothing else to be relative to";
    if (f->shares && f->save.picture.normalize != FLM_NORMALIZE_NONE)
        return "--shares and --normalize are two ways to normalize: give one of them";
    return NULL;
}

static bool read_options(const struct fields *f, struct flm_diff_options *how,
                         struct flm_error *why)
{
    static const char *const keys[] = {"self", "total", "name"};
    int key = f->sort ? -1 : 0;
    for (int i = 0; i < 3 && key < 0; i++)
        key = strcmp(f->sort, keys[i]) == 0 ? i : -1;
    if (key < 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--sort is self, total or name, not '%s'",
                             f->sort);
    if (f->relative && strcmp(f->relative, "base") != 0 && strcmp(f->relative, "new") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--relative-to is base or new, not '%s'",
                             f->relative);
    int report = report_of(f);
    *how = (struct flm_diff_options){
        .size = sizeof *how,
        .metric = f->save.metric,
        .normalize = f->save.picture.normalize,
        .function = f->save.picture.normalize_function,
        .sort = (enum flm_report_sort)key,
        .rows = f->rows != NOT_GIVEN                                    ? (uint32_t)f->rows
                : report == FLM_REPORT_JSON || report == FLM_REPORT_CSV ? 0
                                                                        : USUAL_ROWS,
        .relative = !f->relative                       ? FLM_DIFF_ABSOLUTE
                    : strcmp(f->relative, "base") == 0 ? FLM_DIFF_OF_BASE
                                                       : FLM_DIFF_OF_NEW,
        .shares = f->shares,
        .without_noise_test = f->save.picture.without_noise_test};
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Both sides, and their difference. */
struct sides {
    struct flm_gate_run *run;     /* of base, then of new */
    struct flm_profile **profile; /* theirs */
    uint32_t count, base_count;
    bool dropped_locations; /* what is written holds none, so they were not read */
    struct flm_diff *diff;
};

static bool load_side(struct sides *s, const char *const *paths, size_t count, bool is_new,
                      const struct flm_load_fields *load)
{
    for (size_t i = 0; i < count; i++) {
        struct flm_profile *profile = flm_load_with(load, paths[i]);
        if (!profile)
            return false;
        s->profile[s->count] = profile;
        s->run[s->count++] =
            (struct flm_gate_run){.name = flm_load_name(paths[i]), .is_new = is_new};
    }
    return true;
}

static void clear_sides(struct sides *s)
{
    flm_diff_free(s->diff);
    for (uint32_t i = 0; s->profile && i < s->count; i++)
        flm_profile_free(s->profile[i]);
    free(s->profile);
    free(s->run);
}

static bool apply(struct sides *s, const char *expression, bool quiet, struct flm_error *why)
{
    /* A rule that changes nothing in one version is usual: it is worth a message only where it
     * changes nothing in any. */
    char note[200] = "";
    bool always_noted = true;
    for (uint32_t i = 0; i < s->count; i++) {
        char own[200];
        struct flm_profile *result = flm_apply(s->profile[i], expression, own, why);
        if (!result)
            return false;
        flm_profile_free(s->profile[i]);
        s->profile[i] = result;
        always_noted = always_noted && own[0];
        if (own[0])
            memcpy(note, own, sizeof note);
    }
    if (always_noted && note[0] && !quiet)
        flm_message("%s", note);
    return true;
}

/* --rename and --by are operations, which an expression could also say. */
static bool apply_rule(struct sides *s, const char *option, const char *operation,
                       const char *argument, bool quiet, struct flm_error *why)
{
    struct flm_text expression = {0};
    flm_text_puts(&expression, operation);
    size_t before = expression.size;
    flm_text_puts(&expression, argument);
    flm_text_putc(&expression, 0);
    bool good = !expression.failed ? apply(s, expression.at, quiet, why) : flm_error_memory(why);
    flm_text_clear(&expression);
    if (!good && why->kind == FLM_ERROR_USAGE && why->offset >= before)
        flm_error_move_byte(why, why->offset - before);
    return good || flm_error_within(why, option);
}

static bool apply_rules(const struct fields *f, struct sides *s, struct flm_error *why)
{
    for (size_t i = 0; i < f->renames.count; i++)
        if (!apply_rule(s, "--rename", "rename:", f->renames.items[i], f->load.quiet, why))
            return false;
    return !f->by || apply_rule(s, "--by", "by:", f->by, f->load.quiet, why);
}

/* ---- Reports --------------------------------------------------------------------------------- */

static int write_report(const struct fields *f, const struct flm_diff *d)
{
    struct flm_error why;
    struct flm_report *report = flm_diff_report(d, &why);
    const char *path = f->save.output ? f->save.output : "-";
    bool good = report && flm_report_print(report, (enum flm_report_form)report_of(f), path, &why);
    flm_report_free(report);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}

/* ---- Profiles and pictures ------------------------------------------------------------------- */

/* "old.flm", or "20 runs". */
static void add_name(const struct sides *s, bool of_new, struct flm_text *out)
{
    uint32_t count = of_new ? s->count - s->base_count : s->base_count;
    if (count == 1)
        flm_text_puts(out, s->run[of_new ? s->base_count : 0].name);
    else
        flm_text_format(out, "%u runs", count);
}

/* The subtitle of pictures. */
static void add_subtitle(const struct sides *s, struct flm_text *out)
{
    flm_text_puts(out, "before: ");
    add_name(s, false, out);
    flm_text_puts(out, ", after: ");
    add_name(s, true, out);
    flm_text_putc(out, 0);
}

/* One side as a profile of its own: the file as it is, or the mean. The caller frees it. */
static struct flm_profile *take_side(struct sides *s, bool of_new, struct flm_error *why)
{
    uint32_t first = of_new ? s->base_count : 0, end = of_new ? s->count : s->base_count;
    struct flm_profile *profile = s->profile[first];
    if (end - first > 1)
        return flm_diff_mean(s->diff, of_new, why);
    s->profile[first] = NULL;
    return profile;
}

/* A page gets both sides as they are, and compares them itself. */
static int write_page(struct fields *f, struct sides *s)
{
    struct flm_error why;
    struct flm_text names[2] = {{0}};
    struct flm_profile *sides[2] = {NULL};
    for (int i = 0; i < 2; i++) {
        add_name(s, i == 1, &names[i]);
        flm_text_putc(&names[i], 0);
        sides[i] = take_side(s, i == 1, &why);
    }
    bool good = sides[0] && sides[1];
    if (good && (names[0].failed || names[1].failed))
        good = flm_error_memory(&why);
    int status = FLM_EXIT_WRONG;
    if (good) {
        f->save.base = sides[0];
        f->save.base_name = names[0].at;
        f->save.name = names[1].at;
        status = flm_page_code_save(&f->code, &f->load, &f->save, sides[1]); /* frees it */
        sides[1] = NULL;
    } else {
        status = flm_message_error(&why);
    }
    for (int i = 0; i < 2; i++) {
        flm_profile_free(sides[i]);
        flm_text_clear(&names[i]);
    }
    return status;
}

static const struct {
    const char *name, *title;
} parts[] = {[FLM_DIFF_APPEARED] = {"appeared", "What appeared"},
             [FLM_DIFF_GROWN] = {"grown", "What has grown"},
             [FLM_DIFF_DISAPPEARED] = {"disappeared", "What disappeared"},
             [FLM_DIFF_SHRUNK] = {"shrunk", "What has shrunk"},
             [FLM_DIFF_PLUS] = {"plus", "What was gained"},
             [FLM_DIFF_MINUS] = {"minus", "What was lost"},
             [FLM_DIFF_DELTA] = {"delta", "What was gained and lost"}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static bool find_part(const char *name, enum flm_diff_part *part, struct flm_error *why)
{
    for (int i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0) {
            *part = (enum flm_diff_part)i;
            return true;
        }
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "--part is appeared, grown, disappeared, shrunk, plus, minus or delta, "
                         "not '%s'",
                         name);
}

/* The profile that is written, unless it is a page. */
static struct flm_profile *make_profile(struct fields *f, struct sides *s, struct flm_error *why)
{
    enum flm_diff_part part = FLM_DIFF_DELTA;
    f->save.metric = NULL; /* it was found */
    struct flm_format_info format = flm_save_format(&f->save);
    if (!f->part && format.is_picture)
        return flm_diff_take_picture(s->diff, &f->save.picture);
    if (!f->part && format.metrics != FLM_METRICS_ONE)
        return flm_diff_columns(s->diff, why);
    if (f->part && !find_part(f->part, &part, why))
        return NULL;
    if (!f->save.picture.title)
        f->save.picture.title = parts[part].title;
    return flm_diff_part(s->diff, part, why);
}

/* Means, tests and parts are of stacks of functions. */
static uint64_t count_locations(const struct sides *s)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        count += s->profile[i] ? flm_profile_location_count(s->profile[i]) : 0;
    return count;
}

static void report_locations(const struct fields *f, uint64_t count)
{
    if (count > 0 && !f->load.quiet)
        flm_message("%s: not in it: lines and addresses of %llu location%s%s",
                    flm_save_output_name(&f->save), (unsigned long long)count,
                    count == 1 ? "" : "s",
                    flm_save_format(&f->save).keeps_lines
                        ? "; flamel convert AFTER --base BEFORE keeps them"
                        : "");
}

static int write_profile(struct fields *f, struct sides *s)
{
    struct flm_error why;
    struct flm_text subtitle = {0};
    if (!f->part && flm_save_format(&f->save).takes_baseline)
        return write_page(f, s);
    uint64_t locations = count_locations(s);
    struct flm_profile *profile = make_profile(f, s, &why);
    if (!profile)
        return flm_message_error(&why);
    report_locations(f, locations);
    add_subtitle(s, &subtitle);
    if (!f->save.picture.subtitle && !subtitle.failed)
        f->save.picture.subtitle = subtitle.at;
    f->save.has_no_lines = s->dropped_locations;
    f->save.quiet = f->load.quiet;
    int status = flm_save_with(&f->save, profile);
    flm_text_clear(&subtitle);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool load_sides(const struct fields *f, struct sides *s, char **argv)
{
    bool sets = f->base.count > 0;
    const char *const *operands = (const char *const *)argv;
    size_t base_count = sets ? f->base.count : 1, new_count = sets ? f->new.count : 1;
    struct flm_load_fields load = f->load;
    /* Single samples are in no comparison: only their duration may be needed, and pages get all. */
    bool is_page = report_of(f) == NO_REPORT && flm_save_format(&f->save).takes_baseline;
    bool by_duration = !f->shares && f->save.picture.normalize == FLM_NORMALIZE_DURATION;
    load.drop_times = !is_page && !by_duration;
    load.no_locations = report_of(f) != NO_REPORT || !flm_save_format(&f->save).keeps_lines;
    load.dropped_locations = &s->dropped_locations;
    load.counted_size = report_of(f) != NO_REPORT ? 0
                                                  : flm_save_counted_size(&f->save, f->load.quiet,
                                                                          base_count + new_count);
    size_t unmatched = 0;
    load.unmatched = &unmatched;
    struct flm_load_fields base_load = load;
    if (f->base_apply)
        base_load.apply = f->base_apply;
    s->base_count = (uint32_t)base_count;
    s->profile = calloc(base_count + new_count, sizeof *s->profile);
    s->run = calloc(base_count + new_count, sizeof *s->run);
    if (!s->profile || !s->run) {
        flm_message("out of memory");
        return false;
    }
    return load_side(s, sets ? f->base.at : operands, base_count, false, &base_load) &&
           load_side(s, sets ? f->new.at : operands + 1, new_count, true, &load) &&
           flm_load_matched(&load, unmatched, base_count + new_count);
}

static bool measure(struct sides *s, const struct flm_diff_options *how, struct flm_error *why)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->run[i].profile = s->profile[i];
    s->diff = flm_diff_new(s->run, s->count, how, why);
    return s->diff != NULL;
}

static int compare(struct fields *f, char **argv)
{
    struct sides s = {0};
    struct flm_diff_options how;
    struct flm_error why;
    int status = FLM_EXIT_WRONG;
    if (!read_options(f, &how, &why))
        status = flm_message_error(&why);
    else if (!load_sides(f, &s, argv))
        ; /* the reason was printed */
    else if (!apply_rules(f, &s, &why) || !measure(&s, &how, &why))
        status = flm_message_error(&why);
    else
        status = report_of(f) != NO_REPORT ? write_report(f, s.diff) : write_profile(f, &s);
    clear_sides(&s);
    return status;
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {.code = FLM_PAGE_CODE_USUAL, .rows = NOT_GIVEN};
    int status, operands = flm_command_start(command, &f, count, argv, &status);
    const char *wrong = operands >= 0 ? misuse(&f, operands) : NULL;
    if (wrong)
        status = flm_message_usage("%s", wrong);
    else if (operands >= 0)
        status = flm_page_code_check(&f.code, &f.save) ? compare(&f, argv) : FLM_EXIT_WRONG;
    flm_option_words_clear(&f.base);
    flm_option_words_clear(&f.new);
    return status;
}

const struct flm_command flm_command_diff = {
    .name = "diff",
    .synopsis = "[OPTION]... (BEFORE AFTER | --base FILE... --new FILE...)",
    .summary = "report what changed between two profiles or two sets of runs",
    .description =
        "Prints the totals of two profiles, their similarity, what appeared, grew, shrank and\n"
        "disappeared, and which functions and stacks changed the most; or writes that as a\n"
        "picture or a profile. Of several runs of each side the means are compared: 'flamel\n"
        "gate' tests which changes are more than noise.",
    .examples =
        "  flamel diff old.flm new.flm                        the report\n"
        "  flamel diff old.flm new.flm -o change.svg          the picture; .html: the viewer\n"
        "  flamel diff old.flm new.flm -o d.html --with-source    a page with what lines cost\n"
        "  flamel diff old.flm new.flm --part appeared -o n.svg   only what is new\n"
        "  flamel diff --base old/*.flm --new new/*.flm       means of several runs\n"
        "  flamel diff old.flm new.flm --rename 's/_v2//' --by function\n"
        "  flamel diff old.flm new.flm -t difffolded | flamegraph.pl > change.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
