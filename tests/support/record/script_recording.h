/* script_recording.h - records a program that measures itself, and compares. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_SCRIPT_RECORDING_H
#define FLAMEL_TESTS_SUPPORT_RECORD_SCRIPT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

/* The program writes `measured`: a number of seconds a line, for each of the functions. With
 * `off_cpu` it is the time that they wait. Fails the test if a share differs by more than two
 * points and what is missing; in their names * stands for anything. Samples that were read too
 * late on a busy machine keep their native frames, and a hypervisor stops processors: all that
 * is missing may be missing from one function. False when nothing may be recorded here, the
 * interpreter is not supported, or too little was recorded again and again. */
bool script_shares_are_found(char *const *command, const char *measured,
                             const char *const *functions, size_t count, bool off_cpu);

/* The program's path, if one of the names is installed; NULL: none is. */
const char *script_interpreter(const char *const *names, size_t count);

#endif
