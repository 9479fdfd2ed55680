/* probe_adapters.h - pipes, eventfd and POSIX message queues as queues (probe_flow.h): functions of
 * the system, that count too. A queue is any address that both ends know, of a variable say; its
 * name is given by FLM_QUEUE. The time of the call is that of being blocked.
 *
 *     static const char jobs;
 *     FLM_QUEUE(&jobs, "jobs");
 *     flm_pipe_write(&jobs, fd[1], &job, sizeof job, sizeof job);
 *     flm_pipe_read(&jobs, fd[0], &job, sizeof job, sizeof job);
 *
 * Both ends are in this process; where one is in another, FLM_STREAM counts what goes by. */
#ifndef FLAMEL_PROBE_ADAPTERS_H
#define FLAMEL_PROBE_ADAPTERS_H

#include <mqueue.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "flamel/probe_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `item`: the size of one in bytes. */
static inline ssize_t flm_pipe_write(const void *queue, int file, const void *data, size_t size,
                                     size_t item)
{
    uint64_t count = size / item, done;
    flm_queue_send(queue, "pipe", count);
    struct flm_scope scope = flm_queue_wait(queue, "pipe", 0);
    ssize_t written = write(file, data, size);
    flm_exit(&scope);
    done = written > 0 ? (size_t)written / item : 0;
    if (done < count)
        flm_queue_cancel(queue, count - done);
    return written;
}

static inline ssize_t flm_pipe_read(const void *queue, int file, void *data, size_t size,
                                    size_t item)
{
    struct flm_scope scope = flm_queue_wait(queue, "pipe", 1);
    ssize_t got = read(file, data, size);
    flm_exit(&scope);
    if (got > 0)
        flm_queue_receive(queue, "pipe", (size_t)got / item);
    return got;
}

/* An item is one that the counter goes up by. */
static inline int flm_eventfd_write(const void *queue, int file, eventfd_t count)
{
    flm_queue_send(queue, "eventfd", count);
    struct flm_scope scope = flm_queue_wait(queue, "eventfd", 0);
    int result = eventfd_write(file, count);
    flm_exit(&scope);
    if (result != 0)
        flm_queue_cancel(queue, count);
    return result;
}

static inline int flm_eventfd_read(const void *queue, int file, eventfd_t *count)
{
    struct flm_scope scope = flm_queue_wait(queue, "eventfd", 1);
    int result = eventfd_read(file, count);
    flm_exit(&scope);
    if (result == 0)
        flm_queue_receive(queue, "eventfd", *count);
    return result;
}

static inline int flm_mq_send(const void *queue, mqd_t file, const char *data, size_t size,
                              unsigned priority)
{
    flm_queue_send(queue, "message queue", 1);
    struct flm_scope scope = flm_queue_wait(queue, "message queue", 0);
    int result = mq_send(file, data, size, priority);
    flm_exit(&scope);
    if (result != 0)
        flm_queue_cancel(queue, 1);
    return result;
}

static inline ssize_t flm_mq_receive(const void *queue, mqd_t file, char *data, size_t size,
                                     unsigned *priority)
{
    struct flm_scope scope = flm_queue_wait(queue, "message queue", 1);
    ssize_t got = mq_receive(file, data, size, priority);
    flm_exit(&scope);
    if (got >= 0)
        flm_queue_receive(queue, "message queue", 1);
    return got;
}

#ifdef __cplusplus
}
#endif

#endif
