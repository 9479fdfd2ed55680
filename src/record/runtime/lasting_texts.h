/* lasting_texts.h - texts of samples that a runtime learns while it records, as names of threads
 * and tasks: one copy of each, which is kept until the recording ends. */
#ifndef FLAMEL_RECORD_RUNTIME_LASTING_TEXTS_H
#define FLAMEL_RECORD_RUNTIME_LASTING_TEXTS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/perf/owned_string.h"

struct flm_lasting_texts {
    struct FLM_ARRAY(struct flm_owned_string) items;
    struct flm_index index;
};

void flm_lasting_texts_clear(struct flm_lasting_texts *texts);

/* The copy of a text; equal texts have the same one. Empty when memory ran out. */
struct flm_bytes flm_lasting_text(struct flm_lasting_texts *texts, struct flm_bytes text);

#endif
