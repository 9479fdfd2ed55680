#include "stats/linkage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A cluster is identified by one of its members. The members are a list that can be read from
 * either end. */
struct cluster {
    uint32_t size; /* 0: it was merged into another */
    uint32_t end[2];
};

struct clustering {
    const double *given;
    double *distance; /* of clusters */
    uint32_t count;
    struct cluster *cluster;
    uint32_t (*neighbors)[2]; /* in the order, in no particular direction */
    uint32_t *chain;
};

/* The nearest cluster; of several at the same distance `before`, so that a chain ends, then the
 * first. */
static uint32_t nearest(const struct clustering *j, uint32_t to, uint32_t before)
{
    uint32_t found = before;
    const double *distance = j->distance + (size_t)to * j->count;
    for (uint32_t i = 0; i < j->count; i++)
        if (i != to && j->cluster[i].size > 0 && (found == NONE || distance[i] < distance[found]))
            found = i;
    return found;
}

static void link(struct clustering *j, uint32_t from, uint32_t to)
{
    j->neighbors[from][j->neighbors[from][0] != NONE] = to;
}

/* Merges `b` into `a`: their nearest ends become neighbors. */
static void merge(struct clustering *j, uint32_t a, uint32_t b)
{
    struct cluster *to = &j->cluster[a], *from = &j->cluster[b];
    int end = 0, other = 0;
    for (int way = 1; way < 4; way++)
        if (j->given[(size_t)to->end[way & 1] * j->count + from->end[way >> 1]] <
            j->given[(size_t)to->end[end] * j->count + from->end[other]]) {
            end = way & 1;
            other = way >> 1;
        }
    link(j, to->end[end], from->end[other]);
    link(j, from->end[other], to->end[end]);
    to->end[0] = to->end[!end];
    to->end[1] = from->end[!other];
    double share = (double)to->size / (to->size + from->size);
    for (uint32_t i = 0; i < j->count; i++) {
        double *near = &j->distance[(size_t)i * j->count + a];
        *near = share * *near + (1 - share) * j->distance[(size_t)i * j->count + b];
        j->distance[(size_t)a * j->count + i] = *near;
    }
    to->size += from->size;
    from->size = 0;
}

static void merge_all(struct clustering *j)
{
    uint32_t length = 0, clusters = j->count;
    while (clusters > 1) {
        if (length == 0)
            for (uint32_t i = 0; length == 0; i++)
                if (j->cluster[i].size > 0)
                    j->chain[length++] = i;
        uint32_t last = j->chain[length - 1], before = length > 1 ? j->chain[length - 2] : NONE;
        uint32_t next = nearest(j, last, before);
        if (next != before) {
            j->chain[length++] = next;
            continue;
        }
        length -= 2;
        clusters--;
        merge(j, last < before ? last : before, last < before ? before : last);
    }
}

/* From one end of the last cluster to the other, starting at the end with the lower index. */
static void read_order(const struct clustering *j, uint32_t *order)
{
    uint32_t all = 0, before = NONE;
    while (j->cluster[all].size == 0)
        all++;
    const uint32_t *end = j->cluster[all].end;
    uint32_t at = end[0] < end[1] ? end[0] : end[1];
    for (uint32_t i = 0; i < j->count; i++) {
        uint32_t next = j->neighbors[at][j->neighbors[at][0] == before && i > 0];
        order[i] = at;
        before = at;
        at = next;
    }
}

bool flm_order_by_similarity(const double *distance, uint32_t count, uint32_t *order,
                             struct flm_error *why)
{
    assert(count == 0 || (distance && order));
    struct clustering j = {.given = distance,
                           .distance = malloc((size_t)count * count * sizeof(double) + 1),
                           .count = count,
                           .cluster = malloc(count * sizeof(struct cluster) + 1),
                           .neighbors = malloc(count * sizeof *j.neighbors + 1),
                           .chain = malloc((count + (size_t)1) * sizeof(uint32_t))};
    bool room = j.distance && j.cluster && j.neighbors && j.chain;
    if (room && count > 0) {
        memcpy(j.distance, distance, (size_t)count * count * sizeof(double));
        for (uint32_t i = 0; i < count; i++) {
            j.cluster[i] = (struct cluster){1, {i, i}};
            j.neighbors[i][0] = j.neighbors[i][1] = NONE;
        }
        merge_all(&j);
        read_order(&j, order);
    }
    free(j.distance);
    free(j.cluster);
    free(j.neighbors);
    free(j.chain);
    return room || flm_error_memory(why);
}
