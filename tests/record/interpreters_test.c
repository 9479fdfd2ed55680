#include "record/interpreters.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/symbols/symbolized_session.h"
#include "support/core/allocation.h"
#include "support/core/files.h"

static bool is_lua(struct flm_bytes path)
{
    static const char name[] = "/liblua.so";
    return path.size >= sizeof name - 1 &&
           memcmp(path.at + path.size - sizeof name + 1, name, sizeof name - 1) == 0;
}

static const struct flm_runtime other = {.name = "other"};
static const struct flm_runtime lua = {.name = "Lua", .is_interpreter = is_lua};

struct world {
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
};

static void world_init(struct world *w)
{
    static const struct flm_modules_options modules = {0};
    static const struct flm_processes_options options = {.live = true};
    w->modules = flm_modules_new(&modules, NULL);
    w->symbolizer = flm_modules_symbolizer(w->modules);
    w->processes = flm_processes_new(w->symbolizer, &options, NULL);
    assert_non_null(w->processes);
}

static void world_clear(struct world *w)
{
    flm_processes_free(w->processes);
    w->symbolizer->calls->free(w->symbolizer);
    flm_modules_free(w->modules);
}

static const struct flm_process *map(struct world *w, int32_t process, uint64_t start,
                                     const char *path)
{
    struct flm_event event = {
        .kind = FLM_EVENT_MAP,
        .process = process,
        .thread = process,
        .time_ns = 1,
        .map = {.start = start, .size = 0x1000, .path = flm_bytes_of(path), .is_code = true}};
    assert_true(flm_processes_change(w->processes, &event));
    const struct flm_process *found = flm_processes_get(w->processes, process);
    assert_non_null(found);
    return found;
}

static void processes_have_the_interpreters_that_they_map(void **state)
{
    (void)state;
    static const struct flm_runtime *const both[] = {&other, &lua};
    struct flm_interpreters *all = flm_interpreters_new(both, 2);
    struct world w;
    uint32_t found = 99;
    world_init(&w);
    assert_true(flm_interpreters_find(all, map(&w, 7, 0x1000, "/nowhere/libc.so"), &found));
    assert_int_equal(found, 0);
    assert_true(flm_interpreters_find(all, map(&w, 7, 0x2000, "/nowhere/liblua.so"), &found));
    assert_int_equal(found, 2);
    /* Another one with the same place in the table; and the first again. */
    assert_true(flm_interpreters_find(all, map(&w, 7 + 1024, 0x1000, "/nowhere/libc.so"), &found));
    assert_int_equal(found, 0);
    assert_true(flm_interpreters_find(all, flm_processes_get(w.processes, 7), &found));
    assert_int_equal(found, 2);
    flm_interpreters_free(all);
    flm_interpreters_free(NULL);
    world_clear(&w);
}

/* A program that exports `exported`, or has the section ".marked" and needs no library, and waits
 * until its input ends. False where there is no compiler. */
static bool compile_program(const char *program, const char *options)
{
    static const char text[] =
        "#include <unistd.h>\n"
        "int exported; static int hidden; __attribute__((section(\".marked\"))) int marked;\n"
        "int main(void) { char c; return write(1, &exported, 1) + read(0, &c, 1) + hidden; }\n";
    char source[64], command[512];
    snprintf(source, sizeof source, "%s", write_temporary("main.c", flm_bytes_of(text)));
    snprintf(command, sizeof command, "gcc %s -o %s %s", options, program, source);
    return system(command) == 0;
}

struct running {
    pid_t process;
    int input;
};

/* Runs a program below a root, "" for ours; process 0: that is not allowed here. */
static struct running run_below(const char *root, const char *program)
{
    int to[2], from[2];
    char byte;
    assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
    pid_t process = fork();
    if (process == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        bool is_below =
            !*root || ((chroot(root) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(root) == 0)) &&
                       chdir("/") == 0);
        if (is_below)
            execl(program, program, NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    bool runs = read(from[0], &byte, 1) == 1;
    close(from[0]);
    if (runs)
        return (struct running){process, to[1]};
    close(to[1]);
    assert_int_equal(waitpid(process, NULL, 0), process);
    return (struct running){0};
}

static void stop(struct running running)
{
    close(running.input);
    assert_int_equal(waitpid(running.process, NULL, 0), running.process);
}

/* Asked twice, after a change of the mappings. A section begins with a dot. */
static void assert_has(pid_t process, const char *path, const char *what, bool is_there)
{
    const struct flm_runtime runtime = {
        .name = "x", .symbol = *what == '.' ? NULL : what, .section = *what == '.' ? what : NULL};
    const struct flm_runtime *one = &runtime;
    struct flm_interpreters *all = flm_interpreters_new(&one, 1);
    struct world w;
    world_init(&w);
    for (int again = 0; again < 2; again++) {
        uint32_t found = 99;
        const struct flm_process *mapped =
            map(&w, process, 0x400000 + 0x1000 * (uint64_t)again, path);
        assert_true(flm_interpreters_find(all, mapped, &found));
        assert_int_equal(found, is_there);
    }
    flm_interpreters_free(all);
    world_clear(&w);
}

static void a_program_says_by_a_symbol_what_is_built_in(void **state)
{
    (void)state;
    char program[] = "/tmp/flamel-program-XXXXXX";
    close(mkstemp(program));
    if (!compile_program(program, "-rdynamic"))
        skip();
    struct running running = run_below("", program);
    assert_has(running.process, program, "exported", true);
    assert_has(running.process, program, "hidden", false);
    assert_has(running.process, program, "write", false);
    assert_has(running.process, "/another", "exported", false);
    stop(running);
    unlink(program);
}

/* As the kernel tells of the program when it is mapped, and as /proc/PID/maps does. */
static void a_program_in_a_chroot_is_found_by_either_path(void **state)
{
    (void)state;
    char root[] = "/tmp/flamel-root-XXXXXX", program[64], command[64];
    assert_non_null(mkdtemp(root));
    snprintf(program, sizeof program, "%s/program", root);
    struct running running = {0};
    if (compile_program(program, "-static"))
        running = run_below(root, "/program");
    if (running.process > 0) {
        assert_has(running.process, "/program", ".marked", true);
        assert_has(running.process, program, ".marked", true);
        assert_has(running.process, "/tmp/program", ".marked", false);
        stop(running);
    }
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
    if (running.process == 0)
        skip();
}

static void write_maps(const char *root, const char *process, const char *maps)
{
    char path[512];
    snprintf(path, sizeof path, "%s/proc", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/proc/%s", root, process);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/proc/%s/maps", root, process);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(maps, file);
    fclose(file);
}

static void running_interpreters_are_found(void **state)
{
    (void)state;
    char root[] = "/tmp/flamel-interpreters-XXXXXX", command[128];
    assert_non_null(mkdtemp(root));
    write_maps(root, "self", "x-y r-xp 0 00:00 1 /usr/bin/python3.11\n");
    write_maps(root, "11",
               "55d0-55d1 r--p 00000000 fd:00 13 /usr/bin/python3.11\n"
               "55d1-55d2 r-xp 00000000 fd:00 13 /usr/bin/cat\n");
    assert_false(flm_interpreters_run(11, root));
    assert_false(flm_interpreters_run(12, root));
    assert_false(flm_interpreters_run_anywhere(root));
    write_maps(root, "13",
               "7ff-800 rw-p 00000000 00:00 0\n"
               "55d1-55d2 r-xp 00000000 fd:00 13 /opt/lib/libpython3.9.so.1.0\n");
    assert_true(flm_interpreters_run(13, root));
    assert_true(flm_interpreters_run_anywhere(root));
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void programs_that_will_be_interpreters_are_recognized(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool starts;
    } cases[] = {{"#!/usr/bin/python3.11\n", true},
                 {"#! /usr/bin/env python3\nimport sys\n", true},
                 {"#!/usr/bin/env -S PYTHONPATH=/x python3 -u\n", true},
                 {"#!/bin/false\npython3\n", false},
                 {"#!", false},
                 {"#!/usr/bin/env", false},
                 {"#!/usr/bin/env env env env env env env env env python3\n", false},
                 {"\177ELF", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = write_temporary("start", flm_bytes_of(cases[i].text));
        if (flm_interpreters_start(path) != cases[i].starts)
            fail_msg("case %zu: %s", i, cases[i].text);
    }
    assert_false(flm_interpreters_start("/nowhere/at/all"));
    assert_true(flm_interpreters_start("/usr/bin/make"));
    assert_true(flm_interpreters_start("/usr/bin/timeout"));
    assert_false(flm_interpreters_start("/usr/bin/cmake"));
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const struct flm_runtime *const one[] = {&lua};
    allocation_fail_from(1);
    struct flm_interpreters *none = flm_interpreters_new(one, 1);
    allocation_fail_from(0);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_have_the_interpreters_that_they_map),
        cmocka_unit_test(a_program_says_by_a_symbol_what_is_built_in),
        cmocka_unit_test(a_program_in_a_chroot_is_found_by_either_path),
        cmocka_unit_test(running_interpreters_are_found),
        cmocka_unit_test(programs_that_will_be_interpreters_are_recognized),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
