#include "profile/sample_move.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/large_block.h"
#include "profile/joining.h"
#include "profile/sample_order.h"

enum { BLOCK = 1 << 16 }; /* samples */

struct moving {
    const struct flm_metadata *f;
    struct flm_profile *p;
    uint32_t *order; /* NULL: they are in order */
    uint32_t *left;  /* by block: the blocks before it need only the builder's samples below this */
};

/* The index in the builder of sample i of the profile. */
static inline uint32_t at(const struct moving *m, uint32_t i)
{
    return m->order ? m->order[i] : i;
}

/* Each fills one column of the profile, for its samples [first, end). */

static void put_labels(const struct moving *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        m->p->sample_labels[i] = m->f->set_rank[m->f->b->sample_labels[at(m, i)]];
}

static void put_nodes(const struct moving *m, uint32_t first, uint32_t end)
{
    const struct flm_builder *b = m->f->b;
    for (uint32_t i = first; i < end; i++)
        m->p->sample_node[i] = m->f->node_index[flm_joining_sample_node(b, at(m, i))];
    for (uint32_t i = first; b->joining && i < end; i++)
        m->p->sample_chain[i] = flm_joining_chain_of(b, at(m, i));
}

static void put_durations(const struct moving *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        m->p->sample_duration[i] = flm_builder_duration(m->f->b, at(m, i));
}

static void put_times(const struct moving *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        m->p->sample_time[i] = m->f->b->sample_time[at(m, i)];
}

/* Durations last: they take 8 bytes in the profile and 4 in the builder. */
static const struct {
    void (*put)(const struct moving *m, uint32_t first, uint32_t end);
    size_t column, item_size; /* of the builder */
} columns[] = {
    {put_labels, offsetof(struct flm_builder, sample_labels), sizeof(uint32_t)},
    {put_nodes, offsetof(struct flm_builder, sample_node), sizeof(uint32_t)},
    {put_times, offsetof(struct flm_builder, sample_time), sizeof(int64_t)},
    {put_durations, offsetof(struct flm_builder, sample_lasts), sizeof(uint32_t)},
};

/* Shrinks a column of the builder to `size` bytes; 0 frees it. */
static void shorten(struct flm_builder *b, size_t column, size_t size)
{
    void *items, *less;
    memcpy(&items, (char *)b + column, sizeof items);
    less = size > 0 ? realloc(items, size) : NULL;
    if (size == 0)
        free(items);
    else if (!less)
        return;
    memcpy((char *)b + column, &less, sizeof less);
}

static void move_column(const struct moving *m, size_t column)
{
    enum { WORTH_IT = 1 << 20 }; /* bytes that are worth a system call to give back */
    struct flm_builder *b = m->f->b;
    void *items;
    memcpy(&items, (char *)b + columns[column].column, sizeof items);
    if (!items)
        return;
    size_t size = columns[column].item_size, has = b->sample_count;
    for (uint32_t block = (b->sample_count - 1) / BLOCK + 1; block-- > 0;) {
        uint32_t first = block * BLOCK;
        uint32_t end = b->sample_count - first < BLOCK ? b->sample_count : first + BLOCK;
        columns[column].put(m, first, end);
        if (block > 0 && (has - m->left[block]) * size >= WORTH_IT) {
            has = m->left[block];
            shorten(b, columns[column].column, has * size);
        }
    }
    shorten(b, columns[column].column, 0);
}

static bool count_left(struct moving *m)
{
    uint32_t count = m->f->b->sample_count, most = 0;
    m->left = malloc(((size_t)count / BLOCK + 1) * sizeof *m->left);
    for (uint32_t i = 0; m->left && i < count; i++) {
        if (i % BLOCK == 0)
            m->left[i / BLOCK] = most;
        most = at(m, i) >= most ? at(m, i) + 1 : most;
    }
    return m->left != NULL;
}

/* Moves the values of all metrics. They need the inverse of the order, the index in the profile of
 * each sample of the builder, which is freed before the other columns are moved. */
static bool move_values(const struct moving *m)
{
    const struct flm_builder *b = m->f->b;
    size_t size = (size_t)b->sample_count * sizeof(uint32_t);
    uint32_t *rank = m->order ? flm_large_block(malloc(size), size) : NULL;
    bool good = rank || !m->order;
    for (uint32_t i = 0; rank && i < b->sample_count; i++)
        rank[m->order[i]] = i;
    for (uint32_t i = 0; good && i < b->metric_count; i++) {
        struct flm_value_column *values = &b->metrics[i].sample_values;
        good = flm_value_column_take(values, rank, b->sample_count, &m->p->values[i]);
        flm_value_column_clear(values);
    }
    free(rank);
    return good;
}

bool flm_samples_move(struct flm_metadata *f, struct flm_profile *p)
{
    struct moving m = {.f = f, .p = p};
    if (f->b->sample_count == 0)
        return true;
    bool good = flm_sample_order(f, &m.order) && move_values(&m) && count_left(&m);
    for (size_t i = 0; good && i < sizeof columns / sizeof columns[0]; i++)
        move_column(&m, i);
    free(m.order);
    free(m.left);
    return good;
}
