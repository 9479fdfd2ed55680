#include "record/v8/v8_metadata.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/symbols/symbolized_session.h"

static void files_are_recognized_by_their_names(void **state)
{
    (void)state;
    static const char *const yes[] = {"/usr/bin/node", "/opt/n/bin/nodejs",
                                      "/usr/lib/x86_64-linux-gnu/libnode.so.108"},
                             *const no[] = {"/usr/bin/nodeenv", "/usr/lib/node/x.node", "", "/",
                                            "/usr/lib/libnode.a"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(flm_v8_is_named(flm_bytes_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(flm_v8_is_named(flm_bytes_of(no[i])));
}

struct target {
    pid_t id;
    int from;
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
};

/* A program that has written a byte and waits to be killed; with its mappings of files. */
static const struct flm_process *start(struct target *t, char *const *command)
{
    static const struct flm_modules_options modules;
    static const struct flm_processes_options options = {.live = true};
    int to[2], from[2];
    char path[64], line[4096], byte;
    assert_int_equal(pipe(to) | pipe(from), 0);
    t->id = fork();
    if (t->id == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    t->from = from[0];
    assert_int_equal(read(from[0], &byte, 1), 1);
    t->modules = flm_modules_new(&modules, NULL);
    t->symbolizer = flm_modules_symbolizer(t->modules);
    t->processes = flm_processes_new(t->symbolizer, &options, NULL);
    snprintf(path, sizeof path, "/proc/%d/maps", t->id);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long first, end, offset;
        char rights[8], name[4096] = "";
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &first, &end, rights, &offset, name) <
                4 ||
            rights[2] != 'x' || name[0] != '/')
            continue;
        struct flm_event event = {.kind = FLM_EVENT_MAP,
                                  .process = t->id,
                                  .thread = t->id,
                                  .time_ns = 1,
                                  .map = {.start = first,
                                          .size = end - first,
                                          .file_offset = offset,
                                          .path = flm_bytes_of(name),
                                          .is_code = true}};
        assert_true(flm_processes_change(t->processes, &event));
    }
    fclose(file);
    return flm_processes_get(t->processes, t->id);
}

static void end(struct target *t)
{
    kill(t->id, SIGKILL);
    assert_int_equal(waitpid(t->id, NULL, 0), t->id);
    close(t->from);
    flm_processes_free(t->processes);
    t->symbolizer->calls->free(t->symbolizer);
    flm_modules_free(t->modules);
}

static void the_constants_of_node_are_found(void **state)
{
    (void)state;
    if (system("command -v node > /dev/null 2>&1") != 0) {
        print_message("node is not installed\n");
        skip();
    }
    char *command[] = {"node", "-e", "console.log(1); setInterval(() => 1, 1000)", NULL};
    struct target t;
    struct flm_v8_found found;
    struct flm_error why = {0};
    const struct flm_process *process = start(&t, command);
    struct flm_process_memory memory = {.process = process->id};
    bool good = flm_v8_find(process, &memory, &found, &why);
    if (!good)
        print_message("%s\n", why.text); /* a build without them */
    if (good) {
        assert_int_equal(found.metadata.tagged_size, 8);
        assert_int_equal(found.metadata.frame_function, -16);
        assert_true(found.metadata.type_not_string > 0 && found.metadata.type_shared > 0);
        assert_non_null(found.module);
    }
    assert_true(good || why.kind != FLM_ERROR_NONE);
    end(&t);
}

static void other_programs_have_none(void **state)
{
    (void)state;
    char *command[] = {"sh", "-c", "echo x; read y", NULL};
    struct target t;
    struct flm_v8_found found;
    struct flm_error why = {0};
    const struct flm_process *process = start(&t, command);
    struct flm_process_memory memory = {.process = process->id};
    assert_false(flm_v8_find(process, &memory, &found, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_recognized_by_their_names),
        cmocka_unit_test(the_constants_of_node_are_found),
        cmocka_unit_test(other_programs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
