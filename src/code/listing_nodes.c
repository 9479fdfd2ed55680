/* listing_nodes.c - the stacks that a listing is made of: those parts of them that are the
 * function, and what was inlined into it.
 *
 *     main:9;parse:40;lex:7;~same:31      of lex:   lex:7;~same:31
 *     main:9;parse:40;skip;lex:8                    lex:8
 *
 * A function is a small part of a large profile: to split all of it by locations (profile/chains.h)
 * takes longer than everything else. So only the nodes of the function are split, and the others
 * are passed. */
#include "base/core/array.h"
#include "code/internal.h"
#include "profile/chains.h"

enum { DROPPED, BETWEEN, KEPT };
enum { NEVER, ALWAYS, BY_LOCATION };

struct choosing {
    const struct flm_listing_subject *subject;
    const struct flm_profile *p;
    bool has_chains;
    struct flm_chain_table table;       /* where it has chains */
    uint32_t chain_count;               /* a node without chains is one */
    uint32_t *parent;                   /* by node */
    unsigned char *state;               /* by node: BETWEEN was called by the function */
    double *total, *total_before;       /* by chain */
    uint32_t *made;                     /* by chain: its entry, or the one above it; 0: none */
    struct FLM_ARRAY(uint32_t) entries; /* of kept nodes: the chain; 0: the root */
    struct FLM_ARRAY(uint32_t) nodes;   /* and its node */
    struct FLM_ARRAY(uint32_t) above;   /* and the entry that calls it */
    struct FLM_ARRAY(uint32_t) open;    /* entries whose subtree is being written */
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

static void choose_nodes(struct choosing *c)
{
    const struct flm_profile *p = c->p;
    c->state[0] = DROPPED;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i];
        unsigned char above = c->state[c->parent[i]];
        bool is_kept = c->out->is_subject[frame] != NEVER ||
                       (above == KEPT && p->frames[frame].kind == FLM_KIND_INLINED);
        c->state[i] = is_kept ? KEPT : above == DROPPED ? DROPPED : BETWEEN;
    }
}

/* ---- Chains ---------------------------------------------------------------------------------- */

static uint32_t first_chain(const struct choosing *c, uint32_t node)
{
    return c->has_chains ? c->table.start[node] : node;
}

static uint32_t caller_of(const struct choosing *c, uint32_t node, uint32_t chain)
{
    return first_chain(c, c->parent[node]) + (c->has_chains ? c->p->chain_caller[chain] : 0);
}

static double value_of(const struct choosing *c, struct flm_metric metric, uint32_t node,
                       uint32_t chain)
{
    return c->has_chains ? flm_chain_value(&c->table, metric.index, node, chain)
                         : flm_self_column(c->p, metric.index)[node];
}

static double *totals(const struct choosing *c, struct flm_metric metric)
{
    double *total = calloc(c->chain_count, sizeof *total);
    for (uint32_t node = c->p->sizes.node_count; total && node-- > 1;) {
        if (c->state[node] == DROPPED)
            continue;
        for (uint32_t i = first_chain(c, node); i < first_chain(c, node + 1); i++) {
            total[i] += value_of(c, metric, node, i);
            total[caller_of(c, node, i)] += total[i];
        }
    }
    return total;
}

static bool list_entries(struct choosing *c)
{
    bool good =
        FLM_ARRAY_ADD(&c->entries, 0) && FLM_ARRAY_ADD(&c->nodes, 0) && FLM_ARRAY_ADD(&c->above, 0);
    for (uint32_t node = 1; good && node < c->p->sizes.node_count; node++) {
        if (c->state[node] == DROPPED)
            continue;
        for (uint32_t i = first_chain(c, node); good && i < first_chain(c, node + 1); i++) {
            uint32_t above = c->made[caller_of(c, node, i)];
            c->made[i] = c->state[node] == KEPT ? (uint32_t)c->entries.count : above;
            if (c->state[node] == KEPT)
                good = FLM_ARRAY_ADD(&c->above, above) && FLM_ARRAY_ADD(&c->entries, i) &&
                       FLM_ARRAY_ADD(&c->nodes, node);
        }
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
    uint32_t node = c->nodes.at[entry], chain = c->entries.at[entry], frame = p->node_frame[node];
    uint32_t location = c->has_chains ? flm_chain_location(&c->table, node, chain) + 1
                                      : flm_frame_location(&p->frames[frame]);
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
    uint32_t frames = p->sizes.frame_count, nodes = p->sizes.node_count;
    c->chain_count = c->has_chains ? p->sizes.chain_count : nodes;
    c->out->is_subject = calloc((size_t)frames + 1, 1);
    c->parent = malloc(nodes * sizeof *c->parent);
    c->state = malloc(nodes);
    c->made = calloc(c->chain_count, sizeof *c->made);
    if (!c->out->is_subject || !c->parent || !c->state || !c->made ||
        (c->has_chains && !flm_chain_table_init(&c->table, p, NULL)))
        return false;
    for (uint32_t i = 1; i < frames; i++)
        c->out->is_subject[i] = kind_of_frame(c, i);
    flm_profile_parents(p, c->parent);
    choose_nodes(c);
    bool compares = c->subject->before.index != FLM_NONE;
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
    if (c.has_chains)
        flm_chain_table_clear(&c.table);
    free(c.parent);
    free(c.state);
    free(c.total);
    free(c.total_before);
    free(c.made);
    free(c.first_child);
    free(c.next_sibling);
    free(c.place);
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
