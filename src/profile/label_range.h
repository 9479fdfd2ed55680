/* label_range.h - the labels of a key, and which of them a sample has.
 *
 *     labels   process=10  process=20  thread=11  thread=12  thread=21
 *              ^ range of "process"    ^ range of "thread": {2, 3}
 *
 * Labels are sorted by key, so those of one key are consecutive. Readers name threads by different
 * keys: flm_thread_labels_of is the one place that knows which. */
#ifndef FLAMEL_PROFILE_LABEL_RANGE_H
#define FLAMEL_PROFILE_LABEL_RANGE_H

#include "profile/columns.h"

struct flm_label_range {
    uint32_t first, count; /* count 0: no sample has the key */
};

struct flm_label_range flm_label_range_of(const struct flm_profile *profile, const char *key);

/* The label of a set that is in the range; FLM_NONE where there is none. And its value, a
 * string. */
uint32_t flm_label_in(const struct flm_profile *profile, uint32_t set,
                      struct flm_label_range range);
uint32_t flm_label_value_in(const struct flm_profile *profile, uint32_t set,
                            struct flm_label_range range);

/* What distinguishes threads: the first of "thread", "tid", "pid" and "command" that the profile
 * has; their processes, "process" or "pid"; and their names or commands ("thread name", "command"),
 * none where threads are commands. `unnamed` are the commands where some threads have names: a Java
 * VM names those of Java, and the others have commands. */
struct flm_thread_labels {
    struct flm_label_range threads, processes, commands, unnamed;
};
struct flm_thread_labels flm_thread_labels_of(const struct flm_profile *profile);

/* What a thread is called, a string, by one more set of labels that it has, if it was `before`
 * without; FLM_NONE: nothing says it. The last one counts; a command, only where it has no name. */
uint32_t flm_thread_labels_name(const struct flm_profile *profile, uint32_t set,
                                const struct flm_thread_labels *labels, uint32_t before);

#endif
