/* io.c - reading and writing files, pipes and sockets, and waiting for them. Stands in front of
 * libc's. Runs in signal handlers.
 *
 * What libc does within itself does not come here: see io_stdio.c. A thread that is canceled in one
 * of these leaves its node open, which ends with the scope around it. */
#undef _FORTIFY_SOURCE
#include "io.h"
#include "../cpu.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define FLM_OPERATION(type, name, operation, number, parameters, arguments)                        \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT type name parameters                                                                 \
    {                                                                                              \
        struct flm_io io;                                                                          \
        if (!flm_io_begin_at(&io, number, operation))                                              \
            return FLM_REAL(name) arguments;                                                       \
        type result = FLM_REAL(name) arguments;                                                    \
        flm_io_end(&io, (ssize_t)result);                                                          \
        return result;                                                                             \
    }
#define FLM_READ(name, parameters, arguments)                                                      \
    FLM_OPERATION(ssize_t, name, FLM_PROBE_FILE_READ, file, parameters, arguments)
#define FLM_WRITE(name, parameters, arguments)                                                     \
    FLM_OPERATION(ssize_t, name, FLM_PROBE_FILE_WRITE, file, parameters, arguments)

FLM_READ(read, (int file, void *to, size_t size), (file, to, size))
FLM_READ(pread, (int file, void *to, size_t size, off_t at), (file, to, size, at))
FLM_READ(pread64, (int file, void *to, size_t size, off64_t at), (file, to, size, at))
FLM_READ(readv, (int file, const struct iovec *to, int count), (file, to, count))
FLM_READ(preadv, (int file, const struct iovec *to, int count, off_t at), (file, to, count, at))
FLM_READ(preadv64, (int file, const struct iovec *to, int count, off64_t at), (file, to, count, at))
FLM_READ(preadv2, (int file, const struct iovec *to, int count, off_t at, int flags),
         (file, to, count, at, flags))
FLM_READ(preadv64v2, (int file, const struct iovec *to, int count, off64_t at, int flags),
         (file, to, count, at, flags))
FLM_READ(recv, (int file, void *to, size_t size, int flags), (file, to, size, flags))
FLM_READ(recvfrom,
         (int file, void *restrict to, size_t size, int flags, FLM_ADDRESS from,
          socklen_t *restrict from_size),
         (file, to, size, flags, from, from_size))
FLM_READ(recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))

FLM_WRITE(pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at))
FLM_WRITE(pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at))
FLM_WRITE(writev, (int file, const struct iovec *from, int count), (file, from, count))
FLM_WRITE(pwritev, (int file, const struct iovec *from, int count, off_t at),
          (file, from, count, at))
FLM_WRITE(pwritev64, (int file, const struct iovec *from, int count, off64_t at),
          (file, from, count, at))
FLM_WRITE(pwritev2, (int file, const struct iovec *from, int count, off_t at, int flags),
          (file, from, count, at, flags))
FLM_WRITE(pwritev64v2, (int file, const struct iovec *from, int count, off64_t at, int flags),
          (file, from, count, at, flags))
FLM_WRITE(sendto,
          (int file, const void *from, size_t size, int flags, FLM_CONST_ADDRESS to,
           socklen_t to_size),
          (file, from, size, flags, to, to_size))
FLM_WRITE(sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))

/* Programs that have no signal handlers are right to expect that a write to a pipe or a socket is
 * whole. A sample of CPU time is a signal, which ends it early: the rest is written then. Where it
 * fails, or the file must not be waited for, the program has what was written, as ever. */
#define FLM_WHOLE_WRITE(name, parameters, first, rest)                                             \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT ssize_t name parameters                                                              \
    {                                                                                              \
        struct flm_io io;                                                                          \
        bool is_measured = flm_io_begin_at(&io, file, FLM_PROBE_FILE_WRITE);                       \
        unsigned samples = flm_cpu_samples;                                                        \
        ssize_t done = FLM_REAL(name) first, more = 1;                                             \
        int error = errno;                                                                         \
        while (done > 0 && (size_t)done < size && flm_cpu_samples != samples && more > 0) {        \
            samples = flm_cpu_samples;                                                             \
            more = FLM_REAL(name) rest;                                                            \
            done += more > 0 ? more : 0;                                                           \
        }                                                                                          \
        errno = error;                                                                             \
        if (is_measured)                                                                           \
            flm_io_end(&io, done);                                                                 \
        return done;                                                                               \
    }
FLM_WHOLE_WRITE(write, (int file, const void *from, size_t size), (file, from, size),
                (file, (const char *)from + done, size - (size_t)done))
FLM_WHOLE_WRITE(send, (int file, const void *from, size_t size, int flags),
                (file, from, size, flags),
                (file, (const char *)from + done, size - (size_t)done, flags))

/* What goes from one file to another is counted where it is written. */
FLM_WRITE(sendfile, (int file, int from, off_t *at, size_t size), (file, from, at, size))
FLM_WRITE(sendfile64, (int file, int from, off64_t *at, size_t size), (file, from, at, size))

FLM_OPERATION(int, fsync, FLM_PROBE_FILE_SYNC, file, (int file), (file))
FLM_OPERATION(int, fdatasync, FLM_PROBE_FILE_SYNC, file, (int file), (file))

/* Called where a program is compiled with _FORTIFY_SOURCE; libc's headers do not declare them. */
ssize_t __read_chk(int file, void *to, size_t size, size_t room);
ssize_t __pread_chk(int file, void *to, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int file, void *to, size_t size, off64_t at, size_t room);
ssize_t __recv_chk(int file, void *to, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int file, void *restrict to, size_t size, size_t room, int flags,
                       FLM_ADDRESS from, socklen_t *restrict from_size);
FLM_READ(__read_chk, (int file, void *to, size_t size, size_t room), (file, to, size, room))
FLM_READ(__pread_chk, (int file, void *to, size_t size, off_t at, size_t room),
         (file, to, size, at, room))
FLM_READ(__pread64_chk, (int file, void *to, size_t size, off64_t at, size_t room),
         (file, to, size, at, room))
FLM_READ(__recv_chk, (int file, void *to, size_t size, size_t room, int flags),
         (file, to, size, room, flags))
FLM_READ(__recvfrom_chk,
         (int file, void *restrict to, size_t size, size_t room, int flags, FLM_ADDRESS from,
          socklen_t *restrict from_size),
         (file, to, size, room, flags, from, from_size))

/* ---- Waiting --------------------------------------------------------------------------------- */

#define FLM_WAIT(name, kind, parameters, arguments)                                                \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        static struct flm_file *known;                                                             \
        struct flm_io io;                                                                          \
        if (!flm_io_begin_wait(&io, &known, kind))                                                 \
            return FLM_REAL(name) arguments;                                                       \
        int ready = FLM_REAL(name) arguments;                                                      \
        flm_io_end(&io, ready < 0 ? -1 : 0);                                                       \
        return ready;                                                                              \
    }

FLM_WAIT(epoll_wait, "epoll", (int file, struct epoll_event *events, int most, int timeout_ms),
         (file, events, most, timeout_ms))
FLM_WAIT(epoll_pwait, "epoll",
         (int file, struct epoll_event *events, int most, int timeout_ms, const sigset_t *blocked),
         (file, events, most, timeout_ms, blocked))
int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *timeout,
                 const sigset_t *blocked); /* since glibc 2.35 */
FLM_WAIT(epoll_pwait2, "epoll",
         (int file, struct epoll_event *events, int most, const struct timespec *timeout,
          const sigset_t *blocked),
         (file, events, most, timeout, blocked))
FLM_WAIT(poll, "poll", (struct pollfd * files, nfds_t count, int timeout_ms),
         (files, count, timeout_ms))
FLM_WAIT(ppoll, "poll",
         (struct pollfd * files, nfds_t count, const struct timespec *timeout,
          const sigset_t *blocked),
         (files, count, timeout, blocked))
FLM_WAIT(select, "select",
         (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict errors,
          struct timeval *restrict timeout),
         (count, reads, writes, errors, timeout))
FLM_WAIT(pselect, "select",
         (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict errors,
          const struct timespec *restrict timeout, const sigset_t *restrict blocked),
         (count, reads, writes, errors, timeout, blocked))

int __poll_chk(struct pollfd *files, nfds_t count, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                const sigset_t *blocked, size_t room);
FLM_WAIT(__poll_chk, "poll", (struct pollfd * files, nfds_t count, int timeout_ms, size_t room),
         (files, count, timeout_ms, room))
FLM_WAIT(__ppoll_chk, "poll",
         (struct pollfd * files, nfds_t count, const struct timespec *timeout,
          const sigset_t *blocked, size_t room),
         (files, count, timeout, blocked, room))

/* Looked for before anything calls them, where the loader must not be asked: in a signal
 * handler. */
static void __attribute__((constructor)) find_real_ones(void)
{
    (void)FLM_REAL(read), (void)FLM_REAL(pread), (void)FLM_REAL(pread64), (void)FLM_REAL(readv);
    (void)FLM_REAL(recv), (void)FLM_REAL(recvfrom), (void)FLM_REAL(recvmsg);
    (void)FLM_REAL(write), (void)FLM_REAL(pwrite), (void)FLM_REAL(pwrite64);
    (void)FLM_REAL(writev), (void)FLM_REAL(send), (void)FLM_REAL(sendto), (void)FLM_REAL(sendmsg);
    (void)FLM_REAL(fsync), (void)FLM_REAL(fdatasync), (void)FLM_REAL(__read_chk);
    (void)FLM_REAL(__recv_chk), (void)FLM_REAL(__poll_chk), (void)FLM_REAL(poll);
    (void)FLM_REAL(ppoll), (void)FLM_REAL(select), (void)FLM_REAL(pselect);
    (void)FLM_REAL(epoll_wait), (void)FLM_REAL(epoll_pwait), (void)FLM_REAL(epoll_pwait2);
}
