#include "record/php/php.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/record/php_image.h"
#include "support/record/script_recording.h"

/* ---- Frames made by hand --------------------------------------------------------------------- */

enum { R14 = 14, R15 = 15, DEEPEST = 3000, TOP = 1 << 17, CODE = 1 << 16 };

struct fixture {
    struct php_image image;
    uint64_t globals[256];
    struct flm_php_symbols symbols;
    struct flm_script_place place;
    void *php;
    uint64_t main, bar, closure, map; /* functions */
    uint64_t frames[4];               /* execute data: the innermost first */
};

static uint64_t at(const void *object)
{
    return (uintptr_t)object;
}

static void set_current(struct fixture *f, uint64_t data)
{
    f->globals[f->image.layout->globals_current / 8] = data;
}

static enum flm_script_result read_it(struct fixture *f, struct flm_script_frame **frames,
                                      size_t *count)
{
    return flm_php_interpreter.read(f->php, &f->place, frames, count);
}

/* A closure, called by array_map, called by Foo::bar, called by the file. */
static struct fixture *make(int minor)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    memset(f, 0, sizeof *f);
    php_image_init(&f->image, minor);
    uint64_t class = php_class(&f->image, "Foo");
    f->main = php_function(&f->image, NULL, 0, "/app/index.php", 1);
    f->bar = php_function(&f->image, "bar", class, "/app/foo.php", 12);
    f->closure = php_function(&f->image, "{closure}", class, "/app/foo.php", 14);
    f->map = php_internal(&f->image, "array_map", 0, 0x70000);
    f->frames[3] = php_data(&f->image, f->main, TOP | CODE, 0);
    f->frames[2] = php_data(&f->image, f->bar, 0, f->frames[3]);
    f->frames[1] = php_data(&f->image, f->map, 0, f->frames[2]);
    f->frames[0] = php_data(&f->image, f->closure, TOP, f->frames[1]);
    f->symbols = (struct flm_php_symbols){.loop = {0x1000, 0x1100},
                                          .code = {0x1000, 0x90000},
                                          .globals = at(f->globals),
                                          .major = 8,
                                          .minor = minor};
    set_current(f, f->frames[0]);
    f->place = (struct flm_script_place){.thread = getpid(), .now_ns = 1, .is_leaf = true};
    f->place.registers.known = 0xFFFF;
    f->place.registers.value[R14] = f->frames[0];
    f->place.registers.value[R15] = php_opcodes(&f->image, f->closure) + 32;
    struct flm_error why = {0};
    f->php = flm_php_open(getpid(), &f->symbols, &why);
    if (!f->php)
        fail_msg("%s", why.text);
    return f;
}

static void end(struct fixture *f)
{
    flm_php_interpreter.opened.close(f->php);
}

static void assert_frames(struct fixture *f, const char *wanted)
{
    struct flm_script_frame *frames;
    size_t count, used = 0;
    char shown[512] = "";
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    for (size_t i = 0; i < count && used < sizeof shown; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s%s%s", i ? ", " : "",
                                 (int)frames[i].function.size, frames[i].function.at,
                                 frames[i].is_entry ? "!" : "", frames[i].is_guess ? "?" : "");
    assert_string_equal(shown, wanted);
}

static void the_frames_of_every_version_are_read(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct fixture *f = make(minor);
        assert_frames(f, "Foo::{closure}!, array_map, Foo::bar, <main> index.php!");
        struct flm_script_frame *frames;
        size_t count;
        read_it(f, &frames, &count);
        assert_int_equal(frames[0].first_line, 14);
        assert_int_equal(frames[0].line, 15); /* as the register says */
        assert_int_equal(frames[2].line, 12); /* as the frame says */
        assert_int_equal(frames[1].native, 0x70000);
        assert_int_equal(frames[0].native, 0);
        assert_true(flm_bytes_are(frames[0].file, "/app/foo.php"));
        assert_int_equal(frames[1].file.size, 0);
        assert_true(f->place.is_whole);
        end(f);
    }
}

static void internal_functions_that_were_called_are_read(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    f->place.registers.value[R14] = f->frames[2];
    f->place.registers.value[R15] = php_opcodes(&f->image, f->bar);
    f->place.is_leaf = false;
    set_current(f, f->frames[1]);
    assert_frames(f, "array_map, Foo::bar, <main> index.php!");
    set_current(f, f->frames[0]); /* a script's: what runs now is another thing */
    assert_frames(f, "Foo::bar, <main> index.php!");
    set_current(f, 0x123456789000);
    assert_frames(f, "Foo::bar, <main> index.php!");
    f->place.is_leaf = true;
    set_current(f, f->frames[1]);
    assert_frames(f, "Foo::bar, <main> index.php!");
    end(f);
}

static void a_function_that_returned_is_known_by_its_opcode(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    struct flm_script_frame *frames;
    size_t count;
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    php_set(f->frames[0] + 24, f->bar); /* another one is in its place */
    assert_frames(f, "Foo::{closure}?, array_map, Foo::bar, <main> index.php!");
    /* One that was never seen: what runs now. */
    uint64_t other = php_function(&f->image, "other", 0, "/app/a.php", 3);
    f->place.registers.value[R15] = php_opcodes(&f->image, other);
    set_current(f, f->frames[2]);
    assert_frames(f, "Foo::bar, <main> index.php!");
    set_current(f, 0);
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_MOVED_ON);
    end(f);
}

static void while_an_exception_is_thrown_the_opcode_is_the_interpreter_s(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    f->place.registers.value[R15] = at(&f->globals[100]);
    assert_frames(f, "Foo::{closure}!, array_map, Foo::bar, <main> index.php!");
    end(f);
}

static void a_fiber_goes_on_with_who_resumed_it(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    uint64_t start = php_internal(&f->image, NULL, 0, 0x71000);
    php_set(f->frames[0] + 48, php_data(&f->image, start, 0, f->frames[1]));
    assert_frames(f, "Foo::{closure}!, array_map, Foo::bar, <main> index.php");
    end(f);
}

static void placeholders_are_no_frames(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    php_set(f->frames[0] + 48, php_data(&f->image, 0, 0, f->frames[1])); /* as generators have */
    assert_frames(f, "Foo::{closure}!, array_map, Foo::bar, <main> index.php!");
    end(f);
}

static void damaged_frames_are_not_read(void **state)
{
    (void)state;
    struct flm_script_frame *frames;
    size_t count;
    static const uint64_t wild[] = {1, 8, 0x123456789000, UINT64_MAX, UINT64_MAX - 7};
    for (int minor = 0; minor <= 4; minor++)
        for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
            struct fixture *f = make(minor);
            php_set(f->frames[2] + 24, wild[i]);
            assert_int_not_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
            assert_int_equal(count, 0);
            php_set(f->frames[2] + 24, f->bar);
            php_set(f->frames[1] + 48, wild[i]);
            assert_int_not_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
            php_set(f->frames[1] + 48, f->frames[2]);
            f->place.registers.value[R14] = wild[i];
            set_current(f, 0);
            assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
            f->place.registers.known = 1;
            assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_NONE);
            end(f);
        }
}

static void cycles_and_depths_are_bounded(void **state)
{
    (void)state;
    struct flm_script_frame *frames;
    size_t count;
    struct fixture *f = make(2);
    php_set(f->frames[2] + 48, f->frames[1]); /* in a circle */
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    assert_true(count > 1000 && count < DEEPEST);
    assert_false(f->place.is_whole);
    uint64_t empty = php_data(&f->image, 0, 0, 0);
    php_set(empty + 48, empty); /* placeholders in a circle */
    php_set(f->frames[2] + 48, empty);
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    assert_int_equal(count, 3);
    f->place.registers.value[R14] = f->frames[2];
    f->place.registers.value[R15] = php_opcodes(&f->image, f->bar);
    f->place.is_leaf = false;
    set_current(f, empty); /* and where what was called is looked for */
    assert_int_equal(read_it(f, &frames, &count), FLM_SCRIPT_FRAMES);
    assert_int_equal(count, 1);
    end(f);
}

static void other_versions_are_refused_by_name(void **state)
{
    (void)state;
    struct fixture *f = make(2);
    struct flm_error why = {0};
    f->symbols.minor = 9;
    assert_null(flm_php_open(getpid(), &f->symbols, &why));
    assert_string_equal(why.text, "PHP 8.9 is not supported: 8.0 to 8.4 are");
    f->symbols.major = 7;
    f->symbols.minor = 4;
    assert_null(flm_php_open(getpid(), &f->symbols, &why));
    assert_string_equal(why.text, "PHP 7.4 is not supported: 8.0 to 8.4 are");
    f->symbols.major = 0;
    assert_null(flm_php_open(getpid(), &f->symbols, &why));
    assert_string_equal(why.text, "PHP of unknown version");
    end(f);
}

/* ---- A recording ----------------------------------------------------------------------------- */

/* Each computes in another way, for a time by the process's clock: recursion, closures, exceptions,
 * generators, fibers, functions of the interpreter. They say how long it was. */
static const char calibration[] =
    "<?php\n"
    "function now() {\n"
    "    $r = getrusage();\n"
    "    return $r['ru_utime.tv_sec'] + $r['ru_stime.tv_sec']\n"
    "         + ($r['ru_utime.tv_usec'] + $r['ru_stime.tv_usec']) / 1e6;\n"
    "}\n"
    "function measure($name, $seconds, $f) {\n"
    "    global $spent;\n"
    "    $from = now();\n"
    "    while (($past = now() - $from) < $seconds) $f();\n"
    "    $spent[$name] = ($spent[$name] ?? 0) + $past;\n"
    "}\n"
    "function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }\n"
    "class Work {\n"
    "    function recursion() { measure('recursion', 0.1, fn() => fib(15)); }\n"
    "    function closures() {\n"
    "        measure('closures', 0.08,\n"
    "                fn() => array_sum(array_map(fn($x) => $x * 2, range(1, 1000))));\n"
    "    }\n"
    "    function exceptions() {\n"
    "        measure('exceptions', 0.06, function () {\n"
    "            for ($i = 0; $i < 500; $i++)\n"
    "                try { throw new Exception('x'); } catch (Exception $e) { }\n"
    "        });\n"
    "    }\n"
    "    static function numbers($n) { for ($i = 0; $i < $n; $i++) yield $i; }\n"
    "    function generator() {\n"
    "        measure('generator', 0.04, function () {\n"
    "            $sum = 0;\n"
    "            foreach (self::numbers(2000) as $i) $sum += $i;\n"
    "        });\n"
    "    }\n"
    "    function fiber() {\n"
    "        $f = function () { for ($i = 0; $i < 2000; $i++) if ($i % 50 == 0) Fiber::suspend(); "
    "};\n"
    "        measure('fiber', 0.05, function () use ($f) {\n"
    "            $fiber = new Fiber($f);\n"
    "            for ($fiber->start(); !$fiber->isTerminated();) $fiber->resume();\n"
    "        });\n"
    "    }\n"
    "    function internal() {\n"
    "        measure('internal', 0.07, fn() => md5(str_repeat('x', 100000)));\n"
    "    }\n"
    "}\n"
    "$work = new Work;\n"
    "$names = ['recursion', 'closures', 'exceptions', 'generator', 'internal'];\n"
    "if (PHP_VERSION_ID >= 80100) $names[] = 'fiber';\n"
    "for ($i = 0; $i < 5; $i++) foreach ($names as $name) $work->$name();\n"
    "$lines = array_map(fn($n) => sprintf('%.6f', $spent[$n]), $names);\n"
    "file_put_contents(__FILE__ . '.measured', implode(\"\\n\", $lines));\n";

static const char waiting[] =
    "<?php\n"
    "class Work {\n"
    "    function naps() { for ($i = 0; $i < 30; $i++) usleep(10000); }\n"
    "    function selects($s) {\n"
    "        for ($i = 0; $i < 10; $i++) { $r = [$s]; $w = $e = null;\n"
    "            stream_select($r, $w, $e, 0, 20000); }\n"
    "    }\n"
    "}\n"
    "$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);\n"
    "$work = new Work;\n"
    "$a = hrtime(true); $work->naps();\n"
    "$b = hrtime(true); $work->selects($pair[0]);\n"
    "$c = hrtime(true);\n"
    "file_put_contents(__FILE__ . '.measured',\n"
    "                  sprintf('%.6f %.6f', ($b - $a) / 1e9, ($c - $b) / 1e9));\n";

static void check(const char *name, const char *script, const char *option,
                  const char *const *functions, size_t count, bool off_cpu)
{
    static const char *const names[] = {"php8.2", "php8.1", "php8.3", "php8.4"};
    const char *found = script_interpreter(names, sizeof names / sizeof names[0]);
    char interpreter[64], path[512], measured[600], words[2][64];
    if (!found) {
        print_message("php 8.1 to 8.4 is not installed\n");
        skip();
        return; /* skip() does, which compilers do not know */
    }
    snprintf(interpreter, sizeof interpreter, "%s", found);
    snprintf(path, sizeof path, "%s", write_temporary(name, flm_bytes_of(script)));
    snprintf(measured, sizeof measured, "%s.measured", path);
    snprintf(words[0], sizeof words[0], "-d");
    snprintf(words[1], sizeof words[1], "%s", option);
    char *command[] = {interpreter, words[0], words[1], path, NULL};
    if (!script_shares_are_found(command, measured, functions, count, off_cpu))
        skip();
}

static const char *const functions[] = {"Work::recursion", "Work::closures", "Work::exceptions",
                                        "Work::generator", "Work::internal", "Work::fiber"};

static void known_shares_are_found_again(void **state)
{
    (void)state;
    check("shares.php", calibration, "opcache.enable_cli=0", functions,
          sizeof functions / sizeof functions[0], false);
}

static void known_shares_are_found_again_with_opcache(void **state)
{
    (void)state;
    check("cached.php", calibration, "opcache.enable_cli=1", functions,
          sizeof functions / sizeof functions[0], false);
}

static void known_waits_are_found_again(void **state)
{
    (void)state;
    static const char *const waits[] = {"Work::naps", "Work::selects"};
    check("waits.php", waiting, "opcache.enable_cli=0", waits, 2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frames_of_every_version_are_read),
        cmocka_unit_test(internal_functions_that_were_called_are_read),
        cmocka_unit_test(a_function_that_returned_is_known_by_its_opcode),
        cmocka_unit_test(while_an_exception_is_thrown_the_opcode_is_the_interpreter_s),
        cmocka_unit_test(a_fiber_goes_on_with_who_resumed_it),
        cmocka_unit_test(placeholders_are_no_frames),
        cmocka_unit_test(damaged_frames_are_not_read),
        cmocka_unit_test(cycles_and_depths_are_bounded),
        cmocka_unit_test(other_versions_are_refused_by_name),
        cmocka_unit_test(known_shares_are_found_again),
        cmocka_unit_test(known_shares_are_found_again_with_opcache),
        cmocka_unit_test(known_waits_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
