#include "cli/save/page_code.h"

#include <string.h>

#include "base/text/text.h"
#include "cli/common/messages.h"
#include "code/find/code_collection.h"

static bool is_wanted(const struct flm_page_code_fields *fields)
{
    return fields->with_source.is_given || fields->with_assembly;
}

bool flm_page_code_check(const struct flm_page_code_fields *fields,
                         const struct flm_save_fields *save)
{
    struct flm_error why;
    const char *format = save->output || save->to ? flm_save_format(save).name : NULL;
    bool is_page = format && strcmp(format, "html") == 0;
    if (is_wanted(fields) && !is_page)
        return flm_message_usage("--with-source and --with-assembly are for pages (-o x.html)") < 0;
    if (!is_wanted(fields) && fields->folders.count + fields->maps.count > 0)
        return flm_message_usage("--source and --source-map go with --with-source or "
                                 "--with-assembly") < 0;
    for (size_t i = 0; i < fields->maps.count; i++)
        if (!flm_source_map_check(fields->maps.items[i], &why))
            return flm_message_error(&why) < 0;
    return true;
}

/* ---- What is in it, and what is not ---------------------------------------------------------- */

static bool is_left_out(const struct flm_code_file *file)
{
    return file->path.size == 0 && file->text.size == 0;
}

/* Why, without what could be done about it, which is the same for all. */
static struct flm_bytes reason_of(const struct flm_code_file *file)
{
    static const char advice[] = ". Use ";
    struct flm_bytes all = file->status;
    for (size_t i = 0; i + sizeof advice - 1 <= all.size; i++)
        if (memcmp(all.at + i, advice, sizeof advice - 1) == 0)
            return (struct flm_bytes){all.at, i};
    return all;
}

static size_t say_left_out(const struct flm_code_store *store)
{
    enum { MOST = 10 };
    size_t count = 0;
    for (size_t i = 0; i < flm_code_store_file_count(store); i++) {
        const struct flm_code_file *file = flm_code_store_file_at(store, i);
        if (!is_left_out(file) || count++ >= MOST)
            continue;
        struct flm_bytes reason = reason_of(file);
        bool has_name = reason.size >= file->name.size &&
                        memcmp(reason.at, file->name.at, file->name.size) == 0;
        if (has_name)
            flm_message("left out: %.*s", (int)reason.size, reason.at);
        else
            flm_message("left out: %.*s: %.*s", (int)file->name.size, file->name.at,
                        (int)reason.size, reason.at);
    }
    if (count > MOST)
        flm_message("left out: %zu others", count - MOST);
    return count;
}

static void say_files(const struct flm_code_store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < flm_code_store_file_count(store); i++) {
        const struct flm_code_file *file = flm_code_store_file_at(store, i);
        if (is_left_out(file))
            continue;
        struct flm_bytes path = file->path.size > 0 ? file->path : file->name;
        flm_message("with the source file %.*s", (int)path.size, path.at);
        count++;
    }
    size_t left_out = say_left_out(store);
    if (left_out > 0)
        flm_message("%zu of %zu source files are in the page; --source DIR says where others are",
                    count, count + left_out);
    else if (count == 0)
        flm_message("no source file is known");
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool collect(const struct flm_page_code_fields *fields, const struct flm_load_fields *load,
                    const struct flm_save_fields *save, const struct flm_profile *profile,
                    struct flm_code_store *store, struct flm_error *why)
{
    struct flm_symbol_paths paths = {0};
    struct flm_metric metric;
    struct flm_sources_options places =
        flm_load_places(load, &fields->folders, &fields->maps, &paths);
    places.only_sources = true;
    places.most_source_bytes = FLM_PAGE_MOST_SOURCE;
    struct flm_code_finder_options how = flm_code_finder_options_of(&places);
    how.no_source = !fields->with_source.is_given;
    how.no_assembly = !fields->with_assembly;
    double share = fields->with_source.share;
    flm_load_say_maps(load, &fields->maps, profile, save->base);
    bool good = flm_metric_find(profile, save->metric, &metric, why) &&
                flm_code_collect(profile, metric, share, &how, store, why) &&
                (!save->base ||
                 flm_code_collect_gone(save->base, profile, metric, share, &how, store, why));
    flm_symbol_paths_clear(&paths);
    return good;
}

int flm_page_code_save(const struct flm_page_code_fields *fields,
                       const struct flm_load_fields *load, struct flm_save_fields *save,
                       struct flm_profile *profile)
{
    if (!is_wanted(fields))
        return flm_save_with(save, profile);
    struct flm_error why;
    struct flm_text code = {0};
    struct flm_code_store *store = flm_code_store_new(&why);
    bool good = store && collect(fields, load, save, profile, store, &why) &&
                flm_code_store_write(store, &code, &why);
    if (good) {
        save->code = code.at;
        save->code_size = code.size;
    }
    int status = good ? flm_save_with(save, profile) : flm_message_error(&why);
    if (!good)
        flm_profile_free(profile);
    else if (status == FLM_EXIT_DONE && fields->with_source.is_given && !load->quiet)
        say_files(store);
    flm_code_store_free(store);
    flm_text_clear(&code);
    return status;
}
