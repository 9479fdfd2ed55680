/* preloader.h - code tables made beside: by a thread of their own, while samples are taken.
 *
 *     who records     ask ─ no ──── ask ─ no ──── ask ─ yes: names are there, nobody waits
 *     the thread          └── tables of the modules that were asked ──┘
 *
 * A table of a large program with debug information takes seconds. Whoever drains rings has a tenth
 * of one, at high rates: samples are lost in the rest. */
#ifndef FLAMEL_SYMBOL_REGISTRY_PRELOADER_H
#define FLAMEL_SYMBOL_REGISTRY_PRELOADER_H

#include "symbol/registry/module.h"

struct flm_preloader;

/* NULL, and `why`, when memory ran out, or there can be no thread. */
struct flm_preloader *flm_preloader_new(struct flm_modules *modules, struct flm_error *why);

/* Waits for what is being made. */
void flm_preloader_free(struct flm_preloader *preloader);

/* Whether the tables of all these modules were made, or tried; if not, those that were not are
 * begun, when nothing else is being made. Until it says yes, nobody else may look up, prepare or
 * age modules; getting and unwinding go on. Of memory that ran out it says yes: who looks up makes
 * what there is not. */
bool flm_preloader_request(struct flm_preloader *preloader, struct flm_module *const *wanted,
                           size_t count);

/* Waits until nothing is being made. */
void flm_preloader_wait(struct flm_preloader *preloader);

#endif
