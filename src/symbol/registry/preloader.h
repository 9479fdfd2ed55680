/* preloader.h - makes code tables in a thread of its own, in parallel with the recording.
 *
 *     recorder    request: false ──── request: false ──── request: true, symbols are available
 *     preloader              └── makes the tables of the requested modules ──┘
 *
 * The table of a large program with debug information takes seconds. At high rates the rings are
 * full after a tenth of a second, so a recorder that waited would lose samples. */
#ifndef FLAMEL_SYMBOL_REGISTRY_PRELOADER_H
#define FLAMEL_SYMBOL_REGISTRY_PRELOADER_H

#include "symbol/registry/module.h"

struct flm_preloader;

/* `priority`: the nice value of the thread, which is never a better one than that of the caller:
 * tables are not urgent. NULL, and `why`, when memory ran out, or no thread could be started. */
struct flm_preloader *flm_preloader_new(struct flm_modules *modules, int priority,
                                        struct flm_error *why);

/* Waits for the tables in progress. */
void flm_preloader_free(struct flm_preloader *preloader);

/* True when the tables of all these modules were made, or tried. If not, starts on the missing
 * ones, unless the preloader is busy. Until this returns true, no other thread may look up, prepare
 * or evict modules; flm_modules_get and unwinding are allowed. When memory ran out, returns true:
 * the first lookup makes the table then. */
bool flm_preloader_request(struct flm_preloader *preloader, struct flm_module *const *wanted,
                           size_t count);

/* Waits until the preloader is idle. */
void flm_preloader_wait(struct flm_preloader *preloader);

#endif
