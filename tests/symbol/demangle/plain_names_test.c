#include "symbol/demangle/plain_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "os/thread/threads.h"
#include "support/core/allocation.h"

enum { COUNT = 5000 };

struct many {
    struct flm_plain_names names;
    char mangled[COUNT][16];
    struct flm_bytes plain[COUNT];
};

static void make(struct many *many)
{
    flm_plain_names_init(&many->names);
    for (int i = 0; i < COUNT; i++)
        snprintf(many->mangled[i], sizeof many->mangled[i], "_Z5f%04di", i);
}

static void learn(void *context, size_t i)
{
    struct many *many = context;
    many->plain[i % COUNT] =
        flm_plain_names_get(&many->names, flm_bytes_of(many->mangled[i % COUNT]));
}

static void names_stay_where_they_are(void **state)
{
    (void)state;
    struct many *many = malloc(sizeof *many);
    make(many);
    flm_threads_run(4, (size_t)3 * COUNT, learn, many);
    for (size_t i = 0; i < COUNT; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "f%04d(int)", (int)i);
        assert_true(flm_bytes_are(many->plain[i], expected));
        struct flm_bytes again = flm_plain_names_get(&many->names, flm_bytes_of(many->mangled[i]));
        assert_ptr_equal(again.at, many->plain[i].at);
    }
    flm_plain_names_clear(&many->names);
    free(many);
}

static void unmangled_names_are_unchanged(void **state)
{
    (void)state;
    struct flm_plain_names names;
    flm_plain_names_init(&names);
    static const char *const plain[] = {"",       "main",      "_",
                                        "_start", "_Zrubbish", "__libc_start_main"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (int round = 0; round < 2; round++)
            assert_ptr_equal(flm_plain_names_get(&names, flm_bytes_of(plain[i])).at, plain[i]);
    flm_plain_names_clear(&names);
}

static void without_memory_names_stay_mangled(void **state)
{
    (void)state;
    static const char mangled[] = "_ZN4core3fmt5write17h0123456789abcdefE";
    for (size_t nth = 1;; nth++) {
        struct flm_plain_names names;
        flm_plain_names_init(&names);
        allocation_fail_from(nth);
        struct flm_bytes name = flm_plain_names_get(&names, flm_bytes_of(mangled));
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(flm_bytes_are(name, "core::fmt::write") || (failed && name.at == mangled));
        name = flm_plain_names_get(&names, flm_bytes_of(mangled)); /* asked again, with memory */
        assert_true(flm_bytes_are(name, "core::fmt::write"));
        flm_plain_names_clear(&names);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_where_they_are),
        cmocka_unit_test(unmangled_names_are_unchanged),
        cmocka_unit_test(without_memory_names_stay_mangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
