/* io.h - what files, pipes and sockets have in common, when they are measured.
 *
 * A file is what its number stands for: a path, the peer of a connection, "pipe", "eventfd". An
 * operation (read, write, sync, open, connect, accept, wait) is a node of the file's site for it:
 * `calls`, its time, bytes in FLM_PROBE_AMOUNT, and errors; meters have durations and bytes. That
 * there is nothing yet, or that a signal came, is no error (EAGAIN, EINTR, EINPROGRESS). */
#ifndef FLAMEL_PROBE_IO_H
#define FLAMEL_PROBE_IO_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "calls.h"
#include "front.h"

/* Addresses of sockets, as libc's headers declare them. */
#ifdef __GLIBC__
#define FLM_ADDRESS __SOCKADDR_ARG
#define FLM_CONST_ADDRESS __CONST_SOCKADDR_ARG
#define FLM_ADDRESS_OF(address) ((address).__sockaddr__)
#else
#define FLM_ADDRESS struct sockaddr *
#define FLM_CONST_ADDRESS const struct sockaddr *
#define FLM_ADDRESS_OF(address) (address)
#endif

/* Of an operation on a file, from 0. */
enum { FLM_FILE_OPERATIONS = FLM_PROBE_FILE_CONNECT - FLM_PROBE_FILE_READ + 3 };
static inline int flm_file_operation(int operation)
{
    return operation == FLM_PROBE_FILE_ACCEPT ? FLM_FILE_OPERATIONS - 2
           : operation == FLM_PROBE_FILE_WAIT ? FLM_FILE_OPERATIONS - 1
                                              : operation - FLM_PROBE_FILE_READ;
}

/* Made once for each name, and never freed. */
struct flm_file {
    struct flm_file *next;    /* of the same hash */
    struct flm_file *clients; /* of a listening socket: those that were accepted */
    struct flm_site *site[FLM_FILE_OPERATIONS]; /* flm_file_operation() */
    uint32_t size;
    char name[];
};

/* ---- io_files.c: what a number stands for ---------------------------------------------------- */

/* NULL: there is no memory. errno is kept. */
FLM_HIDDEN struct flm_file *flm_file_of(int number);
FLM_HIDDEN struct flm_file *flm_file_named(const char *name, size_t size);

/* It is closed, or stands for something else now: it is looked up again. */
FLM_HIDDEN void flm_file_forget(int number);
FLM_HIDDEN void flm_file_forget_range(unsigned first, unsigned last);

/* It was opened, connected, or got from accept(), or is the same as another. errno is kept. */
FLM_HIDDEN void flm_file_is(int number, struct flm_file *file);
FLM_HIDDEN struct flm_file *flm_file_at_path(const char *path, int number);
FLM_HIDDEN struct flm_file *flm_file_at_address(const struct sockaddr *address, socklen_t size);
FLM_HIDDEN struct flm_file *flm_file_of_clients(int listening);

/* ---- io_calls.c: an operation ---------------------------------------------------------------- */

struct flm_io {
    void *open;
    struct flm_probe_node *node;
    uint32_t number;
    bool has_bytes;
};

/* False: it is not measured. errno is kept. */
FLM_HIDDEN bool flm_io_begin(struct flm_io *io, struct flm_file *file,
                             enum flm_probe_operation operation);

/* An event loop waits for several files at once while it has nothing to do, and without this
 * operation that time would be self time of the scope around the loop. All waits of a kind count as
 * one file, named "epoll", "poll", "select" or "io_uring", which is stored in *known. */
FLM_HIDDEN bool flm_io_begin_wait(struct flm_io *io, struct flm_file **known, const char *name);

/* `amount`: bytes; negative: it failed, and errno says why. */
FLM_HIDDEN void flm_io_end(struct flm_io *io, ssize_t amount);

/* One that did not reach the system, and is not timed; or that began at some time. */
FLM_HIDDEN void flm_io_count(struct flm_file *file, enum flm_probe_operation operation,
                             ssize_t amount);
FLM_HIDDEN void flm_io_add_amount(struct flm_file *file, enum flm_probe_operation operation,
                                  uint64_t start, ssize_t amount);
FLM_HIDDEN void flm_io_add(struct flm_file *file, enum flm_probe_operation operation,
                           uint64_t start, bool is_good);

static inline bool flm_io_begin_at(struct flm_io *io, int number,
                                   enum flm_probe_operation operation)
{
    return flm_is_seen(FLM_PROBE_IO) && flm_io_begin(io, flm_file_of(number), operation);
}

#endif
