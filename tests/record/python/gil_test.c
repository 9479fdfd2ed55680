#include "record/python/gil.h"

#include <dirent.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/python_interpreters.h"
#include "symbol/identity/machine.h"

/* After a line of input the first thread computes in C and keeps the lock; the other one waits. */
static const char script[] = "import sys, threading\n"
                             "go = threading.Event()\n"
                             "threading.Thread(target=go.wait, daemon=True).start()\n"
                             "print('ready', flush=True)\n"
                             "sys.stdin.readline()\n"
                             "go.set()\n"
                             "sum(range(10**12))\n";

static int32_t other_thread(int32_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    int32_t other = 0;
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));)
        if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != process)
            other = atoi(entry->d_name);
    closedir(tasks);
    assert_true(other > 0);
    return other;
}

/* The first two arguments of the call that a thread waits in; false: it does not. */
static bool read_arguments(int32_t process, int32_t thread, uint64_t arguments[2])
{
    char path[64], line[512] = "";
    unsigned long long first = 0, second = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", process, thread);
    FILE *file = fopen(path, "r");
    bool found = file && fgets(line, sizeof line, file) &&
                 sscanf(line, "%*d %llx %llx", &first, &second) == 2;
    if (file)
        fclose(file);
    arguments[0] = first;
    arguments[1] = second;
    return found;
}

static bool waits(struct flm_python *python, int32_t thread, const uint64_t arguments[2])
{
#if defined(__aarch64__)
    struct flm_event_layout layout = {.machine = FLM_MACHINE_ARM64, .user_registers = 3};
    const uint64_t registers[] = {arguments[0], arguments[1]};
#else
    struct flm_event_layout layout = {.machine = FLM_MACHINE_X86_64, .user_registers = 3 << 4};
    const uint64_t registers[] = {arguments[1], arguments[0]};
#endif
    struct flm_event_sample sample = {
        .layout = &layout, .privilege = FLM_IN_KERNEL, .register_abi = 2, .registers = registers};
    bool in_kernel = flm_python_waits_for_gil(python, thread, &sample);
    sample.privilege = FLM_IN_USER;
    assert_false(flm_python_waits_for_gil(python, thread, &sample));
    sample.privilege = FLM_IN_KERNEL;
    sample.registers = NULL;
    assert_false(flm_python_waits_for_gil(python, thread, &sample));
    return in_kernel;
}

static void read_lock(const char *path)
{
    enum { TRIES = 500, PAUSE_US = 10000 };
    struct script_target target;
    python_start(&target, path, "gil.py", script);
    struct flm_python *python = flm_python_open(target.mappings, NULL);
    assert_non_null(python);
    int32_t other = other_thread(target.process);
    const struct flm_python_frame *frames;
    const struct flm_stack_dump no_dump = {0};
    size_t count;
    bool is_waiting = false;
    uint64_t arguments[2];
    assert_int_equal(write(target.to, "\n", 1), 1);
    for (int i = 0; i < TRIES && !is_waiting; i++) {
        usleep(PAUSE_US);
        flm_python_read(python, target.process, 1, no_dump, &frames, &count);
        flm_python_read(python, other, 1, no_dump, &frames, &count);
        is_waiting = read_arguments(target.process, other, arguments) &&
                     waits(python, other, arguments) &&
                     flm_python_gil_of(python, target.process) == FLM_PYTHON_GIL_HELD;
    }
    if (!is_waiting)
        fail_msg("%s: no thread waits for another one", path);
    assert_int_equal(flm_python_gil_of(python, other), FLM_PYTHON_GIL_RELEASED);
    assert_int_equal(flm_python_gil_of(python, other + 100000), FLM_PYTHON_GIL_UNKNOWN);
    assert_false(waits(python, target.process, (uint64_t[]){0x1000, arguments[1]}));
    assert_false(waits(python, other, (uint64_t[]){arguments[0], FUTEX_WAKE_PRIVATE}));
    flm_python_close(python);
    script_end(&target);
}

static void one_thread_has_the_lock_and_another_waits_for_it(void **state)
{
    (void)state;
    char paths[16][512];
    size_t count = python_interpreters(paths, 16);
    for (size_t i = 0; i < count; i++)
        read_lock(paths[i]);
    if (count == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_has_the_lock_and_another_waits_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
