/* layout_bench.c - what src/layout claims: it is made in a few times what the totals alone take,
 * and a picture costs by what is on it, not by the size of the profile.
 *
 *     build    ns a node, siblings by name and by total, beside flm_profile_totals, the least that
 *              any flame graph needs; and a search that matches every node
 *     chart    stacks over time, of a million samples: each goes on near the one before, or
 * anywhere view     us a picture of 1920 px and 60 levels, at least a pixel for a rectangle, beside
 * a walk through the profile in preorder that skips what is narrower (and drops it)
 *
 * Each figure is the fastest of several batches, so that a busy machine matters little. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "layout/flame_chart.h"
#include "layout/rectangles.h"
#include "profile/columns.h"

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_unit(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "layout_bench: out of memory\n");
        exit(1);
    }
    return memory;
}

static struct flm_profile *empty(uint32_t node_count)
{
    struct flm_sizes sizes = {
        .string_count = 1, .frame_count = 2, .node_count = node_count, .metric_count = 1};
    struct flm_profile *p = must(flm_profile_allocate(&sizes, NULL));
    p->node_end[0] = node_count;
    for (uint32_t i = 1; i < node_count; i++)
        p->node_frame[i] = 1;
    return p;
}

/* Subtrees take random, skewed shares of what is left of their parent: about 60 levels for 1e6
 * nodes, as in real profiles with their few deep paths and many shallow ones. */
static struct flm_profile *skewed(uint32_t node_count)
{
    struct flm_profile *p = empty(node_count);
    uint32_t *open = must(malloc(node_count * sizeof *open)), depth = 1;
    open[0] = 0;
    for (uint32_t i = 1; i < node_count; i++) {
        while (p->node_end[open[depth - 1]] <= i)
            depth--;
        uint32_t room = p->node_end[open[depth - 1]] - i;
        uint32_t size = 1 + (uint32_t)((room - 1) * sqrt(sqrt(random_unit())));
        p->node_end[i] = i + size;
        p->self[i] = size == 1                ? (double)(1 + random_bits() % 1000)
                     : random_bits() % 4 == 0 ? (double)(random_bits() % 100)
                                              : 0;
        open[depth++] = i;
    }
    free(open);
    return p;
}

static struct flm_profile *fan_out(uint32_t node_count)
{
    struct flm_profile *p = empty(node_count);
    for (uint32_t i = 1; i < node_count; i++) {
        p->node_end[i] = i + 1;
        p->self[i] = (double)(1 + random_bits() % 1000);
    }
    return p;
}

static struct flm_profile *chain(uint32_t node_count)
{
    struct flm_profile *p = empty(node_count);
    for (uint32_t i = 1; i < node_count; i++) {
        p->node_end[i] = node_count;
        p->self[i] = 1;
    }
    return p;
}

static double fastest(double best, double took)
{
    return best == 0 || took < best ? took : best;
}

static void bench_build(const char *shape, const struct flm_profile *p)
{
    double n = p->sizes.node_count, totals = 0, name = 0, wide = 0, search = 0;
    double *total = must(malloc(p->sizes.node_count * sizeof *total));
    uint32_t level_count = 0;
    double matched = 0;
    for (int batch = 0; batch < (n < 2e6 ? 12 : 3); batch++) {
        double start = now_us();
        flm_profile_totals(p, (struct flm_metric){0}, total);
        totals = fastest(totals, now_us() - start);
        for (int order = FLM_ORDER_NAME; order <= FLM_ORDER_TOTAL; order++) {
            struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0}),
                                                 .order = (enum flm_sibling_order)order};
            start = now_us();
            struct flm_layout *layout = must(flm_layout_new(&options, NULL));
            double took = now_us() - start;
            *(order == FLM_ORDER_NAME ? &name : &wide) =
                fastest(order == FLM_ORDER_NAME ? name : wide, took);
            level_count = flm_layout_level_count(layout);
            start = now_us();
            matched +=
                flm_layout_match(layout, (const unsigned char[]){1, 1}, (struct flm_node){0}).total;
            search = fastest(search, now_us() - start);
            flm_layout_free(layout);
        }
    }
    printf("%-8s %9.0f %7u %9.1f %9.1f %9.1f %6.1f x %9.1f %9.1f\n", shape, n, level_count,
           totals * 1e3 / n, name * 1e3 / n, wide * 1e3 / n, name / totals, name / 1e3,
           search * 1e3 / n);
    free(total);
    if (!(matched > 0))
        printf("  (the search found nothing)\n");
}

/* What others do: preorder, with the totals and offsets known; only what is wide enough. */
static uint32_t walk(const struct flm_profile *p, const double *total, const double *offset,
                     const uint32_t *depth, const struct flm_viewport *view)
{
    double wide = view->min_width_px * (view->right - view->left) / view->width_px;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < p->sizes.node_count;) {
        bool out = offset[i] + total[i] <= view->left || offset[i] >= view->right;
        bool skip = total[i] < wide || out || depth[i] >= view->first_level + view->level_count;
        seen += !skip && depth[i] >= view->first_level;
        i = skip ? p->node_end[i] : i + 1;
    }
    return seen;
}

static void bench_view(const char *shape, const struct flm_profile *p,
                       const struct flm_layout *layout, double zoom, uint32_t first_level)
{
    enum { PLACES = 5 };
    uint32_t node_count = p->sizes.node_count;
    double *total = must(malloc(node_count * sizeof *total)), whole, ours = 0, theirs = 0;
    double *offset = must(malloc(node_count * sizeof *offset));
    uint32_t *depth = must(malloc(node_count * sizeof *depth)), seen = 0;
    struct flm_rectangles list = {0};
    flm_profile_totals(p, (struct flm_metric){0}, total);
    flm_profile_depths(p, depth);
    for (uint32_t i = 0; i < node_count; i++)
        offset[i] = flm_layout_offset(layout, (struct flm_node){i});
    whole = total[0];
    double count = 0, visited = 0, runs = 0;
    for (int place = 0; place < PLACES; place++) {
        double left = (whole - whole / zoom) * (0.1 + 0.2 * place);
        struct flm_viewport view = {left, left + whole / zoom, 1920, 1, first_level, 60, 0};
        double best = 0, best_walk = 0;
        for (int batch = 0; batch < 15; batch++) {
            int times = 0;
            double start = now_us(), took;
            do
                flm_layout_rectangles(layout, &view, &list, NULL);
            while (++times, (took = now_us() - start) < 300);
            best = fastest(best, took / times);
        }
        for (int batch = 0; batch < 3; batch++) {
            double start = now_us();
            seen += walk(p, total, offset, depth, &view);
            best_walk = fastest(best_walk, now_us() - start);
        }
        ours += best / PLACES;
        theirs += best_walk / PLACES;
        count += (double)list.count / PLACES;
        visited += (double)list.visited / PLACES;
        for (size_t i = 0; i < list.count; i++)
            runs += (list.at[i].flags & FLM_RECTANGLE_MERGED) ? 1.0 / PLACES : 0;
    }
    printf("%-8s %9u %8.0f %6u %8.0f %6.0f %8.0f %9.1f %9.1f %7.1f x\n", shape, node_count, zoom,
           first_level, count, runs, visited, ours, theirs, theirs / ours);
    flm_rectangles_clear(&list);
    free(total);
    free(offset);
    free(depth);
    if (seen == 0)
        printf("  (the walk saw nothing)\n");
}

/* A sample a millisecond; the next stack is at most `step` nodes away. */
static void bench_chart(struct flm_profile *p, uint32_t step)
{
    enum { SAMPLES = 1000000 };
    uint32_t node = 0, node_count = p->sizes.node_count;
    int64_t *time = must(malloc(SAMPLES * sizeof *time));
    uint32_t *at = must(malloc(SAMPLES * sizeof *at));
    for (uint32_t i = 0; i < SAMPLES; i++) {
        node = (uint32_t)((node + node_count + random_bits() % (2 * step + 1) - step) % node_count);
        time[i] = (int64_t)i * 1000000;
        at[i] = node;
    }
    p->sizes.sample_count = SAMPLES;
    p->sample_time = time;
    p->sample_node = at;
    struct flm_flame_chart_options options = {.metric = {FLM_NONE}};
    double chart_us = 0, layout_us = 0;
    uint32_t count = 0;
    for (int batch = 0; batch < 3; batch++) {
        double start = now_us();
        struct flm_flame_chart *chart = must(flm_flame_chart_new(p, &options, NULL));
        chart_us = fastest(chart_us, now_us() - start);
        struct flm_layout_options layout_options = {.tree = chart->tree};
        start = now_us();
        flm_layout_free(must(flm_layout_new(&layout_options, NULL)));
        layout_us = fastest(layout_us, now_us() - start);
        count = chart->tree.node_count;
        flm_flame_chart_free(chart);
    }
    printf("%-8s %9u %9u %9u %9.1f %9.1f\n", "skewed", (unsigned)SAMPLES, step, count,
           chart_us / 1e3, layout_us / 1e3);
    p->sizes.sample_count = 0;
    free(time);
    free(at);
}

struct subject {
    const char *shape;
    struct flm_profile *(*make)(uint32_t node_count);
    uint32_t node_count;
};

int main(void)
{
    static const struct subject subjects[] = {
        {"skewed", skewed, 10000},    {"skewed", skewed, 100000},    {"skewed", skewed, 1000000},
        {"skewed", skewed, 10000000}, {"fan-out", fan_out, 1000000}, {"fan-out", fan_out, 10000000},
        {"chain", chain, 100000},
    };
    enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };
    static const double zooms[] = {1, 10, 100, 1000, 1e5};
    printf("build            nodes  levels    totals   by name  by total   ratio        ms    "
           "search\n");
    for (int i = 0; i < SUBJECTS; i++) {
        struct flm_profile *p = subjects[i].make(subjects[i].node_count);
        bench_build(subjects[i].shape, p);
        flm_profile_free(p);
    }
    printf("\nchart          samples      step     nodes        ms    layout\n");
    struct flm_profile *stacks = skewed(1000000);
    bench_chart(stacks, 30);
    bench_chart(stacks, 500000);
    flm_profile_free(stacks);
    printf(
        "\nview             nodes     zoom  level    rects   runs  visited        us   walk us   "
        "ratio\n");
    for (int i = 0; i < SUBJECTS; i++) {
        struct flm_profile *p = subjects[i].make(subjects[i].node_count);
        struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0})};
        struct flm_layout *layout = must(flm_layout_new(&options, NULL));
        for (size_t z = 0; z < sizeof zooms / sizeof zooms[0]; z++)
            bench_view(subjects[i].shape, p, layout, zooms[z], 0);
        bench_view(subjects[i].shape, p, layout, 1, flm_layout_level_count(layout) / 3);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
    return 0;
}
