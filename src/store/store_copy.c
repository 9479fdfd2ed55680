/* store_copy.c - what is in a store, in another one too: batch by batch, of any kinds.
 *
 * Each batch has an id that is made of its series, type and time, so that a copy which was
 * interrupted may be begun again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "store/core/group_batches.h"
#include "store/core/store_kind.h"
#include "store/labels/series_labels.h"

/* ClickHouse likes large inserts; of what is on the way there is a copy in memory. */
enum { MOST_PENDING = 2000, MOST_NODES = 300000 };

struct pending {
    struct flm_profile *profile;
    char *series; /* owned: keys and values, each with a NUL behind it */
    struct flm_store_label_text labels[FLM_STORE_MOST_LABELS + 1];
    char id[64];
};

struct copying {
    struct flm_store *from, *to;
    struct pending *pending;
    struct flm_store_batch *batches;
    size_t count, nodes;
    uint64_t copied;
    struct FLM_ARRAY(char *) tenants; /* owned */
};

static void forget(struct copying *c)
{
    for (size_t i = 0; i < c->count; i++) {
        flm_profile_free(c->pending[i].profile);
        free(c->pending[i].series);
    }
    c->count = c->nodes = 0;
}

static bool send(struct copying *c, struct flm_error *why)
{
    bool good = c->count == 0 || flm_store_append(c->to, c->batches, c->count, why);
    c->copied += good ? c->count : 0;
    forget(c);
    return good;
}

static void name(struct pending *p, struct flm_bytes series, struct flm_bytes type, int64_t time_ms)
{
    snprintf(p->id, sizeof p->id, "copy-%016llx%016llx-%llx",
             (unsigned long long)flm_checksum(series.at, series.size),
             (unsigned long long)flm_checksum(type.at, type.size), (unsigned long long)time_ms);
}

/* Views are of tenants, which are known by their series. */
static bool note_tenant(struct copying *c, const char *tenant)
{
    for (size_t i = c->tenants.count; i-- > 0;)
        if (strcmp(c->tenants.at[i], tenant) == 0)
            return true;
    char *own = strdup(tenant);
    if (own && FLM_ARRAY_ADD(&c->tenants, own))
        return true;
    free(own);
    return false;
}

static bool take(void *context, struct flm_profile *profile, struct flm_bytes series,
                 struct flm_bytes type, int64_t time_ms, struct flm_error *why)
{
    struct copying *c = context;
    struct pending *p = &c->pending[c->count];
    struct flm_store_batch *batch = &c->batches[c->count++];
    *p = (struct pending){.profile = profile, .series = malloc(series.size + 1)};
    *batch = (struct flm_store_batch){.profile = profile,
                                      .tenant = p->series,
                                      .labels = p->labels,
                                      .time_ms = time_ms,
                                      .id = p->id};
    c->nodes += flm_profile_node_count(profile);
    if (!p->series)
        return flm_error_memory(why);
    memcpy(p->series, series.at, series.size);
    p->series[series.size] = 0;
    struct flm_store_label label;
    for (size_t at = 0; batch->label_count < FLM_STORE_MOST_LABELS + 1 &&
                        flm_series_next((struct flm_bytes){p->series, series.size}, &at, &label);)
        p->labels[batch->label_count++] =
            (struct flm_store_label_text){label.key.at, label.value.at};
    name(p, series, type, time_ms);
    if (!note_tenant(c, p->series))
        return flm_error_memory(why);
    return (c->count < MOST_PENDING && c->nodes < MOST_NODES) || send(c, why);
}

/* ---- Views ----------------------------------------------------------------------------------- */

struct view_copy {
    struct flm_store *to;
    const char *tenant;
    bool good;
    struct flm_error *why;
};

static bool copy_view(void *context, struct flm_name name, struct flm_name text)
{
    struct view_copy *v = context;
    char *own = strndup(name.at, name.size);
    v->good =
        own ? flm_store_save_view(v->to, v->tenant, own, &text, v->why) : flm_error_memory(v->why);
    free(own);
    return v->good;
}

static bool copy_views(struct copying *c, struct flm_error *why)
{
    bool good = note_tenant(c, "") || flm_error_memory(why);
    for (size_t i = 0; good && i < c->tenants.count; i++) {
        struct view_copy v = {c->to, c->tenants.at[i], true, why};
        good = flm_store_views(c->from, v.tenant, copy_view, &v, why) && v.good;
    }
    return good;
}

bool flm_store_copy(struct flm_store *from, struct flm_store *to, int64_t from_ms, int64_t until_ms,
                    uint64_t *copied, struct flm_error *why)
{
    struct copying c = {.from = from,
                        .to = to,
                        .pending = calloc(MOST_PENDING, sizeof *c.pending),
                        .batches = calloc(MOST_PENDING, sizeof *c.batches)};
    const struct flm_batch_taker taker = {&c, take};
    bool good = (c.pending && c.batches) || flm_error_memory(why);
    good = good && from->kind->batches(from, from_ms, until_ms, &taker, why) && send(&c, why) &&
           copy_views(&c, why);
    forget(&c);
    for (size_t i = 0; i < c.tenants.count; i++)
        free(c.tenants.at[i]);
    FLM_ARRAY_CLEAR(&c.tenants);
    free(c.pending);
    free(c.batches);
    *copied = c.copied;
    return good;
}
