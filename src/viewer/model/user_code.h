/* user_code.h - expressions that hide code which the user did not write: system libraries,
 * runtimes, the kernel. They are chips like all others, are part of links, and work on the command
 * line.
 *
 *     kernel            hide:kind=kernel
 *     libraries         hide:module=/^(libc\.so\.6|ld-linux-x86-64\.so\.2)$/      modules that
 *                       nearly every program has (flm_name_is_runtime), or in a system's folders
 *     their sources     hide:file=/\/(site-packages|node_modules|usr\/include ...)\//
 *     runtimes          hide:/^(std::|java\.lang\.|runtime\.|_start$)/            by names that
 *                       are certain; the beginning of a C name is not: alloc_node may be the user's
 *
 * Only alternatives that occur in the frame table are part of an expression. */
#ifndef FLAMEL_VIEWER_MODEL_USER_CODE_H
#define FLAMEL_VIEWER_MODEL_USER_CODE_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The operations that leave only user code; nothing if all is. False, and `why`, if nothing would
 * be left, or if memory ran out. */
bool flm_user_code_write(const struct flm_profile *p, struct flm_text *out, struct flm_error *why);

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
