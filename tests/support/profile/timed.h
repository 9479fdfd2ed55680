/* timed.h - profiles of threads over time, written as text. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_TIMED_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_TIMED_H

#include "profile/columns.h"

/* A line is a sample: process, thread, state ("-": on-CPU), begin and duration in ms, stack.
 *
 *     10 11 -        0   0 main;work         1 ms of the metric "cpu"
 *     10 11 sleeping 1 310 main;usleep       310 ms of "off-cpu"
 *
 *     marker GC 200 50 young             a name, begin and duration in ms, a detail; "-": none
 *     counter memory 250 40              a name, a time in ms, a value in bytes
 *     counter memory@20 250 40           the same, of process 20
 *
 * Times are counted from 5 s. The command of process 10 is "cmd10". */
struct flm_profile *profile_of_threads(const char *lines);

#endif
