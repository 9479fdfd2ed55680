#include "cli/common/signals.h"

#include <assert.h>

#include "os/clock.h"

static void set(struct flm_signals *signals, int number, const struct sigaction *action)
{
    assert(signals->count < FLM_SIGNALS_MOST);
    struct sigaction before;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
        return;
    sigaction(number, action, NULL);
    signals->items[signals->count].number = number;
    signals->items[signals->count++].before = before;
}

void flm_signals_catch(struct flm_signals *signals,
                       void (*handler)(int number, siginfo_t *info, void *context))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    set(signals, SIGINT, &action);
    set(signals, SIGTERM, &action);
    set(signals, SIGHUP, &action);
}

void flm_signals_ignore(struct flm_signals *signals, int number)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    set(signals, number, &action);
}

void flm_signals_restore(struct flm_signals *signals)
{
    while (signals->count > 0) {
        signals->count--;
        sigaction(signals->items[signals->count].number, &signals->items[signals->count].before,
                  NULL);
    }
}

bool flm_signal_is_again(volatile int64_t *last_ns)
{
    enum { SAME_WISH_NS = 20000000 };
    int64_t now_ns = flm_now_ns();
    bool is_again = *last_ns > 0 && now_ns - *last_ns < SAME_WISH_NS;
    if (!is_again)
        *last_ns = now_ns;
    return is_again;
}
