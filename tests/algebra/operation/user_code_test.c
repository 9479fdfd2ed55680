#include "algebra/operation/user_code.h"

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
    struct flm_error why = {0};
    struct flm_profile *own = flm_apply(p, "my-code", NULL, &why);
    if (!own)
        fail_msg("%s", why.text);
    assert_folded(own, expected);
    struct flm_profile *again = flm_apply(own, "my-code", NULL, &why);
    assert_folded(again, expected);
    flm_profile_free(again);
    flm_profile_free(own);
    flm_profile_free(p);
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

static void interpreters_go_and_their_scripts_stay(void **state)
{
    (void)state;
    /* perf map and comm of Node: modules are not known. */
    assert_left(profile_of("node;_start;node::Start;v8::internal::Execution::Call;Builtins_JSEntry;"
                           "JS:~<anonymous> /srv/app.js:1:1;Builtins_InterpreterEntryTrampoline;"
                           "JS:*parse /srv/app.js:3:7;v8::internal::JsonParse 3\n"
                           "node;JS:~ node:stream:1:1;JS:*require node:internal/modules:5:1;"
                           "JS:*get /srv/node_modules/a/b.js:1:1;JS:*parse /srv/app.js:3:7 2\n"),
                "JS:*parse /srv/app.js:3:7 2\n"
                "JS:~<anonymous> /srv/app.js:1:1;JS:*parse /srv/app.js:3:7 3\n");
    /* py-spy */
    assert_left(
        profile_of("<module> (app.py:9);run (app.py:4);sub (/usr/lib/python3.11/re/__init__.py:7) "
                   "1\n"
                   "<module> (app.py:9);get (/srv/venv/lib/python3.12/site-packages/a/b.py:3);"
                   "callback (app.py:2);sort (libc.so.6) 2\n"),
        "<module> (app.py:9);callback (app.py:2) 2\n<module> (app.py:9);run (app.py:4) 1\n");
    /* async-profiler */
    assert_left(profile_of("[main tid=7];java/lang/Thread.run_[j];com/shop/Cart.sum_[j];"
                           "java/util/HashMap.get_[i];com/shop/Item.hash_[i] 4\n"
                           "[main tid=7];start_thread;JavaThread::run;com/shop/Cart.load_[0];"
                           "sun/nio/ch/IOUtil.read_[1];read;do_syscall_64_[k] 8\n"),
                "[main tid=7];com/shop/Cart.load_[0] 8\n"
                "[main tid=7];com/shop/Cart.sum_[j];com/shop/Item.hash_[i] 4\n");
}

static void an_interpreter_without_a_script_is_the_program(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of("v8::internal::Compile;v8::Parse 1\nPyEval_Eval;dict_get 2\n");
    struct flm_profile *own = flm_apply(p, "my-code", NULL, NULL);
    assert_folded(own, "PyEval_Eval;dict_get 2\nv8::internal::Compile;v8::Parse 1\n");
    flm_profile_free(own);
    flm_profile_free(p);
}

static uint32_t frame_of(struct flm_builder *b, const char *name, const char *module,
                         const char *file, uint32_t kind)
{
    struct flm_frame_record record = {.function = flm_builder_string(b, name, strlen(name)).index,
                                      .module = flm_builder_string(b, module, strlen(module)).index,
                                      .file = flm_builder_string(b, file, strlen(file)).index,
                                      .kind = kind};
    return flm_builder_frame(b, &record).index;
}

/* As flamel record --python has them: the interpreter's frames between those of the script. */
static void modules_of_interpreters_go_only_with_a_script(void **state)
{
    (void)state;
    static const struct {
        const char *name, *module, *file;
        uint32_t kind;
    } frames[] = {{"python3", "", "", FLM_KIND_LABEL},
                  {"Py_RunMain", "/opt/lib/libpython3.11.so.1.0", "", FLM_KIND_NATIVE},
                  {"<module>", "", "/srv/app.py", FLM_KIND_INTERPRETED},
                  {"pymalloc_alloc", "libpython3.11.so.1.0", "", FLM_KIND_INLINED},
                  {"sub", "", "/opt/lib/python3.11/re/__init__.py", FLM_KIND_INTERPRETED},
                  {"fast", "/srv/fast.cpython-311.so", "", FLM_KIND_NATIVE},
                  {"run", "python_tools", "", FLM_KIND_NATIVE}};
    for (int with_script = 0; with_script < 2; with_script++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
        struct flm_node node = flm_builder_root(b);
        for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
            if (with_script || frames[i].kind != FLM_KIND_INTERPRETED)
                node = flm_builder_child(
                    b, node,
                    (struct flm_frame){frame_of(b, frames[i].name, frames[i].module, frames[i].file,
                                                frames[i].kind)});
        flm_builder_add(b, node, metric, 1);
        assert_left(flm_builder_finish(b, NULL),
                    with_script ? "python3;<module>_[0];fast;run 1\n"
                                : "python3;Py_RunMain;pymalloc_alloc_[i];fast;run 1\n");
    }
}

/* As flamel record --java writes them: the file of a class that the VM generates is the name of the
 * class, and stubs that the VM generates have no file. In a program without Java, such names belong
 * to the program. */
static void what_a_java_vm_makes_goes_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *name, *module, *file;
        uint32_t kind;
    } frames[] = {{"Main.main", "", "Main.java", FLM_KIND_NATIVE},
                  {"java.lang.invoke.Invokers$Holder.linkToTargetMethod", "", "Invokers$Holder",
                   FLM_KIND_NATIVE},
                  {"java.util.List.of", "", "List.java", FLM_KIND_NATIVE},
                  {"I2C/C2I adapters", "", "", FLM_KIND_JIT},
                  {"itable stub", "", "", FLM_KIND_JIT},
                  {"shop.Cart$$Lambda.run", "", "", FLM_KIND_JIT},
                  {"on_signal", "/tmp/libflamel-java.so", "", FLM_KIND_NATIVE}};
    for (int with_java = 0; with_java < 2; with_java++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
        struct flm_node node = flm_builder_root(b);
        for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
            if (with_java || !flm_bytes_end_with(flm_bytes_of(frames[i].file), ".java"))
                node = flm_builder_child(
                    b, node,
                    (struct flm_frame){frame_of(b, frames[i].name, frames[i].module, frames[i].file,
                                                frames[i].kind)});
        flm_builder_add(b, node, metric, 1);
        assert_left(flm_builder_finish(b, NULL),
                    with_java
                        ? "Main.main;shop.Cart$$Lambda.run_[j] 1\n"
                        : "java.lang.invoke.Invokers$Holder.linkToTargetMethod;"
                          "I2C/C2I adapters_[j];itable stub_[j];shop.Cart$$Lambda.run_[j] 1\n");
    }
}

static void assert_note(const char *folded, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_user_code counts;
    unsigned char *marks = malloc(p->sizes.frame_count);
    assert_true(marks && flm_user_code_mark(p, marks, &counts, NULL));
    const char *refusal = flm_user_code_refusal(&counts);
    assert_true(refusal && strstr(refusal, expected));
    struct flm_profile *same = flm_apply(p, "my-code", NULL, NULL);
    assert_int_equal(same->sizes.node_count, p->sizes.node_count);
    flm_profile_free(same);
    flm_profile_free(p);
    free(marks);
}

static void where_it_would_change_nothing_or_leave_nothing_it_says_so(void **state)
{
    (void)state;
    assert_note("main;work 1\n", "nothing here is known");
    assert_note("_start;std::sort;read_[k] 1\n", "nothing would be left");
}

static bool mark_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_profile *own = flm_apply(p, "my-code", NULL, why);
    flm_profile_free(own);
    return own != NULL;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = with_places();
    assert_true(assert_survives_failures(mark_all, p) > 20);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_runtimes_and_the_kernel_go),
        cmocka_unit_test(a_name_that_only_begins_so_is_ones_own),
        cmocka_unit_test(modules_and_sources_of_libraries_go),
        cmocka_unit_test(interpreters_go_and_their_scripts_stay),
        cmocka_unit_test(an_interpreter_without_a_script_is_the_program),
        cmocka_unit_test(modules_of_interpreters_go_only_with_a_script),
        cmocka_unit_test(what_a_java_vm_makes_goes_with_it),
        cmocka_unit_test(where_it_would_change_nothing_or_leave_nothing_it_says_so),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
