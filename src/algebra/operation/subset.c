#include "algebra/operation/subset.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/copy_metadata.h"
#include "profile/metadata.h"
#include "profile/recursion.h"

struct flm_column *flm_columns_copy(const struct flm_profile *p)
{
    size_t nodes = p->sizes.node_count, samples = p->sizes.sample_count;
    struct flm_column *columns = calloc((size_t)p->sizes.metric_count + 1, sizeof *columns);
    for (uint32_t m = 0; columns && m < p->sizes.metric_count; m++) {
        struct flm_column *c = &columns[m];
        c->name = flm_string_bytes(p, p->metrics[m].name);
        c->unit = flm_string_bytes(p, p->metrics[m].unit);
        c->self = malloc(nodes * sizeof(double));
        c->sample = samples ? malloc(samples * sizeof(double)) : NULL;
        if (!c->self || (samples && !c->sample)) {
            flm_columns_free(columns, p->sizes.metric_count);
            return NULL;
        }
        memcpy(c->self, flm_self_column(p, m), nodes * sizeof(double));
        struct flm_sample_values values = flm_sample_values(p, m);
        if (samples)
            flm_sample_values_expand(&values, 0, p->sizes.sample_count, c->sample);
    }
    return columns;
}

void flm_columns_free(struct flm_column *columns, size_t count)
{
    for (size_t i = 0; columns && i < count; i++) {
        free(columns[i].self);
        free(columns[i].sample);
    }
    free(columns);
}

struct subset {
    const struct flm_profile *p;
    const struct flm_column *columns;
    size_t count;
    const unsigned char *keep_sample;
    uint64_t rounded;
    struct flm_error *why;

    uint32_t *moved; /* by old node, and one more: how many nodes before it stay */
    unsigned char *stays;
    unsigned char *frame_used;
    struct flm_builder *builder;
    struct flm_carried carried;
    struct flm_metadata metadata;
    struct flm_profile *out;
};

static bool has_value(const struct subset *s, uint32_t node)
{
    for (size_t c = 0; c < s->count; c++)
        if (s->columns[c].self[node] != 0)
            return true;
    return false;
}

static bool has_samples(const struct subset *s)
{
    return s->p->sizes.sample_count > 0 && s->count > 0 && s->columns[0].sample;
}

/* Markers and counters go with the samples, and stay where there never were samples. */
static bool keeps_markers(const struct subset *s)
{
    return has_samples(s) || s->p->sizes.sample_count == 0;
}

/* A node stays when it, a sample of it, or a node below it does. */
static void find_staying(struct subset *s)
{
    const struct flm_profile *p = s->p;
    memset(s->stays, 0, p->sizes.node_count);
    for (uint32_t i = 0; has_samples(s) && i < p->sizes.sample_count; i++)
        if (!s->keep_sample || s->keep_sample[i])
            s->stays[p->sample_node[i]] = 1;
    for (uint32_t i = p->sizes.node_count; i-- > 0;) {
        for (uint32_t child = i + 1; child < p->node_end[i] && !s->stays[i];
             child = p->node_end[child])
            s->stays[i] = s->stays[child];
        if (i == 0 || has_value(s, i))
            s->stays[i] = 1;
    }
    uint32_t staying = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        s->moved[i] = staying;
        staying += s->stays[i];
    }
    s->moved[p->sizes.node_count] = staying;
}

static bool carry(struct subset *s)
{
    struct flm_builder *b = s->builder;
    if (!flm_copy_strings(b, s->p, &s->carried))
        return flm_error_memory(s->why);
    for (size_t c = 0; c < s->count; c++) {
        uint32_t name = flm_builder_string(b, s->columns[c].name.at, s->columns[c].name.size).index;
        uint32_t unit = flm_builder_string(b, s->columns[c].unit.at, s->columns[c].unit.size).index;
        if (flm_builder_metric_of(b, name, unit) == FLM_NONE)
            return flm_builder_get_error(b, s->why);
    }
    flm_copy_notes(b, s->p, &s->carried);
    flm_builder_rounded(b, s->rounded);
    /* The samples come with the columns of `p`; those of the result are put in their place. */
    if (keeps_markers(s)) {
        struct flm_profile bare = *s->p;
        bare.sizes.metric_count = 0;
        flm_copy_samples(b, &bare, &s->carried, NULL, 0, s->keep_sample);
        uint32_t to = 0;
        for (uint32_t i = 0; i < s->p->sizes.sample_count && !flm_builder_failed(b); i++) {
            if (s->keep_sample && !s->keep_sample[i])
                continue;
            for (size_t c = 0; c < s->count; c++)
                flm_builder_keep_value(b, (uint32_t)c, to, s->columns[c].sample[i]);
            to++;
        }
    }
    return !flm_builder_failed(b) || flm_builder_get_error(b, s->why);
}

/* New columns must be what every profile promises. */
static bool check_columns(const struct subset *s)
{
    for (size_t c = 0; c < s->count; c++) {
        if (!flm_check_sums(s->columns[c].name, s->columns[c].self, s->p->sizes.node_count,
                            s->columns[c].sample, has_samples(s) ? s->p->sizes.sample_count : 0,
                            s->why))
            return false;
    }
    return true;
}

static void write_nodes(struct subset *s)
{
    const struct flm_profile *p = s->p;
    const uint32_t *rank = s->metadata.ranking.frame_rank;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (!s->stays[i])
            continue;
        uint32_t to = s->moved[i];
        s->out->node_frame[to] = rank[s->carried.frame_map[p->node_frame[i]]];
        s->out->node_end[to] = s->moved[p->node_end[i]];
        for (uint32_t c = 0; c < s->count; c++)
            flm_self_column(s->out, c)[to] = s->columns[c].self[i];
    }
}

static bool copy_depths(const struct subset *s)
{
    const struct flm_profile *p = s->p;
    if (p->sizes.recursion_count == 0)
        return true;
    struct flm_depths *depths = flm_depths_new(s->out->sizes.node_count);
    for (uint32_t i = 0; depths && i < p->sizes.recursion_count; i++) {
        const struct flm_recursion_record *r = &p->recursions[i];
        if (s->stays[r->node])
            depths[s->moved[r->node]] = (struct flm_depths){r->least, r->most};
    }
    bool good = depths ? flm_recursion_set(s->out, depths, s->out->sizes.node_count, NULL, s->why)
                       : flm_error_memory(s->why);
    free(depths);
    return good;
}

static bool make(struct subset *s)
{
    const struct flm_profile *p = s->p;
    s->builder = flm_builder_new(s->why);
    s->moved = malloc(((size_t)p->sizes.node_count + 1) * sizeof *s->moved);
    s->stays = malloc(p->sizes.node_count);
    if (!s->builder || !s->moved || !s->stays)
        return flm_error_memory(s->why);
    if (!check_columns(s))
        return false;
    find_staying(s);
    if (!carry(s))
        return false;
    s->frame_used = calloc(s->builder->interner.frame_count, 1);
    if (!s->frame_used)
        return flm_error_memory(s->why);
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (s->stays[i])
            s->frame_used[s->carried.frame_map[p->node_frame[i]]] = 1;
    if (!flm_metadata_start(&s->metadata, s->builder, s->frame_used, s->why))
        return false;
    s->metadata.sizes.node_count = s->moved[p->sizes.node_count];
    s->out = flm_profile_allocate(&s->metadata.sizes, s->why);
    if (!s->out)
        return false;
    write_nodes(s);
    return flm_metadata_write(&s->metadata, s->out, s->moved, s->why) && copy_depths(s);
}

static struct flm_profile *subset(struct subset *s)
{
    assert(s->p && (s->columns || s->count == 0));
    bool made = make(s);
    flm_metadata_clear(&s->metadata);
    flm_builder_free(s->builder);
    flm_carried_clear(&s->carried);
    free(s->moved);
    free(s->stays);
    free(s->frame_used);
    if (!made) {
        flm_profile_free(s->out);
        return NULL;
    }
    return s->out;
}

struct flm_profile *flm_subset(const struct flm_profile *p, const struct flm_column *columns,
                               size_t count, const unsigned char *keep_sample,
                               struct flm_error *why)
{
    return flm_subset_rounded(p, columns, count, keep_sample, 0, why);
}

struct flm_profile *flm_subset_rounded(const struct flm_profile *p,
                                       const struct flm_column *columns, size_t count,
                                       const unsigned char *keep_sample, uint64_t rounded,
                                       struct flm_error *why)
{
    struct subset s = {.p = p,
                       .columns = columns,
                       .count = count,
                       .keep_sample = keep_sample,
                       .rounded = rounded,
                       .why = why};
    return subset(&s);
}
