#include "viewer/model/user_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static void assert_left(struct flm_profile *p, const char *expected)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_user_code_write(p, &text, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&text, 0);
    struct flm_profile *own = flm_apply(p, text.at, NULL, &why);
    if (!own)
        fail_msg("%s: %s", text.at, why.text);
    assert_folded(own, expected);
    flm_profile_free(own);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void names_of_runtimes_and_the_kernel_go(void **state)
{
    (void)state;
    assert_left(profile_of("_start;main;std::sort<int>;my_less 1\n"
                           "main;core::ptr::drop;sys_read_[k] 2\n"
                           "main;runtime.mallocgc;my::core::run 4\n"
                           "main;java.lang.Thread.run;app.Main.go 8\n"),
                "main 2\nmain;app.Main.go 8\nmain;my::core::run 4\nmain;my_less 1\n");
}

static void a_name_that_only_begins_so_is_ones_own(void **state)
{
    (void)state;
    /* By color alloc_node would be of "alloc": to hide it is another matter. */
    assert_left(profile_of("alloc_node;core_main;standard::f;std::x 1\n"),
                "alloc_node;core_main;standard::f 1\n");
}

static struct flm_profile *with_places(void)
{
    static const struct {
        const char *name, *module, *file;
    } frames[] = {{"mine", "app", "/home/me/app.c"},
                  {"malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6", ""},
                  {"write+all", "libc.so.6", ""},
                  {"get", "app", "/home/me/.venv/lib/python3.12/site-packages/requests/api.py"},
                  {"run", "app", "node:internal/process"},
                  {"libcurious", "libcurious.so", "/src/libcurious.c"}};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        struct flm_frame_record record = {
            .function = flm_builder_string(b, frames[i].name, strlen(frames[i].name)).index,
            .module = flm_builder_string(b, frames[i].module, strlen(frames[i].module)).index,
            .file = flm_builder_string(b, frames[i].file, strlen(frames[i].file)).index};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        flm_builder_add(b, node, metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void modules_and_sources_of_libraries_go(void **state)
{
    (void)state;
    assert_left(with_places(), "mine 5\nmine;libcurious 1\n");
}

static void where_all_is_ones_own_there_is_nothing_to_do(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;work 1\n");
    struct flm_text text = {0};
    assert_true(flm_user_code_write(p, &text, NULL));
    assert_int_equal(text.size, 0);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void where_nothing_would_be_left_it_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("_start;std::sort;read_[k] 1\n");
    struct flm_text text = {0};
    struct flm_error why = {0};
    assert_false(flm_user_code_write(p, &text, &why));
    assert_non_null(strstr(why.text, "nothing would be left"));
    assert_int_equal(text.size, 0);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void assert_presets(const char *folded, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_presets presets;
    struct flm_text titles = {0};
    assert_true(flm_presets_init(&presets, p, NULL));
    for (unsigned i = 0; i < presets.count; i++) {
        struct flm_error why = {0};
        struct flm_text text = {0};
        flm_text_puts(&titles, presets.at[i].title);
        flm_text_putc(&titles, '\n');
        flm_text_add(&text, (struct flm_bytes){presets.at[i].text.at, presets.at[i].text.size});
        flm_text_putc(&text, 0);
        struct flm_profile *applied = flm_apply(p, text.at, NULL, &why);
        if (!applied)
            fail_msg("%s: %s", text.at, why.text);
        flm_profile_free(applied);
        flm_text_clear(&text);
    }
    flm_text_putc(&titles, 0);
    assert_string_equal(titles.at, expected);
    flm_text_clear(&titles);
    flm_presets_clear(&presets);
    flm_profile_free(p);
}

static void only_presets_that_change_something_are_offered(void **state)
{
    (void)state;
    assert_presets("main;work 1\n", "");
    assert_presets("main;work 1\nmain;epoll_wait 9\n", "Without stacks that wait\n");
    assert_presets("main;work;read_[k] 1\nmain;runtime.gcBgMarkWorker 9\n",
                   "Only my code\nWithout garbage collection\nWithout the kernel\n");
    assert_presets("main;f_[i] 1\n", "Inlined functions in their callers\n");
    assert_presets("read_[k] 1\n", ""); /* nothing would be left */
}

static void many_modules_are_one_expression(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (unsigned i = 0; i < 2000; i++) {
        struct flm_text name = {0};
        flm_text_format(&name, "/usr/lib/lib(%u).so", i);
        struct flm_frame_record record = {.function = flm_builder_string(b, "f", 1).index,
                                          .module =
                                              flm_builder_string(b, name.at, name.size).index};
        flm_builder_add(b, flm_builder_child(b, node, flm_builder_frame(b, &record)), metric, 1);
        flm_text_clear(&name);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text text = {0};
    assert_true(flm_user_code_write(p, &text, NULL));
    flm_text_putc(&text, 0);
    struct flm_profile *own = flm_apply(p, text.at, NULL, NULL);
    assert_non_null(own);
    assert_true(own->sizes.frame_count < 2000); /* what fits */
    flm_profile_free(own);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static bool write_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_presets presets;
    struct flm_text text = {0};
    bool ok = flm_user_code_write(p, &text, why);
    flm_text_clear(&text);
    if (ok && (ok = flm_presets_init(&presets, p, why)))
        flm_presets_clear(&presets);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = with_places();
    assert_true(assert_survives_failures(write_all, p) > 20);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_runtimes_and_the_kernel_go),
        cmocka_unit_test(a_name_that_only_begins_so_is_ones_own),
        cmocka_unit_test(modules_and_sources_of_libraries_go),
        cmocka_unit_test(where_all_is_ones_own_there_is_nothing_to_do),
        cmocka_unit_test(where_nothing_would_be_left_it_is_refused),
        cmocka_unit_test(only_presets_that_change_something_are_offered),
        cmocka_unit_test(many_modules_are_one_expression),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
