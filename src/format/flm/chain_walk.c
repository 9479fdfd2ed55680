#include "format/flm/chain_walk.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CALLERS = 64, /* of a node, that are asked one by one */
    MOST_CHILDREN = 3, /* whose calls make guesses */
    MOST_GUESSES = 2 * MOST_CHILDREN + 2,
    MOST_RECENT = 64, /* locations of a function that are looked at, after the guesses */
    MEMORY_BITS = 14,
    MEMORY_SIZE = 1 << MEMORY_BITS
};

enum location_mark { UNMARKED, GUESSED, TAKEN /* by a chain of the same node and caller */ };

/* Of a location, by first use. */
struct location_memory {
    uint32_t callee;       /* frame that it called last; 0: none */
    uint32_t newer, older; /* of its frame, by last use; FLM_NONE: no */
    uint32_t mark;
};

struct memory {
    struct flm_chain_walk *walk;
    const struct flm_profile *profile;
    uint32_t *parent, *start; /* by node; start: its first chain */
    uint32_t *own, *below;    /* by node: samples, and those of its subtree */
    uint8_t *calls;           /* by chain: whether it is a caller of another */
    struct location_memory *locations;
    uint32_t *newest;     /* by frame: its location that was used last */
    uint32_t *last_leaf;  /* by frame: the location of its last leaf */
    uint32_t *call;       /* by caller and callee: the location of the last call */
    uint32_t *call_after; /* the same, and by the location that the caller was called from */
    uint32_t *inlined;    /* by inlined function and the location that it is called from: its own */
    uint32_t chain;       /* the next one */
    bool damaged;
};

bool flm_chain_walk_init(struct flm_chain_walk *walk, const struct flm_profile *profile,
                         bool writing)
{
    const struct flm_sizes *s = &profile->sizes;
    size_t locations = ((size_t)s->location_count + 1) * sizeof(uint32_t);
    *walk = (struct flm_chain_walk){.profile = profile, .writing = writing};
    walk->location_frame = malloc(locations);
    walk->location_caller = malloc(locations);
    walk->chain_location = malloc(((size_t)s->chain_count + 1) * sizeof(uint32_t));
    if (!writing)
        return walk->location_frame && walk->location_caller && walk->chain_location;
    walk->location_number = malloc(locations);
    walk->first_use = malloc(locations);
    walk->location_start = malloc(((size_t)s->frame_count + 1) * sizeof(uint32_t));
    if (!walk->location_frame || !walk->location_caller || !walk->chain_location ||
        !walk->location_number || !walk->first_use || !walk->location_start)
        return false;
    memset(walk->first_use, 0xFF, locations);
    uint32_t start = 0;
    for (uint32_t i = 0; i < s->frame_count; i++) {
        walk->location_start[i] = start;
        start += profile->frame_locations[i];
    }
    return true;
}

void flm_chain_walk_clear(struct flm_chain_walk *walk)
{
    free(walk->location_frame);
    free(walk->location_caller);
    free(walk->location_number);
    free(walk->location_start);
    free(walk->first_use);
    free(walk->chain_location);
    *walk = (struct flm_chain_walk){0};
}

static uint32_t slot(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t hash = a * 0x9E3779B1u ^ b * 0x85EBCA6Bu ^ c * 0xC2B2AE35u;
    return (hash ^ hash >> 15) * 0x2C1B3C6Du >> (32 - MEMORY_BITS);
}

static uint32_t code(struct memory *m, enum flm_chain_symbol kind, uint32_t situation,
                     uint32_t symbol)
{
    return m->walk->code(m->walk->context, kind, situation, symbol);
}

/* ---- Locations ------------------------------------------------------------------------------- */

static void use_location(struct memory *m, uint32_t location)
{
    uint32_t *newest = &m->newest[m->walk->location_frame[location]];
    if (*newest == location)
        return;
    struct location_memory *l = &m->locations[location];
    m->locations[l->newer].older = l->older;
    if (l->older != FLM_NONE)
        m->locations[l->older].newer = l->newer;
    l->newer = FLM_NONE;
    l->older = *newest;
    m->locations[*newest].newer = location;
    *newest = location;
}

/* `number`: in the profile, when writing. */
static uint32_t new_location(struct memory *m, uint32_t frame, uint32_t caller, uint32_t number)
{
    struct flm_chain_walk *walk = m->walk;
    if (walk->location_count == m->profile->sizes.location_count || frame == 0 ||
        frame >= m->profile->sizes.frame_count) {
        m->damaged = true;
        return FLM_NONE;
    }
    uint32_t location = walk->location_count++, older = m->newest[frame];
    walk->location_frame[location] = frame;
    walk->location_caller[location] = caller;
    if (walk->writing) {
        walk->location_number[location] = number;
        walk->first_use[number] = location;
    }
    m->locations[location] = (struct location_memory){0, FLM_NONE, older, UNMARKED};
    if (older != FLM_NONE)
        m->locations[older].newer = location;
    m->newest[frame] = location;
    return location;
}

/* What a chain's location may be. */
struct guesses {
    uint32_t frame;
    uint32_t caller; /* the location of its caller */
    uint32_t location[MOST_GUESSES];
    uint32_t count;
    bool is_inlined; /* and its caller has a location */
    bool is_known;   /* where it is inlined in that */
    bool is_further; /* not the first of its group */
};

static void guess(struct memory *m, struct guesses *g, uint32_t location)
{
    if (location == FLM_NONE || m->walk->location_frame[location] != g->frame ||
        m->locations[location].mark != UNMARKED)
        return;
    m->locations[location].mark = GUESSED;
    g->location[g->count++] = location;
}

/* Among the recent locations of the frame that are not marked: when writing the place of `wanted`,
 * when reading the location at `*at`. FLM_NONE where there is none; `*at` is how many were seen. */
static uint32_t find_recent(const struct memory *m, uint32_t frame, uint32_t wanted, uint32_t *at)
{
    uint32_t place = 0, location = m->newest[frame];
    for (unsigned looked = 0; location != FLM_NONE && looked < MOST_RECENT; looked++) {
        if (m->locations[location].mark == UNMARKED) {
            if (m->walk->writing ? location == wanted : place == *at)
                break;
            place++;
        }
        location = looked + 1 < MOST_RECENT ? m->locations[location].older : FLM_NONE;
    }
    *at = place;
    return location;
}

static uint32_t any_location(struct memory *m, uint32_t frame, uint32_t wanted)
{
    uint32_t last = m->walk->location_count - 1;
    uint32_t ago = code(m, FLM_CHAIN_PLACE_AGO, 0, last - wanted);
    if (ago >= m->walk->location_count || m->walk->location_frame[last - ago] != frame ||
        m->locations[last - ago].mark != UNMARKED) {
        m->damaged = true;
        return FLM_NONE;
    }
    return last - ago;
}

static uint32_t place_situation(const struct memory *m, const struct guesses *g)
{
    uint32_t guesses = g->count < 3 ? g->count : 3;
    uint32_t inlined = g->is_inlined ? 1 + g->is_known : 0;
    return ((guesses * 2 + (m->newest[g->frame] != FLM_NONE)) * 3 + inlined) * 2 + g->is_further;
}

/* Symbols: the first guess, where there is one; a new location; an unknown one; further guesses;
 * recent locations; any other. */
static uint32_t code_location(struct memory *m, const struct guesses *g, enum flm_chain_symbol kind,
                              uint32_t wanted, uint32_t number)
{
    const uint32_t fresh = g->count > 0, unknown = fresh + 1, further = fresh + 2;
    const uint32_t recent = further + (g->count > 1 ? g->count - 1 : 0);
    uint32_t symbol = unknown, at = 0;
    if (m->walk->writing && number != FLM_NONE) {
        while (at < g->count && g->location[at] != wanted)
            at++;
        if (wanted == FLM_NONE) {
            symbol = fresh;
        } else if (at < g->count) {
            symbol = at == 0 ? 0 : further + at - 1;
        } else {
            find_recent(m, g->frame, wanted, &at);
            symbol = recent + at;
        }
    }
    symbol = code(m, kind, place_situation(m, g), symbol);
    if (symbol == fresh)
        return new_location(m, g->frame, g->caller, number);
    if (symbol == unknown)
        return FLM_NONE;
    if (symbol < recent)
        return g->location[symbol == 0 ? 0 : symbol - further + 1];
    at = symbol - recent;
    uint32_t found = find_recent(m, g->frame, wanted, &at);
    m->damaged |= symbol != recent + at;
    return found != FLM_NONE || m->damaged ? found : any_location(m, g->frame, wanted);
}

/* ---- Chains ---------------------------------------------------------------------------------- */

/* The chains of a node that have one caller. */
struct group {
    uint32_t node, frame, parent_frame;
    uint32_t caller;       /* from 0, among the chains of the parent */
    uint32_t caller_chain; /* among all */
    uint32_t location;     /* of the caller */
    bool is_leaf;
};

static void guess_calls(struct memory *m, struct guesses *g, const struct group *group,
                        uint32_t first)
{
    const struct flm_profile *p = m->profile;
    uint32_t callees[MOST_CHILDREN], count = 0, end = p->node_end[group->node];
    for (uint32_t i = group->node + 1; i < end && count < MOST_CHILDREN; i = p->node_end[i])
        callees[count++] = p->node_frame[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t callee = callees[(first + i) % count];
        guess(m, g, m->call_after[slot(group->location, g->frame, callee)]);
        guess(m, g, m->call[slot(0, g->frame, callee)]);
    }
    if (m->own[group->node] > 0)
        guess(m, g, m->last_leaf[g->frame]);
}

/* Where the location of inlined code is remembered by its caller's; NULL: it is not. */
static uint32_t *guess_inlined(struct memory *m, struct guesses *g)
{
    if (m->walk->without_inlined || g->caller == FLM_NONE ||
        m->profile->frames[g->frame].kind != FLM_KIND_INLINED)
        return NULL;
    uint32_t *inlined = &m->inlined[slot(g->caller, g->frame, 0)];
    g->is_inlined = true;
    g->is_known = *inlined != FLM_NONE;
    guess(m, g, *inlined);
    return inlined;
}

static void walk_chain(struct memory *m, const struct group *group, uint32_t index)
{
    struct flm_chain_walk *walk = m->walk;
    const struct flm_profile *p = m->profile;
    uint32_t chain = m->chain++, number = FLM_NONE, wanted = FLM_NONE;
    if (!walk->writing) {
        p->chain_caller[chain] = group->caller;
    } else if (p->chain_place[chain] > 0) {
        number = walk->location_start[group->frame] + p->chain_place[chain] - 1;
        wanted = walk->first_use[number];
    }
    struct guesses g = {.frame = group->frame, .caller = group->location, .is_further = index > 0};
    uint32_t *inlined = guess_inlined(m, &g);
    uint32_t *after = &m->call_after[slot(group->location, g.frame, 0)];
    if (group->is_leaf) {
        guess(m, &g, *after);
        guess(m, &g, m->last_leaf[g.frame]);
    } else {
        guess_calls(m, &g, group, index);
    }
    uint32_t location = code_location(
        m, &g, group->is_leaf ? FLM_CHAIN_PLACE_LEAF : FLM_CHAIN_PLACE_INNER, wanted, number);
    walk->chain_location[chain] = location;
    for (uint32_t i = 0; i < g.count; i++)
        m->locations[g.location[i]].mark = UNMARKED;
    if (location == FLM_NONE)
        return;
    use_location(m, location);
    if (inlined)
        *inlined = location;
    m->locations[location].mark = TAKEN;
    if (group->is_leaf)
        *after = m->last_leaf[g.frame] = location;
}

/* What is learned of the call that led to the group. */
static void remember_call(struct memory *m, const struct group *group)
{
    m->calls[group->caller_chain] = 1;
    if (group->location == FLM_NONE)
        return;
    uint32_t parent = m->parent[group->node], above = m->start[m->parent[parent]];
    uint32_t caller =
        m->walk->chain_location[above + m->profile->chain_caller[group->caller_chain]];
    m->locations[group->location].callee = group->frame;
    m->call[slot(0, group->parent_frame, group->frame)] = group->location;
    m->call_after[slot(caller, group->parent_frame, group->frame)] = group->location;
}

static uint32_t count_situation(enum flm_chain_symbol kind, uint32_t left)
{
    uint32_t situation = 0;
    while (kind != FLM_CHAIN_COUNT_SINGLE && situation + 1 < FLM_CHAIN_COUNT_SITUATIONS &&
           left > 1u << situation)
        situation++;
    return situation;
}

/* `left`: samples of the node that are not those of earlier chains, roughly; `end`: of the node's
 * chains, when writing. */
static void walk_group(struct memory *m, const struct group *group, uint32_t left, uint32_t end)
{
    const uint32_t *caller = m->profile->chain_caller, start = m->chain;
    uint32_t count = 1;
    if (m->walk->writing)
        while (start + count < end && caller[start + count] == group->caller)
            count++;
    enum flm_chain_symbol kind = left <= 1        ? FLM_CHAIN_COUNT_SINGLE
                                 : group->is_leaf ? FLM_CHAIN_COUNT_LEAF
                                                  : FLM_CHAIN_COUNT_INNER;
    uint64_t chains = (uint64_t)code(m, kind, count_situation(kind, left), count - 1) + 1;
    m->damaged |= chains > m->profile->sizes.chain_count - start;
    for (uint32_t i = 0; i < chains && !m->damaged; i++)
        walk_chain(m, group, i);
    for (uint32_t i = start; i < m->chain; i++)
        if (m->walk->chain_location[i] != FLM_NONE)
            m->locations[m->walk->chain_location[i]].mark = UNMARKED;
    if (!m->damaged)
        remember_call(m, group);
}

static uint32_t caller_situation(const struct memory *m, uint32_t node, uint32_t chain,
                                 uint32_t before)
{
    uint32_t location = m->walk->chain_location[chain], parent = m->parent[node];
    uint32_t callee = location == FLM_NONE ? 0 : m->locations[location].callee;
    uint32_t known = location == FLM_NONE                     ? 0
                     : callee == 0                            ? 1
                     : callee == m->profile->node_frame[node] ? 2
                                                              : 3;
    const bool facts[] = {before > 0, m->below[node] == 1, m->own[parent] > 0, m->calls[chain] > 0,
                          m->profile->node_end[node] == m->profile->node_end[parent]};
    for (size_t i = 0; i < sizeof facts; i++)
        known = known * 2 + facts[i];
    return known;
}

/* Whether a chain of the parent seems to call the node. */
static bool seems_to_call(const struct memory *m, uint32_t node, uint32_t chain, uint32_t before)
{
    uint32_t location = m->walk->chain_location[chain];
    if (m->below[node] == 1 && before > 0)
        return false;
    if (location != FLM_NONE && m->locations[location].callee)
        return m->locations[location].callee == m->profile->node_frame[node];
    return !m->calls[chain] && m->own[m->parent[node]] == 0;
}

/* The next caller of the node, from `from` on; FLM_NONE: there is no other. */
static uint32_t next_caller(struct memory *m, uint32_t node, uint32_t from, uint32_t end)
{
    const struct flm_profile *p = m->profile;
    uint32_t parent = m->parent[node], count = p->node_chains[parent];
    uint32_t before = m->chain - m->start[node];
    uint32_t actual = m->walk->writing && m->chain < end ? p->chain_caller[m->chain] : FLM_NONE;
    if (count > MOST_CALLERS) {
        uint32_t gap = code(m, FLM_CHAIN_CALLER_GAP, 0, actual == FLM_NONE ? 0 : actual - from + 1);
        m->damaged |= gap > count - from;
        return gap == 0 ? FLM_NONE : from + gap - 1;
    }
    for (uint32_t i = from; i < count; i++) {
        if (before == 0 && i == count - 1)
            return i; /* a node has a chain */
        uint32_t chain = m->start[parent] + i;
        bool seems = seems_to_call(m, node, chain, before);
        uint32_t situation = caller_situation(m, node, chain, before);
        if ((code(m, FLM_CHAIN_IS_CALLER, situation, (actual == i) != seems) != 0) != seems)
            return i;
    }
    return FLM_NONE;
}

static void walk_node(struct memory *m, uint32_t node)
{
    const struct flm_profile *p = m->profile;
    uint32_t parent = m->parent[node], start = m->chain;
    uint32_t end = m->walk->writing ? start + p->node_chains[node] : 0;
    struct group group = {.node = node,
                          .frame = p->node_frame[node],
                          .parent_frame = p->node_frame[parent],
                          .is_leaf = p->node_end[node] == node + 1};
    m->start[node] = start;
    m->damaged |= group.frame >= p->sizes.frame_count;
    for (uint32_t next = 0; !m->damaged; next = group.caller + 1) {
        group.caller = next_caller(m, node, next, end);
        if (group.caller == FLM_NONE || m->damaged)
            break;
        group.caller_chain = m->start[parent] + group.caller;
        group.location = m->walk->chain_location[group.caller_chain];
        uint32_t before = m->chain - start;
        walk_group(m, &group, m->below[node] > before ? m->below[node] - before : 0, end);
    }
    m->damaged |= m->chain == start;
    if (!m->walk->writing)
        p->node_chains[node] = m->chain - start;
}

static void walk_unused(struct memory *m)
{
    struct flm_chain_walk *walk = m->walk;
    if (walk->writing) {
        for (uint32_t frame = 0; frame < m->profile->sizes.frame_count; frame++) {
            uint32_t number = walk->location_start[frame];
            uint32_t end = number + m->profile->frame_locations[frame];
            for (; number < end; number++) {
                if (walk->first_use[number] != FLM_NONE)
                    continue;
                code(m, FLM_CHAIN_UNUSED, 0, frame);
                new_location(m, frame, FLM_NONE, number);
            }
        }
        code(m, FLM_CHAIN_UNUSED, 0, 0);
        return;
    }
    for (uint32_t frame = 0; !m->damaged && (frame = code(m, FLM_CHAIN_UNUSED, 0, 0)) != 0;)
        new_location(m, frame, FLM_NONE, FLM_NONE);
}

static bool memory_init(struct memory *m, struct flm_chain_walk *walk)
{
    const struct flm_profile *p = walk->profile;
    size_t nodes = p->sizes.node_count, frames = p->sizes.frame_count;
    *m = (struct memory){.walk = walk, .profile = p};
    m->parent = malloc(nodes * sizeof(uint32_t));
    m->start = malloc(nodes * sizeof(uint32_t));
    m->own = calloc(nodes, sizeof(uint32_t));
    m->below = malloc(nodes * sizeof(uint32_t));
    m->calls = calloc((size_t)p->sizes.chain_count + 1, 1);
    m->locations = malloc(((size_t)p->sizes.location_count + 1) * sizeof *m->locations);
    m->newest = malloc(frames * sizeof(uint32_t));
    m->last_leaf = malloc(frames * sizeof(uint32_t));
    m->call = malloc(MEMORY_SIZE * sizeof(uint32_t));
    m->call_after = malloc(MEMORY_SIZE * sizeof(uint32_t));
    m->inlined = malloc(MEMORY_SIZE * sizeof(uint32_t));
    if (!m->parent || !m->start || !m->own || !m->below || !m->calls || !m->locations ||
        !m->newest || !m->last_leaf || !m->call || !m->call_after || !m->inlined)
        return false;
    memset(m->newest, 0xFF, frames * sizeof(uint32_t));
    memset(m->last_leaf, 0xFF, frames * sizeof(uint32_t));
    memset(m->call, 0xFF, MEMORY_SIZE * sizeof(uint32_t));
    memset(m->call_after, 0xFF, MEMORY_SIZE * sizeof(uint32_t));
    memset(m->inlined, 0xFF, MEMORY_SIZE * sizeof(uint32_t));
    flm_profile_parents(p, m->parent);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        if (p->sample_node[i] < nodes)
            m->own[p->sample_node[i]]++;
        else
            m->damaged = true;
    }
    memcpy(m->below, m->own, nodes * sizeof(uint32_t));
    for (uint32_t i = p->sizes.node_count - 1; i > 0; i--)
        m->below[m->parent[i]] += m->below[i];
    return true;
}

static void memory_clear(struct memory *m)
{
    free(m->parent);
    free(m->start);
    free(m->own);
    free(m->below);
    free(m->calls);
    free(m->locations);
    free(m->newest);
    free(m->last_leaf);
    free(m->call);
    free(m->call_after);
    free(m->inlined);
}

enum flm_chain_walk_result flm_chain_walk(struct flm_chain_walk *walk)
{
    const struct flm_profile *p = walk->profile;
    struct memory m;
    if (!memory_init(&m, walk)) {
        memory_clear(&m);
        return FLM_CHAIN_NO_MEMORY;
    }
    m.start[0] = 0;
    m.chain = 1;
    walk->chain_location[0] = FLM_NONE;
    if (!walk->writing) {
        p->node_chains[0] = 1;
        p->chain_caller[0] = 0;
    }
    for (uint32_t i = 1; i < p->sizes.node_count && !m.damaged; i++)
        walk_node(&m, i);
    walk_unused(&m);
    bool whole = !m.damaged && m.chain == p->sizes.chain_count &&
                 walk->location_count == p->sizes.location_count;
    memory_clear(&m);
    return whole ? FLM_CHAIN_WALKED : FLM_CHAIN_DAMAGED;
}
