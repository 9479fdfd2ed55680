/* diff.c - `flamel diff`: what changed between two profiles, or between two sets of runs. */
#include "report/gate/diff.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/save_options.h"
#include "cli/report/print.h"

enum { NOT_GIVEN = -1, USUAL_ROWS = 15 };

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
    struct flm_option_words base, new;
    struct flm_option_list renames;
    const char *base_apply, *by, *part, *relative, *sort;
    bool shares, json, csv, markdown;
    int rows;
};

static const struct flm_option options[] = {
    {"base", 'b', "FILE...", "before is several runs: the mean of these files", FLM_OPTION_WORDS,
     offsetof(struct fields, base)},
    {"new", 0, "FILE...", "and after the mean of these", FLM_OPTION_WORDS,
     offsetof(struct fields, new)},
    FLM_SAVE_OPTIONS(struct fields, save),
    {"part", 'p', "PART",
     "write a part of the difference as a graph of its own: appeared,\ngrown, disappeared, shrunk, "
     "plus, minus or delta",
     FLM_OPTION_TEXT, offsetof(struct fields, part)},
    {"relative-to", 0, "SIDE", "values as shares of the total of base, or of new", FLM_OPTION_TEXT,
     offsetof(struct fields, relative)},
    {"shares", 0, NULL, "compare shares: the difference of both divided by their totals",
     FLM_OPTION_FLAG, offsetof(struct fields, shares)},
    {"by", 0, "CLASS", "merge frames first: by function, line, module, file ...", FLM_OPTION_TEXT,
     offsetof(struct fields, by)},
    {"rename", 0, "RULE", "rename functions first: 's/old/new/'; may be repeated", FLM_OPTION_LIST,
     offsetof(struct fields, renames)},
    {"base-apply", 0, "EXPRESSION", "operations on the base in place of those of --apply",
     FLM_OPTION_TEXT, offsetof(struct fields, base_apply)},
    {"sort", 's', "KEY", "functions by the change of self (the default) or total, or by\nname",
     FLM_OPTION_TEXT, offsetof(struct fields, sort)},
    {"rows", 'n', "N",
     "N functions and N stacks (default: 15, or all with --json and\n--csv); 0: all",
     FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"json", 0, NULL, "exact values for programs, as JSON", FLM_OPTION_FLAG,
     offsetof(struct fields, json)},
    {"csv", 0, NULL, "the functions as CSV, for spreadsheets", FLM_OPTION_FLAG,
     offsetof(struct fields, csv)},
    {"markdown", 0, NULL, "the report for a comment or a wiki", FLM_OPTION_FLAG,
     offsetof(struct fields, markdown)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- What is written ------------------------------------------------------------------------- */

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
    int flag = f->json       ? FLM_REPORT_JSON
               : f->csv      ? FLM_REPORT_CSV
               : f->markdown ? FLM_REPORT_MARKDOWN
                             : NO_REPORT;
    if (flag != NO_REPORT || (!f->save.to && !f->save.output))
        return flag != NO_REPORT ? flag : f->part ? NO_REPORT : FLM_REPORT_TEXT;
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
    if (f->json + f->csv + f->markdown + (f->save.to != NULL) > 1)
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

static bool read_options(const struct fields *f, struct flm_diff_how *how, struct flm_error *why)
{
    static const char *const keys[] = {"self", "total", "name"};
    int key = f->sort ? -1 : 0;
    for (int i = 0; i < 3 && key < 0; i++)
        key = strcmp(f->sort, keys[i]) == 0 ? i : -1;
    if (key < 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--sort is self, total or name, not '%s'",
                             f->sort);
    how->sort = (enum flm_function_order)key;
    if (f->relative && strcmp(f->relative, "base") != 0 && strcmp(f->relative, "new") != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "--relative-to is base or new, not '%s'",
                             f->relative);
    how->relative = f->shares                          ? FLM_DIFF_OF_NEW
                    : !f->relative                     ? FLM_DIFF_ABSOLUTE
                    : strcmp(f->relative, "base") == 0 ? FLM_DIFF_OF_BASE
                                                       : FLM_DIFF_OF_NEW;
    how->shares = f->shares;
    how->metric = f->save.metric;
    how->no_noise = f->save.picture.without_noise_test;
    how->normal.by = f->shares ? FLM_NORMALIZE_TOTAL : f->save.picture.normalize;
    how->normal.function =
        flm_bytes_of(f->save.picture.normalize_function ? f->save.picture.normalize_function : "");
    int report = report_of(f);
    how->rows = f->rows != NOT_GIVEN                                    ? (uint32_t)f->rows
                : report == FLM_REPORT_JSON || report == FLM_REPORT_CSV ? 0
                                                                        : USUAL_ROWS;
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool load_side(struct flm_diff_side *side, const char *const *paths,
                      const struct flm_load_fields *load)
{
    side->profiles = calloc(side->count, sizeof *side->profiles);
    side->names = calloc(side->count, sizeof *side->names);
    if (!side->profiles || !side->names) {
        flm_message("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < side->count; i++) {
        side->names[i] = flm_load_name(paths[i]);
        side->profiles[i] = flm_load_with(load, paths[i]);
        if (!side->profiles[i])
            return false;
    }
    return true;
}

static bool apply(struct flm_diff *d, const char *expression, bool quiet, struct flm_error *why)
{
    /* A rule that changes nothing in one version is usual: it is worth a message only where it
     * changes nothing in any. */
    char note[200] = "";
    bool always_noted = true;
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < d->side[s].count; i++) {
            struct flm_profile **at = &d->side[s].profiles[i];
            char own[200];
            struct flm_profile *result = flm_apply(*at, expression, own, why);
            if (!result)
                return false;
            flm_profile_free(*at);
            *at = result;
            always_noted = always_noted && own[0];
            if (own[0])
                memcpy(note, own, sizeof note);
        }
    if (always_noted && note[0] && !quiet)
        flm_message("%s", note);
    return true;
}

/* ---- Both as one ----------------------------------------------------------------------------- */

/* --rename and --by are operations, which an expression could also say. */
static bool apply_rule(struct flm_diff *d, const char *option, const char *operation,
                       const char *argument, bool quiet, struct flm_error *why)
{
    struct flm_text expression = {0};
    flm_text_puts(&expression, operation);
    size_t before = expression.size;
    flm_text_puts(&expression, argument);
    flm_text_putc(&expression, 0);
    bool good = !expression.failed ? apply(d, expression.at, quiet, why) : flm_error_memory(why);
    flm_text_clear(&expression);
    if (!good && why->kind == FLM_ERROR_USAGE && why->offset >= before)
        flm_error_move_byte(why, why->offset - before);
    return good || flm_error_within(why, option);
}

static bool apply_rules(const struct fields *f, struct flm_diff *d, struct flm_error *why)
{
    for (size_t i = 0; i < f->renames.count; i++)
        if (!apply_rule(d, "--rename", "rename:", f->renames.items[i], f->load.quiet, why))
            return false;
    return !f->by || apply_rule(d, "--by", "by:", f->by, f->load.quiet, why);
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

/* Both columns: before multiplied by what makes them comparable, both divided by what they are
 * relative to. */
static struct flm_profile *scaled_columns(const struct flm_diff *d, struct flm_bytes unit,
                                          struct flm_error *why)
{
    struct flm_text name = {0};
    flm_text_add(&name, unit);
    flm_text_putc(&name, 0);
    double weights[2][2] = {{0}};
    weights[0][d->pair.before.index] = d->comparison.how.scale / d->whole;
    weights[1][d->pair.after.index] = 1 / d->whole;
    const struct flm_combination columns[] = {{"before", name.at, weights[0]},
                                              {"after", name.at, weights[1]}};
    struct flm_profile *scaled = NULL;
    if (name.failed)
        flm_error_memory(why);
    else
        scaled = flm_combine(d->both, columns, 2, why);
    flm_text_clear(&name);
    return scaled;
}

static struct flm_bytes scaled_unit(const struct flm_diff *d)
{
    static const char *const units[] = {
        [FLM_DIFF_OF_BASE] = "of before", [FLM_DIFF_OF_NEW] = "of after"};
    return d->how.shares                          ? flm_bytes_of("of the total")
           : d->how.relative == FLM_DIFF_ABSOLUTE ? d->unit
                                                  : flm_bytes_of(units[d->how.relative]);
}

/* What the pictures say of themselves. */
static void add_subtitle(const struct flm_diff *d, struct flm_text *out)
{
    flm_text_puts(out, "before: ");
    flm_diff_add_name(d, FLM_DIFF_BEFORE, out);
    flm_text_puts(out, ", after: ");
    flm_diff_add_name(d, FLM_DIFF_AFTER, out);
    flm_text_putc(out, 0);
}

/* A page gets both sides as they are, and compares them itself. */
static int write_page(struct fields *f, struct flm_diff *d)
{
    struct flm_error why;
    struct flm_text names[2] = {{0}};
    struct flm_profile *sides[2] = {NULL};
    for (int s = 0; s < 2; s++) {
        flm_diff_add_name(d, (enum flm_diff_which)s, &names[s]);
        flm_text_putc(&names[s], 0);
        sides[s] = flm_diff_take_side(d, (enum flm_diff_which)s, &why);
    }
    bool good = sides[0] && sides[1];
    if (good && (names[0].failed || names[1].failed))
        good = flm_error_memory(&why);
    int status = FLM_EXIT_WRONG;
    if (good) {
        f->save.base = sides[FLM_DIFF_BEFORE];
        f->save.base_name = names[FLM_DIFF_BEFORE].at;
        f->save.name = names[FLM_DIFF_AFTER].at;
        status = flm_save_with(&f->save, sides[FLM_DIFF_AFTER]); /* frees it */
        sides[FLM_DIFF_AFTER] = NULL;
    } else {
        status = flm_message_error(&why);
    }
    for (int s = 0; s < 2; s++) {
        flm_profile_free(sides[s]);
        flm_text_clear(&names[s]);
    }
    return status;
}

/* Both as they were recorded, for a picture that compares them. */
static struct flm_profile *for_picture(struct fields *f, struct flm_diff *d)
{
    struct flm_svg_options *picture = &f->save.picture;
    picture->normalize = d->how.normal.by;
    picture->before_ns = d->side[FLM_DIFF_BEFORE].duration_ns;
    picture->after_ns = d->side[FLM_DIFF_AFTER].duration_ns;
    picture->without_noise_test |= d->runs.run_count > 2; /* it would take means for one run each */
    if (d->how.relative != FLM_DIFF_ABSOLUTE && !d->how.shares && !picture->count_name) {
        picture->count_name = "%";
        picture->factor = (picture->factor == 0 ? 1 : picture->factor) * 100 / d->whole;
    }
    struct flm_profile *both = d->both;
    d->both = NULL;
    return both;
}

static const char *const part_titles[FLM_PARTS] = {
    [FLM_PART_APPEARED] = "What appeared",        [FLM_PART_GROWN] = "What has grown",
    [FLM_PART_DISAPPEARED] = "What disappeared",  [FLM_PART_SHRUNK] = "What has shrunk",
    [FLM_PART_PLUS] = "What was gained",          [FLM_PART_MINUS] = "What was lost",
    [FLM_PART_DELTA] = "What was gained and lost"};

/* What is written, unless it is a page. */
static struct flm_profile *made(struct fields *f, struct flm_diff *d, struct flm_error *why)
{
    enum flm_part part = FLM_PART_DELTA;
    f->save.metric = NULL; /* it was found */
    struct flm_format_info format = flm_save_format(&f->save);
    if (!f->part && format.is_picture)
        return for_picture(f, d);
    if (!f->part && format.metrics != FLM_METRICS_ONE)
        return scaled_columns(d, scaled_unit(d), why);
    if (f->part && !flm_part_named(flm_bytes_of(f->part), &part)) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "--part is appeared, grown, disappeared, shrunk, plus, minus or delta, not "
                      "'%s'",
                      f->part);
        return NULL;
    }
    if (!f->save.picture.title)
        f->save.picture.title = part_titles[part];
    return flm_part_of(d->both, &d->comparison, part, d->metric, scaled_unit(d), 1 / d->whole, why);
}

static int write_profile(struct fields *f, struct flm_diff *d)
{
    struct flm_error why;
    struct flm_text subtitle = {0};
    if (!f->part && flm_save_format(&f->save).takes_baseline)
        return write_page(f, d);
    struct flm_profile *profile = made(f, d, &why);
    if (!profile)
        return flm_message_error(&why);
    add_subtitle(d, &subtitle);
    if (!f->save.picture.subtitle && !subtitle.failed)
        f->save.picture.subtitle = subtitle.at;
    int status = flm_save_with(&f->save, profile);
    flm_text_clear(&subtitle);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool load_sides(const struct fields *f, struct flm_diff *d, char **words)
{
    bool sets = f->base.count > 0;
    const char *const *operands = (const char *const *)words;
    struct flm_load_fields load = f->load;
    /* Single samples are in no comparison: only how long they last may be needed, and what a page
     * is given. */
    bool is_page = report_of(f) == NO_REPORT && flm_save_format(&f->save).takes_baseline;
    load.drop_times = !is_page && d->how.normal.by != FLM_NORMALIZE_DURATION;
    struct flm_load_fields base_load = load;
    if (f->base_apply)
        base_load.apply = f->base_apply;
    d->side[FLM_DIFF_BEFORE].count = sets ? (uint32_t)f->base.count : 1;
    d->side[FLM_DIFF_AFTER].count = sets ? (uint32_t)f->new.count : 1;
    return load_side(&d->side[FLM_DIFF_BEFORE], sets ? f->base.items : operands, &base_load) &&
           load_side(&d->side[FLM_DIFF_AFTER], sets ? f->new.items : operands + 1, &load);
}

static int compare(struct fields *f, struct flm_diff *d, char **words)
{
    struct flm_error why;
    int status = FLM_EXIT_WRONG;
    if (!read_options(f, &d->how, &why))
        status = flm_message_error(&why);
    else if (!load_sides(f, d, words))
        ; /* the reason was printed */
    else if (!apply_rules(f, d, &why) || !flm_diff_measure(d, &why))
        status = flm_message_error(&why);
    else
        status = report_of(f) != NO_REPORT ? write_report(f, d) : write_profile(f, d);
    for (int side = 0; side < 2; side++)
        free(d->side[side].names);
    flm_diff_clear(d);
    return status;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.rows = NOT_GIVEN};
    struct flm_diff d = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    const char *wrong = operands >= 0 ? misuse(&f, operands) : NULL;
    if (wrong)
        flm_error_set(&why, FLM_ERROR_USAGE, "%s", wrong);
    int status = operands == -2          ? FLM_EXIT_DONE
                 : operands < 0 || wrong ? flm_message_error(&why)
                                         : compare(&f, &d, words);
    flm_option_words_clear(&f.base);
    flm_option_words_clear(&f.new);
    return status;
}

const struct flm_command flm_command_diff = {
    .name = "diff",
    .synopsis = "[OPTION]... (BEFORE AFTER | --base FILE... --new FILE...)",
    .summary = "what changed between two profiles, or two sets of runs",
    .description =
        "Prints the totals of two profiles, their similarity, what appeared, grew, shrank and\n"
        "disappeared, and which functions and stacks changed the most; or writes that as a\n"
        "picture or a profile. Of several runs of each side the means are compared: which\n"
        "changes are more than noise, 'flamel gate' tests.",
    .examples =
        "  flamel diff old.flm new.flm                        the report\n"
        "  flamel diff old.flm new.flm -o change.svg          the picture; .html: the viewer\n"
        "  flamel diff old.flm new.flm --part appeared -o n.svg   only what is new\n"
        "  flamel diff --base old/*.flm --new new/*.flm       means of several runs\n"
        "  flamel diff old.flm new.flm --rename 's/_v2//' --by function\n"
        "  flamel diff old.flm new.flm -t difffolded | flamegraph.pl > change.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
