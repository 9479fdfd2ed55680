#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/gate/gate_report.h"
#include "support/core/json_tree.h"
#include "support/gate/verdicts.h"

/* What a member has to be: a kind, or several: n number, s string, b true or false, 0 null,
 * [ array, { object. What the manual page promises; whatever else there is, is an error too. */
struct promise {
    const char *key, *kinds;
};

static char kind_of(const struct json_tree *value)
{
    switch (value->kind) {
    case JSON_NUMBER:
        return 'n';
    case JSON_STRING:
        return 's';
    case JSON_ARRAY:
        return '[';
    case JSON_OBJECT:
        return '{';
    case JSON_WORD:
        break;
    }
    return strcmp(value->text, "null") == 0 ? '0' : 'b';
}

static void assert_promised(const struct json_tree *object, const struct promise *promises)
{
    size_t count = 0;
    assert_int_equal(object->kind, JSON_OBJECT);
    for (; promises[count].key; count++) {
        const struct json_tree *value = json_tree_get(object, promises[count].key);
        if (!strchr(promises[count].kinds, kind_of(value)))
            fail_msg("%s is %c, not %s", promises[count].key, kind_of(value),
                     promises[count].kinds);
    }
    assert_int_equal(object->count, count);
}

static const struct promise all[] = {{"report", "s"},     {"version", "n"},     {"verdict", "s"},
                                     {"sentence", "s"},   {"metric", "{"},      {"total", "{"},
                                     {"items", "["},      {"renames", "["},     {"moves", "["},
                                     {"tolerance", "{0"}, {"significant", "["}, {"noise", "{"},
                                     {"options", "{"},    {"test", "{"},        {"base", "["},
                                     {"new", "["},        {NULL, NULL}};
static const struct promise metric[] = {
    {"name", "s"}, {"unit", "s"}, {"sample", "n0"}, {NULL, NULL}};
static const struct promise total[] = {{"base", "n"},   {"new", "n"},  {"change", "n"},
                                       {"share", "n0"}, {"low", "n0"}, {"high", "n0"},
                                       {"t", "n0"},     {"p", "n"},    {"significant", "b"},
                                       {"fails", "b"},  {NULL, NULL}};
static const struct promise items[] = {{"stack", "["},
                                       {"scope", "s"},
                                       {"change", "n"},
                                       {"share", "n0"},
                                       {"low", "n0"},
                                       {"high", "n0"},
                                       {"p", "n"},
                                       {"share_only", "b"},
                                       {"seen_base", "n"},
                                       {"seen_new", "n"},
                                       {"renamed_from", "s0"},
                                       {"moved_below", "[0"},
                                       {"fails", "b"},
                                       {NULL, NULL}};
static const struct promise significant[] = {
    {"stack", "["},       {"value", "s"}, {"base", "n"},       {"new", "n"},        {"change", "n"},
    {"share", "n0"},      {"low", "n0"},  {"high", "n0"},      {"t", "n0"},         {"p", "n"},
    {"significant", "b"}, {"fails", "b"}, {"t_by_size", "n0"}, {"share_only", "b"}, {NULL, NULL}};
static const struct promise noise[] = {
    {"wanted", "n"}, {"total", "{"}, {"stacks", "["}, {NULL, NULL}};
static const struct promise noise_total[] = {{"base", "n"},         {"between_runs", "n"},
                                             {"sampling", "n0"},    {"detectable", "n0"},
                                             {"runs_needed", "n0"}, {NULL, NULL}};
static const struct promise options[] = {
    {"alpha", "n"},      {"side", "s"},        {"min_effect", "n"},   {"require_mde", "n0"},
    {"tolerance", "n0"}, {"exact", "b"},       {"permutations", "n"}, {"seed", "n"},
    {"absolute", "b"},   {"all_columns", "b"}, {NULL, NULL}};
static const struct promise test[] = {{"columns", "n"},      {"left_out", "n"},
                                      {"by_size", "b"},      {"covered", "n"},
                                      {"fixed_total", "b"},  {"noise_ratio", "n0"},
                                      {"permutations", "n"}, {"complete", "b"},
                                      {"smallest_p", "n"},   {"t_of_intervals", "n0"},
                                      {"t_needed", "n0"},    {"t_needed_of_total", "n0"},
                                      {NULL, NULL}};
static const struct promise renames[] = {{"from", "s"},    {"to", "s"},  {"below", "s0"},
                                         {"base", "n"},    {"new", "n"}, {"similarity", "n"},
                                         {"changed", "b"}, {NULL, NULL}};
static const struct promise moves[] = {{"below", "["}, {"change", "n"}, {"t", "n0"},
                                       {"local", "b"}, {"free", "b"},   {NULL, NULL}};
static const struct promise tolerance[] = {
    {"significant", "b"}, {"change", "n"}, {"asked", "n"}, {"not_significant", "["}, {NULL, NULL}};
static const struct promise not_significant[] = {{"stack", "["},        {"value", "s"},
                                                 {"change", "n"},       {"high", "n0"},
                                                 {"runs_needed", "n0"}, {NULL, NULL}};
static const struct promise runs[] = {
    {"file", "s"}, {"total", "n"}, {"size", "n"}, {"block", "n"}, {NULL, NULL}};

static void assert_all_promised(const struct json_tree *object, const char *key,
                                const struct promise *promises)
{
    const struct json_tree *array = json_tree_get(object, key);
    for (size_t i = 0; i < array->count; i++)
        assert_promised(&array->items[i], promises);
}

static struct json_tree *read_written(struct verdict *v)
{
    char *written = verdict_written(v, FLM_REPORT_JSON);
    struct json_tree *tree = json_tree_parse(written);
    free(written);
    assert_promised(tree, all);
    assert_promised(json_tree_get(tree, "metric"), metric);
    assert_promised(json_tree_get(tree, "total"), total);
    assert_all_promised(tree, "items", items);
    assert_all_promised(tree, "renames", renames);
    assert_all_promised(tree, "moves", moves);
    const struct json_tree *asked = json_tree_get(tree, "tolerance");
    if (asked->kind == JSON_OBJECT) {
        assert_promised(asked, tolerance);
        assert_all_promised(asked, "not_significant", not_significant);
    }
    assert_all_promised(tree, "significant", significant);
    assert_promised(json_tree_get(tree, "noise"), noise);
    assert_promised(json_tree_get(json_tree_get(tree, "noise"), "total"), noise_total);
    assert_promised(json_tree_get(tree, "options"), options);
    assert_promised(json_tree_get(tree, "test"), test);
    assert_all_promised(tree, "base", runs);
    assert_all_promised(tree, "new", runs);
    return tree;
}

static double number(const struct json_tree *object, const char *key)
{
    return json_tree_get(object, key)->number;
}

static void it_is_what_the_manual_promises(void **state)
{
    (void)state;
    static const char *const gates[] = {
        "main;a 1000 1100\nmain;b;c 500 505\nmain;d 0 40\nmain;e 40 0\n",
        "main;a 1000 1000\nmain;b 200 200\n",
        "main;a 1000 1100\nmain;b;c 500 400\nmain;b;d 400 500\nmain;e 3000 3000\n",
        verdict_of_odd_names};
    static const char *const verdicts[] = {"FAIL", "PASS", "FAIL", "FAIL"};
    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        struct verdict v;
        verdict_init(&v, gates[i], NULL);
        struct json_tree *tree = read_written(&v);
        assert_string_equal(json_tree_get(tree, "report")->text, "gate");
        assert_true(number(tree, "version") == 1);
        assert_string_equal(json_tree_get(tree, "verdict")->text, verdicts[i]);
        assert_int_equal(json_tree_get(tree, "base")->count, 8);
        json_tree_free(tree);
        verdict_clear(&v);
    }
}

/* Also those that are not printed as rows. */
static void every_significant_column_and_item_is_there(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, "main;a 1000 1300\nmain;b 200 300\nmain;c 3000 3000\nmain;d 100 150\n", NULL);
    v.report.rows = 1;
    struct json_tree *tree = read_written(&v);
    const struct json_tree *found = json_tree_get(tree, "items");
    const struct json_tree *columns = json_tree_get(tree, "significant");
    assert_int_equal(found->count, 3);
    assert_int_equal(v.gate.found.count, 3);
    size_t count = 0;
    for (uint32_t i = 0; i < v.gate.columns.matrix.column_count; i++) {
        const struct flm_gate_column *c = &v.gate.column[i];
        if (!c->is_significant)
            continue;
        const struct json_tree *is = &columns->items[count++];
        assert_true(number(is, "base") == c->base_mean && number(is, "new") == c->new_mean);
        assert_true(number(is, "low") == c->low && number(is, "p") == c->p);
        assert_true(number(is, "t_by_size") == c->t_by_size);
    }
    assert_int_equal(columns->count, count);
    assert_string_equal(json_tree_get(&found->items[0], "stack")->items[1].text, "a");
    json_tree_free(tree);
    verdict_clear(&v);
}

static void a_tolerance_is_told_with_what_is_not_significant(void **state)
{
    (void)state;
    struct flm_gate_options how = flm_gate_defaults();
    struct verdict v;
    how.tolerance = 0.0001;
    verdict_init(&v, "main;a 1000 1000\nmain;b 200 200\n", &how);
    struct json_tree *tree = read_written(&v);
    const struct json_tree *asked = json_tree_get(tree, "tolerance");
    assert_string_equal(json_tree_get(asked, "significant")->text, "false");
    assert_true(json_tree_get(asked, "not_significant")->count > 0);
    assert_string_equal(json_tree_get(tree, "verdict")->text, "INCONCLUSIVE");
    json_tree_free(tree);
    verdict_clear(&v);
}

/* What varies in no run has a t without end. */
static void what_is_no_number_is_null(void **state)
{
    (void)state;
    struct verdict v;
    verdict_init(&v, "main;a 1000 1000\nmain;b 200 200\n", NULL);
    v.gate.total.t = 1 / 0.0;
    v.gate.noise.total.mde = 1 / 0.0;
    struct json_tree *tree = read_written(&v);
    assert_string_equal(json_tree_get(json_tree_get(tree, "total"), "t")->text, "null");
    json_tree_free(tree);
    verdict_clear(&v);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_manual_promises),
        cmocka_unit_test(every_significant_column_and_item_is_there),
        cmocka_unit_test(a_tolerance_is_told_with_what_is_not_significant),
        cmocka_unit_test(what_is_no_number_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
