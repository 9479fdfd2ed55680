/* io_open.c - what a number stands for from now on: opening, connecting, closing. Stands in front
 * of libc's. Runs in signal handlers.
 *
 * Opening a file and connecting are operations of it. What could not be opened is one file,
 * "<not opened>": programs look for many that are not there. */
#undef _FORTIFY_SOURCE
#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* ---- Opening --------------------------------------------------------------------------------- */

static int opened(const char *path, int number, uint64_t start)
{
    static const char not_opened[] = "<not opened>";
    struct flm_file *file;
    if (number >= 0) {
        flm_file_forget(number);
        file = flm_file_at_path(path, number);
        flm_file_is(number, file);
    } else {
        int kept = errno;
        file = flm_file_named(not_opened, sizeof not_opened - 1);
        errno = kept;
    }
    flm_io_add(file, FLM_PROBE_FILE_OPEN, start, number >= 0);
    return number;
}

static inline bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define FLM_OPEN(name, path, parameters, arguments)                                                \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        if (!flm_is_seen(FLM_PROBE_IO))                                                            \
            return FLM_REAL(name) arguments;                                                       \
        uint64_t start = flm_clock_ticks();                                                        \
        return opened(path, FLM_REAL(name) arguments, start);                                      \
    }
#define FLM_OPEN_MODE(name, parameters, arguments)                                                 \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (has_mode(flags)) {                                                                     \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, mode_t);                                                           \
            va_end(more);                                                                          \
        }                                                                                          \
        if (!flm_is_seen(FLM_PROBE_IO))                                                            \
            return FLM_REAL(name) arguments;                                                       \
        uint64_t start = flm_clock_ticks();                                                        \
        return opened(path, FLM_REAL(name) arguments, start);                                      \
    }

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

FLM_OPEN_MODE(open, (const char *path, int flags, ...), (path, flags, mode))
FLM_OPEN_MODE(open64, (const char *path, int flags, ...), (path, flags, mode))
FLM_OPEN_MODE(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
FLM_OPEN_MODE(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
FLM_OPEN(__open_2, path, (const char *path, int flags), (path, flags))
FLM_OPEN(__open64_2, path, (const char *path, int flags), (path, flags))
FLM_OPEN(__openat_2, path, (int folder, const char *path, int flags), (folder, path, flags))
FLM_OPEN(__openat64_2, path, (int folder, const char *path, int flags), (folder, path, flags))
FLM_OPEN(creat, path, (const char *path, mode_t mode), (path, mode))
FLM_OPEN(creat64, path, (const char *path, mode_t mode), (path, mode))

/* ---- Sockets --------------------------------------------------------------------------------- */

FLM_BEHIND(connect);
FLM_BEHIND(accept);
FLM_BEHIND(accept4);
FLM_BEHIND(bind);
FLM_BEHIND(listen);

FLM_FRONT int connect(int number, FLM_CONST_ADDRESS address, socklen_t size)
{
    struct flm_io io;
    struct flm_file *file = flm_is_seen(FLM_PROBE_IO) && FLM_ADDRESS_OF(address)
                                ? flm_file_at_address(FLM_ADDRESS_OF(address), size)
                                : NULL;
    if (file)
        flm_file_is(number, file);
    if (!file || !flm_io_begin(&io, file, FLM_PROBE_FILE_CONNECT))
        return FLM_REAL(connect)(number, address, size);
    int result = FLM_REAL(connect)(number, address, size);
    flm_io_end(&io, result);
    return result;
}

/* Clients of one address are one: each has a port of its own. */
static int accepted(int listening, int number)
{
    int kept = errno;
    if (number >= 0)
        flm_file_is(number, flm_file_of_clients(listening));
    errno = kept;
    return number;
}

FLM_FRONT int accept(int listening, FLM_ADDRESS address, socklen_t *restrict size)
{
    struct flm_io io;
    if (!flm_is_seen(FLM_PROBE_IO))
        return FLM_REAL(accept)(listening, address, size);
    bool is_measured = flm_io_begin_at(&io, listening, FLM_PROBE_FILE_ACCEPT);
    int number = FLM_REAL(accept)(listening, address, size);
    if (is_measured)
        flm_io_end(&io, number < 0 ? -1 : 0);
    return accepted(listening, number);
}

FLM_FRONT int accept4(int listening, FLM_ADDRESS address, socklen_t *restrict size, int flags)
{
    struct flm_io io;
    if (!flm_is_seen(FLM_PROBE_IO))
        return FLM_REAL(accept4)(listening, address, size, flags);
    bool is_measured = flm_io_begin_at(&io, listening, FLM_PROBE_FILE_ACCEPT);
    int number = FLM_REAL(accept4)(listening, address, size, flags);
    if (is_measured)
        flm_io_end(&io, number < 0 ? -1 : 0);
    return accepted(listening, number);
}

/* What was known of it before is not so now. */
FLM_FRONT int bind(int number, FLM_CONST_ADDRESS address, socklen_t size)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget(number);
    return FLM_REAL(bind)(number, address, size);
}

FLM_FRONT int listen(int number, int most)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget(number);
    return FLM_REAL(listen)(number, most);
}

/* ---- The same file by another number --------------------------------------------------------- */

FLM_BEHIND(dup);
FLM_BEHIND(dup2);
FLM_BEHIND(dup3);

/* Standard input and output are called by that, too, when they are looked up. */
static int duplicated(int from, int to)
{
    enum { STANDARD = 2 };
    if (to >= 0 && to != from)
        flm_file_is(to, to > STANDARD ? flm_file_of(from) : NULL);
    return to;
}

FLM_FRONT int dup(int number)
{
    int to = FLM_REAL(dup)(number);
    return flm_is_seen(FLM_PROBE_IO) ? duplicated(number, to) : to;
}

FLM_FRONT int dup2(int number, int to)
{
    int result = FLM_REAL(dup2)(number, to);
    return flm_is_seen(FLM_PROBE_IO) ? duplicated(number, result) : result;
}

FLM_FRONT int dup3(int number, int to, int flags)
{
    int result = FLM_REAL(dup3)(number, to, flags);
    return flm_is_seen(FLM_PROBE_IO) ? duplicated(number, result) : result;
}

/* ---- Closing --------------------------------------------------------------------------------- */

FLM_BEHIND(close);
FLM_BEHIND(close_range);
FLM_BEHIND(closefrom);
FLM_BEHIND(closedir);

/* Before it is closed: then it may be another thread's already. */
FLM_FRONT int close(int number)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget(number);
    return FLM_REAL(close)(number);
}

FLM_FRONT int close_range(unsigned first, unsigned last, int flags)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget_range(first, last);
    return FLM_REAL(close_range)(first, last, flags);
}

FLM_FRONT void closefrom(int first)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget_range(first > 0 ? (unsigned)first : 0, ~0u);
    FLM_REAL(closefrom)(first);
}

FLM_FRONT int closedir(DIR *folder)
{
    if (flm_is_seen(FLM_PROBE_IO))
        flm_file_forget(dirfd(folder));
    return FLM_REAL(closedir)(folder);
}

static void __attribute__((constructor)) find_real_ones(void)
{
    (void)FLM_REAL(open), (void)FLM_REAL(open64), (void)FLM_REAL(openat), (void)FLM_REAL(close);
    (void)FLM_REAL(dup), (void)FLM_REAL(dup2), (void)FLM_REAL(accept), (void)FLM_REAL(connect);
}
