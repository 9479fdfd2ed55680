/* palette_file.c - the colors of a picture's functions as text, for the next picture: the given
 * lines, and one for each other function, sorted by name. */
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "base/text/buffered_sink.h"
#include "draw/color/frame_group.h"
#include "draw/svg/internal.h"
#include "draw/text/visible.h"
#include "format/folded/folded.h"
#include "profile/columns.h"

/* A line: the name with the suffix of its kind, and the color. */
struct entry {
    struct flm_bytes name;
    char mark; /* of the suffix; 0: none, or it is in the name */
    uint32_t color;
};

struct entries FLM_ARRAY(struct entry);

static int compare_entries(const struct entry *a, const struct entry *b)
{
    int order = flm_bytes_compare(a->name, b->name);
    return order ? order : (a->mark > b->mark) - (a->mark < b->mark);
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
    const struct entry *at = context;
    return compare_entries(&at[a], &at[b]);
}

static bool collect(struct entries *entries, const struct flm_profile *p,
                    const struct flm_palette *palette)
{
    for (size_t at = 0; at < palette->given.size;) {
        struct entry entry = {0};
        at = flm_palette_line(palette, at, &entry.name, &entry.color);
        if (entry.name.size > 0 && !FLM_ARRAY_ADD(entries, entry))
            return false;
    }
    struct flm_grouping grouping;
    if (!flm_grouping_init(&grouping, p, NULL, NULL))
        return false;
    for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
        const struct flm_frame_record *record = &p->frames[f];
        struct flm_bytes name = flm_frame_function(p, f);
        struct entry entry = {name, flm_folded_mark(record->kind), 0};
        if (name.size == 0 || memchr(name.at, '\n', name.size) ||
            flm_palette_has(palette, name, record->kind))
            continue;
        entry.color =
            flm_palette_tone(palette, name, flm_frame_group(p, f, &grouping), record->kind).light;
        if (!FLM_ARRAY_ADD(entries, entry))
            return false;
    }
    return true;
}

static void write_entry(struct flm_text *out, const struct entry *entry)
{
    flm_text_add(out, entry->name);
    if (entry->mark)
        flm_text_format(out, "_[%c]", entry->mark);
    flm_text_format(out, "->rgb(%u,%u,%u)\n", entry->color >> 16, entry->color >> 8 & 0xFF,
                    entry->color & 0xFF);
}

/* The first of several lines for a name counts. */
static bool write_sorted(const struct entries *entries, struct flm_text *out)
{
    size_t count = entries->count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    flm_sort(order, count, order + count, by_name, entries->at);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &entries->at[order[i]];
        if (i == 0 || compare_entries(entry, &entries->at[order[i - 1]]) != 0)
            write_entry(out, entry);
    }
    free(order);
    return true;
}

bool flm_svg_palette_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                           flm_profile_sink sink, void *context, struct flm_error *why)
{
    struct flm_palette palette;
    struct flm_svg_options o;
    if (!flm_svg_options_copy(&o, options, why) ||
        !flm_palette_init(&palette, o.colors, o.shades,
                          (struct flm_bytes){o.palette.at, o.palette.size}, why))
        return false;
    struct flm_buffered_sink buffered;
    flm_buffered_sink_init(&buffered, sink, context);
    struct entries entries = {0};
    bool done = (collect(&entries, profile, &palette) && write_sorted(&entries, &buffered.text)) ||
                flm_error_memory(why);
    FLM_ARRAY_CLEAR(&entries);
    flm_palette_clear(&palette);
    return flm_buffered_sink_close(&buffered, done, why);
}
