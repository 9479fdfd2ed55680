#include "record/python/thread_name.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/python_interpreters.h"

/* One thread after the other, each of another form: a name with characters that are not ASCII; a
 * class with variables of its own in front of those of Thread; an object whose variables are in a
 * dict that somebody has asked for. Each waits until it is told to end. The last one is renamed. */
static const char script[] = "import sys, threading\n"
                             "class Own(threading.Thread):\n"
                             "    def __init__(self, **more):\n"
                             "        self.a = self.b = self.c = 1\n"
                             "        super().__init__(**more)\n"
                             "        self.d = 2\n"
                             "def wait():\n"
                             "    sys.stdout.write('.')\n"
                             "    sys.stdout.flush()\n"
                             "    sys.stdin.readline()\n"
                             "def run(thread):\n"
                             "    thread.start()\n"
                             "    thread.join()\n"
                             "wait()\n"
                             "run(threading.Thread(target=wait, name='gr\u00f6\u00dfe'))\n"
                             "run(Own(target=wait, name='own'))\n"
                             "asked = threading.Thread(target=wait, name='asked')\n"
                             "asked.__dict__['more'] = 1\n"
                             "run(asked)\n"
                             "def rename():\n"
                             "    wait()\n"
                             "    threading.current_thread().name = 'a longer name than before'\n"
                             "    wait()\n"
                             "run(threading.Thread(target=rename, name='renamed'))\n";

/* The newest thread of the process that is not its first one; that one, when there is none. */
static int32_t newest_thread(int32_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    int32_t newest = process;
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));)
        if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != process)
            newest = atoi(entry->d_name);
    closedir(tasks);
    return newest;
}

static void assert_name(struct flm_python *python, const struct script_target *target,
                        const char *path, int step, const char *expected,
                        struct flm_lasting_texts *names)
{
    static const int64_t second_ns = 1000000000; /* so long a name is not read again */
    enum { TRIES = 100, PAUSE_US = 10000 };
    const struct flm_python_frame *frames;
    size_t count;
    int32_t thread = newest_thread(target->process);
    int64_t now_ns = second_ns * (1 + step);
    enum flm_python_result result = FLM_PYTHON_TORN;
    for (int i = 0; i < TRIES && result != FLM_PYTHON_FRAMES; i++) { /* it may not wait yet */
        usleep(i > 0 ? PAUSE_US : 0);
        result =
            flm_python_read(python, thread, now_ns, (struct flm_stack_dump){0}, &frames, &count);
    }
    assert_int_equal(result, FLM_PYTHON_FRAMES);
    struct flm_bytes name = flm_python_thread_name(python, thread, frames, count, now_ns, names);
    if (!flm_bytes_are(name, expected))
        fail_msg("%s: step %d is of thread '%.*s', not '%s'", path, step, (int)name.size, name.at,
                 expected);
    /* And it is known of samples whose frames are not. */
    assert_ptr_equal(flm_python_thread_name(python, thread, NULL, 0, now_ns, names).at, name.at);
}

static void read_names(const char *path)
{
    static const char *const expected[] = {"",      "gr\u00f6\u00dfe", "own",
                                           "asked", "renamed",         "a longer name than before"};
    enum { STEPS = sizeof expected / sizeof expected[0], NEWEST = 14 };
    struct script_target target;
    struct flm_lasting_texts names = {0};
    python_start(&target, path, "names.py", script);
    struct flm_python *python = flm_python_open(target.mappings, NULL);
    assert_non_null(python);
    bool has_names = flm_python_minor(python) <= NEWEST;
    for (int step = 0; step < STEPS; step++) {
        char said;
        if (step > 0) {
            assert_int_equal(write(target.to, "\n", 1), 1);
            assert_true(read(target.from, &said, 1) == 1);
            script_wait(&target);
        }
        assert_name(python, &target, path, step, has_names ? expected[step] : "", &names);
    }
    flm_python_close(python);
    flm_lasting_texts_clear(&names);
    script_end(&target);
}

static void a_thread_has_the_name_that_the_program_gave_it(void **state)
{
    (void)state;
    char paths[16][512];
    size_t count = python_interpreters(paths, 16);
    for (size_t i = 0; i < count; i++)
        read_names(paths[i]);
    if (count == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_the_name_that_the_program_gave_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
