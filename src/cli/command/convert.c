/* convert.c - `flamel convert`: any profile to any format or picture. */
#include "base/text/text.h"
#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/save/page_code.h"
#include "cli/save/sanitize_options.h"
#include "flamel/changes.h"

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
    const char *base, *base_apply;
    struct flm_page_code_fields code;
    struct flm_sanitize_fields sanitize;
};

static const struct flm_option options[] = {
    FLM_SAVE_OPTIONS(struct fields, save),
    {"base", 'b', "FILE", "compare with FILE, the baseline", FLM_OPTION_TEXT,
     offsetof(struct fields, base)},
    {"base-apply", 0, "EXPRESSION", "operations for the baseline, instead of those of --apply",
     FLM_OPTION_TEXT, offsetof(struct fields, base_apply)},
    FLM_PAGE_CODE_OPTIONS(struct fields, code),
    FLM_SANITIZE_OPTIONS(struct fields, sanitize),
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- Both of a comparison -------------------------------------------------------------------- */

/* Both profiles side by side, and what the picture has to know of them. A metric that was asked for
 * by name is one of the file's; where it is the only one, its pair has no name. */
static struct flm_profile *side_by_side(struct fields *f, const struct flm_profile *before,
                                        const struct flm_profile *after, struct flm_error *why)
{
    struct flm_metric metric;
    if (f->save.metric && !flm_metric_find(after, f->save.metric, &metric, why))
        return NULL;
    f->save.picture.before_ns = flm_profile_duration_ns(before);
    f->save.picture.after_ns = flm_profile_duration_ns(after);
    struct flm_profile *both = flm_comparison_align(before, after, why);
    if (both && flm_profile_metric_count(both) == 2)
        f->save.metric = NULL;
    return both;
}

/* A picture, or whatever else is written of both. */
static int write_both(struct fields *f, const struct flm_profile *before,
                      const struct flm_profile *after, const char *path)
{
    struct flm_error why;
    struct flm_text subtitle = {0};
    struct flm_profile *both = side_by_side(f, before, after, &why);
    if (!both)
        return flm_message_error(&why);
    if (!f->sanitize.rules) /* names of files are what people call them */
        flm_text_format(&subtitle, "before: %s, after: %s", flm_load_name(f->base),
                        flm_load_name(path));
    flm_text_putc(&subtitle, 0);
    if (!f->save.picture.subtitle && !subtitle.failed && subtitle.size > 1)
        f->save.picture.subtitle = subtitle.at;
    int status = flm_save_with(&f->save, both);
    flm_text_clear(&subtitle);
    return status;
}

/* A page gets both as they are, and compares them itself. */
static int compare(struct fields *f, const char *path)
{
    /* What is only in one of them is why they are compared. */
    size_t unmatched = 0;
    f->load.unmatched = &unmatched;
    struct flm_load_fields base_load = f->load;
    if (f->base_apply)
        base_load.apply = f->base_apply;
    struct flm_profile *before = flm_load_with(&base_load, f->base);
    struct flm_profile *after = before ? flm_load_with(&f->load, path) : NULL;
    int status = FLM_EXIT_WRONG;
    if (after && !flm_load_matched(&f->load, unmatched, 2)) {
        flm_profile_free(after);
        after = NULL;
    }
    if (after)
        flm_sanitize_both_with(&f->sanitize, &before, &after);
    if (after && f->sanitize.rules && !f->load.quiet) {
        flm_sanitize_say(before);
        flm_sanitize_say(after);
    }
    if (after && flm_save_format(&f->save).takes_baseline) {
        f->save.base = before;
        f->save.base_name = f->sanitize.rules ? "before" : flm_load_name(f->base);
        status = flm_page_code_save(&f->code, &f->load, &f->save, after); /* frees it */
        after = NULL;
    } else if (after) {
        status = write_both(f, before, after, path);
    }
    flm_profile_free(before);
    flm_profile_free(after);
    return status;
}

/* What would be left to see of the profile; nothing is written. */
static int list(struct fields *f, const char *path)
{
    struct flm_profile *p = flm_sanitize_with(&f->sanitize, flm_load_with(&f->load, path));
    if (!p)
        return FLM_EXIT_WRONG;
    flm_sanitize_print(p);
    flm_profile_free(p);
    return 0;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.code = FLM_PAGE_CODE_USUAL};
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands != 1)
        return flm_save_operands("convert", operands, words, &f.save);
    if (f.base_apply && !f.base)
        return flm_message_usage("--base-apply needs --base");
    struct flm_error why;
    if (!flm_sanitize_fields_check(&f.sanitize, &why))
        return flm_message_error(&why);
    bool only_lists = f.sanitize.rules && !f.save.output && !f.save.to && !f.base;
    if (!only_lists && flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    if (!flm_page_code_check(&f.code, &f.save))
        return FLM_EXIT_WRONG;
    /* Of both side by side there are no samples; only how long they last may be needed. */
    if (f.sanitize.rules && (f.code.with_source.is_given || f.code.with_assembly))
        return flm_message_usage("choose one: --sanitize, or --with-source and --with-assembly");
    if (only_lists)
        return list(&f, words[0]);
    f.load.drop_times = f.base && !flm_save_format(&f.save).takes_baseline
                            ? f.save.picture.normalize != FLM_NORMALIZE_DURATION
                            : !flm_save_shows_samples(&f.save);
    f.load.no_locations = !flm_save_format(&f.save).keeps_lines;
    f.load.dropped_locations = &f.save.has_no_lines;
    f.load.counted_size = flm_save_counted_size(&f.save, f.load.quiet, 1);
    /* A sanitized page has no path as its title, not even its own: that may name what was taken
     * out. */
    f.save.name = !f.sanitize.rules ? flm_load_name(words[0]) : f.base ? "after" : "profile";
    if (f.base)
        return compare(&f, words[0]);
    f.load.dropped_samples = &f.save.has_no_samples;
    f.save.quiet = f.load.quiet;
    struct flm_profile *profile = flm_sanitize_with(&f.sanitize, flm_load_with(&f.load, words[0]));
    if (profile && f.sanitize.rules && !f.load.quiet)
        flm_sanitize_say(profile);
    return profile ? flm_page_code_save(&f.code, &f.load, &f.save, profile) : FLM_EXIT_WRONG;
}

const struct flm_command flm_command_convert = {
    .name = "convert",
    .synopsis = "[OPTION]... FILE (-o FILE | -t FORMAT)",
    .summary = "convert a profile to another format or to a picture",
    .description =
        "Reads a profile in any format that flamel reads, and writes it in another one, or as a\n"
        "picture. The format is recognized by content, compressed (gzip, zstd) or not.",
    .examples = "  flamel convert app.folded -o app.svg        a flame graph\n"
                "  perf script | flamel convert - -o app.svg   from a pipe\n"
                "  flamel convert app.folded -o app.flm        flamel's own file: opens at once\n"
                "  flamel convert -t folded app.flm            folded stacks on standard output\n"
                "  flamel convert new.flm --base old.flm -o change.svg    what changed\n"
                "  flamel convert app.flm -o app.html --with-source       a page with source\n"
                "  flamel convert app.flm -o share.html --sanitize        one to be shown\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
