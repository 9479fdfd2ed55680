#include "stats/linkage.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A group is known by one of its members. Its members are a list in both directions, so that it can
 * be read from either end. */
struct group {
    uint32_t size; /* 0: it was joined to another */
    uint32_t end[2];
};

struct joining {
    const double *given;
    double *distance; /* of groups */
    uint32_t count;
    struct group *group;
    uint32_t (*beside)[2]; /* by thing: its neighbors, in no particular direction */
    uint32_t *chain;
};

/* The nearest group; of equally near ones `before`, so that a chain ends, then the first. */
static uint32_t nearest(const struct joining *j, uint32_t to, uint32_t before)
{
    uint32_t found = before;
    const double *distance = j->distance + (size_t)to * j->count;
    for (uint32_t i = 0; i < j->count; i++)
        if (i != to && j->group[i].size > 0 && (found == NONE || distance[i] < distance[found]))
            found = i;
    return found;
}

static void link(struct joining *j, uint32_t from, uint32_t to)
{
    j->beside[from][j->beside[from][0] != NONE] = to;
}

/* `b` becomes part of `a`: the ends of both that are nearest stand beside each other. */
static void join(struct joining *j, uint32_t a, uint32_t b)
{
    struct group *to = &j->group[a], *from = &j->group[b];
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

static void join_all(struct joining *j)
{
    uint32_t length = 0, groups = j->count;
    while (groups > 1) {
        if (length == 0)
            for (uint32_t i = 0; length == 0; i++)
                if (j->group[i].size > 0)
                    j->chain[length++] = i;
        uint32_t last = j->chain[length - 1], before = length > 1 ? j->chain[length - 2] : NONE;
        uint32_t next = nearest(j, last, before);
        if (next != before) {
            j->chain[length++] = next;
            continue;
        }
        length -= 2;
        groups--;
        join(j, last < before ? last : before, last < before ? before : last);
    }
}

/* From one end of the last group to the other: that with the lower index first. */
static void read_order(const struct joining *j, uint32_t *order)
{
    uint32_t all = 0, before = NONE;
    while (j->group[all].size == 0)
        all++;
    const uint32_t *end = j->group[all].end;
    uint32_t at = end[0] < end[1] ? end[0] : end[1];
    for (uint32_t i = 0; i < j->count; i++) {
        uint32_t next = j->beside[at][j->beside[at][0] == before && i > 0];
        order[i] = at;
        before = at;
        at = next;
    }
}

bool flm_order_alike(const double *distance, uint32_t count, uint32_t *order, struct flm_error *why)
{
    struct joining j = {.given = distance,
                        .distance = malloc((size_t)count * count * sizeof(double) + 1),
                        .count = count,
                        .group = malloc(count * sizeof(struct group) + 1),
                        .beside = malloc(count * sizeof *j.beside + 1),
                        .chain = malloc((count + (size_t)1) * sizeof(uint32_t))};
    bool room = j.distance && j.group && j.beside && j.chain;
    if (room && count > 0) {
        memcpy(j.distance, distance, (size_t)count * count * sizeof(double));
        for (uint32_t i = 0; i < count; i++) {
            j.group[i] = (struct group){1, {i, i}};
            j.beside[i][0] = j.beside[i][1] = NONE;
        }
        join_all(&j);
        read_order(&j, order);
    }
    free(j.distance);
    free(j.group);
    free(j.beside);
    free(j.chain);
    return room || flm_error_memory(why);
}
