/* user_code.h - what of a profile its reader did not write, and other things that people hide: as
 * operations of an expression, so that they are chips like all others, are in links, and work on
 * the command line.
 *
 *     kernel            hide:kind=kernel
 *     libraries         hide:module=/^(libc\.so\.6|ld-linux-x86-64\.so\.2)$/      modules that
 *                       nearly every program has (flm_name_is_runtime), or in a system's folders
 *     their sources     hide:file=/\/(site-packages|node_modules|usr\/include ...)\//
 *     runtimes          hide:/^(std::|java\.lang\.|runtime\.|_start$)/            by names, where
 *                       those tell; a C name that only begins so does not: alloc_node is one's own
 *
 * Everything is looked for in the frame table, and said only where there is some of it. */
#ifndef FLAMEL_VIEWER_MODEL_USER_CODE_H
#define FLAMEL_VIEWER_MODEL_USER_CODE_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The operations that leave only user code; nothing where all is. Refused, and `why`, where nothing
 * would be left, or if memory ran out. */
bool flm_user_code_write(const struct flm_profile *p, struct flm_text *out, struct flm_error *why);

/* What is offered for a profile: only what changes something. */
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
