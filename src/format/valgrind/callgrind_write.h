/* callgrind_write.h - a profile as callgrind.out, for KCachegrind and callgrind_annotate.
 *
 *     tree    main 10                        file    fn=(1) main
 *             main;read 40                           0 10
 *             main;read;copy 50                      cfn=(2) read
 *                                                    calls=1 0
 *                                                    0 90
 *                                                    fn=(2) read ...
 *
 * All frames with the same name, module and file are one function; it has a line of costs for each
 * of its lines. Of stacks the format has only which function calls which. The cost of a call
 * f -> g is the total of g below f, in stacks where this g is the outermost one: so the costs of
 * all calls of g sum to the total of g, and recursion counts once. An inner g has a call without
 * cost.
 *
 * callgrind_annotate takes that sum as the inclusive cost of any function that is called. One that
 * is called and also begins stacks is therefore called by a function `(root)` of a file `(root)`
 * too, which callgrind.c passes over.
 *
 * Costs are whole numbers: core/whole_values.h, for sums of lines. Costs of calls are rounded each
 * by itself. The numbers of calls are those of the
 * metric "calls"; without it each is 1, because 0 is no call, and `desc: Calls: not counted` says
 * so.
 *
 * Metrics are `events`, whose names have no blanks; `event: cpu_time : cpu time (ns)` has the name
 * and the unit as they are. */
#ifndef FLAMEL_FORMAT_VALGRIND_CALLGRIND_WRITE_H
#define FLAMEL_FORMAT_VALGRIND_CALLGRIND_WRITE_H

#include "format/core/format.h"

/* By this creator the reader recognizes files that flamel wrote. */
#define FLM_CALLGRIND_CREATOR "flamel"
#define FLM_CALLGRIND_ROOT "(root)"
#define FLM_CALLGRIND_CALLS "Calls: not counted"

/* The most events that are read and written. Each is a column of every line of costs. */
enum { FLM_CALLGRIND_EVENTS = 256 };

bool flm_callgrind_write(const struct flm_profile *profile, const struct flm_write_options *options,
                         struct flm_text *out, struct flm_error *why);

#endif
