/* lasting_texts.h - texts that a runtime learns while it samples, for labels: each is kept once,
 * and as long as the recording. */
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

/* The copy: equal texts have one, at one address. Empty when memory ran out. */
struct flm_bytes flm_lasting_text(struct flm_lasting_texts *texts, struct flm_bytes text);

#endif
