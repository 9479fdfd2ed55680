/* child.h - a command that is started stopped, and let go when all is ready.
 *
 * It is forked and waits before its exec: events of the kernel that are enabled by exec then see
 * its first instruction, and none of ours. It keeps our terminal and our process group, so Ctrl-C
 * reaches it as it would without us. */
#ifndef FLAMEL_OS_CHILD_H
#define FLAMEL_OS_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "flamel/error.h"

enum { FLM_CHILD_MOST_PATH = 4096 };

/* The file of the program, searched as execvp does, with `path` for PATH; `found` has room for
 * FLM_CHILD_MOST_PATH bytes. False, and `why`: there is none that may be executed. */
bool flm_child_find(const char *name, const char *path, char *found, struct flm_error *why);

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

#endif
