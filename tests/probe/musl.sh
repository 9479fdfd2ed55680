#!/bin/sh
# Programs for musl, static and dynamic, linked with the static library: musl.sh BUILD. Scopes, tasks, queues and forked processes
# are measured as with glibc, memory is not (only the shared library can), and without the library they run as usual.
build=$1
command -v musl-gcc > /dev/null || { echo 'there is no musl-gcc'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
complain()
{
    echo "$1"
    bad=1
}
cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void step(void) { FLM_FUNC(); }
static void *work(void *queue)
{
    FLM_SCOPE("thread");
    for (int i = 0; i < 10; i++)
        step();
    FLM_QUEUE_SEND(queue, 1);
    FLM_VALUE("ten", 10);
    free(malloc(100));
    return NULL;
}
int main(void)
{
    static char queue;
    FLM_SCOPE("main");
    FLM_QUEUE(&queue, "done");
    pthread_t thread[20];
    for (int i = 0; i < 20; i++)
        if (pthread_create(&thread[i], NULL, work, &queue))
            return 1;
    for (int i = 0; i < 20; i++)
        pthread_join(thread[i], NULL);
    struct flm_task task = FLM_TASK("task");
    for (int i = 0; i < 3; i++) {
        FLM_TASK_RUN(task);
        step();
    }
    flm_task_end(task);
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        { FLM_SCOPE("child"); }
        exit(7);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
END
calls()
{
    "$build/flamel" convert -q -t folded -m calls "$1" | sort | tr '\n' ' '
}
for way in '-static -lflamel-probe' '-Wl,-Bstatic -lflamel-probe -Wl,-Bdynamic'; do
    # shellcheck disable=SC2086 # words
    musl-gcc -O1 -Iinclude "$work/app.c" -o "$work/app" -L"$build" $way || exit 1
    rm -f "$work"/file*
    "$work/app" > "$work/said" 2>&1
    [ $? = 7 ] && [ ! -s "$work/said" ] || complain "$way: not the same without FLAMEL: $(cat "$work/said")"
    FLAMEL=file:$work/file,report,json:$work/file.json,cpu "$work/app" > "$work/said" 2>&1
    [ $? = 7 ] || complain "$way: not the same with FLAMEL: $(cat "$work/said")"
    grep -q '^memory is not measured: the static library' "$work/said" || complain "$way: not said what is not measured"
    [ "$(calls "$work/file")" = 'main 1 main;task 3 main;task;step 3 thread 20 thread;step 200 ' ] ||
        complain "$way: $(calls "$work/file")"
    grep -q '"name": "done", "operation": "send", "items": 20' "$work/file.json" || complain "$way: the queue: $(cat "$work/file.json")"
    [ "$(for file in "$work"/file.[0-9]*; do calls "$file"; done)" = 'child 1 ' ] || complain "$way: the child: $(ls "$work")"
done
musl-gcc -O1 -Iinclude "$work/app.c" -o "$work/app" || complain 'it needs the library'
FLAMEL=report "$work/app" > "$work/said" 2>&1
[ $? = 7 ] && [ ! -s "$work/said" ] || complain "without the library: $(cat "$work/said")"
exit $bad
