#include "flamel/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "support/profile/xml.h"

static bool keep(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

/* The picture, terminated. The caller clears it. */
static struct flm_text drawn(const struct flm_profile *p, const struct flm_svg_options *options)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_svg_write(p, options, keep, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    out.size--;
    return out;
}

static struct flm_text drawn_folded(const char *folded, const struct flm_svg_options *options)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_text out = drawn(p, options);
    flm_profile_free(p);
    return out;
}

static void assert_holds(const struct flm_text *picture, const char *what)
{
    if (!strstr(picture->at, what))
        fail_msg("'%s' is not in the picture", what);
}

static void assert_lacks(const struct flm_text *picture, const char *what)
{
    if (strstr(picture->at, what))
        fail_msg("'%s' is in the picture", what);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* ---- What the file carries, read back -------------------------------------------------------- */

/* As svg/data.c describes it; svg/data.js is the other reader. */
struct carried {
    char *at;
    size_t box_count, frame_count;
    char **names;
    struct {
        uint32_t children, siblings, parent;
        int64_t frame; /* -1: a run */
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
    for (int i = 0; i < ((flags & 1) ? 3 : 0) + ((flags & 2) ? 3 : 0); i++)
        take_digits(&line);
    char *name = malloc(shared + strlen(line) + 1);
    assert_non_null(name);
    memcpy(name, previous, shared);
    strcpy(name + shared, line);
    return name;
}

static struct carried copy_by(const struct flm_text *picture)
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
        struct carried c = copy_by(&out);
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

static void what_is_too_narrow_is_one_box_and_counted(void **state)
{
    (void)state;
    struct flm_svg_options options = {.size = sizeof options, .width_px = 1020, .min_width = 100};
    struct flm_text out = drawn_folded("a 500\nb;x 5\nb;y 10\nc 7\nd 1\ne;f;g 477\n", &options);
    struct carried c = copy_by(&out);
    /* all; a, the run of b c d, e; f; g */
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

static void whatever_is_left_out_the_total_is_the_profiles(void **state)
{
    (void)state;
    uint64_t random = 22;
    for (int i = 0; i < 100; i++) {
        struct flm_profile *p = random_tree(&random, 400);
        struct flm_svg_options options = {.size = sizeof options,
                                          .min_width = random_below(&random, 400) / 10.0,
                                          .min_width_percent = i % 2};
        struct flm_text out = drawn(p, &options);
        struct carried c = copy_by(&out);
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
    struct carried c = copy_by(&out);
    assert_true(c.box_count > 1000 && c.box_count <= 50000);
    assert_true(out.size < 1000000);
    clear_carried(&c);
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- Any bytes ------------------------------------------------------------------------------- */

static void a_picture_is_valid_xml_whatever_the_names_and_options(void **state)
{
    (void)state;
    uint64_t random = 33;
    for (int i = 0; i < 300; i++) {
        static const char *const texts[] = {NULL, "plain",   "<&>\"'",   "]]>",
                                            "--", "a--b---", "\xFF\x01", "</svg>\n"};
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "m", texts[1 + random_below(&random, 7)]);
        for (int k = 0; k < 30; k++) {
            struct flm_node node = flm_builder_root(b);
            for (unsigned level = random_below(&random, 5); level > 0; level--) {
                char name[12], module[6];
                for (size_t c = 0; c < sizeof name; c++)
                    name[c] = (char)random_below(&random, 256);
                for (size_t c = 0; c < sizeof module; c++)
                    module[c] = (char)random_below(&random, 256);
                struct flm_frame_record record = {
                    .function = flm_builder_string(b, name, random_below(&random, 12)).index,
                    .module = flm_builder_string(b, module, random_below(&random, 6)).index,
                    .file = flm_builder_string(b, module, random_below(&random, 6)).index,
                    .line = random_below(&random, 3),
                    .kind = random_below(&random, FLM_KIND_COUNT)};
                node = flm_builder_child(b, node, flm_builder_frame(b, &record));
            }
            flm_builder_add(b, node, metric, 1 + random_below(&random, 1000) / 8.0);
        }
        flm_builder_lost(b, "<lines>", "line", 3, 2);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_svg_options options = {
            .size = sizeof options,
            .title = texts[random_below(&random, 8)],
            .subtitle = texts[random_below(&random, 8)],
            .notes = texts[random_below(&random, 8)],
            .count_name = texts[random_below(&random, 8)],
            .name_type = texts[random_below(&random, 8)],
            .font_type = texts[random_below(&random, 8)],
            .search = texts[random_below(&random, 8)],
            .background = random_below(&random, 2) ? "#123456"
                          : i % 2                  ? "green"
                                                   : NULL,
            .width_px = 300 + random_below(&random, 2000),
            .frame_height_px = random_below(&random, 30) > 2 ? random_below(&random, 20) + 3 : 0,
            .colors = (enum flm_colors)random_below(&random, FLM_COLORS_COUNT),
            .shades = (enum flm_shades)random_below(&random, 3),
            .order = (enum flm_draw_order)random_below(&random, 3),
            .inverted = random_below(&random, 2),
            .reverse = random_below(&random, 2),
            .without_script = random_below(&random, 2)};
        struct flm_text out = drawn(p, &options);
        assert_xml((struct flm_bytes){out.at, out.size});
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void names_are_never_markup(void **state)
{
    (void)state;
    struct flm_text out = drawn_folded(
        "m;</script><svg onload=alert(1)> 5\nm;]]><script>alert(2)</script> 3\n",
        &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .min_width = 0.001});
    assert_xml((struct flm_bytes){out.at, out.size});
    assert_int_equal(count_of(out.at, "<script>"), 1);
    assert_int_equal(count_of(out.at, "<svg "), 1);
    assert_holds(&out, "&lt;svg onload=alert(1)&gt;");
    flm_text_clear(&out);
}

static void the_script_makes_nothing_of_text_but_text(void **state)
{
    (void)state;
    struct flm_text out =
        drawn_folded("main 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_lacks(&out, "innerHTML");
    assert_lacks(&out, "insertAdjacent");
    assert_lacks(&out, "eval(");
    assert_lacks(&out, "Function(");
    assert_lacks(&out, "document.write");
    assert_int_equal(count_of(out.at, "http"), count_of(out.at, "http://www.w3.org/"));
    flm_text_clear(&out);
}

/* ---- The still picture ----------------------------------------------------------------------- */

static void a_still_picture_is_complete(void **state)
{
    (void)state;
    struct flm_svg_options options = {
        .size = sizeof options, .title = "app", .subtitle = "99 Hz", .without_script = true};
    struct flm_text out = drawn_folded("main;read 30\nmain;write_[k] 10\nmain 5\n", &options);
    assert_holds(&out, ">app</tspan>");
    assert_holds(&out, ">99 Hz</tspan>");
    assert_holds(&out, ">all</text>");
    assert_holds(&out, ">main</text>");
    assert_holds(&out, ">read</text>");
    assert_holds(&out, ">write</text>");
    assert_holds(&out, "<tspan>3 stacks</tspan>");
    assert_holds(&out, ">45 samples</tspan>");
    assert_holds(&out, ">drawn 4</tspan>");
    assert_holds(&out, ">merged 0 (0 %)</tspan>");
    assert_holds(&out, ">lost 0</tspan>");
    assert_holds(&out, ">unsymbolized 0 %</tspan>");
    assert_holds(&out, ">kernel</text>");
    assert_holds(&out, "prefers-color-scheme:dark");
    assert_lacks(&out, "<script");
    assert_lacks(&out, "<metadata");
    flm_text_clear(&out);
}

/* Where the label `text` stands. */
static double label_y(const struct flm_text *picture, const char *text)
{
    char end[40];
    sprintf(end, "\">%s</text>", text);
    const char *at = strstr(picture->at, end);
    assert_non_null(at);
    while (strncmp(at, "y=\"", 3) != 0)
        at--;
    return strtod(at + 3, NULL);
}

static void the_root_is_at_the_bottom_and_inverted_at_the_top(void **state)
{
    (void)state;
    for (int inverted = 0; inverted < 2; inverted++) {
        struct flm_text out = drawn_folded(
            "main;read 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                       .inverted = inverted});
        double all = label_y(&out, "all"), main_y = label_y(&out, "main"),
               read = label_y(&out, "read");
        assert_true(inverted ? all < main_y && main_y < read : all > main_y && main_y > read);
        assert_holds(&out, inverted ? "<title>Icicle graph<" : "<title>Flame graph<");
        flm_text_clear(&out);
    }
}

static void reverse_puts_leaves_first(void **state)
{
    (void)state;
    struct flm_text out = drawn_folded(
        "main;read 1\n",
        &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .reverse = true});
    assert_true(label_y(&out, "main") < label_y(&out, "read"));
    flm_text_clear(&out);
}

static void sizes_are_as_asked(void **state)
{
    (void)state;
    struct flm_svg_options options = {
        .size = sizeof options, .width_px = 800, .frame_height_px = 30, .font_size_px = 16};
    struct flm_text out = drawn_folded("a;b;c 1\n", &options);
    assert_holds(&out, "width=\"800\" height=\"192\" viewBox=\"0 0 800 192\"");
    assert_holds(&out, "<g class=\"labels\" font-size=\"16\">");
    assert_true(label_y(&out, "a") - label_y(&out, "b") == 30);
    flm_text_clear(&out);
}

static void values_are_called_and_scaled_as_asked(void **state)
{
    (void)state;
    struct flm_svg_options options = {.size = sizeof options, .count_name = "cows", .factor = 0.5};
    struct flm_text out = drawn_folded("a 10\n", &options);
    assert_holds(&out, ">5 cows</tspan>");
    assert_holds(&out, "\"unit\":\"cows\"");
    assert_holds(&out, "\"factor\":0.5");
    flm_text_clear(&out);
}

static void a_background_that_is_given_leaves_no_dark_mode(void **state)
{
    (void)state;
    struct flm_text out =
        drawn_folded("a 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                        .background = "yellow"});
    assert_holds(&out, "#eeeeb0");
    assert_lacks(&out, "prefers-color-scheme");
    flm_text_clear(&out);
    out = drawn_folded("a 1\n", &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                          .background = "#102030"});
    assert_holds(&out, "class=\"flamel on-dark\"");
    flm_text_clear(&out);
}

static void an_empty_profile_says_so_and_why(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "Nothing to draw: the profile has no stacks.");
    assert_lacks(&out, "<script");
    assert_xml((struct flm_bytes){out.at, out.size});
    flm_text_clear(&out);
    flm_profile_free(p);

    b = flm_builder_new(NULL);
    flm_builder_metric(b, "<cpu>", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_add(b, node, flm_builder_metric(b, "bytes", "bytes"), 5);
    p = flm_builder_finish(b, NULL);
    out = drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "no stack has a value in &lt;cpu&gt;.");
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void levels_that_are_not_drawn_are_told(void **state)
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
    struct carried c = copy_by(&out);
    assert_int_equal(c.box_count, 1001);
    assert_int_equal(c.boxes[1000].frame, -1);
    assert_int_equal(c.boxes[1000].siblings, 99001);
    assert_true(c.boxes[0].total == 8 && c.boxes[999].value == 0);
    clear_carried(&c);
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void what_was_lost_is_told(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    struct flm_frame_record unknown = {.function = flm_builder_string(b, "0x12", 4).index,
                                       .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &unknown));
    flm_builder_add(b, node, metric, 1e9);
    node = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, node, metric, 3e9);
    flm_builder_lost(b, "malformed lines", "line", 3, 12);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, ">4 s</tspan>");
    assert_holds(&out, ">lost 12 malformed lines</tspan>");
    assert_holds(&out, ">unsymbolized 25 %</tspan>");
    flm_text_clear(&out);
    out = drawn(p,
                &(struct flm_svg_options){.size = sizeof(struct flm_svg_options), .reverse = true});
    assert_holds(&out, "<tspan>2 stacks</tspan>");
    assert_holds(&out, ">unsymbolized 25 %</tspan>");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static void two_columns_are_a_comparison(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;gone 100 0\na;new 0 300\na;same 200 200\n");
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, "300 samples before, 500 samples after \xC2\xB7 +66.7 % in all");
    assert_holds(&out, ">grown</text>");
    assert_holds(&out, ">shrunk</text>");
    assert_holds(&out, ">appeared</text>");
    assert_holds(&out, "flamel-appeared");
    assert_holds(&out, ">disappeared</text>");
    assert_holds(&out, ">gone</text>");
    assert_holds(&out, ">new</text>");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* What has no width is told of. */
static void what_disappeared_is_drawn_or_told(void **state)
{
    (void)state;
    static const struct {
        enum flm_comparison_widths widths;
        const char *gone, *new_one;
    } cases[] = {
        {FLM_WIDTHS_MAX, ">gone</text>", ">new</text>"},
        {FLM_WIDTHS_SUM, ">gone</text>", ">new</text>"},
        {FLM_WIDTHS_AFTER, "disappeared 100 samples (33.3 %) in 1 stack, not drawn at this width",
         ">new</text>"},
        {FLM_WIDTHS_BEFORE, ">gone</text>",
         "appeared 300 samples (100 %) in 1 stack, not drawn at this width"},
    };
    struct flm_profile *p = profile_of_two("a;gone 100 0\na;new 0 300\na;same 200 200\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_text out =
            drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                               .widths = cases[i].widths});
        assert_holds(&out, cases[i].gone);
        assert_holds(&out, cases[i].new_one);
        if (cases[i].widths == FLM_WIDTHS_AFTER)
            assert_lacks(&out, ">gone</text>");
        if (cases[i].widths == FLM_WIDTHS_BEFORE)
            assert_lacks(&out, ">new</text>");
        flm_text_clear(&out);
    }
    flm_profile_free(p);
}

static void grown_is_warm_and_negate_turns_it(void **state)
{
    (void)state;
    for (int negate = 0; negate < 2; negate++) {
        struct flm_profile *p = profile_of_two("a 1 100\n");
        struct flm_text out =
            drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                               .negate = negate,
                                               .without_script = true});
        const char *boxes = strstr(out.at, "class=\"boxes\"");
        assert_non_null(boxes);
        assert_non_null(strstr(boxes, negate ? "color=\"#4dacf6\"" : "color=\"#ea8751\""));
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

static void negative_values_are_a_comparison_by_themselves(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "change", "samples");
    struct flm_node root = flm_builder_root(b);
    flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, "less", 4)), metric, -30);
    flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, "more", 4)), metric, 10);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_holds(&out, ">-20 samples in all</tspan>");
    assert_holds(&out, ">less</text>");
    assert_holds(&out, ">more</text>");
    assert_holds(&out, "\"compare\":\"signed\"");
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- Options by name ------------------------------------------------------------------------- */

static void options_are_set_by_name(void **state)
{
    (void)state;
    struct flm_svg_options o = {.size = sizeof o};
    static const char *const pairs[][2] = {{"title", "t"},
                                           {"subtitle", "s"},
                                           {"width", "900"},
                                           {"height", "16"},
                                           {"minwidth", "0.5%"},
                                           {"fonttype", "F"},
                                           {"fontsize", "10"},
                                           {"fontwidth", "0.6"},
                                           {"countname", "c"},
                                           {"nametype", "N"},
                                           {"factor", "2"},
                                           {"colors", "java"},
                                           {"bgcolors", "blue"},
                                           {"hash", NULL},
                                           {"order", "total"},
                                           {"reverse", NULL},
                                           {"inverted", NULL},
                                           {"negate", NULL},
                                           {"diff-width", "before"},
                                           {"search", "x"},
                                           {"notes", "n"},
                                           {"static", NULL},
                                           {"encoding", "utf-8"},
                                           {"diff-color", "self,absolute"},
                                           {"diff-palette", "green-red"},
                                           {"diff-noise", NULL},
                                           {"diff-only", "grown,shrunk"},
                                           {"normalize", "function:main"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct flm_error why;
        if (!flm_svg_option_set(&o, pairs[i][0], pairs[i][1], &why))
            fail_msg("%s: %s", pairs[i][0], why.text);
    }
    assert_string_equal(o.title, "t");
    assert_true(o.width_px == 900 && o.frame_height_px == 16 && o.font_size_px == 10);
    assert_true(o.min_width == 0.5 && o.min_width_percent);
    assert_int_equal(o.colors, FLM_COLORS_JAVA);
    assert_int_equal(o.shades, FLM_SHADES_HASH);
    assert_int_equal(o.order, FLM_DRAW_BY_TOTAL);
    assert_int_equal(o.widths, FLM_WIDTHS_BEFORE);
    assert_true(o.reverse && o.inverted && o.negate && o.without_script);
    assert_true(o.change_of_self && o.change_absolute && o.without_noise_test);
    assert_int_equal(o.change_palette, FLM_CHANGE_GREEN_RED);
    assert_string_equal(o.changes, "grown,shrunk");
    assert_int_equal(o.normalize, FLM_NORMALIZE_FUNCTION);
    assert_string_equal(o.normalize_function, "main");
    assert_true(flm_svg_option_set(&o, "diff-color", "subtree,relative", NULL));
    assert_true(!o.change_of_self && !o.change_absolute);
    assert_true(flm_svg_option_set(&o, "normalize", "total", NULL));
    assert_int_equal(o.normalize, FLM_NORMALIZE_TOTAL);
}

static void the_list_has_every_option(void **state)
{
    (void)state;
    size_t count;
    const struct flm_svg_option *list = flm_svg_option_list(&count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        struct flm_svg_options o = {.size = sizeof o};
        struct flm_error why;
        assert_non_null(list[i].description);
        if (list[i].argument) {
            assert_false(flm_svg_option_set(&o, list[i].name, NULL, &why));
            assert_non_null(strstr(why.text, "needs a value"));
        } else {
            assert_true(flm_svg_option_set(&o, list[i].name, NULL, &why));
        }
    }
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"width", "wide"},
                                           {"width", "-5"},
                                           {"width", "0"},
                                           {"minwidth", "x"},
                                           {"minwidth", "-1"},
                                           {"minwidth", "%"},
                                           {"colors", "pink"},
                                           {"bgcolors", "#12"},
                                           {"bgcolors", "black"},
                                           {"order", "random"},
                                           {"diff-width", "both"},
                                           {"encoding", "latin1"},
                                           {"colour", "hot"}, /* no such option */
                                           {"factor", "nan"},
                                           {"flamechart", NULL},
                                           {"diff-color", "self absolute"},
                                           {"diff-palette", "red"},
                                           {"diff-only", "grown,new"},
                                           {"normalize", "function:"},
                                           {"normalize", "sum"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct flm_svg_options o = {.size = sizeof o};
        struct flm_error why = {0};
        assert_false(flm_svg_option_set(&o, pairs[i][0], pairs[i][1], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_true(why.text[0] != 0);
    }
    static const struct flm_svg_options wrong[] = {{.metric = {7}},
                                                   {.difference = true, .before = {3}},
                                                   {.width_px = 1e9},
                                                   {.frame_height_px = 1},
                                                   {.font_size_px = 1000},
                                                   {.background = "pink"},
                                                   {.colors = (enum flm_colors)99},
                                                   {.widths = (enum flm_comparison_widths)9},
                                                   {.normalize = (enum flm_normalize)9},
                                                   {.min_width = -1}};
    struct flm_profile *p = profile_of("a 1\n");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        struct flm_svg_options options = wrong[i];
        options.size = sizeof options;
        assert_false(flm_svg_write(p, &options, keep, &out, &why));
        assert_true(why.text[0] != 0);
        assert_int_equal(out.size, 0);
    }
    flm_profile_free(p);
}

static void options_of_other_versions_are_taken_or_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_svg_options options = {.size = offsetof(struct flm_svg_options, order),
                                      .title = "Mine",
                                      .order = (enum flm_draw_order)99};
    struct flm_text out = drawn(p, &options); /* what an older program lacks is not read */
    assert_holds(&out, "<title>Mine</title>");
    flm_text_clear(&out);
    static const struct {
        size_t size;
        const char *why;
    } wrong[] = {{0, "the size of struct flm_svg_options is not set"},
                 {sizeof options + 8, "in this library, which is older"}};
    for (size_t i = 0; i < 2; i++) {
        struct flm_error why = {0};
        options.size = wrong[i].size;
        assert_false(flm_svg_write(p, &options, keep, &out, &why));
        assert_non_null(strstr(why.text, wrong[i].why));
        assert_false(flm_svg_palette_write(p, &options, keep, &out, &why));
        assert_false(flm_svg_option_set(&options, "title", "x", &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    struct flm_error why = {0};
    options.size = offsetof(struct flm_svg_options, order);
    assert_true(flm_svg_option_set(&options, "title", "x", &why));
    assert_string_equal(options.title, "x");
    assert_false(flm_svg_option_set(&options, "order", "time", &why));
    assert_non_null(strstr(why.text, "without the option order"));
    assert_int_equal(options.order, 99);
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* ---- The palette ----------------------------------------------------------------------------- */

static struct flm_text palette_of(const struct flm_profile *p,
                                  const struct flm_svg_options *options)
{
    struct flm_text out = {0};
    assert_true(flm_svg_palette_write(p, options, keep, &out, NULL));
    flm_text_putc(&out, 0);
    out.size--;
    return out;
}

static void a_palette_keeps_colors_from_picture_to_picture(void **state)
{
    (void)state;
    struct flm_profile *first = profile_of("main;read_[k] 1\n");
    struct flm_profile *second = profile_of("main;write 1\n");
    struct flm_svg_options options = {.size = sizeof options, .colors = FLM_COLORS_HOT};
    static const char given[] = "zebra->rgb(1,2,3)\nmain->rgb(4,5,6)\n";
    options.palette = (struct flm_name){given, strlen(given)};
    struct flm_text lines = palette_of(first, &options);
    assert_string_equal(lines.at, "main->rgb(4,5,6)\nread_[k]->rgb(208,16,3)\nzebra->rgb(1,2,3)\n");

    options.palette = (struct flm_name){lines.at, lines.size};
    struct flm_text more = palette_of(second, &options);
    assert_holds(&more, "main->rgb(4,5,6)\nread_[k]->rgb(208,16,3)\nwrite->rgb(");
    struct flm_text out = drawn(second, &options);
    assert_holds(&out, "color=\"#040506\"");
    flm_text_clear(&out);
    flm_text_clear(&more);
    flm_text_clear(&lines);
    flm_profile_free(first);
    flm_profile_free(second);
}

/* ---- When something goes wrong --------------------------------------------------------------- */

struct work {
    const struct flm_profile *p;
    struct flm_svg_options options;
    bool palette;
};

static bool count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return true;
}

static bool draw_again(void *context, struct flm_error *why)
{
    struct work *work = context;
    size_t size = 0;
    work->options.size = sizeof work->options;
    return work->palette ? flm_svg_palette_write(work->p, &work->options, count_bytes, &size, why)
                         : flm_svg_write(work->p, &work->options, count_bytes, &size, why);
}

static void drawing_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("m\x01;a::b_[k] 5\nm;c;d 3\nm;e 1\n");
    struct flm_profile *two = profile_of_two("a;b 1 2\na;c 3 0\n");
    static const char given[] = "c->rgb(1,2,3)\n";
    struct work works[] = {
        {.p = p},
        {.p = p, .options = {.reverse = true, .order = FLM_DRAW_BY_TOTAL}},
        {.p = p, .options = {.palette = {given, sizeof given - 1}}},
        {.p = p, .options = {.palette = {given, sizeof given - 1}}, .palette = true},
        {.p = two, .options = {.widths = FLM_WIDTHS_MAX}},
        {.p = two,
         .options = {.normalize = FLM_NORMALIZE_FUNCTION,
                     .normalize_function = "b",
                     .changes = "grown,disappeared"}},
    };
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
        assert_true(assert_survives_failures(draw_again, &works[i]) > 1);
    flm_profile_free(p);
    flm_profile_free(two);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    size_t *left = context;
    if (*left < size)
        return false;
    *left -= size;
    return true;
}

static void a_sink_that_refuses_ends_it(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_text all =
        drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    size_t size = all.size;
    flm_text_clear(&all);
    for (size_t left = 0; left < size; left += size / 4) {
        size_t room = left;
        struct flm_error why = {0};
        assert_false(
            flm_svg_write(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)},
                          refuse, &room, &why));
        assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    }
    flm_profile_free(p);
}

static void equal_profiles_are_equal_pictures(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_profile *again = poured(p, &random);
    struct flm_text a = drawn(p, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    struct flm_text b =
        drawn(again, &(struct flm_svg_options){.size = sizeof(struct flm_svg_options)});
    assert_string_equal(a.at, b.at);
    flm_text_clear(&a);
    flm_text_clear(&b);
    flm_profile_free(p);
    flm_profile_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_carries_every_stack_and_its_value),
        cmocka_unit_test(what_is_too_narrow_is_one_box_and_counted),
        cmocka_unit_test(whatever_is_left_out_the_total_is_the_profiles),
        cmocka_unit_test(a_large_profile_is_cut_to_its_widest_frames),
        cmocka_unit_test(a_picture_is_valid_xml_whatever_the_names_and_options),
        cmocka_unit_test(names_are_never_markup),
        cmocka_unit_test(the_script_makes_nothing_of_text_but_text),
        cmocka_unit_test(a_still_picture_is_complete),
        cmocka_unit_test(the_root_is_at_the_bottom_and_inverted_at_the_top),
        cmocka_unit_test(reverse_puts_leaves_first),
        cmocka_unit_test(sizes_are_as_asked),
        cmocka_unit_test(values_are_called_and_scaled_as_asked),
        cmocka_unit_test(a_background_that_is_given_leaves_no_dark_mode),
        cmocka_unit_test(an_empty_profile_says_so_and_why),
        cmocka_unit_test(levels_that_are_not_drawn_are_told),
        cmocka_unit_test(what_was_lost_is_told),
        cmocka_unit_test(two_columns_are_a_comparison),
        cmocka_unit_test(what_disappeared_is_drawn_or_told),
        cmocka_unit_test(grown_is_warm_and_negate_turns_it),
        cmocka_unit_test(negative_values_are_a_comparison_by_themselves),
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(the_list_has_every_option),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(options_of_other_versions_are_taken_or_refused),
        cmocka_unit_test(a_palette_keeps_colors_from_picture_to_picture),
        cmocka_unit_test(drawing_survives_failed_allocations),
        cmocka_unit_test(a_sink_that_refuses_ends_it),
        cmocka_unit_test(equal_profiles_are_equal_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
