/* unfold_bench.c - callers of a large profile, opened as far as a picture of 1900 px shows them:
 *
 *     new      level 1
 *     open     all that is at least a pixel wide
 *     tree     the columns in preorder
 *     layout   where they lie
 *
 * of the profile that is named; callers and callees are those of the function with the largest
 * self. The fastest of several runs. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "algebra/aggregate/lazy_call_tree.h"
#include "flamel/file.h"
#include "layout/layout.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void *must(void *memory, const struct flm_error *why)
{
    if (!memory) {
        fprintf(stderr, "unfold_bench: %s\n", why->text);
        exit(1);
    }
    return memory;
}

struct figures {
    double new, open, tree, layout;
    uint32_t node_count, level_count;
};

static double faster(double best, double took)
{
    return best == 0 || took < best ? took : best;
}

static void measure(const struct flm_profile *p, enum flm_lazy_tree_kind kind,
                    const unsigned char *marks, struct figures *f)
{
    struct flm_error why;
    double start = now_ms();
    struct flm_lazy_tree *u =
        must(flm_lazy_tree_new(p, (struct flm_metric){0}, kind, marks, &why), &why);
    f->new = faster(f->new, now_ms() - start);
    start = now_ms();
    double pixel = flm_lazy_tree_at(u, (struct flm_lazy_ref){0}).total / 1900;
    if (!flm_lazy_tree_open(u, (struct flm_lazy_ref){0}, pixel, 0, NULL, &why))
        must(NULL, &why);
    f->open = faster(f->open, now_ms() - start);
    start = now_ms();
    struct flm_lazy_tree_columns tree;
    if (!flm_lazy_tree_columns(u, &tree, &why))
        must(NULL, &why);
    f->tree = faster(f->tree, now_ms() - start);
    start = now_ms();
    struct flm_layout_options options = {
        .tree = {tree.node_count, tree.frame, tree.end, tree.width, NULL}};
    struct flm_layout *layout = must(flm_layout_new(&options, &why), &why);
    f->layout = faster(f->layout, now_ms() - start);
    f->node_count = tree.node_count;
    f->level_count = flm_layout_level_count(layout);
    flm_layout_free(layout);
    flm_lazy_tree_free(u);
}

/* The frame with the largest self. */
static void mark_one(const struct flm_profile *p, unsigned char *marks)
{
    struct flm_error why;
    struct flm_lazy_tree *u = must(
        flm_lazy_tree_new(p, (struct flm_metric){0}, FLM_LAZY_TREE_INVERTED, NULL, &why), &why);
    struct flm_lazy_tree_node root = flm_lazy_tree_at(u, (struct flm_lazy_ref){0}), best = {0};
    for (uint32_t c = 0; c < root.child_count; c++) {
        struct flm_lazy_tree_node child =
            flm_lazy_tree_at(u, (struct flm_lazy_ref){root.first_child + c});
        if (child.total > best.total)
            best = child;
    }
    marks[best.frame] = 1;
    flm_lazy_tree_free(u);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"inverted", "callers", "callees", "calls"};
    struct flm_error why;
    if (argc != 2) {
        fprintf(stderr, "usage: unfold_bench FILE\n");
        return 2;
    }
    struct flm_profile *p = must(flm_load(argv[1], NULL, &why), &why);
    unsigned char *marks = must(calloc(flm_profile_frame_count(p), 1), &why);
    mark_one(p, marks);
    printf("unfold, of %u nodes\n              nodes  levels      new     open     tree   layout"
           "      all ms\n",
           flm_profile_node_count(p));
    for (int kind = FLM_LAZY_TREE_INVERTED; kind <= FLM_LAZY_TREE_CALLS; kind++) {
        struct figures f = {0};
        for (int run = 0; run < 9; run++)
            measure(p, (enum flm_lazy_tree_kind)kind, marks, &f);
        printf("%-10s %8u %7u %8.1f %8.1f %8.1f %8.1f %11.1f\n", names[kind], f.node_count,
               f.level_count, f.new, f.open, f.tree, f.layout, f.new + f.open + f.tree + f.layout);
    }
    free(marks);
    flm_profile_free(p);
    return 0;
}
