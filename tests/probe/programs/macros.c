/* macros.c - each macro of the headers once, as a statement and in expressions; scopes.sh compiles
 * it as C and C++, without a warning. */
#include <flamel/probe.h>
#include <flamel/probe_adapters.h>
#include <flamel/probe_flow.h>
#include <flamel/probe_locks.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>

static int lock;

static void queue(int *items, int count)
{
    FLM_QUEUE(items, "queue");
    FLM_QUEUE_SEND(items, count);
    FLM_QUEUE_RECEIVE(items, count);
    FLM_QUEUE_CANCEL(items, count);
    {
        FLM_QUEUE_SEND_WAIT(items);
        FLM_QUEUE_RECEIVE_WAIT(items);
    }
    FLM_QUEUE_END(items);
    FLM_STREAM("stream", count);
}

static int values(int x)
{
    FLM_VALUE("value", x);
    FLM_COUNT("count", 1);
    FLM_GAUGE("gauge", x);
    FLM_GAUGE_ADD("gauge", -1);
    FLM_FRAME("frame");
    FLM_WATCH(x);
    return FLM_WATCH(x + 1);
}

static void tasks(void)
{
    struct flm_task task = FLM_TASK("task");
    {
        FLM_TASK_RUN(task);
        FLM_TASK_AWAY(task);
    }
    flm_task_end(task);
}

int main(void)
{
    FLM_FUNC();
    FLM_SCOPE("scope");
    FLM_SCOPE_NAMED("named");
    FLM_REQUEST("GET /");
    FLM_LOCK_NAME(&lock, "lock");
    queue(&lock, 1);
    tasks();
    return values(1) - 2;
}
