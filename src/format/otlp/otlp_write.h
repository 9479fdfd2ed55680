/* otlp_write.h - profiles of OpenTelemetry, written; and the names that reader and writer share. */
#ifndef FLAMEL_FORMAT_OTLP_OTLP_WRITE_H
#define FLAMEL_FORMAT_OTLP_OTLP_WRITE_H

#include "format/core/format.h"

bool flm_otlp_write(const struct flm_profile *profile, const struct flm_write_options *options,
                    struct flm_text *out, struct flm_error *why);

/* What the message holds, in both of its forms. */
#define FLM_OTLP_HOLDS                                                                             \
    (FLM_HOLDS_WEIGHTS | FLM_HOLDS_MODULES | FLM_HOLDS_FILES | FLM_HOLDS_LOCATIONS |               \
     FLM_HOLDS_KINDS | FLM_HOLDS_EMPTY_STACK | FLM_HOLDS_NOTES)

#define FLM_OTLP_BUILD_ID "process.executable.build_id.gnu"
#define FLM_OTLP_FRAME_TYPE "profile.frame.type"

/* Attributes, and the labels that they are here. */
enum { FLM_OTLP_LABELS = 4 };
extern const struct flm_otlp_label {
    const char *key, *name;
} flm_otlp_labels[FLM_OTLP_LABELS];

#endif
