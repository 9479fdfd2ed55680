/* svg_bench.c - what writing an SVG costs beyond the layout that every picture needs, and how large
 * it is: svg_bench FILE.flm...
 *
 * Milliseconds of CPU, the fastest of several runs. */
#include <stdio.h>
#include <time.h>

#include "flamel/draw.h"
#include "flamel/file.h"
#include "layout/layout.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static bool count(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return true;
}

enum { RUNS = 15 };

static double layout_ms(const struct flm_profile *p)
{
    double best = 1e9;
    struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0})};
    for (int run = 0; run < RUNS; run++) {
        double start = now_ms();
        struct flm_layout *layout = flm_layout_new(&options, NULL);
        double took = now_ms() - start;
        best = took < best ? took : best;
        flm_layout_free(layout);
    }
    return best;
}

static double svg_ms(const struct flm_profile *p, const struct flm_svg_options *options,
                     size_t *size)
{
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        *size = 0;
        double start = now_ms();
        flm_svg_write(p, options, count, size, NULL);
        double took = now_ms() - start;
        best = took < best ? took : best;
    }
    return best;
}

int main(int argument_count, char **arguments)
{
    for (int i = 1; i < argument_count; i++) {
        struct flm_error why;
        struct flm_profile *p = flm_load(arguments[i], NULL, &why);
        if (!p) {
            fprintf(stderr, "svg_bench: %s\n", why.text);
            return 1;
        }
        size_t size, still_size;
        double layout = layout_ms(p),
               all = svg_ms(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)},
                            &size);
        double still = svg_ms(p,
                              &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                        .without_script = true},
                              &still_size);
        printf("  SVG of %u nodes: layout %.1f ms, then writing %.1f ms, %.3f MB; still picture "
               "%.1f ms, %.3f MB\n",
               flm_profile_node_count(p), layout, all - layout, (double)size / 1e6, still - layout,
               (double)still_size / 1e6);
        flm_profile_free(p);
    }
    return 0;
}
