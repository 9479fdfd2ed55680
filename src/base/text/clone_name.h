/* clone_name.h - copies and parts of a function that a compiler made, by their names.
 *
 *     lex.constprop.0     a copy for constant arguments          gcc, clang (.specialized.1)
 *     lex.isra.0          a copy with other arguments            gcc
 *     lex.part.0          a part, which the rest calls           gcc (clang: .__part.1)
 *     lex.cold            a part that rarely runs, jumped to     gcc, clang (.cold.1)
 *     lex.lto_priv.0      the function, renamed in one of several units: also .llvm.123,
 *                         .__uniq.123, .localalias, .clone.0 of old compilers
 *
 * Suffixes follow each other (lex.isra.0.cold), and demanglers print them as "lex(int) [clone
 * .isra.0] [clone .cold]". Their numbers change from build to build.
 *
 * These are halves or variants of a function that tell something of their own, and stay: .actor,
 * .resume, .destroy and .cleanup of coroutines, which are called at other times than the coroutine
 * is; .avx2 and .default of functions with several targets; ._omp_fn.0, a loop that runs in other
 * threads; helper.0, a nested function.
 *
 * Other languages have dots between the parts of names: main.cold may be a function `cold` of a
 * package `main`. Nothing in the name tells. */
#ifndef FLAMEL_BASE_TEXT_CLONE_NAME_H
#define FLAMEL_BASE_TEXT_CLONE_NAME_H

#include "base/core/bytes.h"

/* The size of the name before these suffixes; its whole size where there are none. */
size_t flm_clone_base(struct flm_bytes name);

/* What the suffixes, or a name that ends with them, say: FLM_CLONE_... together. */
enum { FLM_CLONE_CONSTPROP = 1, FLM_CLONE_ISRA = 2, FLM_CLONE_PART = 4, FLM_CLONE_COLD = 8 };
unsigned flm_clone_kinds(struct flm_bytes name);

#endif
