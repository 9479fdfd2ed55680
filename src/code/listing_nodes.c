/* listing_nodes.c - the stacks that a listing is made of: those parts of them that are the
 * function, and what was inlined into it.
 *
 *     main:9;parse:40;lex:7;~same:31      of lex:   lex:7;~same:31
 *     main:9;parse:40;skip;lex:8                    lex:8
 *
 * A function is a small part of a large profile: to split all of it by locations (profile/chains.h)
 * takes longer than everything else. So one pass finds the subtrees of the function, which is all
 * that is looked at then, and only its own nodes in them are split. Nodes of these subtrees are
 * numbered from 1, and so are their chains; 0 is what calls them. */
#include "base/core/array.h"
#include "code/internal.h"
#include "profile/chains.h"

enum { OUTSIDE, BETWEEN, KEPT };
enum { NEVER, ALWAYS, BY_LOCATION };

/* A subtree whose root is the function, and nothing above is. */
struct subtree {
    uint32_t node;         /* of the profile */
    uint32_t chain, value; /* of the profile: its first chain, and where its shared values begin */
};

struct choosing {
    const struct flm_listing_subject *subject;
    const struct flm_profile *p;
    bool has_chains;          /* a node without chains is one */
    uint32_t *location_start; /* by frame: its first location */
    struct FLM_ARRAY(struct subtree) subtrees;
    uint32_t node_count, chain_count;             /* of all subtrees, and 1 */
    uint32_t *node;                               /* of the profile */
    uint32_t *parent;                             /* 0: the root of a subtree */
    uint32_t *first;                              /* the first chain; one more, where they end */
    uint32_t *chain, *value;                      /* that of the profile, its values there */
    unsigned char *state;                         /* BETWEEN was called by the function */
    double *total, *total_before;                 /* by chain */
    uint32_t *made;                               /* by chain: its entry, or the one above it */
    struct FLM_ARRAY(uint32_t) entries;           /* of kept nodes: the chain; 0: the root */
    struct FLM_ARRAY(uint32_t) nodes;             /* and its node */
    struct FLM_ARRAY(uint32_t) above;             /* and the entry that calls it */
    struct FLM_ARRAY(uint32_t) open;              /* entries whose subtree is being written */
    uint32_t *first_child, *next_sibling, *place; /* by entry; 0: none */
    struct flm_code_nodes *out;
};

/* ---- What is kept ---------------------------------------------------------------------------- */

struct flm_location flm_code_where(const struct flm_code_nodes *nodes, uint32_t frame,
                                   uint32_t location)
{
    const struct flm_frame_record *f = &nodes->profile->frames[frame];
    struct flm_location where = {.line = 0};
    if (location != 0)
        where = flm_location_at(nodes->profile, location - 1);
    if (where.line == 0) {
        where.line = nodes->frames_have_lines ? f->line : 0;
        where.file = 0;
    }
    if (where.file == 0)
        where.file = f->file;
    return where;
}

static bool is_subject(const struct flm_listing_subject *s, const struct flm_frame_record *f,
                       uint32_t file)
{
    if (s->file)
        return (f->file ? f->file : file) == s->file;
    return f->function == s->function && f->module == s->module &&
           (!s->in_file || (f->file ? f->file : file) == s->in_file);
}

static unsigned char kind_of_frame(const struct choosing *c, uint32_t frame)
{
    const struct flm_listing_subject *s = c->subject;
    const struct flm_frame_record *f = &c->p->frames[frame];
    bool needs_file = s->file || s->in_file;
    bool is_function = s->file || (f->function == s->function && f->module == s->module);
    if (c->has_chains && needs_file && is_function && f->file == 0)
        return BY_LOCATION;
    struct flm_location where = flm_code_where(c->out, frame, flm_frame_location(f));
    return is_subject(s, f, where.file) ? ALWAYS : NEVER;
}

static uint32_t chains_of(const struct choosing *c, uint32_t node)
{
    return c->has_chains ? c->p->node_chains[node] : 1;
}

static bool find_subtrees(struct choosing *c)
{
    const struct flm_profile *p = c->p;
    uint32_t chain = 0, value = 0, end = 0;
    c->node_count = c->chain_count = 1;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        uint32_t chains = chains_of(c, i);
        if (i >= end && c->out->is_subject[p->node_frame[i]] != NEVER) {
            if (!FLM_ARRAY_ADD(&c->subtrees, ((struct subtree){i, chain, value})))
                return false;
            end = p->node_end[i];
            c->node_count += end - i;
        }
        c->chain_count += i < end ? chains : 0;
        chain += chains;
        value += chains > 1 ? chains : 0;
    }
    return true;
}

static void number_nodes(struct choosing *c)
{
    const struct flm_profile *p = c->p;
    uint32_t number = 1, first = 1;
    for (size_t i = 0; i < c->subtrees.count; i++) {
        struct subtree at = c->subtrees.at[i];
        uint32_t root = number, end = p->node_end[at.node];
        for (uint32_t node = at.node; node < end; node++, number++) {
            uint32_t chains = chains_of(c, node), above = number == root ? 0 : number - 1;
            while (above && p->node_end[c->node[above]] <= node)
                above = c->parent[above];
            c->node[number] = node;
            c->parent[number] = above;
            c->first[number] = first;
            c->chain[number] = at.chain;
            c->value[number] = at.value;
            first += chains;
            at.chain += chains;
            at.value += chains > 1 ? chains : 0;
        }
    }
    c->first[number] = first;
}

static void choose_nodes(struct choosing *c)
{
    const struct flm_profile *p = c->p;
    c->state[0] = OUTSIDE;
    for (uint32_t i = 1; i < c->node_count; i++) {
        uint32_t frame = p->node_frame[c->node[i]];
        bool is_inlined = p->frames[frame].kind == FLM_KIND_INLINED;
        bool is_kept =
            c->out->is_subject[frame] != NEVER || (c->state[c->parent[i]] == KEPT && is_inlined);
        c->state[i] = is_kept ? KEPT : BETWEEN;
    }
}

/* ---- Chains ---------------------------------------------------------------------------------- */

static uint32_t caller_of(const struct choosing *c, uint32_t node, uint32_t chain)
{
    uint32_t above = c->parent[node];
    if (above == 0 || !c->has_chains)
        return c->first[above];
    return c->first[above] + c->p->chain_caller[c->chain[node] + (chain - c->first[node])];
}

static double value_of(const struct choosing *c, struct flm_metric metric, uint32_t node,
                       uint32_t chain)
{
    const struct flm_profile *p = c->p;
    const struct flm_listing_subject *s = c->subject;
    bool is_scaled = metric.index == s->before.index && s->before_scale != 0;
    double scale = is_scaled ? s->before_scale : 1;
    if (c->first[node + 1] - c->first[node] == 1)
        return scale * flm_self_column(p, metric.index)[c->node[node]];
    return scale * p->chain_value[(size_t)metric.index * p->sizes.shared_count + c->value[node] +
                                  (chain - c->first[node])];
}

/* flm_location_at, and 1; 0: not known */
static uint32_t location_of(const struct choosing *c, uint32_t node, uint32_t chain)
{
    uint32_t frame = c->p->node_frame[c->node[node]];
    if (!c->has_chains)
        return flm_frame_location(&c->p->frames[frame]);
    uint32_t place = c->p->chain_place[c->chain[node] + (chain - c->first[node])];
    return place == 0 ? 0 : c->location_start[frame] + place;
}

static double *totals(const struct choosing *c, struct flm_metric metric)
{
    double *total = calloc(c->chain_count, sizeof *total);
    for (uint32_t node = c->node_count; total && node-- > 1;)
        for (uint32_t i = c->first[node]; i < c->first[node + 1]; i++) {
            total[i] += value_of(c, metric, node, i);
            total[caller_of(c, node, i)] += total[i];
        }
    return total;
}

static bool list_entries(struct choosing *c)
{
    bool good =
        FLM_ARRAY_ADD(&c->entries, 0) && FLM_ARRAY_ADD(&c->nodes, 0) && FLM_ARRAY_ADD(&c->above, 0);
    for (uint32_t node = 1; good && node < c->node_count; node++)
        for (uint32_t i = c->first[node]; good && i < c->first[node + 1]; i++) {
            uint32_t above = c->made[caller_of(c, node, i)];
            c->made[i] = c->state[node] == KEPT ? (uint32_t)c->entries.count : above;
            if (c->state[node] == KEPT)
                good = FLM_ARRAY_ADD(&c->above, above) && FLM_ARRAY_ADD(&c->entries, i) &&
                       FLM_ARRAY_ADD(&c->nodes, node);
        }
    return good;
}

/* ---- In order -------------------------------------------------------------------------------- */

static bool link_entries(struct choosing *c)
{
    size_t count = c->entries.count;
    c->first_child = calloc(count, sizeof *c->first_child);
    c->next_sibling = calloc(count, sizeof *c->next_sibling);
    c->place = calloc(count, sizeof *c->place);
    if (!c->first_child || !c->next_sibling || !c->place)
        return false;
    for (uint32_t i = (uint32_t)count; i-- > 1;) {
        uint32_t above = c->above.at[i];
        c->next_sibling[i] = c->first_child[above];
        c->first_child[above] = i;
    }
    return true;
}

static void write_node(struct choosing *c, uint32_t entry)
{
    const struct flm_listing_subject *s = c->subject;
    const struct flm_profile *p = c->p;
    uint32_t node = c->nodes.at[entry], chain = c->entries.at[entry];
    uint32_t frame = p->node_frame[c->node[node]], location = location_of(c, node, chain);
    struct flm_code_node *made = &c->out->at[c->out->count++];
    *made = (struct flm_code_node){
        .frame = frame,
        .location = location,
        .is_apart = c->state[c->parent[node]] != KEPT,
        .cost = {value_of(c, s->metric, node, chain), c->total[chain]},
    };
    if (c->total_before)
        made->before =
            (struct flm_listing_cost){value_of(c, s->before, node, chain), c->total_before[chain]};
    made->is_subject =
        c->out->is_subject[frame] == BY_LOCATION
            ? is_subject(s, &p->frames[frame], flm_code_where(c->out, frame, location).file)
            : c->out->is_subject[frame] == ALWAYS;
}

/* Down to the first child, else on to the next sibling, of the entry or of the nearest open one. */
static bool write_nodes(struct choosing *c)
{
    c->out->at = malloc(c->entries.count * sizeof *c->out->at);
    if (!c->out->at)
        return false;
    for (uint32_t entry = c->first_child[0]; entry != 0;) {
        c->place[entry] = c->out->count;
        write_node(c, entry);
        if (!FLM_ARRAY_ADD(&c->open, entry))
            return false;
        uint32_t next = c->first_child[entry];
        while (next == 0 && c->open.count > 0) {
            uint32_t closed = c->open.at[--c->open.count];
            c->out->at[c->place[closed]].end = c->out->count;
            next = c->next_sibling[closed];
        }
        entry = next;
    }
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool collect(struct choosing *c)
{
    const struct flm_profile *p = c->p;
    uint32_t frames = p->sizes.frame_count;
    bool compares = c->subject->before.index != FLM_NONE;
    c->out->is_subject = calloc((size_t)frames + 1, 1);
    c->location_start = calloc((size_t)frames + 1, sizeof *c->location_start);
    if (!c->out->is_subject || !c->location_start)
        return false;
    for (uint32_t i = 1; i < frames; i++)
        c->out->is_subject[i] = kind_of_frame(c, i);
    for (uint32_t i = 0; i < frames && c->has_chains; i++)
        c->location_start[i + 1] = c->location_start[i] + p->frame_locations[i];
    if (!find_subtrees(c))
        return false;
    size_t count = (size_t)c->node_count + 1;
    c->node = calloc(count, sizeof *c->node);
    c->parent = calloc(count, sizeof *c->parent);
    c->first = calloc(count, sizeof *c->first);
    c->chain = calloc(count, sizeof *c->chain);
    c->value = calloc(count, sizeof *c->value);
    c->state = calloc(count, 1);
    c->made = calloc(c->chain_count, sizeof *c->made);
    if (!c->node || !c->parent || !c->first || !c->chain || !c->value || !c->state || !c->made)
        return false;
    number_nodes(c);
    choose_nodes(c);
    c->total = totals(c, c->subject->metric);
    c->total_before = compares ? totals(c, c->subject->before) : NULL;
    return c->total && (!compares || c->total_before) && list_entries(c) && link_entries(c) &&
           write_nodes(c);
}

bool flm_code_nodes_init(struct flm_code_nodes *nodes, const struct flm_listing_subject *subject)
{
    const struct flm_profile *p = subject->profile;
    *nodes = (struct flm_code_nodes){
        .profile = p, .frames_have_lines = flm_profile_note_named(p, FLM_NOTE_LINES).size > 0};
    struct choosing c = {.subject = subject, .p = p, .has_chains = flm_has_chains(p), .out = nodes};
    bool good = collect(&c);
    uint32_t *const columns[] = {c.location_start, c.node, c.parent,      c.first,        c.chain,
                                 c.value,          c.made, c.first_child, c.next_sibling, c.place};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        free(columns[i]);
    free(c.state);
    free(c.total);
    free(c.total_before);
    FLM_ARRAY_CLEAR(&c.subtrees);
    FLM_ARRAY_CLEAR(&c.entries);
    FLM_ARRAY_CLEAR(&c.nodes);
    FLM_ARRAY_CLEAR(&c.above);
    FLM_ARRAY_CLEAR(&c.open);
    if (!good)
        flm_code_nodes_clear(nodes);
    return good;
}

void flm_code_nodes_clear(struct flm_code_nodes *nodes)
{
    free(nodes->at);
    free(nodes->is_subject);
    *nodes = (struct flm_code_nodes){0};
}
