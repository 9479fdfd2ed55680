/* dump_series.h - thread dumps of one VM, taken one after the other, as one profile.
 *
 *     dump      0 ms              100 ms            205 ms          310 ms: the end
 *     main      |== parse ========|== parse ========|== write ======|
 *     http-1    |== accept =======|== read =========|== accept =====|
 *
 * What a thread does at a dump it is taken to do until the next one: each sample lasts so long,
 * with the labels of a thread dump (internal.h). Metrics:
 *
 *     wall   that time, in every state
 *     cpu    what the thread has used of a processor since the dump before, at the stack that it
 *            has now: this tells a thread that computes from one that waits in native code, which
 *            is RUNNABLE for Java, too. Where the VM writes it (JDK 11 and later)
 *
 * Threads without frames are the VM's own: what they use of a processor is a note. */
#ifndef FLAMEL_FORMAT_JAVA_DUMP_SERIES_H
#define FLAMEL_FORMAT_JAVA_DUMP_SERIES_H

#include "format/core/format.h"

struct flm_java_series;

/* NULL, and `why`, if memory ran out. The options are copied; times are kept in any case. */
struct flm_java_series *flm_java_series_new(const struct flm_read_options *options,
                                            struct flm_error *why);
void flm_java_series_free(struct flm_java_series *series); /* NULL: nothing */

/* Adds the text of one dump: taken at a time, and `lasts_ns` before the next one. False, and `why`,
 * where it has no threads, or memory ran out. */
bool flm_java_series_add(struct flm_java_series *series, struct flm_bytes dump, int64_t time_ns,
                         int64_t lasts_ns, struct flm_error *why);

/* What the threads without frames have used of a processor between the dumps so far; -1: the VM
 * does not say it. */
int64_t flm_java_series_frameless_cpu_ns(const struct flm_java_series *series);

/* A note of the profile. */
void flm_java_series_note(struct flm_java_series *series, const char *key, const char *value);

/* The profile; the series is freed in any case. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_java_series_finish(struct flm_java_series *series, struct flm_error *why);

#endif
