#include "cli/record/recording_signals.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "os/clock.h"
#include "os/output.h"

/* Written by the handler. */
static volatile sig_atomic_t signals, last_signal, by_terminal;
static volatile int64_t signaled_ns;

/* For the handler, when somebody does not want to wait any longer. The texts are written first. */
static volatile sig_atomic_t may_leave;
static char last_words[PATH_MAX + 200], torn_file[PATH_MAX];

/* Async-signal-safe: called in the handler, wherever the program waits: in a library, for a server,
 * for a disk. The records are in the spool, whole. */
static void leave(int number)
{
    if (torn_file[0])
        unlink(torn_file);
    (void)!write(STDERR_FILENO, last_words, strlen(last_words));
    _exit(128 + number);
}

static void remember_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (flm_signal_is_again(&signaled_ns))
        return;
    signals++;
    last_signal = number;
    by_terminal = info->si_code == SI_KERNEL;
    if (signals > 1 && may_leave)
        leave(number);
}

void flm_recording_signals_may_end(const char *spool, const char *output)
{
    struct flm_text torn = {0};
    snprintf(last_words, sizeof last_words,
             "\nflamel: ended before all symbols were read: the recording is in %s: flamel convert "
             "reads it\n",
             spool);
    if (flm_output_temporary_name(output, &torn) && torn.size < sizeof torn_file)
        memcpy(torn_file, torn.at, torn.size);
    flm_text_clear(&torn);
    may_leave = 1;
}

void flm_recording_signals_catch(struct flm_signals *caught)
{
    signals = may_leave = 0;
    torn_file[0] = 0;
    flm_signals_catch(caught, remember_signal);
    /* Whoever read our messages may go, and a file may be as large as is allowed: what was recorded
     * is worth more than what we say about it, and an error is reported where it happens. What the
     * command does with its terminal is not our business: being in the background is no reason to
     * stop when we print. */
    flm_signals_ignore(caught, SIGPIPE);
    flm_signals_ignore(caught, SIGXFSZ);
    flm_signals_ignore(caught, SIGTTOU);
}

void flm_recording_signals_wait(void)
{
    may_leave = 0;
}

int flm_recording_signal(void)
{
    return signals > 0 ? last_signal : 0;
}

int flm_recording_signal_count(void)
{
    return signals;
}

/* A command has got what the terminal sent already, and gets what was sent to us alone: once. It
 * may take its leave, which is recorded too; whoever asks twice does not want to wait for that. */
bool flm_recording_goes_on(struct flm_recording_stopping *stopping)
{
    enum { PATIENCE_NS = 2000000000 };
    int count = signals;
    if (count == 0)
        return true;
    if (!stopping->process || count > 1)
        return false;
    if (stopping->since_ns == 0) {
        stopping->since_ns = flm_now_ns();
        if (!by_terminal)
            kill(stopping->process, last_signal);
    }
    return flm_now_ns() - stopping->since_ns < PATIENCE_NS;
}
