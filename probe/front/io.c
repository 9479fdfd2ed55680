/* io.c - reading and writing files, pipes and sockets. Stands in front of libc's. Runs in signal
 * handlers.
 *
 * What libc does within itself does not come here: see io_stdio.c. A thread that is canceled in one
 * of these leaves its node open, which ends with the scope around it. */
#undef _FORTIFY_SOURCE
#include "io.h"
#include "../cpu.h"

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

/* Looked for before anything calls them, where the loader must not be asked: in a signal
 * handler. */
static void __attribute__((constructor)) find_real_ones(void)
{
    (void)FLM_REAL(read), (void)FLM_REAL(pread), (void)FLM_REAL(pread64), (void)FLM_REAL(readv);
    (void)FLM_REAL(recv), (void)FLM_REAL(recvfrom), (void)FLM_REAL(recvmsg);
    (void)FLM_REAL(write), (void)FLM_REAL(pwrite), (void)FLM_REAL(pwrite64);
    (void)FLM_REAL(writev), (void)FLM_REAL(send), (void)FLM_REAL(sendto), (void)FLM_REAL(sendmsg);
    (void)FLM_REAL(fsync), (void)FLM_REAL(fdatasync), (void)FLM_REAL(__read_chk);
    (void)FLM_REAL(__recv_chk);
}
