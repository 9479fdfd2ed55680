/* trace_write.h - a profile with times as a Chrome trace.
 *
 *     {"traceEvents": [
 *      {"ph": "M", "name": "thread_name", "pid": 10, "tid": 11, "args": {"name": "worker"}},
 *      {"ph": "B", "name": "main", "cat": "app", "pid": 10, "tid": 11, "ts": 5000.25,
 *       "file": "main.c", "line": 3},
 *      {"ph": "E", "name": "main", "pid": 10, "tid": 11, "ts": 5250, "args": {}}, ...
 *     ], "otherData": {"command": ...}}
 *
 * What becomes what:
 *
 *     samples of a thread    calls, B and E: spans.h says how long a stack lasts
 *     markers                i, and b e where they last
 *     counters               C
 *
 * B and E, and not X: both ends of a call and of what it calls are then the same digits. The end of
 * an X is a sum, which a reader with floating point rounds, and calls no longer nest. Times are
 * microseconds, with three decimals: none is rounded. Since programs read them as floating point
 * numbers, times since 1970 are counted from the first one's second, which is the member
 * "baseTimeNanoseconds", as PyTorch's Kineto has it.
 *
 * File and line are members of their own, which viewers pass over: speedscope makes arguments a
 * part of the name. It takes an E and a B of one name at one time for a call of no duration, not
 * for one that ends and another that begins, unless their arguments differ: so each E has empty
 * ones. */
#ifndef FLAMEL_FORMAT_TRACE_TRACE_WRITE_H
#define FLAMEL_FORMAT_TRACE_TRACE_WRITE_H

#include "format/core/format.h"

bool flm_trace_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why);

#endif
