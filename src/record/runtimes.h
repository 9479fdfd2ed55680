/* runtimes.h - the runtimes that recordings know, and what is done with all of them: one line each.
 *
 * An entry `NAME` is flm_runtime_NAME (record/runtime/runtime.h says what is in it), which a file
 * of record/runtime/ or a folder of its own next to it defines. They are tried in this order. */
#ifndef FLAMEL_RECORD_RUNTIMES_H
#define FLAMEL_RECORD_RUNTIMES_H

#include "record/runtime/runtime.h"

/* clang-format off */
#define FLM_RUNTIMES(entry)                                                                        \
    entry(jitdump)                                                                                 \
    entry(perf_map)                                                                                \
    entry(cpython)                                                                                 \
    entry(v8)                                                                                      \
    entry(ruby)                                                                                    \
    entry(php)                                                                                     \
    entry(haskell)                                                                                 \
    entry(go)                                                                                      \
    entry(java)
/* clang-format on */

/* ---- Symbolizing ----------------------------------------------------------------------------- */

/* The runtime of a mapped file; NULL: none. */
const struct flm_runtime *flm_runtime_of_file(struct flm_bytes path);

/* The runtime that is the interpreter in this program or library; NULL: none. */
const struct flm_runtime *flm_runtime_of_interpreter(struct flm_bytes path);

/* Searches the symbols of a process with all runtimes. False only when memory ran out; files that
 * cannot be read are reported as losses. */
bool flm_runtimes_find(struct flm_runtime_search *search);

/* ---- Sampling -------------------------------------------------------------------------------- */

/* The runtimes attached to a recording. */
struct flm_attached_runtimes;

/* Attaches runtimes by their names in the table; without names, all that can be; and those with
 * agents where the options say what is measured. Each gets the options, with numbers of its own.
 * NULL, and `why`, if there is none with such a name that can be attached. */
struct flm_attached_runtimes *flm_runtimes_attach(const char *const *names, size_t count,
                                                  const struct flm_runtime_options *options,
                                                  struct flm_error *why);
void flm_runtimes_close(struct flm_attached_runtimes *attached);

/* Calls `mix` of those whose interpreter the process has. */
bool flm_runtimes_mix(struct flm_attached_runtimes *attached, struct flm_runtime_sample *sample,
                      int64_t now_ns, flm_event_sink define, void *context, struct flm_error *why);

/* When the last sample of a process with an interpreter was taken; INT64_MIN: none was. */
int64_t flm_runtimes_seen_ns(const struct flm_attached_runtimes *attached);

/* Whether the process of the last sample runs an interpreter. */
bool flm_runtimes_saw_last(const struct flm_attached_runtimes *attached);

void flm_runtimes_report(const struct flm_attached_runtimes *attached,
                         const struct flm_runtime_report *report);

/* What runtimes with agents do, of each of them: runtime.h. */
bool flm_runtimes_command(struct flm_attached_runtimes *attached, char *const **command,
                          int *inherited, struct flm_error *why);
bool flm_runtimes_begin(struct flm_attached_runtimes *attached,
                        const struct flm_runtime_target *target, struct flm_error *why);
void flm_runtimes_mapped(struct flm_attached_runtimes *attached, int32_t process,
                         struct flm_bytes path);
bool flm_runtimes_read(struct flm_attached_runtimes *attached,
                       const struct flm_runtime_sinks *sinks, struct flm_error *why);
bool flm_runtimes_claim(struct flm_attached_runtimes *attached, const struct flm_event *event,
                        bool keeps);
bool flm_runtimes_join(struct flm_attached_runtimes *attached, int64_t until_ns,
                       const struct flm_runtime_sinks *sinks, struct flm_error *why);
bool flm_runtimes_end(struct flm_attached_runtimes *attached, const struct flm_runtime_sinks *sinks,
                      struct flm_error *why);

#endif
