/* task.h - the task of asyncio that a thread runs.
 *
 *     3.14 up     the thread's state has the task; a section of the module _asyncio, or of the
 *                 program that has it built in, says where, and where the task has its name
 *     3.8 - 3.13  asyncio calls each step of a task from Handle._run, whose first variable is the
 *                 handle; its callback has the task:
 *
 *                     frame ─► handle ─► TaskStepMethWrapper, or the method task_wakeup ─► task
 *
 *                 Event loops that are not written in Python (uvloop) have no such frame: their
 *                 samples have no task
 *
 * A task without a name is called by its number, "Task-5", as asyncio does. */
#ifndef FLAMEL_RECORD_PYTHON_TASK_H
#define FLAMEL_RECORD_PYTHON_TASK_H

#include "base/text/text.h"
#include "record/python/python.h"

/* Appends the name of the task of a thread whose frames were read just before. False: it runs none,
 * or it cannot be read. */
bool flm_python_task(struct flm_python *python, const struct flm_process *process, int32_t thread,
                     const struct flm_python_frame *frames, size_t count, struct flm_text *name);

#endif
