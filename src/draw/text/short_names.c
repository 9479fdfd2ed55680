#include "draw/text/short_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"

struct work {
    struct flm_short_name *names;
    uint32_t *order, *scratch; /* the names, sorted */
    size_t count;
    const char *ellipsis;
    struct flm_text *out;
    unsigned *number; /* behind a name: 0 is none */
    bool *has_where;
};

static struct flm_bytes shown_of(const struct work *w, uint32_t i)
{
    return (struct flm_bytes){w->out->at + w->names[i].from, w->names[i].size};
}

static double width_of(const char *text, const struct flm_font *font)
{
    return flm_label_width(flm_bytes_of(text), font);
}

static double ellipsis_width(const struct work *w, const struct flm_font *font)
{
    return font->ellipsis > 0 ? font->ellipsis * font->size_px : width_of(w->ellipsis, font);
}

static void add_cut(const struct work *w, struct flm_label_cut cut)
{
    flm_text_add(w->out, cut.head);
    flm_text_puts(w->out, cut.tail.size > 0 ? w->ellipsis : "");
    flm_text_add(w->out, cut.tail);
}

/* ---- One name -------------------------------------------------------------------------------- */

/* The beginning of a letter at `at` or before it; and that of the next one. */
static size_t letter_at(struct flm_bytes text, size_t at)
{
    while (at > 0 && at < text.size && ((unsigned char)text.at[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static size_t letter_after(struct flm_bytes text, size_t at)
{
    do
        at++;
    while (at < text.size && ((unsigned char)text.at[at] & 0xC0) == 0x80);
    return at;
}

static size_t head_size(struct flm_bytes text, double room, const struct flm_font *font)
{
    size_t size = 0;
    for (size_t next = 0; next < text.size;) {
        next = letter_after(text, next);
        if (flm_label_width((struct flm_bytes){text.at, next}, font) > room)
            break;
        size = next;
    }
    return size;
}

/* As many letters of the beginning as fit before an ellipsis; where none does, without one. */
static void add_head(const struct work *w, struct flm_bytes text, double room,
                     const struct flm_font *font)
{
    size_t size = head_size(text, room - ellipsis_width(w, font), font);
    if (size > 0) {
        flm_text_add(w->out, (struct flm_bytes){text.at, size});
        flm_text_puts(w->out, w->ellipsis);
    } else {
        flm_text_add(w->out, (struct flm_bytes){text.at, head_size(text, room, font)});
    }
}

/* As a label; where none fits, the beginning of the function. */
static void add_label(const struct work *w, struct flm_bytes plain, double room,
                      const struct flm_font *font)
{
    struct flm_name_parts parts = flm_name_parts(plain);
    parts.is_cut = false; /* a list has names as they are, where they fit */
    struct flm_label_cut cut = flm_label_fit(plain, parts, room, font);
    if (cut.head.size > 0)
        add_cut(w, cut);
    else
        add_head(w, (struct flm_bytes){plain.at + parts.bare, parts.end - parts.bare}, room, font);
}

/* What is behind the name, " (libc.so.6)" or " (2)": in what the name leaves, or half of the
 * room. */
static void add_behind(const struct work *w, uint32_t i, struct flm_text *out)
{
    const struct flm_short_name *name = &w->names[i];
    double brackets = width_of(" ()", name->font);
    double left = name->room - flm_label_width(name->plain, name->font);
    double room = (left > name->room / 2 ? left : name->room / 2) - brackets;
    struct flm_label_cut where = {{NULL, 0}, {NULL, 0}};
    if (w->has_where[i] && room > 0)
        where = flm_label_shorten(name->where, room, name->font);
    if (where.head.size > 0) {
        struct work inner = *w;
        inner.out = out;
        flm_text_puts(out, " (");
        add_cut(&inner, where);
        flm_text_putc(out, ')');
    }
    if (w->number[i] > 0)
        flm_text_format(out, " (%u)", w->number[i]);
}

/* ---- What tells names apart ------------------------------------------------------------------ */

/* A part of a name that is shown. */
struct range {
    size_t from, to;
};

/* Parts of a name in their order, not touching each other. */
struct cuts {
    struct flm_bytes plain;
    struct flm_name_parts parts;
    struct range range[8];
    size_t count;
};

/* Nothing says that a path before the class, or arguments behind the function, were left out. */
static bool has_ellipsis_before(const struct cuts *cuts)
{
    size_t from = cuts->range[0].from;
    return from != 0 && from != cuts->parts.qualified && from != cuts->parts.bare;
}

static bool has_ellipsis_after(const struct cuts *cuts)
{
    size_t to = cuts->range[cuts->count - 1].to;
    return to != cuts->plain.size && to != cuts->parts.end;
}

static double width_of_cuts(const struct work *w, const struct cuts *cuts,
                            const struct flm_font *font)
{
    size_t ellipses = cuts->count - 1 + has_ellipsis_before(cuts) + has_ellipsis_after(cuts);
    double width = (double)ellipses * ellipsis_width(w, font);
    for (size_t i = 0; i < cuts->count; i++)
        width += flm_label_width((struct flm_bytes){cuts->plain.at + cuts->range[i].from,
                                                    cuts->range[i].to - cuts->range[i].from},
                                 font);
    return width;
}

static void add_cuts(const struct work *w, const struct cuts *cuts)
{
    flm_text_puts(w->out, has_ellipsis_before(cuts) ? w->ellipsis : "");
    for (size_t i = 0; i < cuts->count; i++) {
        flm_text_puts(w->out, i > 0 ? w->ellipsis : "");
        flm_text_add(w->out, (struct flm_bytes){cuts->plain.at + cuts->range[i].from,
                                                cuts->range[i].to - cuts->range[i].from});
    }
    flm_text_puts(w->out, has_ellipsis_after(cuts) ? w->ellipsis : "");
}

/* Adds a part, one with those that it touches. */
static struct cuts with_range(struct cuts cuts, struct range range)
{
    size_t to = 0;
    struct cuts made = cuts;
    for (size_t i = 0; i < cuts.count; i++) {
        struct range one = cuts.range[i];
        if (one.to < range.from || one.from > range.to) {
            made.range[to++] = one;
            continue;
        }
        range.from = one.from < range.from ? one.from : range.from;
        range.to = one.to > range.to ? one.to : range.to;
    }
    size_t at = to;
    for (; at > 0 && made.range[at - 1].from > range.from; at--)
        made.range[at] = made.range[at - 1];
    made.range[at] = range;
    made.count = to + 1;
    return made;
}

/* Keeps the part too, where it fits. */
static bool keep(const struct work *w, struct cuts *cuts, struct range range, double room,
                 const struct flm_font *font)
{
    struct cuts more;
    if (range.from >= range.to || cuts->count == sizeof cuts->range / sizeof cuts->range[0])
        return false;
    more = with_range(*cuts, range);
    if (width_of_cuts(w, &more, font) > room)
        return false;
    *cuts = more;
    return true;
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || (unsigned char)byte >= 0x80;
}

/* The word around `at`, as far as it is no longer than a few letters; a sign with the word behind
 * it, "(long". */
static struct range word_at(struct flm_bytes text, size_t at)
{
    enum { MOST = 12 };
    struct range word = {at, letter_after(text, at)};
    while (is_word(text.at[at]) && word.from > 0 && at - word.from < MOST &&
           is_word(text.at[word.from - 1]))
        word.from--;
    while (word.to < text.size && word.to - at < MOST && is_word(text.at[word.to]))
        word.to++;
    word.from = letter_at(text, word.from);
    word.to = word.to < text.size ? letter_at(text, word.to) : text.size;
    return word;
}

/* Adds letters to what is kept, one at its left and one at its right in turn, as long as they fit.
 * What a label is without, a path and arguments, is not begun. */
static void grow(const struct work *w, struct cuts *cuts, size_t around, double room,
                 const struct flm_font *font)
{
    const struct flm_name_parts *parts = &cuts->parts;
    size_t first = around < parts->qualified ? 0 : parts->qualified;
    size_t last = around < parts->end ? parts->end : cuts->plain.size;
    bool is_full[2] = {false, false};
    for (int side = 0; !is_full[0] || !is_full[1]; side = !side) {
        size_t i = 0;
        if (is_full[side])
            continue;
        while (cuts->range[i].to <= around && i + 1 < cuts->count)
            i++;
        struct range one = cuts->range[i];
        if (side == 0 && one.to < last)
            one.to = letter_after(cuts->plain, one.to);
        else if (side == 1 && one.from > first)
            one.from = letter_at(cuts->plain, one.from - 1);
        else {
            is_full[side] = true;
            continue;
        }
        is_full[side] = !keep(w, cuts, one, room, font);
    }
}

/* Shows a name by the letter at `at`, which tells it from others. False if it has no room for
 * that. */
static bool add_telling(const struct work *w, struct flm_bytes plain, size_t at, double room,
                        const struct flm_font *font)
{
    struct cuts cuts = {.plain = plain, .parts = flm_name_parts(plain)};
    struct range letter, word;
    if (plain.size == 0)
        return false;
    at = letter_at(plain, at < plain.size ? at : plain.size - 1);
    letter = (struct range){at, letter_after(plain, at)};
    word = word_at(plain, at);
    if (!keep(w, &cuts, word, room, font) && !keep(w, &cuts, letter, room, font))
        return false;
    keep(w, &cuts, (struct range){cuts.parts.bare, cuts.parts.end}, room, font);
    bool is_elided = cuts.parts.elided_to > cuts.parts.elided_from;
    size_t class_end = is_elided ? cuts.parts.elided_from : cuts.parts.bare;
    if (is_elided)
        keep(w, &cuts, (struct range){cuts.parts.elided_to, cuts.parts.end}, room, font);
    keep(w, &cuts, (struct range){cuts.parts.qualified, class_end}, room, font);
    grow(w, &cuts, at, room, font);
    keep(w, &cuts, (struct range){0, cuts.parts.qualified}, room, font);
    keep(w, &cuts, (struct range){cuts.parts.end, plain.size}, room, font);
    add_cuts(w, &cuts);
    return true;
}

/* ---- All names ------------------------------------------------------------------------------- */

/* Makes a name, by the letter at `telling` where that is none of SIZE_MAX. */
static void shorten(struct work *w, uint32_t i, size_t telling)
{
    struct flm_short_name *name = &w->names[i];
    struct flm_text behind = {0};
    add_behind(w, i, &behind);
    double room =
        name->room - flm_label_width((struct flm_bytes){behind.at, behind.size}, name->font);
    if (room < 0) { /* a column that tells nothing at all */
        behind.size = 0;
        room = name->room;
    }
    name->from = w->out->size;
    if (telling == SIZE_MAX || !add_telling(w, name->plain, telling, room, name->font))
        add_label(w, name->plain, room, name->font);
    flm_text_add(w->out, (struct flm_bytes){behind.at, behind.size});
    name->size = w->out->size - name->from;
    w->out->failed = w->out->failed || behind.failed;
    flm_text_clear(&behind);
}

static int by_plain(const void *context, uint32_t a, uint32_t b)
{
    const struct work *w = context;
    return flm_bytes_compare(w->names[a].plain, w->names[b].plain);
}

/* Those that read the same one after the other, in the order of their names. */
static int by_shown(const void *context, uint32_t a, uint32_t b)
{
    const struct work *w = context;
    int order = flm_bytes_compare(shown_of(w, a), shown_of(w, b));
    return order ? order : by_plain(w, a, b);
}

static void sort(struct work *w, flm_order order)
{
    for (uint32_t i = 0; i < w->count; i++)
        w->order[i] = i;
    flm_sort(w->order, w->count, w->scratch, order, w);
}

/* The end of those from `from` on, in the order, that are equal in `text`; and whether they are
 * several functions. */
static size_t run_end(const struct work *w, size_t from, bool by_name, bool *several)
{
    size_t end = from;
    uint32_t first = w->order[from];
    *several = false;
    for (; end < w->count; end++) {
        uint32_t i = w->order[end];
        if (by_name ? !flm_bytes_equal(w->names[i].plain, w->names[first].plain)
                    : !flm_bytes_equal(shown_of(w, i), shown_of(w, first)))
            break;
        *several = *several || w->names[i].function != w->names[first].function;
    }
    return end;
}

static void find_namesakes(struct work *w)
{
    bool several;
    sort(w, by_plain);
    for (size_t from = 0, end; from < w->count; from = end) {
        end = run_end(w, from, true, &several);
        bool differ = false; /* else where they are tells nothing */
        for (size_t i = from + 1; several && i < end; i++)
            differ = differ ||
                     !flm_bytes_equal(w->names[w->order[i]].where, w->names[w->order[from]].where);
        for (size_t i = from; differ && i < end; i++)
            w->has_where[w->order[i]] = w->names[w->order[i]].where.size > 0;
    }
}

static size_t common(struct flm_bytes a, struct flm_bytes b)
{
    size_t at = 0;
    while (at < a.size && at < b.size && a.at[at] == b.at[at])
        at++;
    return at;
}

/* Where the name in place `i` begins to differ from all others of a run, which are in the order of
 * their names: those before and after it have most in common. SIZE_MAX: from none. */
static size_t difference(const struct work *w, size_t from, size_t end, size_t i)
{
    struct flm_bytes name = w->names[w->order[i]].plain;
    size_t before = i, after = i + 1, most = SIZE_MAX;
    while (before > from && flm_bytes_equal(w->names[w->order[before - 1]].plain, name))
        before--;
    while (after < end && flm_bytes_equal(w->names[w->order[after]].plain, name))
        after++;
    if (before > from)
        most = common(name, w->names[w->order[before - 1]].plain);
    if (after < end) {
        size_t size = common(name, w->names[w->order[after]].plain);
        most = most == SIZE_MAX || size > most ? size : most;
    }
    return most;
}

/* Of a run whose functions read the same, each by what it differs in. */
static void tell_apart(struct work *w)
{
    bool several;
    sort(w, by_shown);
    for (size_t from = 0, end; from < w->count; from = end) {
        end = run_end(w, from, false, &several);
        /* The texts that runs are found by are still those of before. */
        for (size_t i = from; several && i < end; i++)
            w->scratch[i] = (uint32_t)difference(w, from, end, i);
        for (size_t i = from; several && i < end; i++)
            if (w->scratch[i] != UINT32_MAX)
                shorten(w, w->order[i], w->scratch[i]);
    }
}

/* The rows of one function have one number. No other function has it: behind the number there is
 * less room for the name, which may then read as one that read differently before. */
static void number(struct work *w)
{
    bool several;
    unsigned last = 0;
    sort(w, by_shown);
    for (size_t from = 0, end; from < w->count; from = end) {
        end = run_end(w, from, false, &several);
        for (size_t i = from; several && i < end; i++) {
            uint64_t function = w->names[w->order[i]].function;
            unsigned *mine = &w->number[w->order[i]];
            for (size_t other = from; other < i && *mine == 0; other++)
                if (w->names[w->order[other]].function == function)
                    *mine = w->number[w->order[other]];
            *mine = *mine ? *mine : ++last;
        }
        for (size_t i = from; several && i < end; i++)
            shorten(w, w->order[i], SIZE_MAX);
    }
}

bool flm_short_names(struct flm_short_name *names, size_t count, const char *ellipsis,
                     struct flm_text *out)
{
    assert((names || count == 0) && ellipsis && out && count < UINT32_MAX);
    struct work w = {.names = names, .count = count, .ellipsis = ellipsis, .out = out};
    w.order = malloc(count * sizeof *w.order + 1);
    w.scratch = malloc(count * sizeof *w.scratch + 1);
    w.number = calloc(count + 1, sizeof *w.number);
    w.has_where = calloc(count + 1, sizeof *w.has_where);
    bool good = w.order && w.scratch && w.number && w.has_where;
    if (good) {
        find_namesakes(&w);
        for (uint32_t i = 0; i < count; i++)
            shorten(&w, i, SIZE_MAX);
        if (!out->failed)
            tell_apart(&w);
        if (!out->failed)
            number(&w);
    }
    free(w.order);
    free(w.scratch);
    free(w.number);
    free(w.has_where);
    return good && !out->failed;
}
