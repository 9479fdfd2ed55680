#include "profile/recursion.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "profile/flm_file.h"

struct flm_depths flm_recursion_at(const struct flm_profile *p, uint32_t node)
{
    uint32_t first = 0, end = p->sizes.recursion_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (p->recursions[middle].node < node)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == p->sizes.recursion_count || p->recursions[first].node != node)
        return (struct flm_depths){1, 1};
    return (struct flm_depths){p->recursions[first].least, p->recursions[first].most};
}

void flm_depths_merge(struct flm_depths *into, struct flm_depths depths)
{
    if (into->most == 0 || depths.least < into->least)
        into->least = depths.least;
    if (depths.most > into->most)
        into->most = depths.most;
}

struct flm_depths *flm_depths_new(size_t count)
{
    return flm_new_zeroed(count, sizeof(struct flm_depths));
}

/* Room for `count` records in the last section of the image. */
static bool grow(struct flm_profile *p, uint32_t count, struct flm_error *why)
{
    struct flm_sizes sizes = p->sizes;
    sizes.recursion_count = count;
    uint64_t size = flm_file_size(&sizes);
    void *image = size <= SIZE_MAX ? realloc(p->image, (size_t)size) : NULL;
    if (!image)
        return flm_error_memory(why);
    memset((char *)image + p->image_size, 0, (size_t)size - p->image_size);
    p->image = p->release_context = image;
    p->image_size = (size_t)size;
    flm_file_place(p, &sizes);
    return true;
}

bool flm_recursion_set(struct flm_profile *p, const struct flm_depths *depths, uint32_t count,
                       const uint32_t *node_index, struct flm_error *why)
{
    assert(p->sizes.recursion_count == 0);
    uint32_t *from = flm_new_zeroed(p->sizes.node_count, sizeof *from); /* by node; 0: none */
    uint32_t kept = 0;
    for (uint32_t i = 1; from && i < count; i++) {
        uint32_t node = node_index ? node_index[i] : i;
        if (depths[i].most < 2 || node == 0)
            continue;
        assert(node < p->sizes.node_count && from[node] == 0);
        from[node] = i;
        kept++;
    }
    bool good = from ? kept == 0 || grow(p, kept, why) : flm_error_memory(why);
    struct flm_recursion_record *to = p->recursions;
    for (uint32_t node = 1; good && kept > 0 && node < p->sizes.node_count; node++)
        if (from[node] != 0)
            *to++ = (struct flm_recursion_record){node, depths[from[node]].least,
                                                  depths[from[node]].most};
    free(from);
    return good;
}
