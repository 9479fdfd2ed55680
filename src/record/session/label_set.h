/* label_set.h - the labels of samples and markers: command, process, thread, thread name,
 * cpu, state. */
#ifndef FLAMEL_RECORD_SESSION_LABEL_SET_H
#define FLAMEL_RECORD_SESSION_LABEL_SET_H

#include "flamel/builder.h"
#include "record/session/aggregation.h"

/* Unknown attributes have no label; `state` is one that labels name, and stands instead of that of
 * the attributes. */
struct flm_label_set flm_session_label_set(struct flm_builder *builder,
                                           const struct flm_sample_attributes *attributes,
                                           enum flm_sched_state state);

#endif
