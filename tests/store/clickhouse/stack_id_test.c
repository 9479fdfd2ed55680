/* Stacks by their content: the same everywhere, and different for different stacks. */
#include "store/clickhouse/stack_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct flm_stack_id id_of(struct flm_frame_record record, const char *function,
                                 const char *module)
{
    struct flm_interner v;
    struct flm_stack_id id;
    assert_true(flm_interner_init(&v, NULL));
    /* Numbers of strings are not part of it. */
    flm_interner_string(&v, flm_bytes_of(module));
    flm_interner_string(&v, flm_bytes_of("other"));
    record.function = flm_interner_string(&v, flm_bytes_of(function));
    record.module = flm_interner_string(&v, flm_bytes_of(module));
    assert_true(flm_frame_id(&v, flm_interner_frame(&v, &record), &id));
    flm_interner_clear(&v);
    return id;
}

static void ids_never_change(void **state)
{
    (void)state;
    /* They are in databases: another one would split every stack. */
    struct flm_stack_id frame = id_of((struct flm_frame_record){.line = 7}, "main", "app");
    struct flm_stack_id stack = flm_stack_child((struct flm_stack_id){0, 0}, frame);
    assert_true(frame.low == 16220929212887854278u && frame.high == 11686701697906116463u);
    assert_true(stack.low == 10870818983638567132u && stack.high == 16379753934033226070u);
}

static void what_differs_in_anything_has_another_id(void **state)
{
    (void)state;
    const struct flm_stack_id ids[] = {
        id_of((struct flm_frame_record){0}, "main", "app"),
        id_of((struct flm_frame_record){0}, "mai", "napp"),
        id_of((struct flm_frame_record){0}, "main", ""),
        id_of((struct flm_frame_record){.line = 1}, "main", "app"),
        id_of((struct flm_frame_record){.address = 1}, "main", "app"),
        id_of((struct flm_frame_record){.kind = 1}, "main", "app"),
        id_of((struct flm_frame_record){.flags = 2}, "main", "app"),
    };
    const size_t count = sizeof ids / sizeof *ids;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            struct flm_stack_id a = flm_stack_child(ids[i], ids[k]),
                                b = flm_stack_child(ids[k], ids[i]);
            assert_true((i == k) == flm_stack_id_equal(ids[i], ids[k]));
            assert_true((i == k) == flm_stack_id_equal(a, b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_never_change),
        cmocka_unit_test(what_differs_in_anything_has_another_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
