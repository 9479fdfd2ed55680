/* target.h - the target of a recording: a command that is started stopped, or existing tasks.
 *
 * A command is forked and waits before its exec until all events are open: events that are enabled
 * by exec then see its first instruction, and none of ours. It keeps our terminal and our process
 * group, so Ctrl-C reaches it as it would without us.
 *
 * Existing tasks are all threads of a process; threads start and end while they are listed, so the
 * list is read until nothing new appears. */
#ifndef FLAMEL_RECORD_CAPTURE_TARGET_H
#define FLAMEL_RECORD_CAPTURE_TARGET_H

#include <sys/types.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/error.h"

struct flm_child {
    pid_t process; /* 0: none */
    int go;        /* written to let it exec; -1: written */
    int trouble;   /* the errno of a failed exec is read from it */
    int ended;     /* a pidfd, readable when it has ended; -1: not supported */
    int status;    /* as waitpid has it; -1: not yet */
};

/* {.process = 0} is empty. Starts the command, stopped before its exec. False, and `why`, when
 * there is no such command, or it may not be executed; then nothing was started. `path`: the
 * directories in which a command without '/' is searched, as in PATH; NULL: /bin:/usr/bin. `files`:
 * its limit of open files, which is ours before we raised it (programs that close all files, or use
 * select(), depend on it); 0: the current one. */
bool flm_child_start(struct flm_child *child, char *const *command, const char *path,
                     uint64_t files, struct flm_error *why);

/* Lets it run. False, and `why`, when the exec failed. */
bool flm_child_release(struct flm_child *child, const char *name, struct flm_error *why);

/* Whether it has ended; its status is then known. */
bool flm_child_has_ended(struct flm_child *child);

/* Ends a command that was not released; one that runs is left running. */
void flm_child_clear(struct flm_child *child);

/* Tasks (thread ids), each once. */
struct flm_tasks FLM_ARRAY(int32_t);

bool flm_tasks_add(struct flm_tasks *tasks, int32_t task);
void flm_tasks_clear(struct flm_tasks *tasks);

/* All threads of a process. False, and `why`, when there is no such process. `root`: "" except in
 * tests. */
bool flm_tasks_of_process(struct flm_tasks *tasks, int32_t process, const char *root,
                          struct flm_error *why);

/* Adds the processes that those in the list have started, and that those have, as they are now.
 * False when memory ran out. */
bool flm_tasks_add_descendants(struct flm_tasks *processes, const char *root);

/* The process that a thread belongs to; -1, and `why`, when there is no such thread. */
int32_t flm_task_process(int32_t task, const char *root, struct flm_error *why);

#endif
