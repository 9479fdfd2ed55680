/* thread_signals.h - a signal from the kernel to the thread that a sample is of, as the sample
 * is taken.
 *
 * An agent inside of a process takes the stack of a thread in a signal handler of that thread.
 * An event of its own for each thread could send the signal, but the kernel stops and starts
 * those at every switch of threads, with their timer: threads that hand a lock to each other
 * took 17 us for that, not 2 (bench/RESULTS.md). The recorder's events are inherited, and
 * exchanged at switches, but their signals have one receiver. So a program of the kernel (BPF),
 * a few instructions, is put to the recorder's events, which sends the signal to whom it
 * interrupts, if it is of a process that wants it.
 *
 * The signal is SIGURG, which does nothing to a process that does not handle it. So it harms
 * nobody when it comes before the handler, after it, or to what a process has become by exec;
 * unless that handles SIGURG too, as Go does, for which one more of it is nothing new.
 *
 * It takes CAP_BPF and CAP_PERFMON, or root. */
#ifndef FLAMEL_RECORD_RUNTIME_THREAD_SIGNALS_H
#define FLAMEL_RECORD_RUNTIME_THREAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLM_THREAD_SIGNAL = SIGURG };

struct flm_thread_signals;

/* For samples of these events. NULL: the kernel does not allow it, or cannot. */
struct flm_thread_signals *flm_thread_signals_open(const int *events, size_t count);
void flm_thread_signals_close(struct flm_thread_signals *signals);

/* Whether the threads of a process can get signals: not those of one that handles this signal
 * already, and not those of another PID namespace, unless we are in the first one. From now on they
 * do. */
bool flm_thread_signals_add(struct flm_thread_signals *signals, int32_t process);

/* Not any more, as that of a process that has ended: its number may be given to another. */
void flm_thread_signals_remove(struct flm_thread_signals *signals, int32_t process);

#endif
