/* target.h - what is recorded: a command that is started stopped, or tasks that exist already.
 *
 * A command is forked and waits in front of its exec until everything is open: events that are
 * enabled by exec then see its first instruction, and none of ours. It keeps our terminal and our
 * process group, so Ctrl-C reaches it as it would without us.
 *
 * Tasks that exist already are all threads of a process; threads come and go while they are
 * listed, so the list is made until two in a row are the same. */
#ifndef FLAMEL_RECORD_CAPTURE_TARGET_H
#define FLAMEL_RECORD_CAPTURE_TARGET_H

#include <sys/types.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/error.h"

struct flm_child {
    pid_t process; /* 0: none */
    int go;        /* written to: it may exec; -1: it has been */
    int trouble;   /* read from: errno of an exec that failed */
    int ended;     /* a pidfd: can be read when it has ended; -1 where there are none */
    int status;    /* as waitpid has it; -1: not yet */
};

/* {.process = 0} is none. Starts the command, stopped in front of its exec. False, and `why`, when
 * there is no such command, or it may not be executed: that is found before anything is started.
 * `path`: where a command without '/' is looked for, as in PATH; NULL: /bin:/usr/bin.
 * `files`: how many files it may have open, as we might before we raised it for ourselves (programs
 * that close all, or use select(), depend on it); 0: as many as we. */
bool flm_child_start(struct flm_child *child, char *const *command, const char *path,
                     uint64_t files, struct flm_error *why);

/* Lets it run. False, and `why`, when the exec failed. */
bool flm_child_release(struct flm_child *child, const char *name, struct flm_error *why);

/* Whether it has ended; its status is then known. */
bool flm_child_has_ended(struct flm_child *child);

/* One that was never released is ended; one that runs goes on. */
void flm_child_clear(struct flm_child *child);

/* Tasks, each once. */
struct flm_tasks FLM_ARRAY(int32_t);

bool flm_tasks_add(struct flm_tasks *tasks, int32_t task);
void flm_tasks_clear(struct flm_tasks *tasks);

/* All threads of a process. False, and `why`, when there is no such process. `root`: "" but in
 * tests. */
bool flm_tasks_of_process(struct flm_tasks *tasks, int32_t process, const char *root,
                          struct flm_error *why);

/* The process that a thread belongs to; -1, and `why`, when there is no such thread. */
int32_t flm_task_process(int32_t task, const char *root, struct flm_error *why);

#endif
