/* task.h - the task of asyncio that a thread runs.
 *
 *     3.14 up     the thread's state has the task. The offsets of both, the task and its name, are
 *                 in a section of the module _asyncio, or of the program that has it built in.
 *
 *     3.8 - 3.13  asyncio runs each step of a task from Handle._run, whose first variable is the
 *                 handle; its callback has the task:
 *
 *                     frame ─► handle ─► TaskStepMethWrapper, or the method task_wakeup ─► task
 *
 *                 Loops that are not written in Python (uvloop) have no such frame, and their tasks
 *                 are unknown.
 *
 * A task without a name is called "Task-5" by its number, as in asyncio. */
#ifndef FLAMEL_RECORD_PYTHON_TASK_H
#define FLAMEL_RECORD_PYTHON_TASK_H

#include "base/text/text.h"
#include "record/python/python.h"

/* Appends the name of the task of a thread whose frames were just read. False: it runs none, or the
 * name cannot be read. */
bool flm_python_task(struct flm_python *python, const struct flm_process *process, int32_t thread,
                     const struct flm_python_frame *frames, size_t count, struct flm_text *name);

#endif
