/* signals.h - signals that a command catches for a while, and gives back as they were.
 *
 * A signal that was ignored when we started stays ignored: nohup ignores SIGHUP, a shell without
 * job control SIGINT of what it starts in the background. */
#ifndef FLAMEL_CLI_COMMON_SIGNALS_H
#define FLAMEL_CLI_COMMON_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* In a handler: whether this signal is the one that came before, again: timeout(1) sends its signal
 * to the process and to its group. `last_ns`: when the last one came, of the caller, 0 at first;
 * it is changed. */
bool flm_signal_is_again(volatile int64_t *last_ns);

/* One more is ignored. */
void flm_signals_ignore(struct flm_signals *signals, int number);

/* All of them do what they did before. */
void flm_signals_restore(struct flm_signals *signals);

#endif
