#include "support/record/script_target.h"

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

/* What it has mapped with code in it. */
static void read_mappings(struct script_target *t)
{
    static const struct flm_modules_options modules;
    static const struct flm_processes_options options = {.live = true};
    char path[64], line[4096];
    t->modules = flm_modules_new(&modules, NULL);
    t->symbolizer = flm_modules_symbolizer(t->modules);
    t->processes = flm_processes_new(t->symbolizer, &options, NULL);
    assert_non_null(t->processes);
    snprintf(path, sizeof path, "/proc/%d/maps", t->process);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long start, end, offset;
        char rights[8], name[4096] = "";
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, rights, &offset, name) <
                4 ||
            rights[2] != 'x' || name[0] != '/')
            continue;
        struct flm_event event = {.kind = FLM_EVENT_MAP,
                                  .process = t->process,
                                  .thread = t->process,
                                  .time_ns = 1,
                                  .map = {.start = start,
                                          .size = end - start,
                                          .file_offset = offset,
                                          .path = flm_bytes_of(name),
                                          .is_code = true}};
        assert_true(flm_processes_change(t->processes, &event));
    }
    fclose(file);
    t->mappings = flm_processes_get(t->processes, t->process);
    assert_non_null(t->mappings);
}

/* Until it waits for us: what it said comes a moment before. */
void script_wait(const struct script_target *t)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", t->process);
    for (int tries = 0, still = 0; tries < 10000 && still < 3; tries++) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        const char *state = strrchr(line, ')');
        still = state && state[2] == 'S' ? still + 1 : 0;
        usleep(2000);
    }
}

void script_start(struct script_target *t, char *const *command)
{
    int to[2], from[2];
    char said[64];
    *t = (struct script_target){0};
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    t->process = fork();
    assert_true(t->process >= 0);
    if (t->process == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    t->to = to[1];
    t->from = from[0];
    assert_true(read(t->from, said, sizeof said) > 0);
    script_wait(t);
    read_mappings(t);
}

void script_end(struct script_target *t)
{
    close(t->to);
    close(t->from);
    kill(t->process, SIGKILL);
    waitpid(t->process, NULL, 0);
    flm_processes_free(t->processes);
    t->symbolizer->calls->free(t->symbolizer);
    flm_modules_free(t->modules);
}
