/* ending.h - ends a command that still runs, with the processes that it has started, as timeout(1)
 * does: SIGTERM, and SIGKILL for those that are still there some seconds later.
 *
 *     sh -c 'make; install'     sh, make and its compilers are asked to end
 *     a daemon                  left alone: it has a session of its own
 *
 * If only the command ended, what it had started would go on holding our standard output, and a
 * pipe from there would stay open. Our own process group may have our caller, and shells and
 * timeout(1) make groups of their own, so the descendants are listed instead.
 *
 * Where we have other children, as in `server & exec flamel record -- ./load`, what they have
 * started is left alone. One that lost its parent before both were seen is ended only where its
 * process group is of the command alone: then one of the command may be left. */
#ifndef FLAMEL_RECORD_CAPTURE_ENDING_H
#define FLAMEL_RECORD_CAPTURE_ENDING_H

#include "os/child.h"

/* Returns when all have ended, or after twice `patience_ms`. A command that was not released, or
 * has ended, is left as it is. `root`: "" except in tests. */
void flm_command_end(struct flm_child *child, const char *root, int patience_ms);

#endif
