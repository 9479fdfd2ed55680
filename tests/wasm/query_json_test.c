#include "wasm/query_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/viewing.h"

/* The page's functions, of which none is called here. */
double flamel_clock(void);
double flamel_clock(void)
{
    return 0;
}

int32_t flamel_more(void *at, uint32_t size);
int32_t flamel_more(void *at, uint32_t size)
{
    (void)at, (void)size;
    return 0;
}

static void assert_json(struct flm_viewer *v, const char *query, const char *expected)
{
    struct flm_text out = {0};
    assert_true(flm_query_json(v, flm_bytes_of(query), &out, NULL));
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void members_have_the_names_of_the_structs(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    assert_json(v, "chips",
                "{\n  \"operations\": [],\n  \"can_undo\": false,\n  \"can_redo\": false\n}\n");
    act(v, "apply hide:read");
    struct json_tree *chips = answer(v, "chips");
    assert_string_equal(at(chips, "operations.0.text"), "hide:read");
    assert_string_equal(at(chips, "operations.0.note"), "null");
    json_tree_free(chips);
    flm_viewer_free(v);
}

static void a_response_of_nothing_is_null(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    assert_json(v, "detail", "null\n");
    assert_json(v, "overlay", "null\n");
    flm_viewer_free(v);
}

static void what_is_optional_is_left_out(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    struct json_tree *top = answer(v, "top 0 1");
    assert_null(json_tree_find(part(top, "rows.0"), "before"));
    assert_non_null(json_tree_find(part(top, "rows.0"), "module"));
    json_tree_free(top);
    flm_viewer_free(v);
}

static void plain_text_is_as_it_is(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    act(v, "view top");
    assert_json(v, "state", "view=top");
    flm_viewer_free(v);
}

static void json_survives_failures(void **state)
{
    (void)state;
    static const char *const actions[] = {"select 1", NULL};
    assert_answer_survives("main;read 3\nmain;write 2\n", actions, "detail");
    assert_answer_survives("main;read 3\nmain;write 2\n", NULL, "tools");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_the_names_of_the_structs),
        cmocka_unit_test(a_response_of_nothing_is_null),
        cmocka_unit_test(what_is_optional_is_left_out),
        cmocka_unit_test(plain_text_is_as_it_is),
        cmocka_unit_test(json_survives_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
