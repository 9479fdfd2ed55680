/* io_uring.c - waiting for completions of io_uring. Interposes liburing's functions, which need not
 * be loaded: the real ones are looked up where the caller would have found them.
 *
 * All rings count as one file named "io_uring". Calls that ask for no completion do not wait, and
 * are not counted. Completions that are there already are not counted either: liburing's headers
 * take them from the ring inline. */
#include "io.h"

/* liburing's headers may not be installed. */
struct io_uring;
struct io_uring_cqe;
struct __kernel_timespec;

/* Set while one of the functions below runs, as liburing's call each other. */
static __thread __attribute__((tls_model("initial-exec"))) bool is_within;

static bool begin(struct flm_io *io, unsigned wanted)
{
    static struct flm_file *known;
    return wanted > 0 && !is_within && flm_io_begin_wait(io, &known, "io_uring") &&
           (is_within = true);
}

/* liburing returns errors as negative numbers. A timeout is not counted as an error. */
static void end(struct flm_io *io, int result)
{
    int kept = errno;
    is_within = false;
    errno = result == -ETIME ? EAGAIN : -result;
    flm_io_end(io, result < 0 ? -1 : 0);
    errno = kept;
}

#define FLM_RING(name, wanted, parameters, arguments)                                              \
    FLM_FRONT int name parameters;                                                                 \
    int name parameters                                                                            \
    {                                                                                              \
        __typeof__(name) *real = (__typeof__(name) *)flm_behind_of(FLM_CALLER(), #name);           \
        struct flm_io io;                                                                          \
        bool is_measured = begin(&io, wanted);                                                     \
        int result = real arguments;                                                               \
        if (is_measured)                                                                           \
            end(&io, result);                                                                      \
        return result;                                                                             \
    }

FLM_RING(__io_uring_get_cqe, count,
         (struct io_uring * ring, struct io_uring_cqe **done, unsigned submit, unsigned count,
          void *blocked),
         (ring, done, submit, count, blocked))
FLM_RING(io_uring_wait_cqes, count,
         (struct io_uring * ring, struct io_uring_cqe **done, unsigned count,
          struct __kernel_timespec *timeout, void *blocked),
         (ring, done, count, timeout, blocked))
FLM_RING(io_uring_wait_cqe_timeout, 1,
         (struct io_uring * ring, struct io_uring_cqe **done, struct __kernel_timespec *timeout),
         (ring, done, timeout))
FLM_RING(io_uring_submit_and_wait, count, (struct io_uring * ring, unsigned count), (ring, count))
FLM_RING(io_uring_submit_and_wait_timeout, count,
         (struct io_uring * ring, struct io_uring_cqe **done, unsigned count,
          struct __kernel_timespec *timeout, void *blocked),
         (ring, done, count, timeout, blocked))
