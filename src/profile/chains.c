#include "profile/chains.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "profile/recursion.h"

bool flm_chain_table_init(struct flm_chain_table *t, const struct flm_profile *p,
                          struct flm_error *why)
{
    assert(t && p && flm_has_chains(p));
    const struct flm_sizes *s = &p->sizes;
    *t = (struct flm_chain_table){
        .profile = p,
        .start = malloc(((size_t)s->node_count + 1) * sizeof(uint32_t)),
        .value_start = malloc(((size_t)s->node_count + 1) * sizeof(uint32_t)),
        .location_start = malloc(((size_t)s->frame_count + 1) * sizeof(uint32_t)),
    };
    if (!t->start || !t->value_start || !t->location_start) {
        flm_chain_table_clear(t);
        return flm_error_memory(why);
    }
    uint32_t start = 0, value_start = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        t->start[i] = start;
        t->value_start[i] = value_start;
        start += p->node_chains[i];
        value_start += p->node_chains[i] > 1 ? p->node_chains[i] : 0;
    }
    t->start[s->node_count] = start;
    t->location_start[0] = 0;
    for (uint32_t i = 0; i < s->frame_count; i++)
        t->location_start[i + 1] = t->location_start[i] + p->frame_locations[i];
    return true;
}

void flm_chain_table_clear(struct flm_chain_table *t)
{
    free(t->start);
    free(t->value_start);
    free(t->location_start);
    *t = (struct flm_chain_table){0};
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* The tree of chains: children in the order of their nodes, then of their locations, which is the
 * order of the frames that they become. */
struct splitting {
    const struct flm_profile *p;
    struct flm_chain_table table;
    uint32_t *first_child, *next_sibling; /* by chain; 0: none */
    uint32_t *node;                       /* by chain: its node */
    uint32_t *new_node;                   /* by chain: its node in the result */
    uint32_t *plain;       /* by frame: what it becomes without a location; 0: it is not in use */
    uint32_t *of_location; /* by location: the frame that it becomes */
    uint32_t frame_count;
    struct FLM_ARRAY(uint32_t) open; /* chains whose subtree is being written */
    struct flm_profile *out;
};

static void link_chains(struct splitting *s)
{
    const struct flm_profile *p = s->p;
    for (uint32_t node = p->sizes.node_count; node-- > 1;) {
        /* The parent is the last node before it that is not closed: found by the caller's pass. */
        uint32_t parent = s->new_node[node];
        for (uint32_t chain = s->table.start[node + 1]; chain-- > s->table.start[node];) {
            uint32_t caller = s->table.start[parent] + p->chain_caller[chain];
            s->node[chain] = node;
            s->next_sibling[chain] = s->first_child[caller];
            s->first_child[caller] = chain;
            if (p->chain_place[chain] == 0)
                s->plain[p->node_frame[node]] = 1;
        }
    }
    s->node[0] = 0;
    s->plain[0] = 1;
}

/* Frames in the order of the profile: each without a location, where it is in use, then at each of
 * its locations. */
static void number_frames(struct splitting *s)
{
    for (uint32_t frame = 0; frame < s->p->sizes.frame_count; frame++) {
        s->plain[frame] = s->plain[frame] ? s->frame_count++ : FLM_NONE;
        for (uint32_t i = s->table.location_start[frame]; i < s->table.location_start[frame + 1];
             i++)
            s->of_location[i] = s->frame_count++;
    }
}

static void write_frames(struct splitting *s)
{
    const struct flm_profile *p = s->p;
    for (uint32_t frame = 0; frame < p->sizes.frame_count; frame++) {
        if (s->plain[frame] != FLM_NONE)
            s->out->frames[s->plain[frame]] = p->frames[frame];
        for (uint32_t i = s->table.location_start[frame]; i < s->table.location_start[frame + 1];
             i++) {
            s->out->frames[s->of_location[i]] = flm_frame_located(&p->frames[frame], i + 1);
            s->out->frame_locations[s->of_location[i]] = 1;
        }
    }
}

static void write_node(struct splitting *s, uint32_t chain, uint32_t made)
{
    const struct flm_profile *p = s->p;
    uint32_t node = s->node[chain], location = flm_chain_location(&s->table, node, chain);
    s->new_node[chain] = made;
    s->out->node_frame[made] =
        location == FLM_NONE ? s->plain[p->node_frame[node]] : s->of_location[location];
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        flm_self_column(s->out, m)[made] = flm_chain_value(&s->table, m, node, chain);
}

/* Down to the first child, else on to the next sibling, of the chain or of the nearest open one. */
static bool write_nodes(struct splitting *s)
{
    uint32_t made = 0;
    for (uint32_t chain = 0;;) {
        write_node(s, chain, made++);
        if (!FLM_ARRAY_ADD(&s->open, chain))
            return false;
        uint32_t next = s->first_child[chain];
        while (next == 0) {
            uint32_t closed = s->open.at[--s->open.count];
            s->out->node_end[s->new_node[closed]] = made;
            if (s->open.count == 0)
                return true;
            next = s->next_sibling[closed];
        }
        chain = next;
    }
}

static void copy_columns(struct splitting *s)
{
    const struct flm_profile *p = s->p;
    struct flm_profile *out = s->out;
    const struct flm_sizes *n = &p->sizes;
    const struct {
        void *to;
        const void *from;
        uint64_t size;
    } columns[] = {
        {out->string_ends, p->string_ends, n->string_count * sizeof *p->string_ends},
        {out->string_bytes, p->string_bytes, n->string_bytes},
        {out->metrics, p->metrics, n->metric_count * sizeof *p->metrics},
        {out->notes, p->notes, n->note_count * sizeof *p->notes},
        {out->losses, p->losses, n->loss_count * sizeof *p->losses},
        {out->labels, p->labels, n->label_count * sizeof *p->labels},
        {out->label_set_ends, p->label_set_ends, n->label_set_count * sizeof *p->label_set_ends},
        {out->set_members, p->set_members, n->set_member_count * sizeof *p->set_members},
        {out->sample_time, p->sample_time, n->sample_count * sizeof *p->sample_time},
        {out->sample_labels, p->sample_labels, n->sample_count * sizeof *p->sample_labels},
        {out->sample_duration, p->sample_duration, n->duration_count * sizeof *p->sample_duration},
        {out->markers, p->markers, n->marker_count * sizeof *p->markers},
        {out->counters, p->counters, n->counter_count * sizeof *p->counters},
        {out->point_time, p->point_time, n->point_count * sizeof *p->point_time},
        {out->point_value, p->point_value, n->point_count * sizeof *p->point_value},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i].size > 0)
            memcpy(columns[i].to, columns[i].from, (size_t)columns[i].size);
    for (uint32_t m = 0; m < n->metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(p, m);
        flm_sample_values_expand(&values, 0, n->sample_count, flm_sample_column(out, m));
    }
    for (uint32_t i = 0; i < n->location_count; i++) {
        struct flm_location location = flm_location_at(p, i);
        flm_location_set(out, i, &location);
    }
    for (uint32_t i = 0; i < n->sample_count; i++)
        out->sample_node[i] = s->new_node[s->table.start[p->sample_node[i]] + p->sample_chain[i]];
}

static bool copy_depths(struct splitting *s, struct flm_error *why)
{
    if (s->p->sizes.recursion_count == 0)
        return true;
    struct flm_depths *depths = flm_depths_new(s->out->sizes.node_count);
    if (!depths)
        return flm_error_memory(why);
    for (uint32_t chain = 0; chain < s->p->sizes.chain_count; chain++)
        depths[s->new_node[chain]] = flm_recursion_at(s->p, s->node[chain]);
    bool set = flm_recursion_set(s->out, depths, s->out->sizes.node_count, NULL, why);
    free(depths);
    return set;
}

static bool split(struct splitting *s, struct flm_error *why)
{
    const struct flm_profile *p = s->p;
    size_t chains = p->sizes.chain_count, frames = p->sizes.frame_count;
    if (!flm_chain_table_init(&s->table, p, why))
        return false;
    s->first_child = calloc(chains, sizeof(uint32_t));
    s->next_sibling = calloc(chains, sizeof(uint32_t));
    s->node = malloc(chains * sizeof(uint32_t));
    s->new_node = malloc(chains * sizeof(uint32_t)); /* at first: the parents of the nodes */
    s->plain = calloc(frames, sizeof(uint32_t));
    s->of_location = malloc(((size_t)p->sizes.location_count + 1) * sizeof(uint32_t));
    if (!s->first_child || !s->next_sibling || !s->node || !s->new_node || !s->plain ||
        !s->of_location)
        return flm_error_memory(why);
    flm_profile_parents(p, s->new_node);
    link_chains(s);
    number_frames(s);
    struct flm_sizes sizes = p->sizes;
    sizes.node_count = sizes.chain_count;
    sizes.frame_count = s->frame_count;
    sizes.chain_count = sizes.shared_count = sizes.recursion_count = 0;
    sizes.compact_values = false;
    s->out = flm_profile_allocate(&sizes, why);
    if (!s->out)
        return false;
    write_frames(s);
    if (!write_nodes(s))
        return flm_error_memory(why);
    copy_columns(s);
    return copy_depths(s, why);
}

struct flm_profile *flm_profile_split(const struct flm_profile *p, struct flm_error *why)
{
    struct splitting s = {.p = p};
    bool good = split(&s, why);
    flm_chain_table_clear(&s.table);
    free(s.first_child);
    free(s.next_sibling);
    free(s.node);
    free(s.new_node);
    free(s.plain);
    free(s.of_location);
    FLM_ARRAY_CLEAR(&s.open);
    if (!good) {
        flm_profile_free(s.out);
        return NULL;
    }
    return s.out;
}

/* ---- Checking -------------------------------------------------------------------------------- */

static bool broken(struct flm_error *why, const char *what, uint64_t index, const char *promise)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "%s %llu %s", what, (unsigned long long)index,
                         promise);
}

static bool ascends(const struct flm_location *a, const struct flm_location *b)
{
    if (a->address != b->address)
        return a->address < b->address;
    if (a->file != b->file)
        return a->file < b->file;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

static bool check_locations(const struct flm_profile *p, struct flm_error *why)
{
    uint64_t end = 0, at = 0;
    if (p->sizes.location_count > FLM_MOST_LOCATIONS)
        return broken(why, "location", FLM_MOST_LOCATIONS, "is one more than a profile may have");
    for (uint32_t frame = 0; frame < p->sizes.frame_count && p->sizes.location_count > 0; frame++) {
        end += p->frame_locations[frame];
        if (end > p->sizes.location_count || (frame == 0 && end > 0))
            return broken(why, "frame", frame, "has locations that are not there");
        for (uint64_t first = at; at < end; at++) {
            struct flm_location location = flm_location_at(p, (uint32_t)at);
            if (location.file >= p->sizes.string_count)
                return broken(why, "location", at, "names a string that is not there");
            struct flm_location before = flm_location_at(p, (uint32_t)(at > first ? at - 1 : at));
            if (at > first && !ascends(&before, &location))
                return broken(why, "location", at, "is not after the one before it");
        }
    }
    return end == p->sizes.location_count ||
           flm_error_set(why, FLM_ERROR_FORMAT, "there are locations after those of the frames");
}

/* The chains of one node. `callers` is how many its parent has, `places` how many locations its
 * frame. */
static bool check_node(const struct flm_profile *p, uint32_t first, uint32_t count,
                       uint32_t callers, uint32_t places, struct flm_error *why)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (p->chain_caller[i] >= callers)
            return broken(why, "chain", i, "names a caller that is not there");
        if (p->chain_place[i] > places)
            return broken(why, "chain", i, "names a location that is not there");
        if (i > first && (p->chain_caller[i] < p->chain_caller[i - 1] ||
                          (p->chain_caller[i] == p->chain_caller[i - 1] &&
                           p->chain_place[i] <= p->chain_place[i - 1])))
            return broken(why, "chain", i, "is not after the one before it");
    }
    return true;
}

/* That there are as many as the nodes say. */
static bool check_counts(const struct flm_profile *p, struct flm_error *why)
{
    uint64_t chains = 0, shared = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (p->node_chains[i] == 0 || (i == 0 && p->node_chains[i] != 1))
            return broken(why, "node", i, "has an impossible number of chains");
        chains += p->node_chains[i];
        shared += p->node_chains[i] > 1 ? p->node_chains[i] : 0;
    }
    if (chains != p->sizes.chain_count ||
        (p->sizes.metric_count > 0 && shared != p->sizes.shared_count))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "there are other chains than those of the nodes");
    return true;
}

static bool check_samples(const struct flm_profile *p, struct flm_error *why)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_chain[i] >= p->node_chains[p->sample_node[i]])
            return broken(why, "sample", i, "names a chain that is not there");
    return true;
}

/* The chains of a node add up to its self value, but for what sums of fractions are rounded by. */
static bool check_values(const struct flm_chain_table *t, uint32_t node, struct flm_error *why)
{
    const struct flm_profile *p = t->profile;
    for (uint32_t m = 0; m < p->sizes.metric_count && p->node_chains[node] > 1; m++) {
        double self = flm_self_column(p, m)[node], sum = 0, size = 0;
        for (uint32_t i = t->start[node]; i < t->start[node + 1]; i++) {
            double value = flm_chain_value(t, m, node, i);
            sum += value;
            size += value < 0 ? -value : value;
        }
        double apart = sum > self ? sum - self : self - sum;
        if (!(apart <= size / 1e9)) /* nor is it where one is not a number */
            return broken(why, "node", node, "has chains that do not add up to its self value");
    }
    return true;
}

bool flm_check_chains(const struct flm_profile *p, struct flm_error *why)
{
    if (!check_locations(p, why))
        return false;
    if (flm_has_chains(p) != (p->sizes.location_count > 0))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "there are chains or locations without the others");
    if (!flm_has_chains(p))
        return true;
    struct flm_chain_table table;
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    bool good = parent && check_counts(p, why);
    if (!parent)
        flm_error_memory(why);
    if (good && flm_chain_table_init(&table, p, why)) {
        flm_profile_parents(p, parent);
        for (uint32_t i = 0; good && i < p->sizes.node_count; i++) {
            const uint32_t *places = table.location_start + p->node_frame[i];
            good = check_node(p, table.start[i], p->node_chains[i],
                              i > 0 ? p->node_chains[parent[i]] : 1, places[1] - places[0], why) &&
                   check_values(&table, i, why);
        }
        flm_chain_table_clear(&table);
    } else {
        good = false;
    }
    free(parent);
    return good && check_samples(p, why);
}

uint32_t flm_split_frames_next(struct flm_split_frames *frames, uint32_t frame)
{
    struct flm_frame_record plain = flm_frame_located(&frames->split->frames[frame], 0);
    while (memcmp(&frames->given->frames[frames->at], &plain, sizeof plain) != 0) {
        frames->at++;
        assert(frames->at < frames->given->sizes.frame_count);
    }
    return frames->at;
}
