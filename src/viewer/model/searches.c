#include "viewer/model/searches.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"

static const char *const kind_names[] = {"text", "regex", "fuzzy"};
static const char *const scope_names[] = {"name", "file", "module", "all"};

const char *flm_search_kind_name(unsigned kind)
{
    return kind < FLM_SEARCH_KINDS ? kind_names[kind] : NULL;
}

const char *flm_search_scope_name(unsigned scope)
{
    return scope < FLM_SEARCH_SCOPES ? scope_names[scope] : NULL;
}

static void clear_search(struct flm_search *search)
{
    flm_text_clear(&search->text);
    flm_names_clear(&search->names);
    free(search->frame_matches);
    *search = (struct flm_search){0};
}

void flm_searches_clear(struct flm_searches *searches)
{
    for (unsigned i = 0; i < searches->count; i++)
        clear_search(&searches->at[i]);
    free(searches->uses);
    free(searches->frame_color);
    *searches = (struct flm_searches){0};
}

/* ---- Matches --------------------------------------------------------------------------------- */

static void color_frames(struct flm_searches *searches)
{
    if (!searches->profile)
        return;
    uint32_t count = searches->profile->sizes.frame_count;
    memset(searches->frame_color, 0, count);
    for (unsigned i = searches->count; i-- > 0;) {
        const struct flm_search *search = &searches->at[i];
        if (!search->on || search->frame_count == 0)
            continue;
        for (uint32_t frame = 0; frame < count; frame++)
            if (search->frame_matches[frame])
                searches->frame_color[frame] = (unsigned char)(1 + search->color);
    }
}

static unsigned char uses_in(enum flm_search_scope scope)
{
    static const unsigned char uses[] = {FLM_USED_AS_NAME, FLM_USED_AS_FILE, FLM_USED_AS_MODULE,
                                         FLM_USED_AS_NAME | FLM_USED_AS_FILE | FLM_USED_AS_MODULE};
    return uses[scope];
}

static void find_frames(struct flm_search *search, const struct flm_profile *p)
{
    const unsigned char *string_matches = search->names.matches;
    search->frame_count = 0;
    search->is_summed = false;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        bool is_match = false;
        switch (search->scope) {
        case FLM_SEARCH_FILES:
            is_match = string_matches[frame->file];
            break;
        case FLM_SEARCH_MODULES:
            is_match = string_matches[frame->module];
            break;
        case FLM_SEARCH_ALL:
            is_match = string_matches[frame->function] || string_matches[frame->file] ||
                       string_matches[frame->module];
            break;
        default:
            is_match = string_matches[frame->function];
            break;
        }
        search->frame_matches[i] = is_match;
        search->frame_count += is_match;
    }
}

static struct flm_names_query query_of(const struct flm_search *search)
{
    struct flm_names_query query = {.text = {search->text.at, search->text.size},
                                    .kind = search->kind,
                                    .exact_case = search->exact_case,
                                    .wanted = uses_in(search->scope)};
    struct flm_bytes source;
    bool any_case;
    if (flm_pattern_regex(query.text, &source, &any_case) && source.size > 0) {
        query.text = source;
        query.kind = FLM_SEARCH_REGEX;
        query.exact_case = !any_case;
        query.ignores_case = any_case;
    }
    return query;
}

enum flm_search_kind flm_search_kind(const struct flm_search *search)
{
    return query_of(search).kind;
}

/* Runs the search on its profile. A malformed expression is remembered, and the matches before it
 * stay; false only if memory ran out. */
static bool run_search(struct flm_searches *searches, struct flm_search *search,
                       struct flm_error *why)
{
    struct flm_error refused = {0};
    search->malformed = false;
    search->error = (struct flm_error){0};
    if (!searches->profile)
        return true;
    struct flm_names_query query = query_of(search);
    if (!flm_names_find(&search->names, searches->profile, searches->uses, &query, &refused)) {
        if (refused.kind == FLM_ERROR_MEMORY)
            return flm_error_memory(why);
        search->malformed = true;
        /* The offset is in the text, not in the expression. */
        if (query.text.at != search->text.at)
            flm_error_move_byte(&refused,
                                refused.offset + (size_t)(query.text.at - search->text.at));
        search->error = refused;
        return true;
    }
    find_frames(search, searches->profile);
    color_frames(searches);
    return true;
}

/* Rebuilds everything that is by index: the strings of the previous profile are gone. */
static bool reopen_search(struct flm_searches *searches, struct flm_search *search,
                          struct flm_error *why)
{
    flm_names_clear(&search->names);
    free(search->frame_matches);
    search->frame_matches = NULL;
    search->frame_count = 0;
    search->is_summed = false;
    if (!searches->profile)
        return true;
    search->frame_matches = calloc(searches->profile->sizes.frame_count, 1);
    return search->frame_matches ? run_search(searches, search, why) : flm_error_memory(why);
}

bool flm_searches_open(struct flm_searches *searches, const struct flm_profile *profile,
                       struct flm_error *why)
{
    free(searches->uses);
    free(searches->frame_color);
    searches->profile = profile;
    searches->uses = profile ? flm_names_uses(profile, why) : NULL;
    searches->frame_color = profile ? calloc(profile->sizes.frame_count, 1) : NULL;
    bool ok = !profile || (searches->uses && (searches->frame_color || flm_error_memory(why)));
    if (!ok)
        searches->profile = NULL;
    for (unsigned i = 0; i < searches->count; i++)
        ok = reopen_search(searches, &searches->at[i], why) && ok;
    if (ok)
        return true;
    /* Without memory nothing is searched: matches and colors are by index. */
    free(searches->uses);
    free(searches->frame_color);
    searches->profile = NULL;
    searches->uses = searches->frame_color = NULL;
    for (unsigned i = 0; i < searches->count; i++)
        reopen_search(searches, &searches->at[i], NULL);
    return false;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static bool add_search(struct flm_searches *searches, struct flm_error *why)
{
    if (searches->count == FLM_MOST_SEARCHES)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "there are %u searches already, which is all; remove one first",
                             searches->count);
    unsigned used = 0, color = 0;
    for (unsigned i = 0; i < searches->count; i++)
        used |= 1u << searches->at[i].color;
    while (used >> color & 1)
        color++;
    struct flm_search *search = &searches->at[searches->count];
    *search = (struct flm_search){.on = true, .color = color};
    if (!reopen_search(searches, search, why)) {
        clear_search(search);
        return false;
    }
    searches->current = searches->count++;
    return true;
}

/* The current one; the first one where there is none. */
static struct flm_search *current(struct flm_searches *searches, struct flm_error *why)
{
    if (searches->count == 0 && !add_search(searches, why))
        return NULL;
    return &searches->at[searches->current];
}

bool flm_searches_text(struct flm_searches *searches, struct flm_bytes text, struct flm_error *why)
{
    struct flm_search *search = current(searches, why);
    if (!search)
        return false;
    struct flm_text before = search->text;
    search->text = (struct flm_text){0};
    flm_text_add(&search->text, text);
    if (!search->text.failed && run_search(searches, search, why)) {
        flm_text_clear(&before);
        return true;
    }
    flm_text_clear(&search->text);
    search->text = before;
    return flm_error_memory(why);
}

bool flm_searches_kind(struct flm_searches *searches, enum flm_search_kind kind,
                       struct flm_error *why)
{
    struct flm_search *search = current(searches, why);
    if (!search)
        return false;
    enum flm_search_kind before = search->kind;
    search->kind = kind;
    if (run_search(searches, search, why))
        return true;
    search->kind = before;
    return false;
}

bool flm_searches_scope(struct flm_searches *searches, enum flm_search_scope scope,
                        struct flm_error *why)
{
    struct flm_search *search = current(searches, why);
    if (!search)
        return false;
    enum flm_search_scope before = search->scope;
    search->scope = scope;
    if (run_search(searches, search, why))
        return true;
    search->scope = before;
    return false;
}

bool flm_searches_case(struct flm_searches *searches, bool exact, struct flm_error *why)
{
    struct flm_search *search = current(searches, why);
    if (!search)
        return false;
    bool before = search->exact_case;
    search->exact_case = exact;
    if (run_search(searches, search, why))
        return true;
    search->exact_case = before;
    return false;
}

bool flm_searches_add(struct flm_searches *searches, struct flm_error *why)
{
    return add_search(searches, why);
}

static bool is_there(const struct flm_searches *searches, unsigned index, struct flm_error *why)
{
    return index < searches->count ||
           flm_error_set(why, FLM_ERROR_USAGE, "there is no search %u; there are %u", index,
                         searches->count);
}

bool flm_searches_remove(struct flm_searches *searches, unsigned index, struct flm_error *why)
{
    if (!is_there(searches, index, why))
        return false;
    clear_search(&searches->at[index]);
    searches->count--;
    memmove(&searches->at[index], &searches->at[index + 1],
            (searches->count - index) * sizeof searches->at[0]);
    searches->at[searches->count] = (struct flm_search){0};
    if (searches->current > index || searches->current == searches->count)
        searches->current -= searches->current > 0;
    color_frames(searches);
    return true;
}

bool flm_searches_toggle(struct flm_searches *searches, unsigned index, struct flm_error *why)
{
    if (!is_there(searches, index, why))
        return false;
    searches->at[index].on = !searches->at[index].on;
    color_frames(searches);
    return true;
}

bool flm_searches_edit(struct flm_searches *searches, unsigned index, struct flm_error *why)
{
    if (!is_there(searches, index, why))
        return false;
    searches->current = index;
    return true;
}

bool flm_searches_any(const struct flm_searches *searches)
{
    for (unsigned i = 0; i < searches->count; i++)
        if (searches->at[i].on && searches->at[i].text.size > 0)
            return true;
    return false;
}

bool flm_search_part(const struct flm_search *search, struct flm_bytes name, size_t *from,
                     size_t *to)
{
    return (uses_in(search->scope) & FLM_USED_AS_NAME) != 0 &&
           flm_names_part(&search->names, name, from, to);
}

/* ---- How much, and where --------------------------------------------------------------------- */

/* The frames that are marked, over all stacks of a tree; `marks` is NULL where none is. */
static struct flm_match_sum sum_all(const struct flm_tree *tree, const unsigned char *marks)
{
    struct flm_match_sum sum = {0};
    uint32_t covered = 0; /* nodes before it are in a marked one */
    for (uint32_t i = 0; i < tree->node_count; i++) {
        double self = fabs(tree->width[i]);
        sum.of += self;
        if (marks && marks[tree->frame[i]]) {
            sum.self += self;
            sum.nodes++;
            if (tree->end[i] > covered)
                covered = tree->end[i];
        }
        if (i < covered)
            sum.total += self;
    }
    return sum;
}

static struct flm_match_sum sum_below(const struct flm_layout *layout, const unsigned char *marks,
                                      struct flm_node top)
{
    struct flm_layout_match match = {0};
    if (marks)
        match = flm_layout_match(layout, marks, top);
    double of = top.index == 0 ? flm_layout_filled(layout) : flm_layout_total(layout, top);
    return (struct flm_match_sum){match.total, match.self, of, match.node_count};
}

const struct flm_search_sums *flm_search_sum(struct flm_search *search,
                                             const struct flm_profile *profile,
                                             struct flm_metric metric,
                                             const struct flm_layout *layout, struct flm_node top)
{
    struct flm_search_sums *sums = &search->sums;
    double layout_total = flm_layout_total(layout, (struct flm_node){0});
    bool same_metric = search->is_summed && sums->metric.index == metric.index;
    /* A layout can stand where another stood that is gone: hence its total. */
    bool same_view = same_metric && sums->layout == layout && sums->top.index == top.index &&
                     sums->layout_total == layout_total;
    if (same_view)
        return sums;
    struct flm_tree stacks = flm_tree_of(profile, metric);
    if (!same_metric)
        sums->all = sum_all(&stacks, search->frame_count ? search->frame_matches : NULL);
    bool is_all = top.index == 0 && flm_layout_tree(layout)->width == stacks.width;
    sums->seen = is_all
                     ? sums->all
                     : sum_below(layout, search->frame_count ? search->frame_matches : NULL, top);
    sums->metric = metric;
    sums->layout = layout;
    sums->layout_total = layout_total;
    sums->top = top;
    search->is_summed = true;
    return sums;
}

/* The order of nodes in the picture: left to right; at the same offset callers, which have smaller
 * numbers, first. */
struct occurrence {
    double offset;
    uint32_t node;
};

static bool is_before(struct occurrence a, struct occurrence b)
{
    return a.offset < b.offset || (a.offset == b.offset && a.node < b.node);
}

struct flm_search_step flm_search_step(const unsigned char *matches,
                                       const struct flm_layout *layout, struct flm_node from,
                                       enum flm_search_way way)
{
    const struct flm_tree *tree = flm_layout_tree(layout);
    bool somewhere = from.index != FLM_NONE && from.index < tree->node_count;
    struct occurrence here = {somewhere ? flm_layout_offset(layout, from) : -1,
                              somewhere ? from.index : 0};
    struct occurrence first = {0, FLM_NONE}, last = first, next = first, previous = first;
    uint32_t count = 0, before = 0; /* matches: all; those before `here` */
    bool is_match = false;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        struct occurrence occurrence = {.node = i};
        double total;
        if (!matches[tree->frame[i]] || flm_tree_is_gap(tree, i) ||
            !flm_layout_extent(layout, (struct flm_node){i}, &occurrence.offset, &total))
            continue;
        count++;
        if (first.node == FLM_NONE || is_before(occurrence, first))
            first = occurrence;
        if (last.node == FLM_NONE || is_before(last, occurrence))
            last = occurrence;
        if (i == here.node) {
            is_match = true;
        } else if (is_before(occurrence, here)) {
            before++;
            if (previous.node == FLM_NONE || is_before(previous, occurrence))
                previous = occurrence;
        } else if (next.node == FLM_NONE || is_before(occurrence, next)) {
            next = occurrence;
        }
    }
    struct flm_search_step step = {{FLM_NONE}, 0, count};
    if (count == 0)
        return step;
    if (way == FLM_SEARCH_STAY) {
        step.node.index = is_match ? here.node : FLM_NONE;
        step.at = is_match ? before + 1 : 0;
    } else if (way == FLM_SEARCH_NEXT) {
        step.node.index = next.node != FLM_NONE ? next.node : first.node;
        step.at = next.node != FLM_NONE ? before + is_match + 1 : 1;
    } else {
        step.node.index = previous.node != FLM_NONE ? previous.node : last.node;
        step.at = previous.node != FLM_NONE ? before : count;
    }
    return step;
}

struct flm_node flm_search_heaviest(const unsigned char *matches, const struct flm_layout *layout,
                                    double *total)
{
    const struct flm_tree *tree = flm_layout_tree(layout);
    struct flm_node heaviest = {FLM_NONE};
    for (uint32_t i = 1; i < tree->node_count; i++) {
        double offset, width;
        if (!matches[tree->frame[i]] || flm_tree_is_gap(tree, i) ||
            !flm_layout_extent(layout, (struct flm_node){i}, &offset, &width) || width <= *total)
            continue;
        heaviest.index = i;
        *total = width;
    }
    return heaviest;
}

/* ---- As text --------------------------------------------------------------------------------- */

static const char kind_letters[] = "trf", scope_letters[] = "nfma";

/* The rest is escaped where the text is used, for a URL or not. */
static void write_escaped(struct flm_text *out, struct flm_bytes text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        if (byte != ',' && byte != '%') {
            flm_text_putc(out, (char)byte);
            continue;
        }
        flm_text_putc(out, '%');
        flm_text_putc(out, digits[byte >> 4]);
        flm_text_putc(out, digits[byte & 15]);
    }
}

void flm_searches_write(const struct flm_searches *searches, struct flm_text *out)
{
    bool again = false;
    for (unsigned i = 0; i < searches->count; i++) {
        const struct flm_search *search = &searches->at[i];
        if (search->text.size == 0)
            continue;
        flm_text_format(out, "%s%s%c%c%c%u.", again ? "," : "", search->on ? "" : "!",
                        kind_letters[search->kind], scope_letters[search->scope],
                        search->exact_case ? 'c' : 'i', search->color);
        write_escaped(out, (struct flm_bytes){search->text.at, search->text.size});
        again = true;
    }
}

static int letter_index(const char *letters, char letter)
{
    for (int i = 0; letters[i]; i++)
        if (letters[i] == letter)
            return i;
    return -1;
}

static int digit_of(char byte)
{
    static const char digits[] = "0123456789ABCDEF0123456789abcdef";
    int at = letter_index(digits, byte);
    return at < 0 ? -1 : at % 16;
}

static bool read_escaped(struct flm_bytes text, struct flm_text *out)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] != '%') {
            flm_text_putc(out, text.at[i]);
            continue;
        }
        int high = i + 2 < text.size ? digit_of(text.at[i + 1]) : -1;
        int low = i + 2 < text.size ? digit_of(text.at[i + 2]) : -1;
        if (high < 0 || low < 0)
            return false;
        flm_text_putc(out, (char)(high * 16 + low));
        i += 2;
    }
    return true;
}

/* One search from its text; the text itself still has its escapes. */
static bool parse_search(struct flm_bytes text, struct flm_search *search, struct flm_bytes *name)
{
    search->on = !flm_bytes_start_with(text, "!");
    if (!search->on)
        text = (struct flm_bytes){text.at + 1, text.size - 1};
    if (text.size < 5 || text.at[4] != '.')
        return false;
    int kind = letter_index(kind_letters, text.at[0]);
    int scope = letter_index(scope_letters, text.at[1]);
    int exact = letter_index("ic", text.at[2]);
    int color = letter_index("012345", text.at[3]);
    if (kind < 0 || scope < 0 || exact < 0 || color < 0)
        return false;
    search->kind = (enum flm_search_kind)kind;
    search->scope = (enum flm_search_scope)scope;
    search->exact_case = exact == 1;
    search->color = (unsigned)color;
    *name = (struct flm_bytes){text.at + 5, text.size - 5};
    return true;
}

static bool set_search(struct flm_searches *made, struct flm_bytes text, struct flm_error *why)
{
    struct flm_search parsed = {0};
    struct flm_bytes name;
    if (!parse_search(text, &parsed, &name))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is no search", (int)text.size, text.at);
    for (unsigned i = 0; i < made->count; i++)
        if (made->at[i].color == parsed.color)
            return flm_error_set(why, FLM_ERROR_USAGE, "two searches have the color %u",
                                 parsed.color);
    if (!add_search(made, why))
        return false;
    struct flm_search *search = &made->at[made->current];
    search->on = parsed.on;
    search->kind = parsed.kind;
    search->scope = parsed.scope;
    search->exact_case = parsed.exact_case;
    search->color = parsed.color;
    if (!read_escaped(name, &search->text))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' has a %% without two digits",
                             (int)text.size, text.at);
    return (!search->text.failed || flm_error_memory(why)) && run_search(made, search, why);
}

bool flm_searches_set(struct flm_searches *searches, struct flm_bytes text, struct flm_error *why)
{
    struct flm_searches made = {0};
    bool ok = !searches->profile || flm_searches_open(&made, searches->profile, why);
    while (ok && text.size > 0) {
        const char *comma = memchr(text.at, ',', text.size);
        size_t size = comma ? (size_t)(comma - text.at) : text.size;
        ok = set_search(&made, (struct flm_bytes){text.at, size}, why);
        size += comma != NULL;
        text = (struct flm_bytes){text.at + size, text.size - size};
    }
    flm_searches_clear(ok ? searches : &made);
    if (ok)
        *searches = made;
    return ok;
}
