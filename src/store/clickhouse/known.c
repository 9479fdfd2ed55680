#include "store/clickhouse/known.h"

#include <stdlib.h>

#include "base/core/hash.h"

enum { MOST_FRAMES = 100000 };

bool flm_known_init(struct flm_known *known, struct flm_error *why)
{
    *known = (struct flm_known){.head = {{0}}};
    return flm_head_init(&known->head, why);
}

void flm_known_clear(struct flm_known *known)
{
    flm_head_clear(&known->head);
    flm_head_tree_clear(&known->tree);
    FLM_ARRAY_CLEAR(&known->stacks);
    flm_index_clear(&known->index);
}

size_t flm_known_size(const struct flm_known *known)
{
    return flm_head_size(&known->head) + known->stacks.capacity * sizeof *known->stacks.at +
           known->index.slot_count * sizeof(struct flm_slot);
}

static uint32_t hash_of(uint32_t tenant, struct flm_stack_id id)
{
    return flm_hash_numbers(id.low ^ tenant, id.high);
}

static uint32_t find(const struct flm_known *known, uint32_t tenant, struct flm_stack_id id)
{
    struct flm_probe at = flm_index_probe(&known->index, hash_of(tenant, id));
    while (flm_index_next(&known->index, &at)) {
        const struct flm_known_stack *stack = &known->stacks.at[at.found];
        if (stack->tenant == tenant && flm_stack_id_equal(stack->id, id))
            return stack->node;
    }
    return FLM_NONE;
}

uint32_t flm_known_find(const struct flm_known *known, struct flm_bytes tenant,
                        struct flm_stack_id id)
{
    uint32_t name = flm_interner_find(&known->head.interner, tenant);
    return name == FLM_NONE ? FLM_NONE : find(known, name, id);
}

static bool add(struct flm_known *known, struct flm_bytes tenant, struct flm_stack_id id,
                uint32_t node)
{
    uint32_t name = flm_interner_string(&known->head.interner, tenant);
    if (name == FLM_NONE)
        return false;
    if (find(known, name, id) != FLM_NONE)
        return true;
    const struct flm_known_stack stack = {id, name, node};
    return FLM_ARRAY_ADD(&known->stacks, stack) &&
           flm_index_add(&known->index, hash_of(name, id), (uint32_t)known->stacks.count - 1);
}

/* One column of the frames: as many as the others have. */
static void read_column(struct flm_known *known, struct flm_row_reader *row, int column,
                        struct flm_frame_record *frames, size_t count)
{
    if (flm_read_varint(row) != count)
        row->failed = true;
    for (size_t i = 0; i < count && !row->failed; i++) {
        struct flm_frame_record *f = &frames[i];
        uint32_t *texts[] = {&f->function, &f->module, &f->file};
        if (column < 3)
            *texts[column] = flm_interner_string(&known->head.interner, flm_read_string(row));
        else if (column == 3)
            f->line = (uint32_t)flm_read_fixed(row, 4);
        else if (column == 4)
            f->address = flm_read_fixed(row, 8);
        else if (column == 5)
            f->kind = (uint32_t)flm_read_fixed(row, 1);
        else
            f->flags = (uint32_t)flm_read_fixed(row, 1);
    }
}

/* The node of a row of frames, added where it is new; FLM_NONE: memory ran out. */
static uint32_t node_of(struct flm_known *known, const struct flm_frame_record *frames,
                        size_t count)
{
    uint32_t node = 0;
    for (size_t i = 0; i < count && node != FLM_NONE; i++) {
        const struct flm_frame_record *f = &frames[i];
        uint32_t frame = FLM_NONE;
        if (f->function != FLM_NONE && f->module != FLM_NONE && f->file != FLM_NONE)
            frame = flm_interner_frame(&known->head.interner, f);
        node = frame == FLM_NONE ? FLM_NONE : flm_head_node(&known->head, node, frame);
    }
    return node;
}

bool flm_known_read(struct flm_known *known, struct flm_bytes tenant, struct flm_row_reader *row)
{
    uint64_t low = flm_read_fixed(row, 8), high = flm_read_fixed(row, 8);
    const struct flm_stack_id id = {low, high};
    /* The count stands in front of each column; it is looked at first, and read again. */
    size_t start = row->at, count = (size_t)flm_read_varint(row);
    row->at = start;
    if (row->failed || count > MOST_FRAMES) {
        row->failed = true;
        return false;
    }
    struct flm_frame_record *frames = calloc(count + 1, sizeof *frames);
    for (int column = 0; frames && column < 7; column++)
        read_column(known, row, column, frames, count);
    uint32_t node = frames && !row->failed ? node_of(known, frames, count) : FLM_NONE;
    free(frames);
    return node != FLM_NONE && add(known, tenant, id, node);
}

bool flm_known_missing(struct flm_known *known, uint32_t *node)
{
    uint32_t frame =
        flm_interner_function(&known->head.interner, flm_bytes_of(FLM_UNKNOWN_STACK), 0);
    *node = frame == FLM_NONE ? FLM_NONE : flm_head_node(&known->head, 0, frame);
    return *node != FLM_NONE;
}
