/* trees.h - small profiles for the tests of layout, from folded stacks or from chance. */
#ifndef FLAMEL_TESTS_LAYOUT_TREES_H
#define FLAMEL_TESTS_LAYOUT_TREES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flamel/builder.h"
#include "layout/layout.h"
#include "support/core/random.h"

/* The frame of `name` below `node`. */
static inline struct flm_node tree_child(struct flm_builder *b, struct flm_node node,
                                         const char *name, size_t size)
{
    return flm_builder_child(b, node, flm_builder_function(b, name, size));
}

/* Lines of "main;read;copy 3"; a second number is for a second metric. */
static inline struct flm_profile *tree_of(const char *folded)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric first = flm_builder_metric(b, "first", "count");
    struct flm_metric second = flm_builder_metric(b, "second", "count");
    while (*folded) {
        struct flm_node node = flm_builder_root(b);
        for (size_t size; (size = strcspn(folded, "; ")) > 0; folded += size + 1) {
            node = tree_child(b, node, folded, size);
            if (folded[size] == ' ') {
                folded += size;
                break;
            }
        }
        char *end;
        flm_builder_add(b, node, first, strtod(folded, &end));
        if (*end == ' ')
            flm_builder_add(b, node, second, strtod(end, &end));
        folded = end + (*end == '\n');
    }
    return flm_builder_finish(b, NULL);
}

/* The node of "main;read"; {FLM_NONE} where there is none. */
static inline struct flm_node tree_node(const struct flm_profile *p, const char *path)
{
    const uint32_t *frame = flm_profile_frames(p), *end = flm_profile_ends(p);
    uint32_t node = 0;
    while (*path) {
        size_t size = strcspn(path, ";");
        uint32_t child = node + 1;
        for (; child < end[node]; child = end[child]) {
            uint32_t function = flm_profile_frame(p, (struct flm_frame){frame[child]})->function;
            struct flm_name name = flm_profile_string(p, (struct flm_string){function});
            if (name.size == size && memcmp(name.at, path, size) == 0)
                break;
        }
        if (child >= end[node])
            return (struct flm_node){FLM_NONE};
        node = child;
        path += size + (path[size] == ';');
    }
    return (struct flm_node){node};
}

/* Stacks that share most of their frames, with values from 1 to 10,000: a few large, many small. */
static inline struct flm_profile *tree_of_chance(uint64_t *state, unsigned stack_count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    unsigned depth_limit = 1 + random_below(state, 30), breadth = 1 + random_below(state, 40);
    for (unsigned i = 0; i < stack_count; i++) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned depth = random_below(state, depth_limit + 1); depth > 0; depth--) {
            unsigned chosen = random_below(state, 1 + random_below(state, breadth));
            char name[16];
            node = tree_child(b, node, name, (size_t)sprintf(name, "f%u", chosen));
        }
        flm_builder_add(b, node, metric, 1 + (10000 >> random_below(state, 14)));
    }
    return flm_builder_finish(b, NULL);
}

/* `count` children of the root: every `every`th has 1000, the others 1. */
static inline struct flm_profile *tree_fan_out(uint32_t count, uint32_t every)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        struct flm_node node =
            tree_child(b, flm_builder_root(b), name, (size_t)sprintf(name, "%08u", (unsigned)i));
        flm_builder_add(b, node, metric, i % every == every / 2 ? 1000 : 1);
    }
    return flm_builder_finish(b, NULL);
}

/* Each the only child of the one before; every tenth has a self of 1, and the last one. */
static inline struct flm_profile *tree_chain(uint32_t depth)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    struct flm_node node = flm_builder_root(b);
    for (uint32_t i = 1; i <= depth; i++) {
        node = tree_child(b, node, "again", 5);
        if (i % 10 == 0 || i == depth)
            flm_builder_add(b, node, metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

static inline struct flm_layout *layout_by(const struct flm_profile *p,
                                           enum flm_sibling_order order)
{
    struct flm_layout_options options = {flm_tree_of(p, (struct flm_metric){0}), order};
    return flm_layout_new(&options, NULL);
}

#endif
