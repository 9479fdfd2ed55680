#include "format/core/format.h"

#include <stdlib.h>

/* Files that people hand to a profile viewer by mistake, so that the refusal can say what they are.
 */
static const struct {
    const char *begins;
    size_t size;
    const char *says;
} others[] = {
    {"\x7f"
     "ELF",
     4, "this is a program or a library (ELF), not a profile of it"},
    {"PK\x03\x04", 4, "this is a zip archive: unpack it first"},
    {"PK\x05\x06", 4, "this is an empty zip archive"},
    {"\x04\x22\x4d\x18", 4, "this is compressed with lz4: decompress it first (lz4 -d)"},
    {"\xfd"
     "7zXZ",
     5, "this is compressed with xz: decompress it first (xz -d)"},
    {"BZh", 3, "this is compressed with bzip2: decompress it first (bzip2 -d)"},
    {"\x1f\x8b", 2, "this is compressed with gzip twice: decompress it once first (gzip -d)"},
    {"\x28\xb5\x2f\xfd", 4,
     "this is compressed with zstd twice: decompress it once first (zstd -d)"},
    {"PERFILE2", 8,
     "this is perf.data, which needs files of the machine: open it with 'flamel view FILE'"},
    {"2ELIFREP", 8,
     "this is perf.data, which needs files of the machine: open it with 'flamel view FILE'"},
    {"\x89PNG", 4, "this is a PNG picture, not a profile"},
    {"%PDF", 4, "this is a PDF document, not a profile"},
    {"{\"", 2, "this is JSON, of no format that flamel knows ('flamel formats' lists those)"},
    {"{\n", 2, "this is JSON, of no format that flamel knows ('flamel formats' lists those)"},
    {"<?xml", 5, "this is XML (a picture?), not a profile"},
    {"<svg", 4, "this is an SVG picture, not a profile"},
    {"<!DOCTYPE", 9, "this is a web page, not a profile"},
    {"<html", 5, "this is a web page, not a profile"},
};

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

const struct flm_format *flm_format_recognize(struct flm_bytes head, bool whole,
                                              struct flm_error *why)
{
    size_t count;
    const struct flm_format *const *formats = flm_formats(&count);
    const struct flm_format *best = NULL;
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        int sure = formats[i]->sniff ? formats[i]->sniff(head, whole) : 0;
        if (sure > most) {
            most = sure;
            best = formats[i];
        }
    }
    /* Text that only looks a little like a format must not hide what the file plainly is. */
    if (best && most >= 5)
        return best;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (head.size >= others[i].size && memcmp(head.at, others[i].begins, others[i].size) == 0) {
            flm_error_set(why, FLM_ERROR_FORMAT, "%s", others[i].says);
            return NULL;
        }
    }
    if (head.size == 0)
        flm_error_set(why, FLM_ERROR_FORMAT, "it is empty: there are no stacks in it");
    else if (whole && is_blank(head))
        flm_error_set(why, FLM_ERROR_FORMAT, "there are only blank lines in it, no stacks");
    else if (is_binary(head))
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "not a profile that flamel knows ('flamel formats' lists those)");
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
    return format->read || format->open || format == &flm_format_html ||
           format == &flm_format_perf_data;
}

bool flm_format_can_be_written(const struct flm_format *format)
{
    return format->write || format == &flm_format_html;
}

bool flm_format_keeps_all(const struct flm_format *format)
{
    return format->open || format == &flm_format_html;
}

const struct flm_format *flm_format_named(const char *name)
{
    size_t count;
    const struct flm_format *const *formats = flm_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const struct flm_format *flm_format_for_file(const char *file_name)
{
    struct flm_bytes name = flm_bytes_of(file_name);
    size_t count;
    const struct flm_format *const *formats = flm_formats(&count);
    for (size_t i = 0; i < count; i++) {
        const char *at = flm_format_can_be_written(formats[i]) ? formats[i]->extensions : "";
        while (*at) {
            size_t size = 0;
            while (at[size] && at[size] != ' ')
                size++;
            if (name.size >= size && memcmp(name.at + name.size - size, at, size) == 0)
                return formats[i];
            at += size + (at[size] == ' ');
        }
    }
    return NULL;
}
