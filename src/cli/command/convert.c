/* convert.c - `flamel convert`: any profile to any format or picture. */
#include <string.h>

#include "base/text/text.h"
#include "cli/command/commands.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "cli/common/save_options.h"
#include "code/find/code_collection.h"
#include "flamel/changes.h"

struct fields {
    struct flm_load_fields load;
    struct flm_save_fields save;
    const char *base, *base_apply;
    struct flm_option_list folders, maps;
    struct flm_option_share with_source;
    bool with_assembly;
};

static const struct flm_option options[] = {
    FLM_SAVE_OPTIONS(struct fields, save),
    {"base", 'b', "FILE", "compare with FILE, the baseline", FLM_OPTION_TEXT,
     offsetof(struct fields, base)},
    {"base-apply", 0, "EXPRESSION", "operations for the baseline, instead of those of --apply",
     FLM_OPTION_TEXT, offsetof(struct fields, base_apply)},
    {"with-source", 0, "[=SHARE]",
     "HTML: with the source of the functions whose total is at least SHARE of all (default: 0.5%)",
     FLM_OPTION_MAYBE_SHARE, offsetof(struct fields, with_source)},
    {"with-assembly", 0, NULL, "HTML: with the machine code of these functions", FLM_OPTION_FLAG,
     offsetof(struct fields, with_assembly)},
    {"source", 'S', "DIR", "look for source files in DIR too; may be given several times",
     FLM_OPTION_LIST, offsetof(struct fields, folders)},
    {"source-map", 0, "OLD=NEW", "paths that begin with OLD begin with NEW here", FLM_OPTION_LIST,
     offsetof(struct fields, maps)},
    FLM_LOAD_OPTIONS(struct fields, load),
};

/* ---- Source and machine code in a page ------------------------------------------------------- */

static bool wants_code(const struct fields *f)
{
    return f->with_source.is_given || f->with_assembly;
}

/* Which files went into the page: whoever sends it should know. */
static void say_files(const struct flm_code_store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < flm_code_store_file_count(store); i++) {
        const struct flm_code_file *file = flm_code_store_file_at(store, i);
        if (file->path.size == 0)
            continue;
        flm_message("with the source file %.*s", (int)file->path.size, file->path.at);
        count++;
    }
    if (count == 0)
        flm_message("no source file was found");
}

static bool collect_code(const struct fields *f, const struct flm_profile *profile,
                         struct flm_code_store *store, struct flm_error *why)
{
    struct flm_symbol_paths paths = {0};
    struct flm_metric metric;
    struct flm_sources_options places = flm_load_places(&f->load, &f->folders, &f->maps, &paths);
    places.only_sources = true;
    places.most_source_bytes = FLM_PAGE_MOST_SOURCE;
    struct flm_code_finder_options how = flm_code_finder_options_of(&places);
    how.no_source = !f->with_source.is_given;
    how.no_assembly = !f->with_assembly;
    bool good = flm_metric_find(profile, f->save.metric, &metric, why) &&
                flm_code_collect(profile, metric, f->with_source.share, &how, store, why);
    flm_symbol_paths_clear(&paths);
    return good;
}

/* Writes the profile, with the code that was asked for; frees the profile. */
static int save(struct fields *f, struct flm_profile *profile)
{
    if (!wants_code(f))
        return flm_save_with(&f->save, profile);
    struct flm_error why;
    struct flm_text code = {0};
    struct flm_code_store *store = flm_code_store_new(&why);
    bool good =
        store && collect_code(f, profile, store, &why) && flm_code_store_write(store, &code, &why);
    if (good) {
        f->save.code = code.at;
        f->save.code_size = code.size;
    }
    int status = good ? flm_save_with(&f->save, profile) : flm_message_error(&why);
    if (!good)
        flm_profile_free(profile);
    else if (status == FLM_EXIT_DONE && f->with_source.is_given && !f->load.quiet)
        say_files(store);
    flm_code_store_free(store);
    flm_text_clear(&code);
    return status;
}

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
    flm_text_format(&subtitle, "before: %s, after: %s", flm_load_name(f->base),
                    flm_load_name(path));
    flm_text_putc(&subtitle, 0);
    if (!f->save.picture.subtitle && !subtitle.failed)
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
    if (after && flm_save_format(&f->save).takes_baseline) {
        f->save.base = before;
        f->save.base_name = flm_load_name(f->base);
        status = save(f, after); /* frees it */
        after = NULL;
    } else if (after) {
        status = write_both(f, before, after, path);
    }
    flm_profile_free(before);
    flm_profile_free(after);
    return status;
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {.with_source.share = 0.005};
    struct flm_error why;
    int status, operands = flm_command_start(command, &f, count, words, &status);
    if (operands < 0)
        return status;
    if (operands != 1)
        return flm_save_operands("convert", operands, words, &f.save);
    if (f.base_apply && !f.base)
        return flm_message_usage("--base-apply needs --base");
    if (flm_save_missing(&f.save))
        return flm_message_usage("%s", flm_save_missing(&f.save));
    const char *format = flm_save_format(&f.save).name;
    bool is_page = format && strcmp(format, "html") == 0;
    if (wants_code(&f) && !is_page)
        return flm_message_usage("--with-source and --with-assembly are for pages (-o x.html)");
    if (!wants_code(&f) && f.folders.count + f.maps.count > 0)
        return flm_message_usage("--source and --source-map go with --with-source or "
                                 "--with-assembly");
    for (size_t i = 0; i < f.maps.count; i++)
        if (!flm_source_map_check(f.maps.items[i], &why))
            return flm_message_error(&why);
    /* Of both side by side there are no samples; only how long they last may be needed. */
    f.load.drop_times = f.base && !flm_save_format(&f.save).takes_baseline
                            ? f.save.picture.normalize != FLM_NORMALIZE_DURATION
                            : !flm_save_shows_samples(&f.save);
    f.load.no_locations = flm_save_format(&f.save).is_picture;
    f.save.name = flm_load_name(words[0]);
    if (f.base)
        return compare(&f, words[0]);
    f.load.dropped_samples = &f.save.has_no_samples;
    f.save.quiet = f.load.quiet;
    struct flm_profile *profile = flm_load_with(&f.load, words[0]);
    return profile ? save(&f, profile) : FLM_EXIT_WRONG;
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
                "  flamel convert app.flm -o app.html --with-source       a page with source\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    FLM_PICTURE_OPTIONS(struct fields, save),
    .run = run,
};
