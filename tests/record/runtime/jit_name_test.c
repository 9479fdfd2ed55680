#include "record/runtime/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/profile.h"

static void names_tell_the_function_its_place_and_its_compiler(void **state)
{
    (void)state;
    static const struct {
        const char *name, *function, *file;
        uint32_t line, kind;
    } expected[] = {
        {"JS:*fib /app/fib.js:3:13", "fib", "/app/fib.js", 3, FLM_KIND_JIT},
        {"JS:+fib /app/fib.js:3:13", "fib", "/app/fib.js", 3, FLM_KIND_JIT},
        {"JS:*'fib /app/fib.js:3:13", "fib", "/app/fib.js", 3, FLM_KIND_JIT},
        {"JS:^fib /app/a b.js:3:13", "fib", "/app/a b.js", 3, FLM_KIND_JIT_TIER1},
        {"JS:~fib /app/fib.js:3:13", "fib", "/app/fib.js", 3, FLM_KIND_INTERPRETED},
        {"JS:~ node:internal/main/run_main_module:1:1", "(anonymous)",
         "node:internal/main/run_main_module", 1, FLM_KIND_INTERPRETED},
        {"LazyCompile:*fib /app/fib.js:3", "fib", "/app/fib.js", 3, FLM_KIND_JIT},
        {"Script:~ /app/fib.js:1:1", "(program)", "/app/fib.js", 1, FLM_KIND_INTERPRETED},
        {"JS:*fib", "fib", "", 0, FLM_KIND_JIT},
        {"JS:*fib file:///a.js", "fib", "file:///a.js", 0, FLM_KIND_JIT},
        {"JS:*fib a.js:99999999999:1", "fib", "a.js:99999999999", 1, FLM_KIND_JIT},
        {"JS:", "JS:", "", 0, FLM_KIND_JIT},
        {"JS:?x", "JS:?x", "", 0, FLM_KIND_JIT},
        {"Builtin:ArrayMap", "Builtin:ArrayMap", "", 0, FLM_KIND_JIT},
        {"py::parse:/app/parse.py", "parse", "/app/parse.py", 0, FLM_KIND_INTERPRETED},
        {"py::parse", "parse", "", 0, FLM_KIND_INTERPRETED},
        {"void com.foo.Bar.baz(int)", "void com.foo.Bar.baz(int)", "", 0, FLM_KIND_JIT},
        {"Lcom/foo/Bar;::baz", "Lcom/foo/Bar;::baz", "", 0, FLM_KIND_JIT},
        {"Interpreter", "Interpreter", "", 0, FLM_KIND_INTERPRETED},
        {"a->b", "a->b", "", 0, FLM_KIND_JIT},
        {"", "", "", 0, FLM_KIND_JIT},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct flm_jit_frame frame;
        assert_int_equal(flm_jit_name_parse(flm_bytes_of(expected[i].name), &frame, 1), 1);
        if (!flm_bytes_are(frame.function, expected[i].function) ||
            !flm_bytes_are(frame.file, expected[i].file) || frame.line != expected[i].line ||
            frame.kind != expected[i].kind)
            fail_msg("%s: %.*s in %.*s:%u, kind %u", expected[i].name, (int)frame.function.size,
                     frame.function.at, (int)frame.file.size, frame.file.at, frame.line,
                     frame.kind);
        assert_int_equal(frame.line_is_first, frame.line > 0);
    }
}

static void functions_of_v8_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *name, *place;
    } expected[] = {
        {"JS:* /app/an2.js:1:46", "an2.js:1:46"},
        {"JS:*(anonymous) /app/an2.js:1:90", "an2.js:1:90"},
        {"JS:~ node:internal/timers:3:1", "timers:3:1"},
        {"JS:* an2.js:1:46", "an2.js:1:46"},
        {"JS:*", ""},
        {"JS:*fib /app/an2.js:1:46", "an2.js:1:46"},
        {"JS:*fib", ""},
        {"Lcom/foo/Bar;::baz", ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct flm_jit_frame frame;
        assert_int_equal(flm_jit_name_parse(flm_bytes_of(expected[i].name), &frame, 1), 1);
        if (!flm_bytes_are(frame.place, expected[i].place))
            fail_msg("%s: %.*s", expected[i].name, (int)frame.place.size, frame.place.at);
    }
}

static void inlined_methods_of_java_are_frames(void **state)
{
    (void)state;
    const struct flm_bytes name = flm_bytes_of("LA;::outer->LB;::middle->LC;::inner");
    struct flm_jit_frame frames[3];
    assert_int_equal(flm_jit_name_parse(name, frames, 3), 3);
    assert_true(flm_bytes_are(frames[0].function, "LC;::inner"));
    assert_int_equal(frames[0].kind, FLM_KIND_INLINED);
    assert_true(flm_bytes_are(frames[2].function, "LA;::outer"));
    assert_int_equal(frames[2].kind, FLM_KIND_JIT);
    assert_int_equal(flm_jit_name_parse(name, frames, 2), 2);
    assert_true(flm_bytes_are(frames[0].function, "LC;::inner"));
    assert_true(flm_bytes_are(frames[1].function, "LB;::middle"));
    assert_int_equal(flm_jit_name_parse(name, frames, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_the_function_its_place_and_its_compiler),
        cmocka_unit_test(functions_of_v8_have_a_place),
        cmocka_unit_test(inlined_methods_of_java_are_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
