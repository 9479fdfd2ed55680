#include "format/core/reading.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text/utf.h"
#include "format/core/other_files.h"

enum { HEAD_SIZE = 1 << 16 };

static struct flm_bytes window_of(const struct flm_source *source)
{
    return (struct flm_bytes){source->at, (size_t)(source->end - source->at)};
}

static bool convert_utf16(struct flm_reading *r, enum flm_utf16 order, struct flm_error *why)
{
    if (!flm_source_all(r->source, why))
        return false;
    struct flm_bytes all = window_of(r->source);
    r->converted = malloc(flm_utf16_room(all.size));
    if (!r->converted)
        return flm_error_memory(why);
    size_t size = flm_utf16_convert(all, order, r->converted);
    r->text = flm_source_of((struct flm_bytes){r->converted, size});
    r->source = &r->text;
    return true;
}

/* Whether a format was named and the file has the magic number of another one. Skipped where it
 * looks like the named format: asking all others took 28 % of the CPU time of small pprof files. */
static bool is_another(const struct flm_formats *formats, const struct flm_format *format, int sure,
                       struct flm_bytes head, bool whole, struct flm_error *why)
{
    if (sure >= FLM_SNIFF_LIKELY)
        return false;
    const struct flm_format *other = flm_format_recognize(formats, head, whole, NULL);
    if (!other || other == format || other->sniff(head, whole) != FLM_SNIFF_MAGIC)
        return false;
    flm_error_set(why, FLM_ERROR_FORMAT,
                  "this is a file of the format %s, by its first bytes, "
                  "and not of %s",
                  other->name, format->name);
    return true;
}

/* *sure: how much the file looks like it. */
static const struct flm_format *find_format(const struct flm_formats *formats, const char *name,
                                            struct flm_bytes head, bool whole, int *sure,
                                            struct flm_error *why)
{
    const struct flm_format *format =
        name ? flm_format_named(formats, name) : flm_format_recognize(formats, head, whole, why);
    *sure = format && format->sniff ? format->sniff(head, whole) : FLM_SNIFF_NO;
    if (!name)
        return format;
    if (format && flm_format_can_be_read(format))
        return is_another(formats, format, *sure, head, whole, why) ? NULL : format;
    char advice[600];
    struct flm_text text;
    flm_text_init_fixed(&text, advice, sizeof advice - 1);
    flm_formats_suggest(formats, name, false, &text);
    flm_error_set(why, FLM_ERROR_USAGE, "'%s' is not a format that can be read", name);
    advice[text.size] = 0;
    flm_error_add(why, advice); /* as an argument it would be shortened */
    return NULL;
}

/* Of a file that has nothing of the format that was named: what it has. */
static void add_likeness(const struct flm_formats *formats, const struct flm_format *format,
                         struct flm_bytes head, bool whole, struct flm_text *out)
{
    const struct flm_format *like = flm_format_recognize(formats, head, whole, NULL);
    const char *other = like ? NULL : flm_other_file(head);
    flm_text_format(out, " (it does not look like %s", format->name);
    if (like)
        flm_text_format(out, ", but like %s", like->name);
    else if (other) {
        flm_text_puts(out, ": ");
        flm_text_puts(out, other);
    }
    flm_text_puts(out, ")");
}

bool flm_reading_begin(struct flm_reading *r, const struct flm_formats *formats,
                       struct flm_source *source, const char *format,
                       const struct flm_read_options *options, struct flm_error *why)
{
    assert(formats && source && options);
    *r = (struct flm_reading){.source = source, .options = *options};
    if (!flm_source_fill(source, HEAD_SIZE, why))
        return false;
    enum flm_utf16 utf16 = flm_utf16_detect(window_of(source));
    if (utf16 != FLM_UTF16_NOT) {
        if (!convert_utf16(r, utf16, why))
            return false;
    } else if (flm_bytes_start_with(window_of(source), "\xEF\xBB\xBF")) {
        r->mark_size = 3;
        source->at += r->mark_size;
    }
    r->head = window_of(r->source);
    bool whole = r->source->last && r->head.size <= HEAD_SIZE;
    r->head.size = r->head.size < HEAD_SIZE ? r->head.size : HEAD_SIZE;
    int sure;
    r->format = find_format(formats, format, r->head, whole, &sure, why);
    r->is_certain = sure >= FLM_SNIFF_LIKELY;
    r->formats = formats;
    r->is_named = format != NULL;
    r->is_whole = whole;
    if (r->format && (format ? sure == FLM_SNIFF_NO : sure < FLM_SNIFF_MAGIC))
        r->kept_head = malloc(r->head.size + 1); /* without one, nothing is explained */
    if (r->kept_head)
        memcpy(r->kept_head, r->head.at, r->head.size);
    if (r->format && r->format->prepare)
        r->format->prepare(r->head, &r->options);
    return r->format != NULL;
}

enum flm_builder_locations flm_reading_locations(const struct flm_read_options *options)
{
    return options->lines       ? FLM_LOCATIONS_AS_LINES
           : options->locations ? FLM_LOCATIONS_KEPT
                                : FLM_LOCATIONS_DROPPED;
}

struct flm_profile *flm_reading_finish(struct flm_reading *r, struct flm_error *why)
{
    assert(r->format && r->source);
    if (r->format->open) {
        if (!flm_source_all(r->source, why))
            return NULL;
        return r->format->open(window_of(r->source), why);
    }
    assert(r->format->read); /* formats with `load` are read by load/load.c */
    if (r->options.unordered && r->format->read_unordered) {
        if (!flm_source_all(r->source, why))
            return NULL;
        struct flm_profile *profile = r->format->read_unordered(r->source, &r->options);
        if (profile)
            return profile;
    }
    struct flm_builder *builder = flm_builder_new(why);
    if (builder) {
        builder->locations = flm_reading_locations(&r->options);
        builder->interner.unordered = r->options.unordered;
    }
    bool good = builder && r->format->read(r->source, &r->options, builder, why);
    r->dropped_locations = good && builder->dropped_locations;
    if (good)
        return flm_builder_finish(builder, why);
    if (builder && why && why->kind == FLM_ERROR_MEMORY)
        flm_builder_out_of_memory(builder, why);
    flm_builder_free(builder);
    return NULL;
}

void flm_reading_explain(const struct flm_reading *r, struct flm_error *why)
{
    if (!why || why->kind != FLM_ERROR_FORMAT || !r->kept_head)
        return;
    char explanation[300];
    struct flm_text text;
    struct flm_bytes head = {r->kept_head, r->head.size};
    flm_text_init_fixed(&text, explanation, sizeof explanation - 1);
    if (r->is_named)
        add_likeness(r->formats, r->format, head, r->is_whole, &text);
    else
        flm_format_others(r->formats, r->format, head, r->is_whole, &text);
    explanation[text.size] = 0;
    flm_error_add(why, explanation);
}

void flm_reading_clear(struct flm_reading *r)
{
    free(r->converted);
    free(r->kept_head);
    *r = (struct flm_reading){0};
}
