#include "layout/heatmap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"

#define SECOND 1e9
enum { FIRST_NS = 5000 };

struct moment {
    double time_ns, lasts_ns, value;
};

static struct flm_profile *profile_of_moments(const struct moment *moment, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    struct flm_label_set none = flm_builder_label_set(b, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        flm_builder_sample(b, FIRST_NS + (int64_t)moment[i].time_ns, node, none, cpu,
                           moment[i].value);
        flm_builder_sample_lasts(b, (int64_t)moment[i].lasts_ns);
    }
    return flm_builder_finish(b, NULL);
}

static struct flm_heatmap map_of(const struct flm_profile *p, double length_ns, uint32_t columns,
                                 uint32_t rows)
{
    struct flm_heatmap map;
    struct flm_heatmap_shape shape = flm_heatmap_shape_of(length_ns, 0, columns, rows);
    assert_true(flm_heatmap_init(&map, p, (struct flm_metric){0}, FIRST_NS, shape, NULL));
    return map;
}

/* ---- The shape ------------------------------------------------------------------------------- */

static void a_column_is_a_second_where_that_fits(void **state)
{
    (void)state;
    static const struct {
        double length_s, column_s;
        uint32_t most_columns, rows, columns;
    } cases[] = {
        {60, 1, 400, 50, 60},       {59.5, 1, 400, 50, 60},
        {400, 1, 400, 50, 400},     {401, 2, 400, 50, 201},
        {3600, 10, 400, 50, 360},   {3600, 30, 124, 60, 120},
        {86400, 300, 400, 60, 288}, {2, 0.2, 400, 50, 10},
        {0.3, 0.02, 400, 50, 15},   {10, 1, 400, 50, 10},
        {9, 0.5, 400, 50, 18},      {1e-7, 1e-6, 400, 50, 1},
        {3e7, 86400, 400, 60, 348}, {3e9, 172800 * 64, 400, 60, 272},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_heatmap_shape shape =
            flm_heatmap_shape_of(cases[i].length_s * SECOND, 0, cases[i].most_columns, 60);
        assert_true(fabs(shape.column_ns / SECOND / cases[i].column_s - 1) < 1e-9);
        assert_int_equal(shape.column_count, cases[i].columns);
        assert_int_equal(shape.row_count, cases[i].rows);
    }
    assert_int_equal(flm_heatmap_shape_of(0, 0, 400, 60).column_count, 0);
}

static void a_shape_covers_all_of_the_time_and_has_room(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 2000; i++) {
        double length = pow(10, (double)(random_next(&random) % 180) / 10);
        double wanted = i % 2 ? pow(10, (double)(random_next(&random) % 180) / 10) : 0;
        uint32_t columns = 2 + (uint32_t)(random_next(&random) % 2000);
        uint32_t rows = 1 + (uint32_t)(random_next(&random) % 80);
        struct flm_heatmap_shape shape = flm_heatmap_shape_of(length, wanted, columns, rows);
        assert_true(shape.column_count >= 1 && shape.column_count <= columns);
        assert_true(shape.row_count == 5 || shape.row_count <= rows);
        assert_true(shape.column_ns * shape.column_count >= length * (1 - 1e-6));
        assert_true(shape.column_ns * (shape.column_count - 1.0) < length);
        assert_true(shape.row_ns * shape.row_count == shape.column_ns ||
                    fabs(shape.row_ns * shape.row_count / shape.column_ns - 1) < 1e-12);
        /* What was asked for, or no room for it. */
        assert_true(wanted < 1e3 || shape.column_ns == wanted || wanted * columns < length);
    }
}

static void longer_and_shorter_columns_undo_each_other(void **state)
{
    (void)state;
    double column = 1e3;
    for (double longer; (longer = flm_heatmap_longer(column)) > column; column = longer)
        assert_true(flm_heatmap_shorter(longer) == column);
    assert_true(column == 86400 * SECOND);
    assert_true(flm_heatmap_shorter(1e3) == 1e3);
    assert_true(flm_heatmap_longer(1.5 * SECOND) == 2 * SECOND);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The edges of cells are where selections by time have theirs, to the nanosecond. */
static void a_sample_is_in_the_cell_whose_time_it_has(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    struct moment moment[COUNT];
    for (int i = 0; i < COUNT; i++) /* every 20 ms: always on an edge */
        moment[i] = (struct moment){i * 2e7, 0, 1};
    struct flm_profile *p = profile_of_moments(moment, COUNT);
    struct flm_heatmap map = map_of(p, 10 * SECOND, 400, 50);
    assert_int_equal(map.shape.column_count, 10);
    for (uint32_t cell = 0; cell < COUNT; cell++) {
        struct flm_heatmap_time time = flm_heatmap_time_of(&map.shape, cell, cell);
        assert_true(time.from_ns == cell * 2e7 && time.to_ns == (cell + 1) * 2e7);
        assert_true(map.cell[cell] == 1);
        assert_int_equal(flm_heatmap_cell_at(&map.shape, time.from_ns), cell);
        assert_int_equal(flm_heatmap_cell_at(&map.shape, time.to_ns - 1e5), cell);
    }
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

/* A timer of 100 ms is ten rows. */
static void what_is_periodic_is_a_line(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    struct moment moment[COUNT];
    for (int i = 0; i < COUNT; i++)
        moment[i] = (struct moment){i * 1e8 + 3e6 * (i % 2), 0, 2};
    struct flm_profile *p = profile_of_moments(moment, COUNT);
    struct flm_heatmap map = map_of(p, 30 * SECOND, 400, 50);
    for (uint32_t column = 0; column < 30; column++)
        for (uint32_t row = 0; row < 50; row++)
            assert_true(map.cell[column * 50 + row] == (row % 5 == 0 ? 2 : 0));
    assert_int_equal(map.filled_count, 300);
    assert_true(map.total == 600 && map.most == 2 && map.top == 2 && map.above_count == 0);
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

/* A wait of a second and a half has 20 ms in each cell it fills, also across columns. */
static void a_wait_is_spread_over_the_time_it_lasted(void **state)
{
    (void)state;
    const struct moment moments[] = {{0.5 * SECOND, 1.5 * SECOND, 1.5 * SECOND}, {20e9, 0, 1}};
    struct flm_profile *p = profile_of_moments(moments, 2);
    struct flm_heatmap map = map_of(p, 21 * SECOND, 400, 50);
    for (uint32_t cell = 0; cell < 200; cell++)
        assert_true(fabs(map.cell[cell] - (cell >= 25 && cell < 100 ? 2e7 : 0)) < 1);
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

/* Nothing is lost, whatever the shape is. */
static void all_shapes_have_the_same_sum(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct moment moment[COUNT];
    uint64_t random = 3;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        moment[i] = (struct moment){(double)(random_next(&random) % 3600000) * 1e6, 0,
                                    1 + (double)(random_next(&random) % 9)};
        sum += moment[i].value;
    }
    moment[0].time_ns = 0;
    struct flm_profile *p = profile_of_moments(moment, COUNT);
    for (uint32_t columns = 2; columns < 3000; columns *= 3) {
        struct flm_heatmap map = map_of(p, 3600 * SECOND, columns, 60);
        assert_true(map.total == sum);
        flm_heatmap_clear(&map);
    }
    flm_profile_free(p);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

struct walked {
    const struct flm_heatmap *map;
    uint32_t cells;
};

static void check_run(void *context, uint32_t column, uint32_t from, uint32_t to, int step)
{
    struct walked *w = context;
    assert_true(step >= 0 && step < FLM_HEAT_STEPS && from < to);
    for (uint32_t row = from; row < to; row++)
        assert_int_equal(flm_heatmap_step(w->map, column * w->map->shape.row_count + row), step);
    w->cells += to - from;
}

/* Steps ascend with values, the strongest is that of the top, and runs have every cell once. */
static void a_larger_value_has_no_lesser_step(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    struct moment moment[COUNT];
    uint64_t random = 5;
    for (int i = 0; i < COUNT; i++)
        moment[i] = (struct moment){i * 1e8, 0, 1 + (double)(random_next(&random) % 50)};
    struct flm_profile *p = profile_of_moments(moment, COUNT);
    struct flm_heatmap map = map_of(p, 60 * SECOND, 400, 50);
    uint32_t cells = map.shape.column_count * map.shape.row_count;
    for (uint32_t a = 0; a < cells; a += 5)
        for (uint32_t b = 0; b < cells; b += 35)
            assert_true((map.cell[a] <= map.cell[b]) <=
                        (flm_heatmap_step(&map, a) <= flm_heatmap_step(&map, b)));
    double below = 0;
    for (int step = 0; step < FLM_HEAT_STEPS; step++) {
        assert_true(map.least_of_step[step] > below &&
                    map.most_of_step[step] >= map.least_of_step[step]);
        below = map.most_of_step[step];
    }
    assert_true(below == map.most);
    struct walked walked = {&map, 0};
    flm_heatmap_walk(&map, check_run, &walked);
    assert_int_equal(walked.cells, map.filled_count);
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

/* Else one pause would make all else pale. */
static void a_few_cells_far_above_all_do_not_take_the_colors(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    struct moment moment[COUNT];
    for (int i = 0; i < COUNT; i++)
        moment[i] = (struct moment){i * 1e8, 0, i == 99 || i == 300 ? 5000 : 1 + i % 10};
    struct flm_profile *p = profile_of_moments(moment, COUNT);
    struct flm_heatmap map = map_of(p, 60 * SECOND, 400, 50);
    assert_true(map.most == 5000 && map.top >= 10 && map.top < 20);
    assert_int_equal(map.above_count, 2);
    assert_true(map.most_of_step[FLM_HEAT_STEPS - 1] == 5000);
    flm_heatmap_clear(&map);
    flm_profile_free(p);
}

static void a_range_of_cells_is_a_range_of_time_in_any_order(void **state)
{
    (void)state;
    struct flm_heatmap_shape shape = flm_heatmap_shape_of(60 * SECOND, 0, 400, 50);
    struct flm_heatmap_time time = flm_heatmap_time_of(&shape, 3 * 50 + 10, 1 * 50 + 45);
    assert_true(time.from_ns == 1.9 * SECOND && time.to_ns == 3.22 * SECOND);
    time = flm_heatmap_time_of(&shape, 49, 50);
    assert_true(time.from_ns == 0.98 * SECOND && time.to_ns == 1.02 * SECOND);
    assert_int_equal(flm_heatmap_cell_at(&shape, 1e18), 60 * 50 - 1);
    assert_int_equal(flm_heatmap_cell_at(&shape, -1), 0);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_heatmap map;
    struct flm_heatmap_shape shape = flm_heatmap_shape_of(60 * SECOND, 0, 400, 50);
    bool good =
        flm_heatmap_init(&map, context, (struct flm_metric){FLM_NONE}, FIRST_NS, shape, why);
    flm_heatmap_clear(&map);
    return good;
}

static void it_survives_memory_that_runs_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_moments((struct moment[]){{0, 0, 1}, {60e9, 0, 1}}, 2);
    assert_true(assert_survives_failures(make, p) > 0);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_a_second_where_that_fits),
        cmocka_unit_test(a_shape_covers_all_of_the_time_and_has_room),
        cmocka_unit_test(longer_and_shorter_columns_undo_each_other),
        cmocka_unit_test(a_sample_is_in_the_cell_whose_time_it_has),
        cmocka_unit_test(what_is_periodic_is_a_line),
        cmocka_unit_test(a_wait_is_spread_over_the_time_it_lasted),
        cmocka_unit_test(all_shapes_have_the_same_sum),
        cmocka_unit_test(a_larger_value_has_no_lesser_step),
        cmocka_unit_test(a_few_cells_far_above_all_do_not_take_the_colors),
        cmocka_unit_test(a_range_of_cells_is_a_range_of_time_in_any_order),
        cmocka_unit_test(it_survives_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
