/* presets.h - expressions that people often want, offered where they change something: only the
 * user's code (algebra/operation/user_code.h), without waiting, without garbage collection ... */
#ifndef FLAMEL_VIEWER_MODEL_PRESETS_H
#define FLAMEL_VIEWER_MODEL_PRESETS_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The operation of "Only my code". */
#define FLM_USER_CODE "my-code"

/* Expressions that are offered for a profile: only those that change something. */
struct flm_preset {
    const char *title;
    struct flm_text text; /* an expression */
};
enum { FLM_MOST_PRESETS = 8 };
struct flm_presets {
    struct flm_preset at[FLM_MOST_PRESETS];
    unsigned count;
};

bool flm_presets_init(struct flm_presets *presets, const struct flm_profile *p,
                      struct flm_error *why);
void flm_presets_clear(struct flm_presets *presets);

#endif
