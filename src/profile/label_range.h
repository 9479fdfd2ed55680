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
 * none where threads are commands. `unnamed` are the labels "command" of a profile that has "thread
 * name" too: the Java threads of a VM have names, its other threads only commands. */
struct flm_thread_labels {
    struct flm_label_range threads, processes, commands, unnamed;
};
struct flm_thread_labels flm_thread_labels_of(const struct flm_profile *profile);

/* The name of a thread, a string: call it with each label set of the thread in turn, `before` being
 * the last result, at first FLM_NONE. The last name wins; a command counts only for a thread that
 * has no name. FLM_NONE: the thread has neither so far. */
uint32_t flm_thread_labels_name(const struct flm_profile *profile, uint32_t set,
                                const struct flm_thread_labels *labels, uint32_t before);

#endif
