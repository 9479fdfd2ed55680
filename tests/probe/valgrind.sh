#!/bin/sh
# Under valgrind: memcheck, helgrind and drd report nothing in the library, counts are exact, and helgrind still finds a data
# race of the program: valgrind.sh BUILD.
build=$1 cc=${CC:-gcc}
command -v valgrind > /dev/null || { echo 'there is no valgrind'; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
cat > "$work/app.c" << 'END'
#include <fcntl.h>
#include <flamel/probe.h>
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded;
static volatile int unguarded;
static char queue;

static void step(void)
{
    FLM_FUNC();
    char *block = malloc(100);
    memset(block, 1, 100);
    block = realloc(block, 200);
    free(block);
}
static void *work(void *races)
{
    FLM_SCOPE("thread");
    for (int i = 0; i < 50; i++) {
        step();
        pthread_mutex_lock(&lock);
        guarded++;
        FLM_QUEUE_SEND(&queue, 1);
        FLM_QUEUE_RECEIVE(&queue, 1);
        pthread_mutex_unlock(&lock);
        if (races)
            unguarded++;
    }
    FLM_VALUE("value", 3);
    char bytes[10];
    int file = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 20; i++)
        if (read(file, bytes, sizeof bytes) != sizeof bytes)
            abort();
    close(file);
    return NULL;
}
int main(int count, char **words)
{
    (void)words;
    FLM_QUEUE(&queue, "queue");
    FLM_SCOPE("main");
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, count > 1 ? &queue : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    struct flm_task task = FLM_TASK("task");
    for (int i = 0; i < 3; i++) {
        FLM_TASK_RUN(task);
        step();
    }
    flm_task_end(task);
    return guarded != THREADS * 50;
}
END
$cc -g -O1 -fno-builtin -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
under()
{
    rm -f "$work/file"
    FLAMEL=all,file:$work/file valgrind -q --error-exitcode=9 --suppressions=probe/valgrind/probe.supp "$@" > "$work/said" 2>&1
}
for tool in 'memcheck --leak-check=full' helgrind drd; do
    # shellcheck disable=SC2086 # a tool and its option
    under --tool=$tool "$work/app" || complain "$tool: status $?"
    [ ! -s "$work/said" ] || complain "$tool: it says $(head -n 20 "$work/said")"
    "$build/flamel" convert -q -t folded -m calls "$work/file" > "$work/calls"
    for line in 'main 1' 'main;task 3' 'main;task;step 3' 'thread 4' 'thread;step 200' 'thread;mutex lock 200' \
        'thread;open /dev/zero 4' 'thread;read /dev/zero 80'; do
        grep -qx "$line" "$work/calls" || { complain "$tool: not '$line' in"; cat "$work/calls"; }
    done
done
# Helgrind finds the race in every run: it compares which accesses are ordered by locks, not which happen at the same time.
under --tool=helgrind "$work/app" races
grep -q 'Possible data race' "$work/said" && grep -q 'work (app.c:' "$work/said" || complain 'helgrind: the race is not found'
grep -q ' at .*libflamel-probe\|by .*flm_' "$work/said" && complain "helgrind: the library is in it: $(cat "$work/said")"
exit $bad
