#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "draw/svg/pictures.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/random.h"
#include "support/profile/xml.h"

/* As svg/data.c describes it; svg/data.js is the other reader. */
struct carried {
    char *at;
    size_t box_count, frame_count;
    char **names;
    struct {
        uint32_t children, siblings, parent;
        int64_t frame; /* -1: a merged box */
        double value, total;
    } * boxes;
};

static uint64_t take_digits(char **at)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint64_t value = 0;
    for (int shift = 0;; shift += 5) {
        const char *letter = strchr(letters, *(*at)++);
        assert_non_null(letter);
        uint64_t digit = (uint64_t)(letter - letters);
        value |= (digit & 31) << shift;
        if (digit < 32)
            return value;
    }
}

static double take_value(char **at)
{
    if (**at != '.')
        return (double)take_digits(at);
    char *end;
    double value = strtod(*at + 1, &end);
    assert_int_equal(*end, ';');
    *at = end + 1;
    return value;
}

static size_t member(const char *json, const char *key)
{
    char quoted[40];
    sprintf(quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    return strtoul(at + strlen(quoted), NULL, 10);
}

static char *take_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    assert_non_null(end);
    *end = 0;
    *at = end + 1;
    return line;
}

/* The letters are ASCII in these tests, and not escaped in XML. */
static char *take_name(char **at, const char *previous)
{
    char *line = take_line(at);
    size_t shared = take_digits(&line);
    take_digits(&line); /* tone */
    uint64_t flags = take_digits(&line);
    for (int i = 0; i < ((flags & 1) ? 3 : 0) + ((flags & 128) ? 2 : 0) + ((flags & 2) ? 3 : 0);
         i++)
        take_digits(&line);
    char *name = malloc(shared + strlen(line) + 1);
    assert_non_null(name);
    memcpy(name, previous, shared);
    strcpy(name + shared, line);
    return name;
}

static struct carried data_of(const struct flm_text *picture)
{
    const char *start = strstr(picture->at, "<metadata>");
    assert_non_null(start);
    struct carried c = {0};
    c.at = malloc(strlen(start) + 1);
    assert_non_null(c.at);
    strcpy(c.at, start + strlen("<metadata>"));
    char *at = c.at, *json = take_line(&at);
    c.box_count = member(json, "boxes");
    c.frame_count = member(json, "frames");
    for (size_t i = member(json, "strings"); i > 0; i--)
        take_line(&at);
    c.names = calloc(c.frame_count + 1, sizeof *c.names);
    c.boxes = calloc(c.box_count + 1, sizeof *c.boxes);
    for (size_t i = 0; i < c.frame_count; i++)
        c.names[i] = take_name(&at, i ? c.names[i - 1] : "");
    size_t next = 1;
    for (size_t i = 0; i < c.box_count; i++) {
        c.boxes[i].children = (uint32_t)take_digits(&at);
        c.boxes[i].frame = (int64_t)take_digits(&at) - 1;
        c.boxes[i].siblings = c.boxes[i].frame < 0 ? (uint32_t)take_digits(&at) : 1;
        c.boxes[i].value = c.boxes[i].total = take_value(&at);
        for (uint32_t child = 0; child < c.boxes[i].children; child++)
            c.boxes[next++].parent = (uint32_t)i;
    }
    assert_int_equal(next, c.box_count);
    assert_int_equal(*at, '\n');
    for (size_t i = c.box_count; i-- > 1;)
        c.boxes[c.boxes[i].parent].total += c.boxes[i].total;
    return c;
}

static void clear_carried(struct carried *c)
{
    for (size_t i = 0; i < c->frame_count; i++)
        free(c->names[i]);
    free(c->names);
    free(c->boxes);
    free(c->at);
}

/* The self of a box's stack in the profile. */
static double self_in(const struct flm_profile *p, const struct carried *c, size_t box)
{
    size_t path[64], depth = 0;
    for (size_t i = box; i > 0; i = c->boxes[i].parent)
        path[depth++] = i;
    uint32_t node = 0;
    while (depth > 0) {
        const char *name = c->names[c->boxes[path[--depth]].frame];
        uint32_t child = node + 1;
        while (child < p->node_end[node] &&
               !flm_bytes_are(flm_frame_function(p, p->node_frame[child]), name))
            child = p->node_end[child];
        assert_true(child < p->node_end[node]);
        node = child;
    }
    return flm_self_column(p, 0)[node];
}

static struct flm_profile *random_tree(uint64_t *random, int stacks)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < stacks; i++) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned level = random_below(random, 12); level > 0; level--) {
            char name[20];
            size_t size = (size_t)sprintf(name, "lib%u::f%u", random_below(random, 3),
                                          random_below(random, 1 + random_below(random, 9)));
            node = flm_builder_child(b, node, flm_builder_function(b, name, size));
        }
        /* Some are fractions. */
        flm_builder_add(b, node, metric, random_below(random, 100000) / (i % 7 ? 1.0 : 1024.0));
    }
    return flm_builder_finish(b, NULL);
}

static void a_file_carries_every_stack_and_its_value(void **state)
{
    (void)state;
    uint64_t random = 21;
    for (int i = 0; i < 40; i++) {
        struct flm_profile *p = random_tree(&random, 300);
        struct flm_text out =
            drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                               .order = (enum flm_draw_order)(i % 3)});
        struct carried c = data_of(&out);
        assert_int_equal(c.box_count, flm_profile_node_count(p));
        for (size_t box = 0; box < c.box_count; box++) {
            assert_true(c.boxes[box].frame >= 0);
            assert_true(c.boxes[box].value == self_in(p, &c, box));
        }
        clear_carried(&c);
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void narrow_neighbors_are_one_box_and_counted(void **state)
{
    (void)state;
    struct flm_svg_options options = {.size = sizeof options, .width_px = 1020, .min_width = 100};
    struct flm_text out = drawn_folded("a 500\nb;x 5\nb;y 10\nc 7\nd 1\ne;f;g 477\n", &options);
    struct carried c = data_of(&out);
    /* all; a, the merged box of b c d, e; f; g */
    assert_int_equal(c.box_count, 6);
    assert_true(c.boxes[0].total == 1000);
    assert_int_equal(c.boxes[2].frame, -1);
    assert_int_equal(c.boxes[2].siblings, 3);
    assert_true(c.boxes[2].value == 23);
    assert_holds(&out, "merged 1 (2.3 %)");
    assert_holds(&out, "drawn 5<");
    clear_carried(&c);
    flm_text_clear(&out);
}

static void the_total_is_the_profiles_whatever_is_left_out(void **state)
{
    (void)state;
    uint64_t random = 22;
    for (int i = 0; i < 100; i++) {
        struct flm_profile *p = random_tree(&random, 400);
        struct flm_svg_options options = {.size = sizeof options,
                                          .min_width = random_below(&random, 400) / 10.0,
                                          .min_width_percent = i % 2};
        struct flm_text out = drawn(p, &options);
        struct carried c = data_of(&out);
        double total = flm_profile_total(p, (struct flm_metric){0});
        assert_true(c.boxes[0].total > total * (1 - 1e-12) &&
                    c.boxes[0].total < total * (1 + 1e-12));
        clear_carried(&c);
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void a_large_profile_is_cut_to_its_widest_frames(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    uint64_t random = 9;
    for (int i = 0; i < 200000; i++) {
        char name[20];
        struct flm_node node = flm_builder_root(b);
        for (int level = 0; level < 3; level++) {
            size_t size = (size_t)sprintf(name, "f%u", random_below(&random, 1000));
            node = flm_builder_child(b, node, flm_builder_function(b, name, size));
        }
        flm_builder_add(b, node, metric, 1 + 100000.0 / (1 + random_below(&random, 100000)));
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    struct carried c = data_of(&out);
    assert_true(c.box_count > 1000 && c.box_count <= 50000);
    assert_true(out.size < 1000000);
    clear_carried(&c);
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void levels_that_are_not_drawn_are_reported(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, flm_builder_function(b, "f", 1));
    flm_builder_add(b, node, metric, 8);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "99,001 levels below level 1,000 are not drawn");
    assert_xml((struct flm_bytes){out.at, out.size});
    struct carried c = data_of(&out);
    assert_int_equal(c.box_count, 1001);
    assert_int_equal(c.boxes[1000].frame, -1);
    assert_int_equal(c.boxes[1000].siblings, 99001);
    assert_true(c.boxes[0].total == 8 && c.boxes[999].value == 0);
    clear_carried(&c);
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void boxes_of_collapsed_recursion_have_their_depth(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;deep;deep;deep 2\nmain;deep;read 1\nidle 3\n");
    struct flm_profile *q = flm_apply(p, "collapse:direct", NULL, NULL);
    assert_non_null(q);
    struct flm_svg_options options = {.size = sizeof options};
    struct flm_text picture = drawn(q, &options);
    assert_holds(&picture, ",\"depths\":{\"3\":3}}"); /* all, idle, main, deep */
    assert_holds(&picture, ">deep \xC3\x97"
                           "3</text>");
    flm_text_clear(&picture);
    picture = drawn(p, &options);
    assert_lacks(&picture, ",\"depths\"");
    assert_lacks(&picture, ">deep \xC3\x97");
    flm_text_clear(&picture);
    flm_profile_free(p);
    flm_profile_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_carries_every_stack_and_its_value),
        cmocka_unit_test(narrow_neighbors_are_one_box_and_counted),
        cmocka_unit_test(the_total_is_the_profiles_whatever_is_left_out),
        cmocka_unit_test(a_large_profile_is_cut_to_its_widest_frames),
        cmocka_unit_test(levels_that_are_not_drawn_are_reported),
        cmocka_unit_test(boxes_of_collapsed_recursion_have_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
