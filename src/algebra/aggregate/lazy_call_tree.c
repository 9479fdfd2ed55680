#include "algebra/aggregate/lazy_call_tree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/number/number_set.h"
#include "profile/columns.h"

/* The node above, and its key: read together, at random. */
struct step {
    uint32_t parent, key;
};

/* What was met of one key while a node is opened. */
struct group {
    double total;
    uint32_t count;
    uint32_t next; /* where its next occurrence is put */
};

struct node {
    uint32_t key;
    uint32_t first_occurrence, occurrence_count, ended_count;
    uint32_t first_child, child_count;
    double total, own;
    bool is_open;
};

/* The tree in preorder; one block, at `width`. */
struct columns {
    double *width;
    uint32_t *frame, *end, *number;
    uint32_t *position, *below; /* by number: its node, how many it has below it */
    unsigned char *is_open;
    size_t count, capacity; /* nodes */
};

struct flm_lazy_tree {
    const struct flm_profile *p;
    enum flm_lazy_tree_kind kind;
    const uint32_t *key_of; /* by frame; NULL: the frame itself */
    const double *self;
    const double *weight; /* by node: |it| is what an occurrence of the node counts */
    double *sizes;        /* owned: `weight`, where it is not the metric's own column */
    unsigned char *there; /* owned, by node: it has an occurrence; NULL: where it has a weight */
    struct step *step;    /* by node, to climb */

    struct FLM_ARRAY(struct node) nodes;
    struct FLM_ARRAY(struct flm_lazy_tree_occurrence) occurrences;

    /* Working memory of an opening: the occurrences of the node, one step on, and their keys.
     * `count` stays 0: both are filled by index. */
    struct FLM_ARRAY(struct flm_lazy_tree_occurrence) moved;
    struct FLM_ARRAY(uint32_t) keys;
    struct group *group; /* by key; all 0 while nothing is opened */
    uint32_t key_count;
    struct flm_number_set met; /* keys that have a count there */

    struct FLM_ARRAY(uint32_t) queue; /* of nodes that are wide enough */

    struct columns columns; /* as they were in the last call of flm_lazy_tree_columns */
    bool is_current;        /* nothing was opened since */
};

static bool climbs(const struct flm_lazy_tree *u)
{
    return u->kind == FLM_LAZY_TREE_INVERTED || u->kind == FLM_LAZY_TREE_CALLERS;
}

static bool is_there(const struct flm_lazy_tree *u, uint32_t node)
{
    return u->there ? u->there[node] : u->weight[node] != 0;
}

static uint32_t key_of_node(const struct flm_lazy_tree *u, uint32_t node)
{
    uint32_t frame = u->p->node_frame[node];
    return u->key_of ? u->key_of[frame] : frame;
}

/* ---- Occurrences move, and are put together by key ------------------------------------------- */

static inline void meet(struct flm_lazy_tree *u, uint32_t key, double weight)
{
    struct group *group = &u->group[key];
    if (group->count++ == 0)
        flm_number_set_add(&u->met, key);
    group->total += weight;
}

static bool reserve_moved(struct flm_lazy_tree *u, size_t count)
{
    return FLM_ARRAY_RESERVE(&u->keys, count) && FLM_ARRAY_RESERVE(&u->moved, count);
}

/* Puts `count` occurrences that moved into the array, from `first` on, sorted by key, and makes a
 * node of each key. Those at the root have key 0, so they come first, and are the node's own. The
 * caller has reserved room for all. */
static void divide(struct flm_lazy_tree *u, struct node *above, uint32_t count, size_t first)
{
    size_t first_child = u->nodes.count;
    uint32_t from = 0, next = (uint32_t)first;
    for (uint32_t key; (key = flm_number_set_take(&u->met, &from)) != UINT32_MAX;) {
        struct group *group = &u->group[key];
        if (key == 0) {
            above->ended_count = group->count;
            above->own += group->total;
        } else {
            u->nodes.at[u->nodes.count++] = (struct node){.key = key,
                                                          .first_occurrence = next,
                                                          .occurrence_count = group->count,
                                                          .total = group->total,
                                                          .own = group->total};
        }
        group->next = next;
        next += group->count;
    }
    for (uint32_t i = 0; i < count; i++)
        u->occurrences.at[u->group[u->keys.at[i]].next++] = u->moved.at[i];
    u->group[0] = (struct group){0};
    for (size_t i = first_child; i < u->nodes.count; i++)
        u->group[u->nodes.at[i].key] = (struct group){0};
    above->first_child = (uint32_t)first_child;
    above->child_count = (uint32_t)(u->nodes.count - first_child);
    above->is_open = true;
}

/* Room for all the children that `count` occurrences may have. */
static bool reserve_nodes(struct flm_lazy_tree *u, size_t count)
{
    size_t most = count < u->key_count ? count : u->key_count;
    return most <= FLM_NONE - u->nodes.count && FLM_ARRAY_RESERVE(&u->nodes, most);
}

static bool open_up(struct flm_lazy_tree *u, uint32_t number)
{
    uint32_t count = u->nodes.at[number].occurrence_count;
    if (!reserve_nodes(u, count) || !reserve_moved(u, count))
        return false;
    struct node *node = &u->nodes.at[number];
    const struct flm_lazy_tree_occurrence *occurrence = u->occurrences.at + node->first_occurrence;
    const struct step *step = u->step;
    const double *weight = u->weight;
    for (uint32_t i = 0; i < count; i++) {
        struct step up = step[occurrence[i].at];
        u->moved.at[i] = (struct flm_lazy_tree_occurrence){up.parent, occurrence[i].of};
        u->keys.at[i] = up.key;
        meet(u, up.key, fabs(weight[occurrence[i].of]));
    }
    node->own = 0;
    divide(u, node, count, node->first_occurrence);
    return true;
}

/* What the occurrences of a node call: how many. FLM_NONE when memory ran out. */
static uint32_t gather_calls(struct flm_lazy_tree *u, const struct node *node)
{
    const uint32_t *end = u->p->node_end;
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->occurrence_count; i++) {
        uint32_t at = u->occurrences.at[node->first_occurrence + i].at;
        for (uint32_t child = at + 1; child < end[at]; child = end[child]) {
            if (!is_there(u, child))
                continue;
            if (!reserve_moved(u, (size_t)count + 1))
                return FLM_NONE;
            u->keys.at[count] = key_of_node(u, child);
            u->moved.at[count++] = (struct flm_lazy_tree_occurrence){child, child};
        }
    }
    return count;
}

static bool open_down(struct flm_lazy_tree *u, uint32_t number, uint32_t *moved_count)
{
    uint32_t count = gather_calls(u, &u->nodes.at[number]);
    if (count == FLM_NONE || !reserve_nodes(u, count) || !FLM_ARRAY_RESERVE(&u->occurrences, count))
        return false;
    struct node *node = &u->nodes.at[number];
    node->own = 0;
    for (uint32_t i = 0; i < node->occurrence_count; i++)
        node->own += fabs(u->self[u->occurrences.at[node->first_occurrence + i].at]);
    for (uint32_t i = 0; i < count; i++)
        meet(u, u->keys.at[i], u->weight[u->moved.at[i].of]);
    divide(u, node, count, u->occurrences.count);
    u->occurrences.count += count;
    *moved_count = count;
    return true;
}

/* ---- Level 1 --------------------------------------------------------------------------------- */

static bool make_sizes(struct flm_lazy_tree *u)
{
    const uint32_t *end = u->p->node_end;
    u->sizes = malloc(u->p->sizes.node_count * sizeof *u->sizes);
    if (!u->sizes)
        return false;
    for (uint32_t i = u->p->sizes.node_count; i-- > 0;) {
        double size = fabs(u->self[i]);
        for (uint32_t child = i + 1; child < end[i]; child = end[child])
            size += u->sizes[child];
        u->sizes[i] = size;
    }
    u->weight = u->sizes;
    return true;
}

/* A node that has a value; going down, also one that has such nodes below it. */
static bool make_there(struct flm_lazy_tree *u, const struct flm_lazy_tree_values *values)
{
    const uint32_t *end = u->p->node_end;
    if (!values->present[0] && !values->present[1])
        return true;
    u->there = malloc(u->p->sizes.node_count);
    if (!u->there)
        return false;
    for (uint32_t i = u->p->sizes.node_count; i-- > 0;) {
        bool is = u->self[i] != 0;
        for (int k = 0; k < 2; k++)
            is = is || (values->present[k] && values->present[k][i] != 0);
        for (uint32_t child = i + 1; u->kind != FLM_LAZY_TREE_INVERTED && !is && child < end[i];
             child = end[child])
            is = u->there[child];
        u->there[i] = is;
    }
    return true;
}

static bool make_steps(struct flm_lazy_tree *u)
{
    struct step *step = malloc(u->p->sizes.node_count * sizeof *step);
    u->step = step;
    if (!step)
        return false;
    const uint32_t *end = u->p->node_end;
    for (uint32_t i = 1; i < u->p->sizes.node_count; i++) {
        uint32_t above = i - 1;
        while (end[above] <= i)
            above = step[above].parent;
        step[i] = (struct step){above, key_of_node(u, above)};
    }
    return true;
}

static bool make_columns(struct flm_lazy_tree *u)
{
    u->group = calloc(u->key_count, sizeof *u->group);
    return u->group && flm_number_set_init(&u->met, u->key_count) &&
           (u->kind == FLM_LAZY_TREE_INVERTED || make_sizes(u)) && (!climbs(u) || make_steps(u));
}

/* Counts the occurrences of level 1, and writes them to `to` unless it is NULL. Not for CALLS,
 * whose level 1 is what the root calls. */
static uint32_t find_starts(const struct flm_lazy_tree *u, const unsigned char *marks,
                            struct flm_lazy_tree_occurrence *to)
{
    bool all = u->kind == FLM_LAZY_TREE_INVERTED;
    uint32_t count = 0;
    for (uint32_t i = 1; i < u->p->sizes.node_count;) {
        bool marked = all || marks[u->p->node_frame[i]];
        if (marked && is_there(u, i)) {
            if (to)
                to[count] = (struct flm_lazy_tree_occurrence){i, i};
            count++;
        }
        i = marked && !all ? u->p->node_end[i] : i + 1;
    }
    return count;
}

static bool make_root(struct flm_lazy_tree *u, uint32_t occurrence_count)
{
    size_t room = (size_t)occurrence_count + (occurrence_count == 0);
    if (!FLM_ARRAY_RESERVE(&u->occurrences, room) || !reserve_nodes(u, 1))
        return false;
    u->nodes.at[0] = (struct node){0};
    u->nodes.count = 1;
    return true;
}

static bool start_at_root(struct flm_lazy_tree *u)
{
    if (!make_root(u, 1))
        return false;
    u->occurrences.at[u->occurrences.count++] = (struct flm_lazy_tree_occurrence){0, 0};
    u->nodes.at[0].occurrence_count = 1;
    u->nodes.at[0].total = u->weight[0];
    uint32_t moved;
    return open_down(u, 0, &moved);
}

static bool start(struct flm_lazy_tree *u, const unsigned char *marks)
{
    uint32_t count = find_starts(u, marks, NULL);
    if (!make_root(u, count) || !reserve_nodes(u, count) || !reserve_moved(u, count))
        return false;
    find_starts(u, marks, u->moved.at);
    for (uint32_t i = 0; i < count; i++) {
        u->keys.at[i] = key_of_node(u, u->moved.at[i].at);
        meet(u, u->keys.at[i], fabs(u->weight[u->moved.at[i].of]));
    }
    struct node *root = &u->nodes.at[0];
    root->occurrence_count = climbs(u) ? count : 0;
    root->own = u->kind == FLM_LAZY_TREE_INVERTED ? fabs(u->self[0]) : 0;
    divide(u, root, count, 0);
    u->occurrences.count = count;
    root->total = root->own;
    for (uint32_t i = 1; i < u->nodes.count; i++)
        root->total += u->nodes.at[i].total;
    return true;
}

/* ---- The header ------------------------------------------------------------------------------ */

static struct flm_lazy_tree *make(const struct flm_profile *profile,
                                  const struct flm_lazy_tree_values *values,
                                  enum flm_lazy_tree_kind kind, const unsigned char *marks,
                                  const uint32_t *group_of, uint32_t group_count,
                                  struct flm_error *why)
{
    struct flm_lazy_tree *u = calloc(1, sizeof *u);
    if (u) {
        u->p = profile;
        u->kind = kind;
        u->key_of = group_of;
        u->key_count = group_count;
        u->self = u->weight = values->self;
        if (make_columns(u) && make_there(u, values) &&
            (kind == FLM_LAZY_TREE_CALLS ? start_at_root(u) : start(u, marks)))
            return u;
        flm_lazy_tree_free(u);
    }
    flm_error_memory(why);
    return NULL;
}

struct flm_lazy_tree *flm_lazy_tree_new(const struct flm_profile *profile, struct flm_metric metric,
                                        enum flm_lazy_tree_kind kind, const unsigned char *marks,
                                        struct flm_error *why)
{
    return flm_lazy_tree_new_grouped(profile, metric, kind, marks, NULL, profile->sizes.frame_count,
                                     why);
}

struct flm_lazy_tree *flm_lazy_tree_new_grouped(const struct flm_profile *profile,
                                                struct flm_metric metric,
                                                enum flm_lazy_tree_kind kind,
                                                const unsigned char *marks,
                                                const uint32_t *group_of, uint32_t group_count,
                                                struct flm_error *why)
{
    assert(metric.index < profile->sizes.metric_count);
    struct flm_lazy_tree_values values = {.self = flm_self_column(profile, metric.index)};
    return make(profile, &values, kind, marks, group_of, group_count, why);
}

struct flm_lazy_tree *flm_lazy_tree_new_valued(const struct flm_profile *profile,
                                               const struct flm_lazy_tree_values *values,
                                               enum flm_lazy_tree_kind kind,
                                               const unsigned char *marks, struct flm_error *why)
{
    return make(profile, values, kind, marks, NULL, profile->sizes.frame_count, why);
}

void flm_lazy_tree_free(struct flm_lazy_tree *u)
{
    if (!u)
        return;
    free(u->sizes);
    free(u->there);
    free(u->step);
    FLM_ARRAY_CLEAR(&u->nodes);
    FLM_ARRAY_CLEAR(&u->occurrences);
    FLM_ARRAY_CLEAR(&u->moved);
    FLM_ARRAY_CLEAR(&u->keys);
    free(u->group);
    flm_number_set_clear(&u->met);
    FLM_ARRAY_CLEAR(&u->queue);
    free(u->columns.width);
    free(u);
}

static bool open_one(struct flm_lazy_tree *u, uint32_t number, uint64_t *moved)
{
    uint32_t count = u->nodes.at[number].occurrence_count;
    u->is_current = false;
    if (climbs(u) ? !open_up(u, number) : !open_down(u, number, &count))
        return false;
    *moved += count;
    return true;
}

bool flm_lazy_tree_open(struct flm_lazy_tree *u, struct flm_lazy_ref node, double narrowest,
                        uint64_t budget, bool *more, struct flm_error *why)
{
    assert(u && node.index < u->nodes.count);
    uint64_t moved = 0;
    bool left = false, good;
    u->queue.count = 0;
    good = FLM_ARRAY_ADD(&u->queue, node.index);
    for (size_t first = 0; good && !left && first < u->queue.count; first++) {
        uint32_t number = u->queue.at[first];
        if (!u->nodes.at[number].is_open) {
            left = budget > 0 && moved >= budget;
            good = left || open_one(u, number, &moved);
            if (left || !good)
                break;
        }
        const struct node *opened = &u->nodes.at[number];
        for (uint32_t c = 0; good && c < opened->child_count; c++)
            if (u->nodes.at[opened->first_child + c].total >= narrowest)
                good = FLM_ARRAY_ADD(&u->queue, opened->first_child + c);
    }
    if (more)
        *more = left;
    return good || flm_error_memory(why);
}

/* ---- In preorder ----------------------------------------------------------------------------- */

static bool grow_columns(struct flm_lazy_tree *u)
{
    struct columns *c = &u->columns;
    if (u->nodes.count <= c->capacity)
        return true;
    size_t room = u->nodes.count + u->nodes.count / 2;
    if (room > SIZE_MAX / 32)
        return false;
    double *width = malloc(room * (sizeof *c->width + 5 * sizeof *c->frame + sizeof *c->is_open));
    if (!width)
        return false; /* the old columns are still in use */
    free(c->width);
    c->width = width;
    c->capacity = room;
    c->frame = (uint32_t *)(void *)(c->width + room);
    c->end = c->frame + room;
    c->number = c->end + room;
    c->position = c->number + room;
    c->below = c->position + room;
    c->is_open = (unsigned char *)(c->below + room);
    return true;
}

/* Children have consecutive numbers, larger than their parent's: how many are below is
 * counted backwards, and where they stand forwards, without a stack. */
static void fill_columns(struct flm_lazy_tree *u)
{
    struct columns *to = &u->columns;
    for (size_t i = u->nodes.count; i-- > 0;) {
        const struct node *node = &u->nodes.at[i];
        uint32_t below = node->child_count;
        for (uint32_t c = 0; c < node->child_count; c++)
            below += to->below[node->first_child + c];
        to->below[i] = below;
    }
    to->position[0] = 0;
    for (size_t i = 0; i < u->nodes.count; i++) {
        const struct node *node = &u->nodes.at[i];
        uint32_t at = to->position[i], next = at + 1;
        to->frame[at] = node->key;
        to->end[at] = next + to->below[i];
        to->width[at] = node->own;
        to->number[at] = (uint32_t)i;
        to->is_open[at] = node->is_open;
        for (uint32_t c = node->first_child; c < node->first_child + node->child_count; c++) {
            to->position[c] = next;
            next += 1 + to->below[c];
        }
    }
    to->count = u->nodes.count;
}

bool flm_lazy_tree_columns(struct flm_lazy_tree *u, struct flm_lazy_tree_columns *tree,
                           struct flm_error *why)
{
    if (!u->is_current) {
        if (!grow_columns(u))
            return flm_error_memory(why);
        fill_columns(u);
        u->is_current = true;
    }
    const struct columns *c = &u->columns;
    *tree = (struct flm_lazy_tree_columns){(uint32_t)c->count, c->frame,  c->end,
                                           c->width,           c->number, c->is_open};
    return true;
}

struct flm_node flm_lazy_tree_node(const struct flm_lazy_tree *u, struct flm_lazy_ref number)
{
    assert(number.index < u->columns.count);
    return (struct flm_node){u->columns.position[number.index]};
}

/* ---- One node -------------------------------------------------------------------------------- */

struct flm_lazy_tree_node flm_lazy_tree_at(const struct flm_lazy_tree *u,
                                           struct flm_lazy_ref number)
{
    const struct node *node = &u->nodes.at[number.index];
    return (struct flm_lazy_tree_node){node->key,         node->total,       node->own,
                                       node->first_child, node->child_count, node->is_open};
}

struct flm_lazy_tree_occurrences flm_lazy_tree_occurrences(const struct flm_lazy_tree *u,
                                                           struct flm_lazy_ref number)
{
    assert(number.index < u->nodes.count);
    const struct node *node = &u->nodes.at[number.index];
    return (struct flm_lazy_tree_occurrences){u->occurrences.at + node->first_occurrence,
                                              node->occurrence_count, node->ended_count};
}

uint32_t flm_lazy_tree_place(const struct flm_lazy_tree *u, uint32_t of, uint32_t level)
{
    for (; climbs(u) && level > 1 && of != 0; level--)
        of = u->step[of].parent;
    return of;
}

static void add_value(double to[2], const double value[2])
{
    to[0] += value[0];
    to[1] += value[1];
}

/* Whether an occurrence of a node is at the root. Before the node is open, none has moved. */
static bool ends(const struct flm_lazy_tree *u, const struct node *node, uint32_t i)
{
    if (node->is_open)
        return i < node->ended_count;
    return u->step[u->occurrences.at[node->first_occurrence + i].at].parent == 0;
}

struct flm_lazy_tree_sum flm_lazy_tree_sum(const struct flm_lazy_tree *u,
                                           struct flm_lazy_ref number, flm_lazy_tree_value *value,
                                           const void *context)
{
    assert(number.index < u->nodes.count && value);
    const struct node *node = &u->nodes.at[number.index];
    struct flm_lazy_tree_sum sum = {{0, 0}, {0, 0}};
    bool of_self = u->kind == FLM_LAZY_TREE_INVERTED;
    double here[2];
    for (uint32_t i = 0; i < node->occurrence_count; i++) {
        uint32_t of = u->occurrences.at[node->first_occurrence + i].of;
        value(context, of, of_self, here);
        add_value(sum.total, here);
        if (!climbs(u))
            value(context, of, true, here);
        if (!climbs(u) || (number.index != 0 && ends(u, node, i)))
            add_value(sum.own, here);
    }
    if (number.index == 0 && of_self) {
        value(context, 0, true, here);
        add_value(sum.total, here);
        add_value(sum.own, here);
    }
    for (uint32_t c = 0;
         u->kind == FLM_LAZY_TREE_CALLEES && number.index == 0 && c < node->child_count; c++)
        add_value(sum.total,
                  flm_lazy_tree_sum(u, (struct flm_lazy_ref){node->first_child + c}, value, context)
                      .total);
    return sum;
}
