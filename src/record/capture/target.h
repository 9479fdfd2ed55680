/* target.h - the target of a recording: a command that is started stopped (os/child.h), or existing
 * tasks.
 *
 * Existing tasks are all threads of a process; threads start and end while they are listed, so the
 * list is read until nothing new appears. */
#ifndef FLAMEL_RECORD_CAPTURE_TARGET_H
#define FLAMEL_RECORD_CAPTURE_TARGET_H

#include <sys/types.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/error.h"
#include "os/child.h"

/* Tasks (thread ids), each once. */
struct flm_tasks FLM_ARRAY(int32_t);

bool flm_tasks_add(struct flm_tasks *tasks, int32_t task);
void flm_tasks_clear(struct flm_tasks *tasks);

/* All threads of a process. False, and `why`, when there is no such process. `root`: "" except in
 * tests. */
bool flm_tasks_of_process(struct flm_tasks *tasks, int32_t process, const char *root,
                          struct flm_error *why);

/* Adds the processes that those in the list have started, and that those have, as they are now.
 * Not those in `except`, if there is one, and what these have started. False when memory ran
 * out. */
bool flm_tasks_add_descendants(struct flm_tasks *processes, const struct flm_tasks *except,
                               const char *root);

/* The process that a thread belongs to; -1, and `why`, when there is no such thread. */
int32_t flm_task_process(int32_t task, const char *root, struct flm_error *why);

#endif
