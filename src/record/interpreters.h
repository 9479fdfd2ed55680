/* interpreters.h - which processes have the interpreter of a runtime: by the names of the files
 * that they map, or by a symbol that their program exports.
 *
 * Most processes have none, and their samples must not cost anything: the mappings of a process are
 * looked at once, and again only when they change. A program is opened once, whatever runs it. */
#ifndef FLAMEL_RECORD_INTERPRETERS_H
#define FLAMEL_RECORD_INTERPRETERS_H

#include "record/process/process_map.h"
#include "record/runtime/runtime.h"

/* Runtimes as a set: bit i is the ith one of those that are asked for. */
enum { FLM_INTERPRETERS_MOST = 32 };

struct flm_interpreters;

/* Those of these runtimes, at most FLM_INTERPRETERS_MOST, which are borrowed. NULL when memory ran
 * out. */
struct flm_interpreters *flm_interpreters_new(const struct flm_runtime *const *runtimes,
                                              size_t count);
void flm_interpreters_free(struct flm_interpreters *interpreters);

/* Whether the answer is known without reading files: neither the process nor
 * its mappings changed. */
bool flm_interpreters_know(const struct flm_interpreters *interpreters,
                           const struct flm_process *process);

/* The runtimes whose interpreter a process has, as its mappings are now. False when memory ran
 * out. */
bool flm_interpreters_find(struct flm_interpreters *interpreters, const struct flm_process *process,
                           uint32_t *found);

/* Whether a running process has the interpreter of any runtime that can be read from outside.
 * `root`: "" except in tests. */
bool flm_interpreters_run(int32_t process, const char *root);

/* The same for any process of the machine. */
bool flm_interpreters_run_anywhere(const char *root);

/* Whether a file will run in such an interpreter, or may soon start one: it is an interpreter, a
 * shell, make or another program that is there to start others, or begins with "#!" and one. */
bool flm_interpreters_start(const char *file);

#endif
