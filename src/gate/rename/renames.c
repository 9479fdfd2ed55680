#include "gate/rename/renames.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "gate/rename/internal.h"
#include "profile/columns.h"

static const double similar_enough = 0.8, same_name_enough = 0.5;

/* How many on each side of a frame, in the order of size, are compared with it. */
enum { NEIGHBORS = 8 };

/* Occurrences whose callers are renamed occurrences themselves: nested so deep at most. */
enum { MOST_ROUNDS = 8 };

struct candidate {
    uint32_t from, to; /* indices of changed frames */
    double similarity, score;
    uint32_t depths_apart;
};

struct pairing {
    const struct flm_profile *tree;
    struct flm_changes_found found;
    bool of_occurrences;
    uint32_t *changed, *scratch; /* all that disappeared or appeared, in some order */
    uint32_t count;
    uint32_t *key;     /* of each: its group */
    uint32_t *next[2]; /* in that order: of the next one that disappeared, that appeared */
    struct FLM_ARRAY(struct candidate) candidates;
};

/* ---- Similarity ------------------------------------------------------------------------------ */

static double similarity_of(const struct flm_shares *a, const struct flm_shares *b)
{
    double apart = 0, both = 0;
    uint32_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        uint32_t x = i < a->count ? a->share[i].key : UINT32_MAX;
        uint32_t y = k < b->count ? b->share[k].key : UINT32_MAX;
        bool in_a = i < a->count && (k >= b->count || x <= y);
        bool in_b = k < b->count && (i >= a->count || y <= x);
        double f = in_a ? a->share[i].value : 0, g = in_b ? b->share[k].value : 0;
        apart += fabs(f - g);
        both += f + g;
        i += in_a;
        k += in_b;
    }
    return both > 0 ? 1 - apart / both : 0;
}

static uint32_t function_of(const struct pairing *p, uint32_t changed)
{
    return p->tree->frames[p->found.changed[changed].frame].function;
}

/* Most of it is in frames that it calls and that have their name still. */
static bool is_mostly_called(const struct flm_shares *below)
{
    double own = 0, all = 0;
    for (uint32_t i = 0; i < below->count; i++) {
        all += below->share[i].value;
        own += below->share[i].key == FLM_SHARE_OWN ? below->share[i].value : 0;
    }
    return own < all / 2;
}

static bool compare(const struct pairing *p, uint32_t from, uint32_t to, struct candidate *c)
{
    const struct flm_changed *u = &p->found.changed[from], *w = &p->found.changed[to];
    bool same_name = function_of(p, from) == function_of(p, to);
    if (!u->is_significant && !w->is_significant)
        return false;
    double below = similarity_of(&u->below, &w->below), above = similarity_of(&u->above, &w->above);
    *c = (struct candidate){from, to, below, below + above + (same_name ? 2 : 0),
                            u->depth > w->depth ? u->depth - w->depth : w->depth - u->depth};
    if (same_name)
        return below >= same_name_enough;
    return below >= similar_enough && (above >= similar_enough || (is_mostly_called(&u->below) &&
                                                                   is_mostly_called(&w->below)));
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static bool add_candidate(struct pairing *p, uint32_t a, uint32_t b)
{
    struct candidate c;
    bool a_is_new = p->found.changed[a].kind == FLM_IS_IN_NEW;
    if (!compare(p, a_is_new ? b : a, a_is_new ? a : b, &c))
        return true;
    return FLM_ARRAY_ADD(&p->candidates, c);
}

/* By group, then by size. */
static int by_key(const void *context, uint32_t a, uint32_t b)
{
    const struct pairing *p = context;
    double x = p->found.changed[a].total, y = p->found.changed[b].total;
    if (p->key[a] != p->key[b])
        return p->key[a] < p->key[b] ? -1 : 1;
    return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

/* Compares the item at `at` with those that follow it, of the other kind and of its group. Those
 * before it were compared with it already. */
static bool compare_with_following(struct pairing *p, uint32_t at)
{
    uint32_t one = p->changed[at];
    const struct flm_changed *c = &p->found.changed[one];
    const uint32_t *next = p->next[c->kind == FLM_IS_IN_BASE];
    uint32_t other = next[at];
    for (int seen = 0; seen < NEIGHBORS && other < p->count; seen++, other = next[other]) {
        /* Totals differ by half at most, or by a factor of three under one name. */
        if (p->key[p->changed[other]] != p->key[one] ||
            p->found.changed[p->changed[other]].total > 3.001 * c->total)
            break;
        if (!add_candidate(p, one, p->changed[other]))
            return false;
    }
    return true;
}

/* By position: the next one that disappeared, and the next one that appeared. */
static void link_kinds(struct pairing *p)
{
    uint32_t next[2] = {p->count, p->count};
    for (uint32_t i = p->count; i-- > 0;) {
        p->next[0][i] = next[0];
        p->next[1][i] = next[1];
        next[p->found.changed[p->changed[i]].kind == FLM_IS_IN_NEW] = i;
    }
}

/* Compares the first of a group that disappeared with the first that appeared, the second with the
 * second ...: where many are equally large, not all of them are neighbors of the same few. Returns
 * where the group ends; 0 when memory ran out. */
static uint32_t compare_by_rank(struct pairing *p, uint32_t from)
{
    uint32_t end = from, key = p->key[p->changed[from]];
    while (end < p->count && p->key[p->changed[end]] == key)
        end++;
    bool is_new = p->found.changed[p->changed[from]].kind == FLM_IS_IN_NEW;
    uint32_t old_at = is_new ? p->next[0][from] : from, new_at = is_new ? from : p->next[1][from];
    for (; old_at < end && new_at < end; old_at = p->next[0][old_at], new_at = p->next[1][new_at])
        if (!add_candidate(p, p->changed[old_at], p->changed[new_at]))
            return 0;
    return end;
}

static bool compare_groups(struct pairing *p)
{
    flm_sort(p->changed, p->count, p->scratch, by_key, p);
    link_kinds(p);
    for (uint32_t i = 0; i < p->count; i++)
        if (p->key[p->changed[i]] != FLM_NONE && !compare_with_following(p, i))
            return false;
    for (uint32_t i = 0; i < p->count;) {
        i = compare_by_rank(p, i);
        if (i == 0)
            return false;
    }
    return true;
}

static uint32_t largest_key(const struct flm_shares *shares)
{
    uint32_t best = FLM_NONE;
    double most = 0;
    for (uint32_t i = 0; i < shares->count; i++)
        if (shares->share[i].key != FLM_SHARE_OWN && shares->share[i].value > most) {
            most = shares->share[i].value;
            best = shares->share[i].key;
        }
    return best;
}

/* Of occurrences, only those with the same caller: the same code elsewhere was not renamed. */
static bool find_candidates(struct pairing *p)
{
    for (int way = 0; way < (p->of_occurrences ? 1 : 3); way++) {
        for (uint32_t i = 0; i < p->count; i++) {
            uint32_t one = p->changed[i];
            const struct flm_changed *c = &p->found.changed[one];
            p->key[one] = way == 0   ? largest_key(&c->above)
                          : way == 1 ? largest_key(&c->below)
                                     : function_of(p, one);
        }
        if (!compare_groups(p))
            return false;
    }
    return true;
}

/* ---- Each once ------------------------------------------------------------------------------- */

/* Differences of rounding do not decide between pairs of the same similarity. */
static int by_score(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    double x = floor(a->score * 1e6), y = floor(b->score * 1e6);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->depths_apart != b->depths_apart)
        return a->depths_apart < b->depths_apart ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static int by_size(const void *one, const void *other)
{
    const struct flm_rename *a = one, *b = other;
    double x = a->base + a->new, y = b->base + b->new;
    if (x != y)
        return x > y ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void add_frame(struct flm_text *out, const struct flm_profile *tree, uint32_t frame,
                      bool with_location)
{
    const struct flm_frame_record *f = &tree->frames[frame];
    struct flm_bytes file = flm_string_bytes(tree, f->file);
    struct flm_bytes location = file.size > 0 ? file : flm_string_bytes(tree, f->module);
    if (with_location && location.size > 0) {
        flm_text_add(out, location);
        flm_text_puts(out, ": ");
    }
    flm_text_add(out, flm_frame_function(tree, frame));
    if (with_location && f->line > 0)
        flm_text_format(out, ":%u", f->line);
}

/* `r` is cleared by the caller in any case. */
static bool name(struct flm_rename *r, const struct pairing *p, const struct candidate *c)
{
    const struct flm_changed *u = &p->found.changed[c->from], *w = &p->found.changed[c->to];
    bool same_name = function_of(p, c->from) == function_of(p, c->to);
    add_frame(&r->from, p->tree, u->frame, same_name);
    add_frame(&r->to, p->tree, w->frame, same_name);
    if (p->of_occurrences)
        flm_stack_text(&r->below, p->tree, u->above.share[0].key);
    return !r->from.failed && !r->to.failed && !r->below.failed;
}

void flm_rename_text(struct flm_text *out, const struct flm_rename *r)
{
    assert(out && r);
    flm_text_add(out, (struct flm_bytes){r->from.at, r->from.size});
    flm_text_puts(out, " -> ");
    flm_text_add(out, (struct flm_bytes){r->to.at, r->to.size});
    if (r->below.size > 0) {
        flm_text_puts(out, " below ");
        flm_text_add(out, (struct flm_bytes){r->below.at, r->below.size});
    }
}

/* ---- One round ------------------------------------------------------------------------------- */

/* Appends the pairs to the renames. */
static bool take_pairs(struct flm_renames *renames, struct pairing *p)
{
    uint32_t first = renames->count;
    void *more =
        realloc(renames->rename, (first + p->count / 2 + (size_t)1) * sizeof *renames->rename);
    if (!more)
        return false;
    renames->rename = more;
    if (p->candidates.count > 0)
        qsort(p->candidates.at, p->candidates.count, sizeof *p->candidates.at, by_score);
    for (size_t i = 0; i < p->candidates.count; i++) {
        const struct candidate *c = &p->candidates.at[i];
        struct flm_changed *u = &p->found.changed[c->from], *w = &p->found.changed[c->to];
        if (u->is_taken || w->is_taken)
            continue;
        u->is_taken = w->is_taken = true;
        struct flm_rename *r = &renames->rename[renames->count++];
        *r = (struct flm_rename){.frame = w->frame,
                                 .node = p->of_occurrences ? w->node : FLM_NONE,
                                 .base = u->total,
                                 .new = w->total,
                                 .similarity = c->similarity};
        if (!name(r, p, c))
            return false;
        u->frame = w->frame; /* its new frame */
    }
    if (renames->count > first)
        qsort(renames->rename + first, renames->count - first, sizeof *renames->rename, by_size);
    return true;
}

static bool pair(struct flm_renames *renames, struct pairing *p)
{
    size_t count = p->found.count;
    p->changed = malloc(5 * count * sizeof *p->changed);
    if (!p->changed)
        return false;
    p->scratch = p->changed + count;
    p->next[0] = p->changed + 2 * count;
    p->next[1] = p->changed + 3 * count;
    p->key = p->changed + 4 * count;
    for (uint32_t i = 0; i < count; i++)
        if (p->found.changed[i].kind == FLM_IS_IN_BASE || p->found.changed[i].kind == FLM_IS_IN_NEW)
            p->changed[p->count++] = i;
    return find_candidates(p) && take_pairs(renames, p);
}

/* Where the renames of earlier rounds are in the new tree; `by_frame` has room for the old frames.
 */
static void follow(struct flm_renames *renames, const uint32_t *frame, uint32_t node_count,
                   const struct flm_profile *tree, const uint32_t *moved, uint32_t *by_frame)
{
    for (uint32_t i = 0; i < node_count; i++)
        by_frame[frame[i]] = tree->node_frame[moved[i]];
    for (uint32_t i = 0; i < renames->count; i++) {
        struct flm_rename *r = &renames->rename[i];
        r->frame = by_frame[r->frame];
        r->node = r->node == FLM_NONE ? FLM_NONE : moved[r->node];
    }
}

static bool join(struct flm_renames *renames, struct flm_runs *runs, const struct pairing *p,
                 unsigned char *is_significant, struct flm_error *why)
{
    uint32_t nodes = runs->tree->sizes.node_count, frames = runs->tree->sizes.frame_count;
    uint32_t *frame = malloc((nodes + (size_t)frames) * sizeof *frame), *moved = NULL;
    if (!frame)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t old = runs->tree->node_frame[i];
        frame[i] = p->found.changed[p->of_occurrences ? i : old].frame;
    }
    bool good = flm_runs_rename(runs, frame, &moved, why);
    if (good) {
        follow(renames, frame, nodes, runs->tree, moved, frame + nodes);
        for (uint32_t i = 0; i < nodes; i++)
            is_significant[nodes + moved[i]] |= is_significant[i];
        memcpy(is_significant, is_significant + nodes, nodes);
        memset(is_significant + nodes, 0, nodes);
    }
    free(moved);
    free(frame);
    return good;
}

/* *any receives whether a rename was found. The second half of `is_significant` is working memory,
 * all 0. */
static bool round_of(struct flm_renames *renames, struct flm_runs *runs,
                     unsigned char *is_significant, bool of_occurrences, bool *any,
                     struct flm_error *why)
{
    struct pairing p = {.tree = runs->tree, .of_occurrences = of_occurrences};
    uint32_t before = renames->count;
    bool good = flm_changes_find(&p.found, runs, is_significant, of_occurrences);
    if (good && p.found.has_both)
        good = pair(renames, &p);
    *any = good && renames->count > before;
    if (!good)
        flm_error_memory(why);
    else if (*any)
        good = join(renames, runs, &p, is_significant, why);
    flm_changes_found_clear(&p.found);
    free(p.changed);
    FLM_ARRAY_CLEAR(&p.candidates);
    return good;
}

bool flm_renames_init(struct flm_renames *renames, struct flm_runs *runs,
                      const unsigned char *is_significant, struct flm_error *why)
{
    assert(renames && runs && runs->tree && is_significant);
    uint32_t nodes = runs->tree->sizes.node_count;
    unsigned char *significant = calloc(2 * (size_t)nodes, 1);
    bool any = true;
    *renames = (struct flm_renames){0};
    if (!significant)
        return flm_error_memory(why);
    memcpy(significant, is_significant, nodes);
    bool good = round_of(renames, runs, significant, false, &any, why);
    any = true;
    for (int i = 0; good && any && i < MOST_ROUNDS; i++)
        good = round_of(renames, runs, significant, true, &any, why);
    free(significant);
    if (!good)
        flm_renames_clear(renames);
    return good;
}

void flm_renames_clear(struct flm_renames *renames)
{
    for (uint32_t i = 0; i < renames->count; i++) {
        flm_text_clear(&renames->rename[i].from);
        flm_text_clear(&renames->rename[i].to);
        flm_text_clear(&renames->rename[i].below);
    }
    free(renames->rename);
    *renames = (struct flm_renames){0};
}

uint32_t flm_rename_of(const struct flm_renames *renames, const struct flm_profile *tree,
                       uint32_t node)
{
    for (uint32_t i = 0; i < renames->count; i++) {
        const struct flm_rename *r = &renames->rename[i];
        if (r->node == FLM_NONE ? r->frame == tree->node_frame[node] : r->node == node)
            return i;
    }
    return FLM_NONE;
}
