/* No signals: those that a handler is set for never come. */
#ifndef FLAMEL_WASI_LIBC_SIGNAL_H
#define FLAMEL_WASI_LIBC_SIGNAL_H

#define __NEED_sigset_t
#include <bits/alltypes.h>
#include <sys/types.h>

#define SIGHUP 1
#define SIGINT 2
#define SIGABRT 6
#define SIGUSR1 10
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGWINCH 28

#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)

typedef int sig_atomic_t;
typedef struct {
    int si_signo, si_pid, si_uid, si_code;
} siginfo_t;

struct sigaction {
    union {
        void (*sa_handler)(int);
        void (*sa_sigaction)(int, siginfo_t *, void *);
    };
    sigset_t sa_mask;
    int sa_flags;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigemptyset(sigset_t *set);
int kill(pid_t process, int number);
int raise(int number);

#endif
