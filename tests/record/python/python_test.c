#include "record/python/python.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/symbols/symbolized_session.h"
#include "support/core/files.h"
#include "support/record/python_interpreters.h"

enum { MOST_INTERPRETERS = 16 };

/* It stands still in a known location, behind a C function that calls back. Line 3 is the first one
 * of größe. */
static const char script[] = "import sys, threading\n"
                             "\n"
                             "def gr\u00f6\u00dfe(x):\n"
                             "    started.wait()\n"
                             "    print('ready', flush=True)\n"
                             "    sys.stdin.readline()\n"
                             "    return x\n"
                             "\n"
                             "def \u540d\u524d(x):\n"
                             "    return sorted([x],\n"
                             "                  key=gr\u00f6\u00dfe)\n"
                             "\n"
                             "class Outer:\n"
                             "    def method(self):\n"
                             "        for y in self.generate():\n"
                             "            pass\n"
                             "    def generate(self):\n"
                             "        yield \u540d\u524d(1)\n"
                             "\n"
                             "def waiting(depth):\n"
                             "    if depth > 0:\n"
                             "        return waiting(depth - 1)\n"
                             "    started.set()\n"
                             "    threading.Event().wait()\n"
                             "\n"
                             "started = threading.Event()\n"
                             "threading.Thread(target=waiting, args=(20,), daemon=True).start()\n"
                             "Outer().method()\n";

static void assert_frame(const struct flm_python_frame *frame, const char *plain,
                         const char *qualified, uint32_t line, int minor)
{
    const char *name = minor >= 11 ? qualified : plain;
    if (!flm_bytes_are(frame->function, name) || frame->line != line)
        fail_msg("3.%d: %.*s at %u, not %s at %u", minor, (int)frame->function.size,
                 frame->function.at, frame->line, name, line);
    assert_true(flm_bytes_end_with(frame->file, "still.py"));
}

static void assert_main_stack(const struct flm_python_frame *frames, size_t count, int minor)
{
    static const struct {
        const char *plain, *qualified;
        uint32_t line, first_line;
        bool is_entry; /* where Python calls Python without the native stack */
    } expected[] = {
        {"gr\u00f6\u00dfe", "gr\u00f6\u00dfe", 6, 3, true},
        {"\u540d\u524d", "\u540d\u524d", 10, 9, false},
        {"generate", "Outer.generate", 18, 17, true},
        {"method", "Outer.method", 15, 14, false},
        {"<module>", "<module>", 28, 1, true},
    };
    size_t wanted = sizeof expected / sizeof expected[0];
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < wanted; i++) {
        assert_frame(&frames[i], expected[i].plain, expected[i].qualified, expected[i].line, minor);
        assert_int_equal(frames[i].first_line,
                         i == 4 && minor >= 11 ? frames[i].first_line : expected[i].first_line);
        /* Since 3.12 a loop over a generator runs it in the same loop. */
        if (minor < 11)
            assert_true(frames[i].is_entry);
        else if (i != 2)
            assert_int_equal(frames[i].is_entry, expected[i].is_entry);
    }
}

static void assert_other_thread(struct flm_python *python, int32_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    assert_non_null(tasks);
    bool found = false;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        int32_t thread = atoi(entry->d_name);
        if (thread <= 0 || thread == process)
            continue;
        const struct flm_python_frame *frames;
        size_t count, same = 0;
        assert_int_equal(
            flm_python_read(python, thread, 1, (struct flm_stack_dump){0}, &frames, &count),
            FLM_PYTHON_FRAMES);
        for (size_t i = 0; i < count; i++)
            same += flm_bytes_are(frames[i].function, "waiting");
        assert_int_equal(same, 21);
        found = true;
    }
    closedir(tasks);
    assert_true(found);
}

static size_t for_each_interpreter(void (*visit)(const char *path))
{
    char paths[MOST_INTERPRETERS][512];
    size_t count = python_interpreters(paths, MOST_INTERPRETERS);
    for (size_t i = 0; i < count; i++)
        visit(paths[i]);
    if (count == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
    return count;
}

static void read_still(const char *path)
{
    struct script_target target;
    python_start(&target, path, "still.py", script);
    struct flm_error why = {0};
    struct flm_python *python = flm_python_open(target.mappings, &why);
    if (!python)
        fail_msg("%s: %s", path, why.text);
    int minor = flm_python_minor(python);
    assert_int_equal(minor, atoi(strrchr(path, '.') + 1));
    const struct flm_python_frame *frames;
    size_t count;
    for (int64_t time = 1; time < 100000000; time += 30000000) {
        assert_int_equal(flm_python_read(python, target.process, time, (struct flm_stack_dump){0},
                                         &frames, &count),
                         FLM_PYTHON_FRAMES);
        assert_main_stack(frames, count, minor);
    }
    assert_other_thread(python, target.process);
    assert_int_equal(flm_python_read(python, target.process + 100000, 1, (struct flm_stack_dump){0},
                                     &frames, &count),
                     FLM_PYTHON_NO_FRAMES);
    /* Once its pages are known, a stack costs few calls. */
    uint64_t before = flm_python_calls(python);
    flm_python_read(python, target.process, 1, (struct flm_stack_dump){0}, &frames, &count);
    assert_true(flm_python_calls(python) - before <= 4);

    kill(target.process, SIGKILL);
    waitpid(target.process, NULL, 0);
    assert_int_equal(
        flm_python_read(python, target.process, 1, (struct flm_stack_dump){0}, &frames, &count),
        FLM_PYTHON_GONE);
    flm_python_close(python);
    script_end(&target);
}

static void the_stacks_of_every_interpreter_are_read(void **state)
{
    (void)state;
    for_each_interpreter(read_still);
}

static const char deep[] = "import sys\n"
                           "sys.setrecursionlimit(10000)\n"
                           "def down(n):\n"
                           "    if n:\n"
                           "        return down(n - 1)\n"
                           "    print('ready', flush=True)\n"
                           "    sys.stdin.readline()\n"
                           "down(3000)\n";

static void read_deep(const char *path)
{
    struct script_target target;
    python_start(&target, path, "deep.py", deep);
    struct flm_python *python = flm_python_open(target.mappings, NULL);
    const struct flm_python_frame *frames;
    size_t count;
    assert_int_equal(
        flm_python_read(python, target.process, 1, (struct flm_stack_dump){0}, &frames, &count),
        FLM_PYTHON_FRAMES);
    assert_int_equal(count, FLM_PYTHON_DEEPEST);
    assert_int_equal(frames[0].line, 7);
    assert_int_equal(frames[FLM_PYTHON_DEEPEST - 1].line, 5);
    flm_python_close(python);
    script_end(&target);
}

static void stacks_deeper_than_the_limit_are_truncated(void **state)
{
    (void)state;
    for_each_interpreter(read_deep);
}

static void other_programs_have_no_interpreter(void **state)
{
    (void)state;
    static const struct flm_modules_options modules;
    static const struct flm_processes_options options = {.live = true};
    struct flm_modules *m = flm_modules_new(&modules, NULL);
    struct flm_symbolizer *s = flm_modules_symbolizer(m);
    struct flm_processes *p = flm_processes_new(s, &options, NULL);
    struct flm_error why = {0};
    assert_null(flm_python_open(flm_processes_get(p, getpid()), &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    flm_processes_free(p);
    s->calls->free(s);
    flm_modules_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stacks_of_every_interpreter_are_read),
        cmocka_unit_test(stacks_deeper_than_the_limit_are_truncated),
        cmocka_unit_test(other_programs_have_no_interpreter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
