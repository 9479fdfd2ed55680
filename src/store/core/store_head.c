#include "store/core/store_head.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "flamel/builder.h"
#include "profile/internal.h"

bool flm_head_init(struct flm_head *head, struct flm_error *why)
{
    *head = (struct flm_head){{0}};
    if (!flm_interner_init(&head->interner, why))
        return false;
    if (FLM_ARRAY_ADD(&head->nodes, (struct flm_head_node){FLM_NONE, 0, 0}))
        return true;
    flm_head_clear(head);
    return flm_error_memory(why);
}

static void clear_names(struct flm_head_names *names)
{
    FLM_ARRAY_CLEAR(&names->strings);
    flm_index_clear(&names->index);
}

void flm_head_clear(struct flm_head *head)
{
    flm_interner_clear(&head->interner);
    FLM_ARRAY_CLEAR(&head->nodes);
    flm_index_clear(&head->node_index);
    clear_names(&head->series);
    clear_names(&head->types);
    FLM_ARRAY_CLEAR(&head->batches);
    flm_text_clear(&head->values);
    *head = (struct flm_head){{0}};
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint32_t find_node(const struct flm_head *head, uint32_t parent, uint32_t frame,
                          uint32_t hash)
{
    for (struct flm_probe at = flm_index_probe(&head->node_index, hash);
         flm_index_next(&head->node_index, &at);)
        if (head->nodes.at[at.found].parent == parent && head->nodes.at[at.found].frame == frame)
            return at.found;
    return FLM_NONE;
}

/* A node has a hash of its whole path: those of all nodes of a profile follow from its frames, and
 * their slots are asked for before any is looked at. */
static uint32_t hash_below(uint32_t parent_hash, uint32_t frame)
{
    return flm_hash_numbers(parent_hash, frame);
}

/* FLM_NONE when memory, or the numbers of nodes, ran out. */
static uint32_t node_of(struct flm_head *head, uint32_t parent, uint32_t frame, uint32_t hash)
{
    uint32_t node = find_node(head, parent, frame, hash);
    if (node != FLM_NONE)
        return node;
    node = (uint32_t)head->nodes.count;
    if (node >= UINT32_MAX / 4 ||
        !FLM_ARRAY_ADD(&head->nodes, (struct flm_head_node){parent, frame, hash}))
        return FLM_NONE;
    if (flm_index_add(&head->node_index, hash, node))
        return node;
    head->nodes.count--;
    return FLM_NONE;
}

uint32_t flm_head_node(struct flm_head *head, uint32_t parent, uint32_t frame)
{
    return node_of(head, parent, frame, hash_below(head->nodes.at[parent].hash, frame));
}

uint32_t flm_head_name(struct flm_head *head, struct flm_head_names *names, struct flm_bytes text)
{
    uint32_t string = flm_interner_string(&head->interner, text);
    if (string == FLM_NONE)
        return FLM_NONE;
    uint32_t hash = flm_hash_numbers(string, 0);
    for (struct flm_probe at = flm_index_probe(&names->index, hash);
         flm_index_next(&names->index, &at);)
        if (names->strings.at[at.found] == string)
            return at.found;
    uint32_t name = (uint32_t)names->strings.count;
    if (!FLM_ARRAY_ADD(&names->strings, string))
        return FLM_NONE;
    if (flm_index_add(&names->index, hash, name))
        return name;
    names->strings.count--;
    return FLM_NONE;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* A frame of a profile as one of the head. Which clones of a function the compiler made is not
 * kept: it would change frames that are in the journal already. */
static uint32_t frame_of(struct flm_head *head, const struct flm_profile *p, uint32_t frame)
{
    struct flm_frame_record record = p->frames[frame];
    uint32_t *strings[] = {&record.function, &record.module, &record.file};
    for (int i = 0; i < 3; i++) {
        if (*strings[i] == 0) /* "" in both */
            continue;
        *strings[i] = flm_interner_string(&head->interner, flm_string_bytes(p, *strings[i]));
        if (*strings[i] == FLM_NONE)
            return FLM_NONE;
    }
    record.flags &= FLM_FRAME_FLAGS & FLM_FRAME_IDENTITY;
    return flm_interner_frame(&head->interner, &record);
}

static uint32_t *frames_of(struct flm_head *head, const struct flm_profile *p)
{
    uint32_t *map = malloc(p->sizes.frame_count * sizeof *map);
    for (uint32_t i = 0; map && i < p->sizes.frame_count; i++) {
        map[i] = frame_of(head, p, i);
        if (map[i] == FLM_NONE) {
            free(map);
            return NULL;
        }
    }
    return map;
}

uint32_t *flm_head_nodes(struct flm_head *head, const struct flm_profile *p)
{
    enum { AHEAD = 8 };
    uint32_t count = p->sizes.node_count, *frame = frames_of(head, p);
    uint32_t *node = frame ? malloc(count * sizeof *node) : NULL;
    uint32_t *parent = node ? malloc(count * sizeof *parent) : NULL;
    uint32_t *hash = parent ? malloc(count * sizeof *hash) : NULL;
    bool good = hash != NULL;
    if (good) {
        flm_profile_parents(p, parent);
        node[0] = hash[0] = 0;
    }
    for (uint32_t i = 1; good && i < count; i++)
        hash[i] = hash_below(hash[parent[i]], frame[p->node_frame[i]]);
    for (uint32_t i = 1; good && i < count; i++) {
        if (i + AHEAD < count)
            flm_index_expect(&head->node_index, hash[i + AHEAD]);
        node[i] = node_of(head, node[parent[i]], frame[p->node_frame[i]], hash[i]);
        good = node[i] != FLM_NONE;
    }
    free(frame);
    free(parent);
    free(hash);
    if (!good) {
        free(node);
        return NULL;
    }
    return node;
}

bool flm_head_add_batch(struct flm_head *head, struct flm_head_batch batch, struct flm_bytes values)
{
    batch.start = head->values.size;
    batch.size = values.size;
    flm_text_add(&head->values, values);
    if (head->values.failed || !FLM_ARRAY_ADD(&head->batches, batch)) {
        head->values.failed = false;
        head->values.size = batch.start;
        return false;
    }
    bool first = head->from_ms == head->until_ms;
    head->from_ms = first || batch.time_ms < head->from_ms ? batch.time_ms : head->from_ms;
    head->until_ms = first || batch.time_ms >= head->until_ms ? batch.time_ms + 1 : head->until_ms;
    return true;
}

static bool add_rows(struct flm_head *head, struct flm_store_rows *rows,
                     struct flm_head_batch batch)
{
    struct flm_text values = {0};
    bool good = flm_store_rows_sort(rows);
    if (good) {
        flm_store_rows_encode(rows->at, rows->count, &values);
        good = !values.failed &&
               flm_head_add_batch(head, batch, (struct flm_bytes){values.at, values.size});
    }
    flm_text_clear(&values);
    return good;
}

/* "cpu:ns" */
static uint32_t type_of(struct flm_head *head, const struct flm_profile *p, uint32_t metric)
{
    struct flm_text text = {0};
    flm_text_add(&text, flm_string_bytes(p, p->metrics[metric].name));
    flm_text_putc(&text, ':');
    flm_text_add(&text, flm_string_bytes(p, p->metrics[metric].unit));
    uint32_t type = text.failed
                        ? FLM_NONE
                        : flm_head_name(head, &head->types, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    return type;
}

bool flm_head_add(struct flm_head *head, const struct flm_profile *p, struct flm_bytes series_text,
                  int64_t time_ms, struct flm_error *why)
{
    uint32_t series = flm_head_name(head, &head->series, series_text);
    uint32_t *node = series == FLM_NONE ? NULL : flm_head_nodes(head, p);
    struct flm_store_rows rows = {0};
    bool good = node != NULL;
    for (uint32_t m = 0; good && m < p->sizes.metric_count; m++) {
        const double *self = flm_self_column(p, m);
        rows.count = 0;
        for (uint32_t i = 0; good && i < p->sizes.node_count; i++)
            if (self[i] != 0)
                good =
                    FLM_ARRAY_ADD(&rows, (struct flm_store_row){.node = node[i], .value = self[i]});
        uint32_t type = good && rows.count > 0 ? type_of(head, p, m) : 0;
        good =
            good && type != FLM_NONE &&
            (rows.count == 0 ||
             add_rows(head, &rows,
                      (struct flm_head_batch){.series = series, .type = type, .time_ms = time_ms}));
    }
    FLM_ARRAY_CLEAR(&rows);
    free(node);
    return good || flm_error_memory(why);
}

void flm_head_drop_batches(struct flm_head *head, const struct flm_head_mark *mark)
{
    head->batches.count = mark->batches;
    head->values.size = mark->values;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void add_to_node(void *context, uint32_t node, uint32_t series, double sum)
{
    double *self = context;
    (void)series;
    self[node] += sum;
}

bool flm_head_sum(const struct flm_head *head, const struct flm_head_batch *batch, double *self,
                  struct flm_error *why)
{
    const struct flm_store_range range = {
        .until_ms = INT64_MAX, .series_count = 1, .node_count = (uint32_t)head->nodes.count};
    return flm_store_rows_sum(flm_head_values(head, batch), &range, add_to_node, self, why);
}

struct pouring {
    const struct flm_head *head;
    struct flm_builder *builder;
    uint32_t *frame;     /* by frame of the head: that of the builder, or FLM_NONE */
    unsigned char *used; /* by node of the head: whether it, or one below it, has a value */
    uint32_t *node;      /* by node of the head: that of the builder */
};

struct flm_frame flm_head_frame(const struct flm_head *head, uint32_t frame,
                                struct flm_builder *builder)
{
    struct flm_frame_record record = head->interner.frames[frame];
    uint32_t *strings[] = {&record.function, &record.module, &record.file};
    for (int i = 0; i < 3; i++) {
        struct flm_bytes text = flm_interner_text(&head->interner, *strings[i]);
        *strings[i] = flm_builder_string(builder, text.at, text.size).index;
    }
    return flm_builder_frame(builder, &record);
}

static uint32_t frame_in(struct pouring *p, uint32_t frame)
{
    if (p->frame[frame] == FLM_NONE)
        p->frame[frame] = flm_head_frame(p->head, frame, p->builder).index;
    return p->frame[frame];
}

/* Where the nodes of the head are in a finished profile: children of a node are found by their
 * frames, which are those of the head in another order. */
static bool follow(struct flm_head *head, const struct flm_profile *p, uint32_t *moved)
{
    uint32_t *frame = malloc(p->sizes.frame_count * sizeof *frame);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    uint32_t *back = malloc(p->sizes.node_count * sizeof *back);
    bool good = frame && parent && back;
    for (uint32_t i = 0; good && i < p->sizes.frame_count; i++) {
        frame[i] = frame_of(head, p, i);
        good = frame[i] != FLM_NONE;
    }
    if (good) {
        flm_profile_parents(p, parent);
        memset(moved, 0xFF, head->nodes.count * sizeof *moved);
        moved[0] = back[0] = 0;
    }
    for (uint32_t i = 1; good && i < p->sizes.node_count; i++) {
        uint32_t above = back[parent[i]], own = frame[p->node_frame[i]];
        back[i] = find_node(head, above, own, hash_below(head->nodes.at[above].hash, own));
        assert(back[i] != FLM_NONE);
        moved[back[i]] = i;
    }
    free(frame);
    free(parent);
    free(back);
    return good;
}

void flm_head_type_parts(struct flm_bytes type, struct flm_bytes *name, struct flm_bytes *unit)
{
    const char *colon = type.size > 0 ? memrchr(type.at, ':', type.size) : NULL;
    size_t size = colon ? (size_t)(colon - type.at) : type.size;
    *name = (struct flm_bytes){type.at, size};
    *unit = flm_bytes_from(type, size + (colon != NULL));
}

struct flm_metric flm_head_metric(struct flm_builder *builder, struct flm_bytes type)
{
    struct flm_bytes name, unit;
    flm_head_type_parts(type, &name, &unit);
    uint32_t name_string = flm_builder_string(builder, name.at, name.size).index;
    uint32_t unit_string = flm_builder_string(builder, unit.at, unit.size).index;
    uint32_t metric = flm_builder_metric_of(builder, name_string, unit_string);
    return (struct flm_metric){metric == FLM_NONE ? 0 : metric};
}

/* Parents have lower numbers than their children: marks go up in one pass, nodes down in
 * another. */
static void pour(struct pouring *p, const double *self, struct flm_metric metric)
{
    const struct flm_head_node *node = p->head->nodes.at;
    size_t count = p->head->nodes.count;
    for (size_t i = count; i-- > 1;) {
        p->used[i] |= self[i] != 0;
        p->used[node[i].parent] |= p->used[i];
    }
    p->node[0] = flm_builder_root(p->builder).index;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !p->used[i])
            continue;
        if (i > 0)
            p->node[i] = flm_builder_child(p->builder, (struct flm_node){p->node[node[i].parent]},
                                           (struct flm_frame){frame_in(p, node[i].frame)})
                             .index;
        if (self[i] != 0)
            flm_builder_add(p->builder, (struct flm_node){p->node[i]}, metric, self[i]);
    }
}

struct flm_profile *flm_head_profile(struct flm_head *head, const double *self,
                                     struct flm_bytes type, uint32_t *moved, struct flm_error *why)
{
    size_t nodes = head->nodes.count;
    struct pouring p = {.head = head,
                        .builder = flm_builder_new(why),
                        .frame = malloc(head->interner.frame_count * sizeof *p.frame),
                        .used = calloc(nodes, 1),
                        .node = malloc(nodes * sizeof *p.node)};
    struct flm_profile *profile = NULL;
    if (p.builder && p.frame && p.used && p.node) {
        memset(p.frame, 0xFF, head->interner.frame_count * sizeof *p.frame);
        pour(&p, self, flm_head_metric(p.builder, type));
        profile = flm_builder_finish(p.builder, why);
    } else {
        flm_builder_free(p.builder);
        flm_error_memory(why);
    }
    free(p.frame);
    free(p.used);
    free(p.node);
    if (profile && moved && !follow(head, profile, moved)) {
        flm_error_memory(why);
        flm_profile_free(profile);
        return NULL;
    }
    return profile;
}

size_t flm_head_size(const struct flm_head *head)
{
    return head->interner.bytes_capacity + head->values.capacity +
           head->nodes.capacity * sizeof *head->nodes.at +
           head->node_index.slot_count * sizeof(struct flm_slot) +
           head->interner.frame_capacity * sizeof(struct flm_frame_record) +
           head->batches.capacity * sizeof *head->batches.at;
}
