#include "record/process/unsymbolized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "flamel/builder.h"
#include "support/core/failures.h"

static struct flm_module *module_of(struct flm_symbolizer *s, const char *path)
{
    const struct flm_module_request request = {.path = flm_bytes_of(path)};
    return s->calls->module(s, &request);
}

static void a_path_is_one_module(void **state)
{
    (void)state;
    struct flm_symbolizer *s = flm_unsymbolized_new(NULL);
    struct flm_module *libc = module_of(s, "/lib/libc.so.6"), *app = module_of(s, "/bin/app");
    assert_ptr_equal(libc, module_of(s, "/lib/libc.so.6"));
    assert_ptr_not_equal(libc, app);
    assert_true(flm_bytes_are(s->calls->path(app), "/bin/app"));
    s->calls->free(s);
    s = flm_unsymbolized_new(NULL);
    assert_non_null(module_of(s, ""));
    s->calls->free(s);
}

/* In letters to the end: a page shows what else there is as a box. */
static void it_says_how_to_get_names(void **state)
{
    (void)state;
    struct flm_symbolizer *s = flm_unsymbolized_new(NULL);
    struct flm_builder *b = flm_builder_new(NULL);
    assert_true(s->calls->explain(NULL, NULL, b));
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_true(
        flm_bytes_are(flm_profile_note(p, "symbols"),
                      "addresses only: run 'flamel view FILE' for names, where it was recorded"));
    flm_profile_free(p);
    s->calls->free(s);
}

static bool add_some(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_symbolizer *s = flm_unsymbolized_new(why);
    bool good = s != NULL;
    for (int i = 0; i < 40 && good; i++) {
        char path[32];
        snprintf(path, sizeof path, "/bin/%d", i % 30);
        good = module_of(s, path) || flm_error_memory(why);
    }
    if (s)
        s->calls->free(s);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(add_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_one_module),
        cmocka_unit_test(it_says_how_to_get_names),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
