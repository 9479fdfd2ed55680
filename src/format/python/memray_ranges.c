/* memray_ranges.c - what mmap allocated and munmap did not release yet.
 *
 * munmap may release parts of ranges, and parts of several; ranges may overlap. They are an AA tree
 * in the order of their addresses; each knows the largest end below it. So adding one, and finding
 * one that overlaps, take logarithmic time in every order of calls. Node 0 is the empty tree. */
#include "format/python/memray.h"

static struct flm_memray_range *range_at(struct flm_memray *m, uint32_t index)
{
    return &m->ranges.at[index];
}

static uint64_t end_of(uint64_t address, uint64_t size)
{
    return size > UINT64_MAX - address ? UINT64_MAX : address + size;
}

/* ---- The tree -------------------------------------------------------------------------------- */

static void update(struct flm_memray *m, uint32_t tree)
{
    struct flm_memray_range *range = range_at(m, tree);
    uint64_t left = range_at(m, range->left)->last_end, right = range_at(m, range->right)->last_end;
    range->last_end = left > right ? left : right;
    if (range->end > range->last_end)
        range->last_end = range->end;
}

/* A left child of the same level becomes the parent. */
static uint32_t skew(struct flm_memray *m, uint32_t tree)
{
    uint32_t left = range_at(m, tree)->left;
    if (tree == 0 || range_at(m, left)->level != range_at(m, tree)->level)
        return tree;
    range_at(m, tree)->left = range_at(m, left)->right;
    range_at(m, left)->right = tree;
    update(m, tree);
    update(m, left);
    return left;
}

/* Of three of the same level, one to the right of the other, the middle one becomes the parent. */
static uint32_t split(struct flm_memray *m, uint32_t tree)
{
    uint32_t right = range_at(m, tree)->right;
    if (tree == 0 || range_at(m, range_at(m, right)->right)->level != range_at(m, tree)->level)
        return tree;
    range_at(m, tree)->right = range_at(m, right)->left;
    range_at(m, right)->left = tree;
    range_at(m, right)->level++;
    update(m, tree);
    update(m, right);
    return right;
}

/* Those at the same address are ordered by their numbers. */
static bool is_before(struct flm_memray *m, uint32_t a, uint32_t b)
{
    uint64_t x = range_at(m, a)->address, y = range_at(m, b)->address;
    return x < y || (x == y && a < b);
}

static uint32_t insert(struct flm_memray *m, uint32_t tree, uint32_t added)
{
    if (tree == 0)
        return added;
    struct flm_memray_range *range = range_at(m, tree);
    if (is_before(m, added, tree))
        range->left = insert(m, range->left, added);
    else
        range->right = insert(m, range->right, added);
    update(m, tree);
    return split(m, skew(m, tree));
}

static uint32_t rebalance(struct flm_memray *m, uint32_t tree)
{
    struct flm_memray_range *range = range_at(m, tree);
    uint32_t left = range_at(m, range->left)->level, right = range_at(m, range->right)->level;
    uint32_t level = 1 + (left < right ? left : right);
    if (level < range->level) {
        range->level = level;
        if (level < right)
            range_at(m, range->right)->level = level;
    }
    update(m, tree);
    tree = skew(m, tree);
    range = range_at(m, tree);
    range->right = skew(m, range->right);
    range_at(m, range->right)->right = skew(m, range_at(m, range->right)->right);
    tree = split(m, tree);
    range = range_at(m, tree);
    range->right = split(m, range->right);
    return tree;
}

/* The neighbour below it, if there is one, takes the place of what is removed. */
static uint32_t take_out(struct flm_memray *m, uint32_t tree, uint32_t removed)
{
    struct flm_memray_range *range = range_at(m, tree);
    if (tree != removed) {
        if (is_before(m, removed, tree))
            range->left = take_out(m, range->left, removed);
        else
            range->right = take_out(m, range->right, removed);
        return rebalance(m, tree);
    }
    uint32_t next = range->left ? range->left : range->right;
    if (next == 0)
        return 0;
    if (range->left) {
        while (range_at(m, next)->right)
            next = range_at(m, next)->right;
        range->left = take_out(m, range->left, next);
    } else {
        while (range_at(m, next)->left)
            next = range_at(m, next)->left;
        range->right = take_out(m, range->right, next);
    }
    range_at(m, next)->left = range->left;
    range_at(m, next)->right = range->right;
    range_at(m, next)->level = range->level;
    return rebalance(m, next);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static bool add(struct flm_memray *m, struct flm_memray_range range)
{
    range.level = 1;
    range.last_end = range.end;
    uint32_t index = m->free_range;
    if (index != 0) {
        m->free_range = range_at(m, index)->left;
        *range_at(m, index) = range;
    } else {
        if ((m->ranges.count == 0 && !FLM_ARRAY_ADD(&m->ranges, (struct flm_memray_range){0})) ||
            !FLM_ARRAY_ADD(&m->ranges, range))
            return false;
        index = (uint32_t)m->ranges.count - 1;
    }
    m->range_tree = insert(m, m->range_tree, index);
    return true;
}

bool flm_memray_add_range(struct flm_memray *m, struct flm_memray_block block)
{
    return block.size == 0 ||
           add(m, (struct flm_memray_range){.address = block.address,
                                            .end = end_of(block.address, block.size),
                                            .location = block.location});
}

/* One that overlaps. If one to the left ends behind `begin` but none there overlaps, it begins
 * behind `end`, and so do all to the right. */
static uint32_t find_overlap(struct flm_memray *m, uint64_t begin, uint64_t end)
{
    uint32_t tree = m->range_tree;
    while (tree != 0) {
        const struct flm_memray_range *range = range_at(m, tree);
        if (range->address < end && range->end > begin)
            break;
        tree = range_at(m, range->left)->last_end > begin ? range->left : range->right;
    }
    return tree;
}

bool flm_memray_release_range(struct flm_memray *m, uint64_t begin, uint64_t size)
{
    uint64_t end = end_of(begin, size);
    if (begin == end)
        return true;
    for (uint32_t found; (found = find_overlap(m, begin, end)) != 0;) {
        struct flm_memray_range old = *range_at(m, found);
        struct flm_memray_range before = {.address = old.address, .end = begin};
        struct flm_memray_range after = {.address = end, .end = old.end};
        before.location = after.location = old.location;
        m->range_tree = take_out(m, m->range_tree, found);
        range_at(m, found)->left = m->free_range;
        m->free_range = found;
        flm_memray_subtract(m, old.location,
                            (old.end < end ? old.end : end) -
                                (old.address > begin ? old.address : begin));
        if ((before.address < before.end && !add(m, before)) ||
            (after.address < after.end && !add(m, after)))
            return flm_error_memory(m->why);
    }
    return true;
}
