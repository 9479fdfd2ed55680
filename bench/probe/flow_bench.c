/* flow_bench.c - what values, counters, frames, queues, requests and tasks cost:
 *
 *     cc -O2 -Iinclude bench/probe/flow_bench.c -o flow_bench -Lbuild -lflamel-probe
 *     for what in off on,no-memory on; do FLAMEL=$what flow_bench; done
 *
 * ns of each, net of an empty call: the least and the middle of many short batches, on one
 * processor. */
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 400, CALLS = 5000 };

static struct flm_task task, fresh;
static struct flm_scope held[3];
static char queue;
static const char *route = "GET /users/{id}";

static void nothing(void)
{
    __asm__ volatile("");
}

static void scope(void)
{
    FLM_SCOPE("scope");
}

static void request(void)
{
    FLM_REQUEST(route);
}

static void value(void)
{
    FLM_VALUE("value", 12);
}

static void gauge_add(void)
{
    FLM_GAUGE_ADD("gauge", 1);
}

static void counter(void)
{
    FLM_COUNT("counter", 12);
}

static void stream(void)
{
    FLM_STREAM("stream", 1);
}

static void frame(void)
{
    FLM_FRAME("frame");
}

static void send_and_receive(void)
{
    FLM_QUEUE_SEND(&queue, 1);
    FLM_QUEUE_RECEIVE(&queue, 1);
}

static void resume_and_suspend(void)
{
    flm_task_resume(task);
    flm_task_suspend(task);
}

static void begin_to_end(void)
{
    fresh = FLM_TASK("fresh");
    flm_task_resume(fresh);
    flm_task_end(fresh);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double least, middle;
static void measure(void (*what)(void))
{
    static double batch[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            what();
        batch[b] = (now_ns() - start) / CALLS;
    }
    qsort(batch, BATCHES, sizeof *batch, compare);
    least = batch[0];
    middle = batch[BATCHES / 2];
}

static double empty_least, empty_middle;
static void print(const char *name, void (*what)(void))
{
    measure(what);
    printf("%-34s %6.1f %6.1f\n", name, least - empty_least, middle - empty_middle);
}

int main(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    FLM_SCOPE("main");
    measure(nothing);
    measure(nothing);
    empty_least = least;
    empty_middle = middle;
    print("scope", scope);
    print("request", request);
    print("value", value);
    print("gauge, added to", gauge_add);
    print("counter", counter);
    print("stream", stream);
    print("frame", frame);
    flm_frame_end();
    print("queue: send and receive", send_and_receive);
    task = FLM_TASK("task");
    print("task: resume and suspend", resume_and_suspend);
    static struct flm_site site[3] = {{"a", "", "", 0, 0, 0, 0, 0, 0},
                                      {"b", "", "", 0, 0, 0, 0, 0, 0},
                                      {"c", "", "", 0, 0, 0, 0, 0, 0}};
    flm_task_resume(task);
    for (int i = 0; i < 3; i++)
        held[i] = flm_enter(&site[i]);
    flm_task_suspend(task);
    print("the same, suspended in 3 scopes", resume_and_suspend);
    flm_task_resume(task);
    for (int i = 3; i-- > 0;)
        flm_exit(&held[i]);
    flm_task_end(task);
    print("task: begin, resume, end", begin_to_end);
    return 0;
}
