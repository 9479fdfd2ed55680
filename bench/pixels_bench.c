/* pixels_bench.c - what src/draw/raster/boxes.h claims: a whole window is painted in well under a
 * millisecond.
 *
 *     nothing  the background only
 *     boxes    10,000 rectangles in 60 rows of 1920x1080, a label where one fits
 *     wide     1,000 rectangles of 96 px, all with labels: 14,000 letters
 *
 * Each figure is the fastest of several pictures, in microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draw/raster/boxes.h"

enum { WIDTH = 1920, HEIGHT = 1080, ROW = 18, LEVELS = HEIGHT / ROW };

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "pixels_bench: out of memory\n");
        exit(1);
    }
    return memory;
}

static void look(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)context;
    box->fill = 0xA0C0E0 + r->node.index * 7919 % 0x3F;
    box->ink = 0x1B1C1E;
    if (!box->has_room)
        return;
    box->label = flm_bytes_of("net/http.(*conn).serve");
    box->parts = flm_name_parts(box->label);
}

static struct flm_atlas *new_atlas(void)
{
    struct flm_atlas *atlas = must(flm_atlas_new(12, NULL));
    static uint8_t coverage[4 * 8 * 9];
    for (size_t i = 0; i < sizeof coverage; i++)
        coverage[i] = i * 37 % 100 < 60 ? 0 : (uint8_t)(i * 37);
    for (uint32_t code = ' '; code < 127; code++) {
        struct flm_glyph glyph = {6.7, 2, -9, 4 * 6, 9, coverage, 4};
        if (!flm_atlas_add(atlas, code, FLM_WEIGHT_REGULAR, &glyph))
            must(NULL);
    }
    return atlas;
}

static void measure(const char *what, uint32_t count, struct flm_atlas *atlas)
{
    struct flm_rectangles list = {must(malloc((count + 1) * sizeof *list.at)), count, count, 0};
    uint32_t *memory = must(calloc((size_t)WIDTH * HEIGHT, sizeof *memory));
    uint32_t in_row = (count + LEVELS - 1) / LEVELS;
    double width = (double)WIDTH / (in_row ? in_row : 1);
    for (uint32_t i = 0; i < count; i++)
        list.at[i] = (struct flm_rectangle){.x0 = i % in_row * width,
                                            .x1 = (i % in_row + 1) * width,
                                            .node = {i},
                                            .count = 1,
                                            .level = i / in_row};
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    struct flm_boxes boxes = {
        .pixels = &pixels, .row_height = ROW, .gap = 1, .scale = 1, .atlas = atlas, .style = look};
    double best = 1e300;
    size_t labels = 0;
    for (int i = 0; i < 300; i++) {
        double start = now_us();
        flm_pixels_fill(&pixels, 0, 0, WIDTH, HEIGHT, 0xFBFBFA);
        labels = flm_boxes_draw(&boxes, &list);
        double took = now_us() - start;
        best = took < best ? took : best;
    }
    printf("%-8s %6u rectangles %6zu labels %8.0f us\n", what, count, labels, best);
    free(memory);
    free(list.at);
}

int main(void)
{
    struct flm_atlas *atlas = new_atlas();
    measure("nothing", 0, atlas);
    measure("boxes", 10000, atlas);
    measure("wide", 1000, atlas);
    measure("few", 2300, atlas);
    flm_atlas_free(atlas);
    return 0;
}
