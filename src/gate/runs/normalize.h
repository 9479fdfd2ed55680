/* normalize.h - profiles of two builds, or of many, made comparable: frames that are the same code
 * to a person become the same frame.
 *
 *     paths of modules    their last part: /home/me/old/app and /home/me/new/app are one
 *     files               likewise, where no module is known; otherwise left out
 *     lines, addresses    left out: every change of a program moves them
 *     inlined, compiled   left out: they do not change who calls whom
 *     clones              lex.constprop.0 is lex: the next build has another one, or none.
 *                         lex.part.0 on lex is the same call. "main.cold" may be a function of Go:
 *                         it is main only where there is a "main" in the same module
 *     the program that    "[command]", where its profile says that runs of another one are to be
 *     is started          compared with it: old and new have two names
 *     processes, threads  numbers of them: no two runs have the same. austin's labels "P123" and
 *                         "T0:124" are left out, and "worker 124" is "worker"
 *
 * Stacks that become equal are one. */
#ifndef FLAMEL_GATE_RUNS_NORMALIZE_H
#define FLAMEL_GATE_RUNS_NORMALIZE_H

#include "flamel/profile.h"

/* `lines` keeps lines, and the files that they are in. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_normalize_frames(const struct flm_profile *profile, bool lines,
                                         struct flm_error *why);

#endif
