/* probe_flow.h - queues and streams: what goes from one part of a program to another.
 *
 *     FLM_QUEUE(&pool->jobs, "jobs");      its name, once; without it, the text of its address
 *
 *     { FLM_QUEUE_SEND_WAIT(&pool->jobs);  a scope: the sender is blocked
 *       while (is_full(pool)) pthread_cond_wait(...); }
 *     FLM_QUEUE_SEND(&pool->jobs, 1);      just before so many items are put into it
 *     push(&pool->jobs, job);              FLM_QUEUE_CANCEL(&pool->jobs, 1): they are not after all
 *
 *     { FLM_QUEUE_RECEIVE_WAIT(&pool->jobs); while (is_empty(pool)) pthread_cond_wait(...); }
 *     job = pop(&pool->jobs);
 *     FLM_QUEUE_RECEIVE(&pool->jobs, 1);   just after so many were taken out
 *
 *     FLM_QUEUE_END(&pool->jobs);          it is freed: its address may be another queue's
 *
 *     FLM_STREAM("lines", 1);              so many items went by here
 *
 * A queue is any address; nothing of it is read, and its type stays. Queues of the same name are
 * shown as one: how many items went in and came out by scope, how many there are in it, how long
 * they were in it, and how long who sends and receives was blocked.
 *
 * Items are taken to come out in the order in which they went in. Where they do not, the sum of the
 * waiting times is right still, and their distribution is that of such a queue. The times of 1,024
 * items of a queue are kept: of longer ones each second item is timed, each fourth, and so on. The
 * rest is counted as not timed, and so are items that were in it before measuring began. Items of
 * queues beyond the first 1,024 that exist at a time are counted as lost.
 *
 * A SEND or RECEIVE changes a number that all its users share, as the queue itself does.
 *
 * probe_adapters.h has pipes, eventfd and POSIX message queues. */
#ifndef FLAMEL_PROBE_FLOW_H
#define FLAMEL_PROBE_FLOW_H

#include "flamel/probe.h"
#include "flamel/probe_format.h"

#if !defined(FLM_PROBE) || FLM_PROBE

#ifdef __cplusplus
extern "C" {
#endif

extern FLM_PROBE_WEAK void flm_probe_queue(const void *queue, const char *name);
extern FLM_PROBE_WEAK void flm_probe_queue_send(const void *queue, const char *name,
                                                uint64_t count);
extern FLM_PROBE_WEAK void flm_probe_queue_receive(const void *queue, const char *name,
                                                   uint64_t count);
extern FLM_PROBE_WEAK void flm_probe_queue_cancel(const void *queue, uint64_t count);
extern FLM_PROBE_WEAK void *flm_probe_queue_wait(const void *queue, const char *name,
                                                 int is_receiver);
extern FLM_PROBE_WEAK void flm_probe_queue_end(const void *queue);
extern FLM_PROBE_WEAK void flm_probe_stream(struct flm_site *site, uint64_t count);

#ifdef __cplusplus
}
#endif

/* By hand: what the macros are. `name` is used where the queue has none yet, and copied. */
static inline void flm_queue(const void *queue, const char *name)
{
    if (FLM_PROBE_IS_ON)
        flm_probe_queue(queue, name);
}

static inline void flm_queue_send(const void *queue, const char *name, uint64_t count)
{
    if (FLM_PROBE_IS_ON)
        flm_probe_queue_send(queue, name, count);
}

static inline void flm_queue_receive(const void *queue, const char *name, uint64_t count)
{
    if (FLM_PROBE_IS_ON)
        flm_probe_queue_receive(queue, name, count);
}

static inline void flm_queue_cancel(const void *queue, uint64_t count)
{
    if (FLM_PROBE_IS_ON)
        flm_probe_queue_cancel(queue, count);
}

static inline struct flm_scope flm_queue_wait(const void *queue, const char *name, int is_receiver)
{
    struct flm_scope scope = {0};
    if (FLM_PROBE_IS_ON)
        scope.open = flm_probe_queue_wait(queue, name, is_receiver);
    return scope;
}

static inline void flm_queue_end(const void *queue)
{
    if (FLM_PROBE_IS_LINKED)
        flm_probe_queue_end(queue);
}

/* A parameter is evaluated where something is measured, and once. */
#define FLM_PROBE_IF_ON_(call) (FLM_PROBE_IS_ON ? (call) : (void)0)
#define FLM_QUEUE(queue, name) FLM_PROBE_IF_ON_(flm_probe_queue(queue, name))
#define FLM_QUEUE_SEND(queue, count)                                                               \
    FLM_PROBE_IF_ON_(flm_probe_queue_send(queue, #queue, (uint64_t)(count)))
#define FLM_QUEUE_RECEIVE(queue, count)                                                            \
    FLM_PROBE_IF_ON_(flm_probe_queue_receive(queue, #queue, (uint64_t)(count)))
#define FLM_QUEUE_CANCEL(queue, count)                                                             \
    FLM_PROBE_IF_ON_(flm_probe_queue_cancel(queue, (uint64_t)(count)))
#define FLM_QUEUE_END(queue) flm_queue_end(queue)

#define FLM_PROBE_QUEUE_WAIT_(queue, is_receiver)                                                  \
    FLM_PROBE_GUARD_(FLM_PROBE_JOIN(flm_at_, __COUNTER__),                                         \
                     FLM_PROBE_IS_ON ? flm_queue_wait(queue, #queue, is_receiver)                  \
                                     : flm_no_scope())
#define FLM_QUEUE_SEND_WAIT(queue) FLM_PROBE_QUEUE_WAIT_(queue, 0)
#define FLM_QUEUE_RECEIVE_WAIT(queue) FLM_PROBE_QUEUE_WAIT_(queue, 1)

#define FLM_STREAM(name, count)                                                                    \
    do {                                                                                           \
        if (FLM_PROBE_IS_ON) {                                                                     \
            FLM_SITE_OF(flm_stream_site, name, FLM_PROBE_STREAM);                                  \
            flm_probe_stream(&flm_stream_site, (uint64_t)(count));                                 \
        }                                                                                          \
    } while (0)

#else /* compiled out */

static inline void flm_queue(const void *queue, const char *name)
{
    (void)queue, (void)name;
}
static inline void flm_queue_send(const void *queue, const char *name, uint64_t count)
{
    (void)queue, (void)name, (void)count;
}
static inline void flm_queue_receive(const void *queue, const char *name, uint64_t count)
{
    (void)queue, (void)name, (void)count;
}
static inline void flm_queue_cancel(const void *queue, uint64_t count)
{
    (void)queue, (void)count;
}
static inline struct flm_scope flm_queue_wait(const void *queue, const char *name, int is_receiver)
{
    struct flm_scope scope = {0};
    (void)queue, (void)name, (void)is_receiver;
    return scope;
}
static inline void flm_queue_end(const void *queue)
{
    (void)queue;
}
#define FLM_QUEUE(queue, name) ((void)sizeof(queue))
#define FLM_QUEUE_SEND(queue, count) ((void)(sizeof(queue) + sizeof(count)))
#define FLM_QUEUE_RECEIVE(queue, count) ((void)(sizeof(queue) + sizeof(count)))
#define FLM_QUEUE_CANCEL(queue, count) ((void)(sizeof(queue) + sizeof(count)))
#define FLM_QUEUE_SEND_WAIT(queue) ((void)sizeof(queue))
#define FLM_QUEUE_RECEIVE_WAIT(queue) ((void)sizeof(queue))
#define FLM_QUEUE_END(queue) ((void)sizeof(queue))
#define FLM_STREAM(name, count) ((void)sizeof(count))

#endif

#endif
