#include "support/record/java_fixture.h"

#include "support/core/allocation.h"

/* Its name, "" for none. */
static void put_virtual(struct fixture *f, uint64_t number, const char *name)
{
    struct {
        struct flm_java_virtual virtual_thread;
        char name[16];
    } r = {.virtual_thread = {.record = {.size = sizeof r, .kind = FLM_JAVA_VIRTUAL},
                              .number = number,
                              .name_size = (uint32_t)strlen(name)}};
    snprintf(r.name, sizeof r.name, "%s", name);
    put(f, &r, sizeof r);
    pass_on(f, 0, "");
}

static void assert_label(const struct flm_runtime_label *label, const char *value, const char *name)
{
    assert_string_equal(label->key, "virtual thread");
    assert_true(flm_bytes_are(label->value, value));
    assert_true(flm_bytes_are(*label->name, name));
}

static void a_label_has_a_number_and_the_name_once_that_is_known(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    struct flm_runtime_label before = flm_java_virtual_label(&f.java, f.vm->number, 22);
    assert_label(&before, "#22", "");
    for (uint64_t i = 100; i < 1100; i++) /* which moves what an array has */
        flm_java_virtual_label(&f.java, f.vm->number, i);
    put_virtual(&f, 22, "order-7");
    assert_label(&before, "#22", "order-7");
    struct flm_runtime_label after = flm_java_virtual_label(&f.java, f.vm->number, 22);
    assert_ptr_equal(after.value.at, before.value.at);
    put_virtual(&f, 22, ""); /* which says nothing new */
    assert_label(&before, "#22", "order-7");
    /* The name may come first; the number of another VM is another thread. */
    put_virtual(&f, 23, "order-8");
    struct flm_runtime_label named = flm_java_virtual_label(&f.java, f.vm->number, 23);
    assert_label(&named, "#23", "order-8");
    struct flm_runtime_label other = flm_java_virtual_label(&f.java, f.vm->number + 1, 23);
    assert_label(&other, "#23", "");
    close_fixture(&f);
}

static void a_sample_outside_of_virtual_threads_has_no_label(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    assert_null(flm_java_virtual_label(&f.java, f.vm->number, 0).key);
    close_fixture(&f);
}

static void records_that_are_not_sound_name_nothing(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    struct flm_java_virtual r = {.record = {.size = sizeof r, .kind = FLM_JAVA_VIRTUAL},
                                 .number = 22,
                                 .name_size = UINT32_MAX};
    put(&f, &r, sizeof r);
    r.name_size = 0;
    r.number = 0;
    put(&f, &r, sizeof r);
    pass_on(&f, 0, "");
    assert_int_equal(f.java.virtual_threads.count, 0);
    close_fixture(&f);
}

static void without_memory_there_is_no_label(void **state)
{
    (void)state;
    struct fixture f;
    bool labeled = false;
    for (unsigned long long nth = 1; !labeled; nth++) {
        open_fixture(&f);
        allocation_fail_from(nth);
        struct flm_runtime_label label = flm_java_virtual_label(&f.java, f.vm->number, 22);
        allocation_fail_from(0);
        labeled = label.key != NULL;
        assert_true(nth > 1 || !labeled);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_has_a_number_and_the_name_once_that_is_known),
        cmocka_unit_test(a_sample_outside_of_virtual_threads_has_no_label),
        cmocka_unit_test(records_that_are_not_sound_name_nothing),
        cmocka_unit_test(without_memory_there_is_no_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
