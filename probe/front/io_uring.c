/* io_uring.c - waiting for what was submitted to io_uring. Stands in front of liburing's functions,
 * which need not be there: they are looked for where the caller would have found them.
 *
 * Each ring is a file of the name "io_uring", as other files that are waited for: see io.c. What
 * finds a completion without waiting is inline in the program, or asks for none: it is not
 * counted. */
#include "io.h"

/* Its headers may not be there. */
struct io_uring;
struct io_uring_cqe;
struct __kernel_timespec;

/* One of the functions below called another one. */
static __thread __attribute__((tls_model("initial-exec"))) bool is_within;

static bool begin(struct flm_io *io, unsigned wanted)
{
    static struct flm_file *known;
    return wanted > 0 && !is_within && flm_io_begin_wait(io, &known, "io_uring") &&
           (is_within = true);
}

/* What failed is told by the result: time that is over is no error. */
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
