/* load.c - flm_load: from a path to a profile.
 *
 *     open, decompress -> UTF-16? -> recognise -> read (in pieces, side by side) -> merge
 *
 * A large plain file of a format that can be cut is read in as many pieces as there are processors
 * (pieces.c). */
#include "flamel/file.h"

#include <stdlib.h>

#include "base/utf.h"
#include "io/pieces.h"

enum { HEAD_SIZE = 1 << 16 };

struct loading {
    const struct flm_load_options *options;
    struct flm_input *input;
    struct flm_read_options read;
    const struct flm_format *format;
    struct flm_error *why;
    char *converted;  /* from UTF-16 */
    size_t mark_size; /* of the byte order mark that was passed over */
};

static struct flm_profile *read_whole(struct loading *l, struct flm_source *source)
{
    struct flm_builder *builder = flm_builder_new(l->why);
    if (builder && l->format->read(source, &l->read, builder, l->why))
        return flm_builder_finish(builder, l->why);
    flm_builder_free(builder);
    return NULL;
}

static bool tell(void *context, uint64_t bytes)
{
    struct loading *l = context;
    (void)bytes; /* those of the text; what is shown are those of the file */
    return l->options->progress(l->options->progress_context, flm_input_consumed(l->input),
                                flm_input_size(l->input));
}

static struct flm_profile *read_profile(struct loading *l, struct flm_source *source,
                                        struct flm_bytes head)
{
    if (l->format->prepare)
        l->format->prepare(head, &l->read);
    size_t count = 1;
    if (!l->converted && flm_input_is_plain_file(l->input) && l->format->cut)
        count = flm_piece_count(flm_input_size(l->input), l->options->threads);
    if (count > 1) {
        struct flm_error why = {0};
        struct flm_profile *p =
            flm_read_pieces(l->input, l->mark_size, count, l->format, &l->read, l->options, &why);
        if (p || why.kind != FLM_ERROR_FORMAT) {
            if (!p && l->why)
                *l->why = why;
            return p;
        }
        /* A piece of nothing but broken lines, say: only the whole tells whether there are others.
         */
    }
    if (l->options->progress) {
        source->progress = tell;
        source->progress_context = l;
    }
    return read_whole(l, source);
}

static void release_input(void *context)
{
    flm_input_close(context);
}

/* A .flm file: mapped, and kept by the profile; or, from a pipe, a copy that is aligned. */
static struct flm_profile *open_flm(struct loading *l, struct flm_source *source)
{
    struct flm_bytes mapped = flm_input_map(l->input);
    if (mapped.at) {
        struct flm_profile *p =
            flm_profile_open(mapped.at, mapped.size, release_input, l->input, l->why);
        if (p)
            l->input = NULL;
        return p;
    }
    if (!flm_source_all(source, l->why))
        return NULL;
    size_t size = (size_t)(source->end - source->at);
    char *copy = malloc(size + 1);
    if (!copy) {
        flm_error_memory(l->why);
        return NULL;
    }
    memcpy(copy, source->at, size);
    struct flm_profile *p = flm_profile_open(copy, size, free, copy, l->why);
    if (!p)
        free(copy);
    return p;
}

static bool convert_utf16(struct loading *l, struct flm_source *source, enum flm_utf16 order,
                          struct flm_source *text)
{
    if (!flm_source_all(source, l->why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    l->converted = malloc(flm_utf16_room(all.size));
    if (!l->converted)
        return flm_error_memory(l->why);
    size_t size = flm_utf16_convert(all, order, l->converted);
    *text = flm_source_of((struct flm_bytes){l->converted, size});
    return true;
}

static const struct flm_format *find_format(struct loading *l, struct flm_bytes head, bool whole)
{
    if (!l->options->format)
        return flm_format_recognise(head, whole, l->why);
    const struct flm_format *format = flm_format_named(l->options->format);
    if (format && (format->read || format == &flm_format_flm))
        return format;
    flm_error_set(l->why, FLM_ERROR_USAGE,
                  "'%s' is no format that can be read ('flamel formats' lists those)",
                  l->options->format);
    return NULL;
}

static struct flm_profile *load(struct loading *l)
{
    struct flm_source *source = flm_input_source(l->input), text;
    if (!flm_input_fill(l->input, HEAD_SIZE, l->why))
        return NULL;
    struct flm_bytes head = {source->at, (size_t)(source->end - source->at)};
    enum flm_utf16 utf16 = flm_utf16_detect(head);
    if (utf16 != FLM_UTF16_NOT) {
        if (!convert_utf16(l, source, utf16, &text))
            return NULL;
        source = &text;
    } else if (flm_bytes_start_with(head, "\xEF\xBB\xBF")) {
        l->mark_size = 3;
        source->at += l->mark_size;
    }
    head = (struct flm_bytes){source->at, (size_t)(source->end - source->at)};
    bool whole = source->last && head.size <= HEAD_SIZE;
    head.size = head.size < HEAD_SIZE ? head.size : HEAD_SIZE;
    l->format = find_format(l, head, whole);
    if (!l->format)
        return NULL;
    if (l->options->found_format)
        *l->options->found_format = l->format->name;
    return l->format == &flm_format_flm ? open_flm(l, source) : read_profile(l, source, head);
}

struct flm_profile *flm_load(const char *path, const struct flm_load_options *options,
                             struct flm_error *why)
{
    static const struct flm_load_options defaults = {0};
    struct loading l = {.options = options ? options : &defaults, .why = why};
    l.read = (struct flm_read_options){
        .allow_negative = l.options->allow_negative,
        .lenient = l.options->lenient,
        .columns = l.options->columns,
        .keep_times = !l.options->drop_times,
    };
    l.input = flm_input_open(path, why);
    struct flm_profile *profile = l.input ? load(&l) : NULL;
    flm_input_close(l.input);
    free(l.converted);
    if (!profile)
        flm_error_within(why, strcmp(path, "-") == 0 ? "standard input" : path);
    return profile;
}
