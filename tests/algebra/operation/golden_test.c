/* Golden vectors that were computed with exact rationals, by no code of this project. */
#include "algebra/operation/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/rebuild.h"
#include "format/formats.h"
#include "support/core/json_tree.h"
#include "support/profile/profiles.h"

static struct flm_node stack_of(struct flm_builder *b, const char *path)
{
    struct flm_node node = flm_builder_root(b);
    for (;;) {
        size_t size = strcspn(path, ";");
        node = flm_builder_child(b, node, flm_builder_function(b, path, size));
        if (!path[size])
            return node;
        path += size + 1;
    }
}

static struct flm_profile *finish(struct flm_builder *b)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

/* {"a;b": 3} as a profile. */
static struct flm_profile *profile_from(const struct json_tree *map)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric value = flm_builder_metric(b, "value", "count");
    for (size_t i = 0; i < map->count; i++)
        flm_builder_add(b, stack_of(b, map->keys[i]), value, map->items[i].number);
    return finish(b);
}

static bool near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* The paths of all nodes, terminated; by node. */
static char **paths_of(const struct flm_profile *p)
{
    char **paths = calloc(p->sizes.node_count, sizeof *paths);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    assert_true(paths && parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        struct flm_text text = {0};
        if (i > 0 && parent[i] != 0)
            flm_text_format(&text, "%s;", paths[parent[i]]);
        flm_text_add(&text, flm_frame_function(p, p->node_frame[i]));
        flm_text_putc(&text, 0);
        assert_false(text.failed);
        paths[i] = text.at;
    }
    free(parent);
    return paths;
}

static void free_paths(const struct flm_profile *p, char **paths)
{
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        free(paths[i]);
    free(paths);
}

/* A column is this map, and takes both its nodes and its values from nowhere else. */
static void assert_column(const struct flm_profile *p, uint32_t metric, const struct json_tree *map,
                          const char *what)
{
    char **paths = paths_of(p);
    size_t found = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        double value = flm_self_column(p, metric)[i];
        if (value == 0)
            continue;
        const struct json_tree *expected = json_tree_find(map, paths[i]);
        if (!expected || !near(value, expected->number))
            fail_msg("%s: %s is %.17g", what, paths[i], value);
        found++;
    }
    if (found != map->count)
        fail_msg("%s: there are %zu stacks, and should be %zu", what, found, map->count);
    free_paths(p, paths);
}

/* Takes the profile. */
static void assert_is(struct flm_profile *p, const struct json_tree *expect, const char *what)
{
    assert_non_null(p);
    assert_sound(p);
    assert_column(p, 0, json_tree_get(expect, what), what);
    flm_profile_free(p);
}

static struct flm_profile *combined(const struct flm_profile *p, const double *weights)
{
    struct flm_error why = {0};
    struct flm_combination c = {.name = "x", .weights = weights};
    struct flm_profile *result = flm_combine(p, &c, 1, &why);
    if (!result)
        fail_msg("%s", why.text);
    return result;
}

static void assert_number(double got, const struct json_tree *expect, const char *what)
{
    if (!near(got, json_tree_get(expect, what)->number))
        fail_msg("%s is %.17g, not %.17g", what, got, json_tree_get(expect, what)->number);
}

static double support(const struct flm_profile *p, uint32_t metric)
{
    double count = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        count += flm_self_column(p, metric)[i] != 0;
    return count;
}

static void check_relative(const struct flm_profile *pair, double norm,
                           const struct json_tree *expect, const char *what)
{
    /* Nothing to divide by is null there, and an error of whoever divides here. */
    assert_int_equal(json_tree_get(expect, what)->kind == JSON_WORD, norm == 0);
    if (norm != 0)
        assert_is(combined(pair, (double[]){-1 / norm, 1 / norm}), expect, what);
}

static void check_algebra(const struct json_tree *c)
{
    static const char *const names[] = {"before", "after"};
    const struct json_tree *expect = json_tree_get(c, "expect");
    struct flm_profile *f1 = profile_from(json_tree_get(c, "f1"));
    struct flm_profile *f2 = profile_from(json_tree_get(c, "f2"));
    const struct flm_profile *both[] = {f1, f2};
    struct flm_metric before = {0}, after = {1};
    struct flm_profile *pair = flm_align(both, 2, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
    assert_sound(pair);
    assert_is(flm_align(both, 2, FLM_ALIGN_ADD, NULL, NULL), expect, "sum");
    assert_is(combined(pair, (double[]){1, 1}), expect, "sum");
    assert_is(combined(pair, (double[]){-1, 1}), expect, "delta");

    struct flm_profile *parts = flm_difference_parts(pair, before, after, NULL);
    static const char *const part_names[] = {"appeared", "grown", "disappeared", "shrunk"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(flm_profile_metric_named(parts, part_names[i]).index == i);
        assert_column(parts, i, json_tree_get(expect, part_names[i]), part_names[i]);
    }
    assert_is(combined(parts, (double[]){1, 1, 0, 0}), expect, "plus");
    assert_is(combined(parts, (double[]){0, 0, 1, 1}), expect, "minus");

    double norm1 = flm_norm(pair, before), norm2 = flm_norm(pair, after);
    assert_number(norm1, expect, "norm1");
    assert_number(norm2, expect, "norm2");
    assert_number(flm_distance(pair, before, after), expect, "distance");
    assert_number(flm_similarity(pair, before, after), expect, "similarity");
    assert_number(flm_shape_similarity(pair, before, after), expect, "shape_similarity");
    assert_number(support(pair, 0), expect, "support1");
    assert_number(support(pair, 1), expect, "support2");
    check_relative(pair, norm1, expect, "delta_over_norm1");
    check_relative(pair, norm2, expect, "delta_over_norm2");
    flm_profile_free(parts);
    flm_profile_free(pair);
    flm_profile_free(f1);
    flm_profile_free(f2);
}

static void sums_differences_parts_and_distances(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/01_algebra.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count >= 11);
    for (size_t i = 0; i < cases->count; i++)
        check_algebra(&cases->items[i]);
    json_tree_free(golden);
}

/* ---- Structure ------------------------------------------------------------------------------- */

static void check_chart(const struct json_tree *c)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric value = flm_builder_metric(b, "value", "count");
    const struct json_tree *chart = json_tree_get(c, "chart");
    for (size_t i = 0; i < chart->count; i++) {
        int64_t time = (int64_t)(chart->items[i].items[0].number * 1e9);
        const struct json_tree *stacks = &chart->items[i].items[1];
        for (size_t k = 0; k < stacks->count; k++)
            flm_builder_sample(b, time, stack_of(b, stacks->keys[k]), (struct flm_label_set){0},
                               value, stacks->items[k].number);
    }
    assert_is(finish(b), c, "expect");
}

static void check_duplicates(const struct json_tree *c)
{
    assert_is(profile_of(json_tree_get(c, "folded")->text), c, "expect");
}

static void check_equivalence(const struct json_tree *c)
{
    struct flm_profile *p = profile_from(json_tree_get(c, "f"));
    const struct json_tree *map = json_tree_get(c, "map");
    struct flm_rebuild r;
    assert_true(flm_rebuild_start(&r, p, NULL));
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i];
        for (size_t k = 0; k < map->count; k++)
            if (flm_bytes_are(flm_frame_function(p, p->node_frame[i]), map->keys[k]))
                frame =
                    flm_builder_function(r.builder, map->items[k].text, strlen(map->items[k].text))
                        .index;
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], frame);
    }
    assert_is(flm_rebuild_finish(&r, NULL), c, "expect");
    flm_profile_free(p);
}

/* {"a;b": [total, self]} for every node. */
static void check_totals(const struct flm_profile *p, uint32_t metric,
                         const struct json_tree *expect)
{
    double *total = malloc(p->sizes.node_count * sizeof *total);
    char **paths = paths_of(p);
    assert_non_null(total);
    flm_profile_totals(p, (struct flm_metric){metric}, total);
    assert_int_equal(expect->count, p->sizes.node_count - 1);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        const struct json_tree *both = json_tree_get(expect, paths[i]);
        assert_true(total[i] == both->items[0].number);
        assert_true(flm_self_column(p, metric)[i] == both->items[1].number);
    }
    free(total);
    free_paths(p, paths);
}

static void check_tree(const struct json_tree *c)
{
    struct flm_profile *p = profile_from(json_tree_get(c, "f"));
    check_totals(p, 0, json_tree_get(c, "expect_inclusive_self"));
    flm_profile_free(p);
}

/* The difference beside both profiles, so that stacks that did not change keep their nodes. */
static void check_tree_delta(const struct json_tree *c)
{
    static const char *const names[] = {"before", "after"};
    struct flm_profile *f1 = profile_from(json_tree_get(c, "f1"));
    struct flm_profile *f2 = profile_from(json_tree_get(c, "f2"));
    const struct flm_profile *both[] = {f1, f2};
    struct flm_profile *pair = flm_align(both, 2, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
    double weights[3][2] = {{-1, 1}, {1, 0}, {0, 1}};
    struct flm_combination columns[] = {
        {"delta", NULL, weights[0]}, {"before", NULL, weights[1]}, {"after", NULL, weights[2]}};
    struct flm_profile *all = flm_combine(pair, columns, 3, NULL);
    assert_non_null(all);
    check_totals(all, 0, json_tree_get(c, "expect_delta_inclusive_self"));
    flm_profile_free(all);
    flm_profile_free(pair);
    flm_profile_free(f1);
    flm_profile_free(f2);
}

static void charts_duplicates_equivalences_and_trees(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        void (*check)(const struct json_tree *c);
    } checks[] = {{"chart_to_graph", check_chart},
                  {"parse_merge_duplicates", check_duplicates},
                  {"frame_equivalence", check_equivalence},
                  {"tree", check_tree},
                  {"tree_delta", check_tree_delta}};
    struct json_tree *golden = json_tree_read("tests/data/algebra/02_structure.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count >= 15);
    for (size_t i = 0; i < cases->count; i++) {
        const char *op = json_tree_get(&cases->items[i], "op")->text;
        size_t k = 0;
        while (k < 5 && strcmp(checks[k].op, op) != 0)
            k++;
        if (k == 5)
            fail_msg("nobody checks '%s'", op);
        checks[k].check(&cases->items[i]);
    }
    json_tree_free(golden);
}

/* ---- Edge cases ------------------------------------------------------------------------------ */

/* What the vectors say in words: which kind, and at which line; NONE where it is to be read. */
static enum flm_error_kind expected_error(const char *name, const struct json_tree *expect)
{
    if (expect->kind == JSON_OBJECT || strcmp(name, "trailing_semicolon") == 0)
        return FLM_ERROR_NONE;
    return strstr(expect->text, "EFORMAT") ? FLM_ERROR_FORMAT : FLM_ERROR_RANGE;
}

static void malformed_and_extreme_inputs(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/10_edge.json");
    const struct json_tree *cases = json_tree_get(golden, "cases");
    assert_true(cases->count >= 13);
    for (size_t i = 0; i < cases->count; i++) {
        const char *name = json_tree_get(&cases->items[i], "name")->text;
        const char *folded = json_tree_get(&cases->items[i], "folded")->text;
        const struct json_tree *expect = json_tree_get(&cases->items[i], "expect");
        enum flm_error_kind kind = expected_error(name, expect);
        struct flm_error why = {0};
        struct flm_source source = flm_source_of(flm_bytes_of(folded));
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_profile *p = NULL;
        if (flm_format_folded.read(&source, &(struct flm_read_options){0}, b, &why))
            p = flm_builder_finish(b, &why);
        else
            flm_builder_free(b);
        if (why.kind != kind || (p != NULL) != (kind == FLM_ERROR_NONE))
            fail_msg("%s: %s", name, p ? "it is read" : why.text);
        if (!p) /* a sum has no line */
            assert_int_equal(why.line, 1);
        else if (expect->kind == JSON_OBJECT)
            assert_column(p, 0, expect, name);
        else
            assert_folded(p, folded); /* kept as it is */
        flm_profile_free(p);
    }
    json_tree_free(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_differences_parts_and_distances),
        cmocka_unit_test(charts_duplicates_equivalences_and_trees),
        cmocka_unit_test(malformed_and_extreme_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
