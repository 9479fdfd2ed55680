/* thread_names.h - threads as formats of traces know them: by numbers, and by names that may come
 * after their events. */
#ifndef FLAMEL_FORMAT_CORE_THREAD_NAMES_H
#define FLAMEL_FORMAT_CORE_THREAD_NAMES_H

#include "flamel/builder.h"

/* Strings of the builder; 0: not known. */
struct flm_thread_names {
    uint32_t process, process_name, thread, thread_name;
    uint32_t state; /* sleeping, blocked ...; 0 on a CPU */
};

/* The labels "process", "process name", "thread", "thread name" and "state", those that are
 * known. */
struct flm_label_set flm_thread_labels(struct flm_builder *builder,
                                       const struct flm_thread_names *names);

/* The node of the thread, for the option by_thread: "worker 7", "thread 7", "worker". */
struct flm_node flm_thread_root(struct flm_builder *builder, const struct flm_thread_names *names);

#endif
