#include "record/python/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/python_interpreters.h"

/* A task with a name, one with a number, and none: each waits for a line. The second step of a task
 * comes from another callback than the first. */
static const char script[] = "import asyncio, sys\n"
                             "def wait():\n"
                             "    sys.stdout.write('.')\n" /* one byte, which is read at once */
                             "    sys.stdout.flush()\n"
                             "    sys.stdin.readline()\n"
                             "async def step():\n"
                             "    wait()\n"
                             "    await asyncio.sleep(0.01)\n"
                             "    wait()\n"
                             "async def main():\n"
                             "    task = asyncio.current_task().get_loop().create_task(step())\n"
                             "    task.set_name('gr\u00f6\u00dfe')\n"
                             "    await task\n"
                             "    await asyncio.get_running_loop().create_task(step())\n"
                             "asyncio.run(main())\n"
                             "wait()\n";

static void assert_task(struct flm_python *python, const struct script_target *target,
                        const char *path, int step, const char *expected)
{
    const struct flm_python_frame *frames;
    size_t count;
    char buffer[64];
    struct flm_text name;
    flm_text_init_fixed(&name, buffer, sizeof buffer);
    assert_int_equal(flm_python_read(python, target->process, 1 + step, (struct flm_stack_dump){0},
                                     &frames, &count),
                     FLM_PYTHON_FRAMES);
    bool found = flm_python_task(python, target->mappings, target->process, frames, count, &name);
    bool is_right = expected[0] ? found && name.size >= strlen(expected) &&
                                      memcmp(name.at, expected, strlen(expected)) == 0
                                : !found;
    if (!is_right)
        fail_msg("%s: step %d is of '%.*s', not '%s'", path, step, (int)name.size, name.at,
                 expected);
}

static void read_tasks(const char *path)
{
    static const char *const expected[] = {"gr\u00f6\u00dfe", "gr\u00f6\u00dfe", "Task-", "Task-",
                                           ""};
    enum { STEPS = sizeof expected / sizeof expected[0] };
    struct script_target target;
    python_start(&target, path, "task.py", script);
    struct flm_python *python = flm_python_open(target.mappings, NULL);
    assert_non_null(python);
    for (int step = 0; step < STEPS; step++) {
        char said;
        if (step > 0) {
            assert_int_equal(write(target.to, "\n", 1), 1);
            assert_true(read(target.from, &said, 1) == 1);
            script_wait(&target);
        }
        assert_task(python, &target, path, step, expected[step]);
    }
    flm_python_close(python);
    script_end(&target);
}

static void the_task_that_runs_has_its_name(void **state)
{
    (void)state;
    char paths[16][512];
    size_t count = python_interpreters(paths, 16);
    for (size_t i = 0; i < count; i++)
        read_tasks(paths[i]);
    if (count == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_task_that_runs_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
