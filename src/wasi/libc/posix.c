/* posix.c - what POSIX has and WASI lacks: each function says that it is not supported, as a system
 * without threads, processes, signals or limits would. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int not_supported(void)
{
    errno = ENOSYS;
    return -1;
}

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    return EAGAIN;
}

int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return ESRCH;
}

pthread_t pthread_self(void)
{
    return NULL;
}

int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    (void)process, (void)size, (void)set;
    return not_supported();
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    (void)number, (void)action, (void)before;
    return not_supported();
}

int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

int kill(pid_t process, int number)
{
    (void)process, (void)number;
    return not_supported();
}

int raise(int number)
{
    (void)number;
    abort();
}

pid_t waitpid(pid_t process, int *status, int options)
{
    (void)process, (void)status, (void)options;
    return not_supported();
}

int getrlimit(int what, struct rlimit *limit)
{
    (void)what, (void)limit;
    return not_supported();
}

int setrlimit(int what, const struct rlimit *limit)
{
    (void)what, (void)limit;
    return not_supported();
}

static unsigned short number_of(const char *variable)
{
    const char *value = getenv(variable);
    int number = value ? atoi(value) : 0;
    return (unsigned short)(number > 0 && number < 1 << 15 ? number : 0);
}

int ioctl(int file, int request, ...)
{
    if (request != TIOCGWINSZ || !isatty(file))
        return not_supported();
    __builtin_va_list arguments;
    __builtin_va_start(arguments, request);
    struct winsize *size = __builtin_va_arg(arguments, struct winsize *);
    __builtin_va_end(arguments);
    *size = (struct winsize){number_of("LINES"), number_of("COLUMNS")};
    return 0;
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    return getentropy(bytes, size) == 0 ? (ssize_t)size : -1;
}

char *realpath(const char *path, char *resolved)
{
    (void)resolved;
    return access(path, F_OK) == 0 ? strdup(path) : NULL;
}

int dup(int file)
{
    return file <= STDERR_FILENO ? file : not_supported();
}

int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    return 0;
}

int madvise(void *at, size_t size, int advice)
{
    (void)at, (void)size, (void)advice;
    return not_supported();
}

/* All paths begin at the one folder that the host gives, relative ones at FLAMEL_FOLDER. */
__attribute__((constructor)) static void enter_folder(void)
{
    const char *folder = getenv("FLAMEL_FOLDER");
    if (folder)
        chdir(folder);
}
