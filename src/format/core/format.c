#include "format/core/format.h"

#include <assert.h>

#include "base/text/nearest.h"

/* Other files that people open with a profile viewer by mistake: the error names them. */
/* clang-format off */
static const struct {
    const char *begins;
    size_t size;
    const char *says;
} others[] = {
    {"\x7f" "ELF", 4, "this is a program or a library (ELF), not a profile of it"},
    {"PK\x03\x04", 4, "this is a zip archive: unpack it first"},
    {"PK\x05\x06", 4, "this is an empty zip archive"},
    {"\x04\x22\x4d\x18", 4, "this is compressed with lz4: decompress it first (lz4 -d)"},
    {"\xfd" "7zXZ", 5, "this is compressed with xz: decompress it first (xz -d)"},
    {"BZh", 3, "this is compressed with bzip2: decompress it first (bzip2 -d)"},
    {"\x1f\x8b", 2, "this is compressed with gzip twice: decompress it once first (gzip -d)"},
    {"\x28\xb5\x2f\xfd", 4, "this is compressed with zstd twice: decompress it once first (zstd -d)"},
    {"PERFILE2", 8, "this is perf.data, which needs files of the machine: open it with 'flamel view FILE'"},
    {"2ELIFREP", 8, "this is perf.data, which needs files of the machine: open it with 'flamel view FILE'"},
    {"\x89PNG", 4, "this is a PNG picture, not a profile"},
    {"%PDF", 4, "this is a PDF document, not a profile"},
    {"{\"", 2, "this is JSON, but not in a format that flamel reads ('flamel formats' lists them)"},
    {"{\n", 2, "this is JSON, but not in a format that flamel reads ('flamel formats' lists them)"},
    {"<?xml", 5, "this is XML (a picture?), not a profile"},
    {"<svg", 4, "this is an SVG picture, not a profile"},
    {"<!DOCTYPE", 9, "this is a web page, not a profile"},
    {"<html", 5, "this is a web page, not a profile"},
};
/* clang-format on */

static bool is_binary(struct flm_bytes head)
{
    size_t odd = 0, looked_at = head.size < 4096 ? head.size : 4096;
    for (size_t i = 0; i < looked_at; i++)
        odd += (unsigned char)head.at[i] < 32 && head.at[i] != '\n' && head.at[i] != '\r' &&
               head.at[i] != '\t';
    return odd * 8 > looked_at;
}

static bool is_blank(struct flm_bytes head)
{
    for (size_t i = 0; i < head.size; i++)
        if (head.at[i] != ' ' && head.at[i] != '\n' && head.at[i] != '\r' && head.at[i] != '\t')
            return false;
    return true;
}

static size_t count_of(const struct flm_formats *formats)
{
    return formats->count + (formats->base ? count_of(formats->base) : 0);
}

const struct flm_format *flm_formats_at(const struct flm_formats *formats, size_t i)
{
    assert(formats);
    size_t before = formats->base ? count_of(formats->base) : 0;
    if (i < before)
        return flm_formats_at(formats->base, i);
    return i - before < formats->count ? formats->at[i - before] : NULL;
}

const struct flm_format *flm_format_named(const struct flm_formats *formats, const char *name)
{
    assert(formats && name);
    const struct flm_format *format;
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

void flm_formats_suggest(const struct flm_formats *formats, const char *asked, bool to_write,
                         struct flm_text *out)
{
    assert(formats && asked);
    char names[400];
    struct flm_text list;
    const struct flm_format *format;
    struct flm_nearest near = {.asked = flm_bytes_of(asked)};
    flm_text_init_fixed(&list, names, sizeof names);
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++) {
        if (to_write ? !flm_format_can_be_written(format, NULL) : !flm_format_can_be_read(format))
            continue;
        flm_nearest_add(&near, flm_bytes_of(format->name));
        flm_text_format(&list, "%s%s", list.size > 0 ? ", " : "", format->name);
    }
    flm_text_puts(out, near.count > 0 ? ": did you mean " : ": there are ");
    flm_nearest_put(&near, "", out);
    flm_text_puts(out, near.count > 0 ? "? There are " : "");
    flm_text_add(out, (struct flm_bytes){list.at, list.size});
}

/* `extensions`: ".folded .collapsed" */
static bool ends_in_one_of(struct flm_bytes name, const char *extensions)
{
    for (const char *at = extensions; *at;) {
        size_t size = 0;
        while (at[size] && at[size] != ' ')
            size++;
        if (name.size >= size && memcmp(name.at + name.size - size, at, size) == 0)
            return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

const struct flm_format *flm_format_for_file(const struct flm_formats *formats,
                                             const char *file_name)
{
    assert(formats && file_name);
    struct flm_bytes name = flm_bytes_of(file_name);
    const struct flm_format *format;
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++)
        if (format->write && ends_in_one_of(name, format->extensions))
            return format;
    return NULL;
}

static const struct flm_format *find_surest(const struct flm_formats *formats,
                                            struct flm_bytes head, bool whole, int *most)
{
    const struct flm_format *format, *best = NULL;
    *most = FLM_SNIFF_NO;
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++) {
        int sure = format->sniff ? format->sniff(head, whole) : FLM_SNIFF_NO;
        assert(sure >= FLM_SNIFF_NO && sure <= FLM_SNIFF_MAGIC);
        if (sure > *most) {
            *most = sure;
            best = format;
        }
    }
    return best;
}

const struct flm_format *flm_format_recognize(const struct flm_formats *formats,
                                              struct flm_bytes head, bool whole,
                                              struct flm_error *why)
{
    assert(formats && (head.at || head.size == 0));
    int most;
    const struct flm_format *best = find_surest(formats, head, whole, &most);
    /* A weak resemblance to a text format must not hide that the file is obviously another one. */
    if (best && most > FLM_SNIFF_GUESS)
        return best;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (head.size >= others[i].size && memcmp(head.at, others[i].begins, others[i].size) == 0) {
            flm_error_set(why, FLM_ERROR_FORMAT, "%s", others[i].says);
            return NULL;
        }
    }
    if (head.size == 0)
        flm_error_set(why, FLM_ERROR_FORMAT, "the file is empty: it has no stacks");
    else if (whole && is_blank(head))
        flm_error_set(why, FLM_ERROR_FORMAT, "the file has only blank lines, no stacks");
    else if (is_binary(head))
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "not a profile that flamel knows ('flamel formats' lists the formats)");
    else if (best)
        return best;
    else
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "not recognized as a profile: folded lines end in a number, perf script has "
                      "a header line for every sample ('flamel formats' lists what can be read)");
    return NULL;
}

bool flm_format_can_be_read(const struct flm_format *format)
{
    assert(format);
    return format->read || format->open || format->load;
}

bool flm_format_can_be_written(const struct flm_format *format, struct flm_error *why)
{
    assert(format);
    if (!format->write)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "'%s' can be read, but not written ('flamel formats' lists the formats)", format->name);
    return !format->can_write || format->can_write(why);
}

bool flm_format_is_picture(const struct flm_format *format)
{
    assert(format);
    return format->display == FLM_FORMAT_VECTORS || format->display == FLM_FORMAT_PIXELS;
}

bool flm_format_keeps_samples(const struct flm_format *format)
{
    assert(format);
    return format->has_times || format->keeps_labels;
}
