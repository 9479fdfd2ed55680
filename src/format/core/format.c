#include "format/core/format.h"

#include <assert.h>

#include "base/text/nearest.h"
#include "format/core/other_files.h"

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
    const struct flm_format *format;
    struct flm_nearest near = {.asked = flm_bytes_of(asked)};
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++)
        if (to_write ? flm_format_can_be_written(format, NULL) : flm_format_can_be_read(format))
            flm_nearest_add(&near, flm_bytes_of(format->name));
    if (near.count > 0) {
        flm_text_puts(out, ": did you mean ");
        flm_nearest_put(&near, "", out);
        flm_text_puts(out, "?");
    }
    flm_text_puts(out, " ('flamel formats' lists them)");
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
}

/* X.PB.GZ is x.pb.gz, as some systems write names. */
static bool ends_in(struct flm_bytes name, const char *end, size_t size)
{
    bool same = name.size >= size;
    for (size_t i = 0; i < size && same; i++)
        same = lower(name.at[name.size - size + i]) == end[i];
    return same;
}

bool flm_format_is_gzip_name(const char *file_name)
{
    return ends_in(flm_bytes_of(file_name), ".gz", 3) ||
           ends_in(flm_bytes_of(file_name), ".svgz", 5);
}

/* The size of the longest of `extensions`, ".folded .collapsed", that the name ends in; 0: none. */
static size_t extension_of(struct flm_bytes name, const char *extensions)
{
    size_t longest = 0;
    for (const char *at = extensions; *at;) {
        size_t size = 0;
        while (at[size] && at[size] != ' ')
            size++;
        if (size > longest && ends_in(name, at, size))
            longest = size;
        at += size + (at[size] == ' ');
    }
    return longest;
}

/* Texts and tables; not pixels, nor what is compact already (those with `open`). */
static bool may_be_gzip(const struct flm_format *format)
{
    return format->write && !format->open &&
           (format->display == FLM_FORMAT_DATA || format->display == FLM_FORMAT_VECTORS);
}

const struct flm_format *flm_format_for_file(const struct flm_formats *formats,
                                             const char *file_name)
{
    assert(formats && file_name);
    struct flm_bytes name = flm_bytes_of(file_name);
    const struct flm_format *format, *best = NULL;
    size_t longest = 0;             /* .trace.json says more than .json */
    struct flm_bytes inside = name; /* of x.folded.gz: x.folded; of x.svgz: x.svg */
    if (flm_format_is_gzip_name(file_name))
        inside.size -= ends_in(name, ".gz", 3) ? 3 : 1;
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++) {
        size_t size = format->write ? extension_of(name, format->extensions) : 0;
        if (size == 0 && may_be_gzip(format))
            size = extension_of(inside, format->extensions);
        if (size > longest)
            best = format;
        longest = size > longest ? size : longest;
    }
    return best;
}

static const struct flm_format *find_surest(const struct flm_formats *formats,
                                            struct flm_bytes head, bool whole, int *most)
{
    const struct flm_format *format, *best = NULL;
    *most = FLM_SNIFF_NO;
    for (size_t i = 0; *most < FLM_SNIFF_MAGIC && (format = flm_formats_at(formats, i)) != NULL;
         i++) {
        int sure = format->sniff ? format->sniff(head, whole) : FLM_SNIFF_NO;
        assert(sure >= FLM_SNIFF_NO && sure <= FLM_SNIFF_MAGIC);
        if (sure > *most) {
            *most = sure;
            best = format;
        }
    }
    return best;
}

static void explain(const struct flm_formats *formats, struct flm_bytes head, bool whole,
                    struct flm_error *why)
{
    char reasons[300];
    struct flm_text text;
    const struct flm_format *format;
    flm_text_init_fixed(&text, reasons, sizeof reasons - 1);
    for (size_t i = 0; (format = flm_formats_at(formats, i)) != NULL; i++) {
        if (!format->explain)
            continue;
        flm_text_puts(&text, text.size > 0 ? "; " : ": ");
        format->explain(head, whole, &text);
    }
    reasons[text.size] = 0;
    /* In parts: a long argument would be shortened. */
    flm_error_set(why, FLM_ERROR_FORMAT, "not recognized as a profile");
    flm_error_add(why, reasons);
    flm_error_add(why, " ('flamel formats' lists what can be read; -f NAME reads it as that)");
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
    const char *other = flm_other_file(head);
    if (other) {
        flm_error_set(why, FLM_ERROR_FORMAT, "%s", ""); /* as an argument it would be shortened */
        flm_error_add(why, other);
        return NULL;
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
        explain(formats, head, whole, why);
    return NULL;
}

void flm_format_others(const struct flm_formats *formats, const struct flm_format *format,
                       struct flm_bytes head, bool whole, struct flm_text *out)
{
    assert(formats && format);
    if (!format->sniff || format->sniff(head, whole) == FLM_SNIFF_MAGIC)
        return;
    const struct flm_format *other, *first = NULL;
    for (size_t i = 0; (other = flm_formats_at(formats, i)) != NULL; i++) {
        if (other == format || !other->sniff || other->sniff(head, whole) <= FLM_SNIFF_GUESS)
            continue;
        if (!first)
            flm_text_format(out, " (read as %s; it could also be ", format->name);
        flm_text_format(out, "%s%s", first ? ", " : "", other->name);
        first = first ? first : other;
    }
    if (first)
        flm_text_format(out, ": -f %s)", first->name);
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

bool flm_format_keeps_lines(const struct flm_format *format)
{
    assert(format);
    return (format->holds & (FLM_HOLDS_LOCATIONS | FLM_HOLDS_LINES)) != 0;
}

void flm_format_add_loses(const struct flm_format *f, struct flm_text *out)
{
    const struct {
        const char *part;
        bool lost;
    } parts[] = {
        {"other metrics", f->metrics != FLM_METRICS_ALL},
        {"stacks (a function and its callers are kept)", !(f->holds & FLM_HOLDS_STACKS)},
        {"values of samples (how long they lasted is kept)", !(f->holds & FLM_HOLDS_VALUES)},
        {"what has no time", !(f->holds & FLM_HOLDS_SUMS)},
        {"fractions of values", f->whole_values},
        {"samples without a stack", !(f->holds & FLM_HOLDS_EMPTY_STACK)},
        {"single samples", !flm_format_keeps_samples(f)},
        {"times", !f->has_times && f->keeps_labels},
        {"labels", f->has_times && !f->keeps_labels},
        {"durations", flm_format_keeps_samples(f) && !(f->holds & FLM_HOLDS_DURATIONS)},
        {"markers", !(f->holds & FLM_HOLDS_MARKERS)},
        {"counters", !(f->holds & FLM_HOLDS_COUNTERS)},
        {"modules", !(f->holds & FLM_HOLDS_MODULES)},
        {"files and lines", !(f->holds & FLM_HOLDS_FILES)},
        {"lines that ran and addresses",
         (f->holds & FLM_HOLDS_FILES) && !flm_format_keeps_lines(f)},
        {"addresses", f->holds & FLM_HOLDS_LINES},
        {"kinds of frames", !(f->holds & (FLM_HOLDS_KINDS | FLM_HOLDS_KINDS_ANNOTATED |
                                          FLM_HOLDS_KERNEL_INLINED | FLM_HOLDS_INLINED))},
        {"kinds of frames but inlined", f->holds & FLM_HOLDS_INLINED},
        {"kinds of frames but kernel and inlined", f->holds & FLM_HOLDS_KERNEL_INLINED},
    };
    size_t before = out->size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !flm_format_is_picture(f); i++) {
        if (!parts[i].lost)
            continue;
        flm_text_puts(out, out->size > before ? ", " : "");
        flm_text_puts(out, parts[i].part);
    }
    if (f->also_loses)
        flm_text_format(out, "%s%s", out->size > before ? ", " : "", f->also_loses);
}
