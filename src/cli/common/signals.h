/* signals.h - signals that a command catches for a while, and gives back as they were.
 *
 * A signal that was ignored when we started stays ignored: nohup ignores SIGHUP, a shell without
 * job control SIGINT of what it starts in the background. */
#ifndef FLAMEL_CLI_COMMON_SIGNALS_H
#define FLAMEL_CLI_COMMON_SIGNALS_H

#include <signal.h>
#include <stddef.h>

enum { FLM_SIGNALS_MOST = 8 };

/* All zero: nothing is caught. */
struct flm_signals {
    struct {
        int number;
        struct sigaction before;
    } items[FLM_SIGNALS_MOST];
    size_t count;
};

/* SIGINT, SIGTERM and SIGHUP go to the handler, if they were not ignored. */
void flm_signals_catch(struct flm_signals *signals,
                       void (*handler)(int number, siginfo_t *info, void *context));

/* One more is ignored. */
void flm_signals_ignore(struct flm_signals *signals, int number);

/* All of them do what they did before. */
void flm_signals_restore(struct flm_signals *signals);

#endif
