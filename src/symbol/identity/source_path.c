#include "symbol/identity/source_path.h"

#include <stdlib.h>

#include "base/core/sort.h"

void flm_path_normalize(struct flm_bytes path, struct flm_text *out)
{
    size_t start = out->size;
    if (path.size > 0 && path.at[0] == '/')
        flm_text_putc(out, '/');
    size_t first = out->size;
    while (path.size > 0 && !out->failed) {
        const char *slash = memchr(path.at, '/', path.size);
        struct flm_bytes part = {path.at, slash ? (size_t)(slash - path.at) : path.size};
        path = flm_bytes_from(path, part.size + (slash != NULL));
        if (part.size == 0 || flm_bytes_are(part, "."))
            continue;
        if (!flm_bytes_are(part, "..")) {
            if (out->size > first)
                flm_text_putc(out, '/');
            flm_text_add(out, part);
            continue;
        }
        while (out->size > first && out->at[out->size - 1] != '/')
            out->size--;
        if (out->size > first)
            out->size--;
    }
    if (out->failed)
        out->size = start;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

static int order_from_the_end(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_bytes *x = &((const struct flm_bytes *)context)[a];
    const struct flm_bytes *y = &((const struct flm_bytes *)context)[b];
    size_t least = x->size < y->size ? x->size : y->size;
    for (size_t i = 1; i <= least; i++) {
        unsigned char one = (unsigned char)x->at[x->size - i],
                      other = (unsigned char)y->at[y->size - i];
        if (one != other)
            return one < other ? -1 : 1;
    }
    return (x->size > y->size) - (x->size < y->size);
}

/* Where the shortest end begins that the other path does not have. */
static size_t own_end(struct flm_bytes path, struct flm_bytes other)
{
    size_t common = 0;
    while (common < path.size && common < other.size &&
           path.at[path.size - common - 1] == other.at[other.size - common - 1])
        common++;
    size_t at = path.size - common;
    if (at > 0 && path.at[at - 1] == '/')
        at--;
    while (at > 0 && path.at[at - 1] != '/')
        at--;
    return at;
}

/* Those that have the longest end in common are neighbors. */
bool flm_path_shortest_ends(struct flm_bytes *path, size_t count)
{
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    size_t *start = malloc((count + 1) * sizeof *start);
    bool good = order && start;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good)
        flm_sort(order, count, order + count, order_from_the_end, path);
    for (size_t i = 0; good && i < count; i++) {
        struct flm_bytes own = path[order[i]];
        size_t least = own_end(own, (struct flm_bytes){"", 0}), k;
        for (k = i; k > 0 && flm_bytes_equal(path[order[k - 1]], own);)
            k--;
        size_t at = k > 0 ? own_end(own, path[order[k - 1]]) : least;
        least = at < least ? at : least;
        for (k = i; k + 1 < count && flm_bytes_equal(path[order[k + 1]], own);)
            k++;
        at = k + 1 < count ? own_end(own, path[order[k + 1]]) : least;
        start[order[i]] = at < least ? at : least;
    }
    for (size_t i = 0; good && i < count; i++)
        path[i] = flm_bytes_from(path[i], start[i]);
    free(order);
    free(start);
    return good;
}
