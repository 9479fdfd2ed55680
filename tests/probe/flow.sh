#!/bin/sh
# Queues and streams are counted exactly, and items are timed in their order: flow.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/dump" || exit 1

cat > "$work/steps.c" << 'END'
#include <errno.h>
#include <fcntl.h>
#include <flamel/probe_adapters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char named, unnamed, same[2], old, swapped, empty, reused, pipes, events, messages, longer;

static void pause_ms(long ms)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = ms * 1000000;
    nanosleep(&time, NULL);
}

static void put(void)
{
    FLM_FUNC();
    FLM_QUEUE_SEND(&named, 1);
}

static void adapters(void)
{
    int fd[2];
    long item = 1, got[4];
    eventfd_t count = 0;
    struct mq_attr attributes;
    char name[64], text[16];
    unsigned priority;
    if (pipe2(fd, O_NONBLOCK) != 0)
        exit(1);
    FLM_QUEUE(&pipes, "pipes");
    for (int i = 0; i < 4; i++)
        if (flm_pipe_write(&pipes, fd[1], &item, sizeof item, sizeof item) != sizeof item)
            exit(1);
    if (flm_pipe_read(&pipes, fd[0], got, sizeof got, sizeof item) != sizeof got)
        exit(1);
    if (flm_pipe_read(&pipes, fd[0], got, sizeof got, sizeof item) != -1 || errno != EAGAIN)
        exit(1);
    for (item = 0; flm_pipe_write(&pipes, fd[1], &item, sizeof item, sizeof item) > 0; item++)
        ;
    fprintf(stderr, "%ld\n", item + 4);
    int event = eventfd(0, EFD_NONBLOCK);
    FLM_QUEUE(&events, "events");
    flm_eventfd_write(&events, event, 3);
    flm_eventfd_write(&events, event, 4);
    if (flm_eventfd_read(&events, event, &count) != 0 || count != 7 ||
        flm_eventfd_read(&events, event, &count) == 0)
        exit(1);
    memset(&attributes, 0, sizeof attributes);
    attributes.mq_maxmsg = 4;
    attributes.mq_msgsize = sizeof text;
    snprintf(name, sizeof name, "/flamel-test-%ld", (long)getpid());
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attributes);
    FLM_QUEUE(&messages, "messages");
    if (queue == (mqd_t)-1) { /* there are none here */
        FLM_QUEUE_SEND(&messages, 4);
        FLM_QUEUE_RECEIVE(&messages, 4);
        return;
    }
    mq_unlink(name);
    for (int i = 0; i < 5; i++)
        if ((flm_mq_send(&messages, queue, "x", 1, 0) == 0) != (i < 4))
            exit(1);
    for (int i = 0; i < 5; i++)
        if ((flm_mq_receive(&messages, queue, text, sizeof text, &priority) == 1) != (i < 4))
            exit(1);
}

int main(int argc, char **argv)
{
    static char many[1200];
    FLM_FUNC();
    (void)argv;
    if (argc > 1) {
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < 1200; i++)
                FLM_QUEUE_SEND(&many[i], 1);
        for (int i = 0; i < 1200; i++)
            FLM_QUEUE_END(&many[i]);
        for (int i = 0; i < 100000; i++) {
            char *at = (char *)(size_t)(0x10000 + i * 64);
            FLM_QUEUE_SEND(at, 2);
            FLM_QUEUE_RECEIVE(at, 1);
            FLM_QUEUE_END(at);
        }
        return 0;
    }
    FLM_QUEUE(&named, "named");
    for (int i = 0; i < 3; i++)
        put();
    pause_ms(20);
    for (int i = 0; i < 3; i++)
        FLM_QUEUE_RECEIVE(&named, 1);
    put();
    FLM_QUEUE_RECEIVE(&named, 1);
    { FLM_QUEUE_SEND_WAIT(&named); pause_ms(1); }
    { FLM_QUEUE_RECEIVE_WAIT(&named); pause_ms(1); }

    FLM_QUEUE_SEND(&unnamed, 10);
    FLM_QUEUE_RECEIVE(&unnamed, 4);
    FLM_QUEUE(&same[0], "same");
    FLM_QUEUE(&same[1], "same");
    FLM_QUEUE_SEND(&same[0], 1);
    FLM_QUEUE_SEND(&same[1], 1);
    FLM_QUEUE_SEND(&same[1], 1);

    FLM_QUEUE_RECEIVE(&old, 5); /* they were there before */
    FLM_QUEUE_SEND(&old, 1);
    pause_ms(20);
    FLM_QUEUE_RECEIVE(&old, 1);

    FLM_QUEUE_SEND(&swapped, 5);
    FLM_QUEUE_CANCEL(&swapped, 2);
    FLM_QUEUE_RECEIVE(&swapped, 3);
    FLM_QUEUE(&swapped, "canceled");
    FLM_QUEUE_SEND(&swapped, 1);
    FLM_QUEUE_RECEIVE(&swapped, 1);
    FLM_QUEUE_SEND(&empty, 0);
    FLM_QUEUE_RECEIVE(&empty, 0);

    FLM_QUEUE_SEND(&reused, 9);
    FLM_QUEUE_END(&reused);
    FLM_QUEUE_SEND(&reused, 1);
    FLM_QUEUE_RECEIVE(&reused, 1);

    FLM_QUEUE(&longer, "longer");
    for (int i = 0; i < 50000; i++)
        FLM_QUEUE_SEND(&longer, 1);
    for (int i = 0; i < 50000; i++)
        FLM_QUEUE_RECEIVE(&longer, 1);
    for (int i = 0; i < 10; i++)
        FLM_STREAM("lines", 3);
    adapters();
    return 0;
}
END
cp "$work/steps.c" "$work/steps.cc"
cat > "$work/expected" << 'END'
lost 0
left 0
meter &old-> LENGTH 2 count 0 sum 0 least 0 greatest 0 last
meter &old<- LENGTH 1 count 1 sum 1 least 1 greatest 1 last
meter &reused-> LENGTH 1 count 0 sum 0 least 0 greatest 0 last
meter &reused<- LENGTH 2 count 10 sum 1 least 9 greatest 1 last
meter &swapped-> LENGTH 1 count 0 sum 0 least 0 greatest 0 last
meter &swapped<- LENGTH 1 count 5 sum 5 least 5 greatest 5 last
meter &unnamed-> LENGTH 1 count 6 sum 6 least 6 greatest 6 last
meter &unnamed<- LENGTH 1 count 10 sum 10 least 10 greatest 10 last
meter canceled-> LENGTH 1 count 0 sum 0 least 0 greatest 0 last
meter canceled<- LENGTH 1 count 1 sum 1 least 1 greatest 1 last
meter longer-> LENGTH 50000 count 1249975000 sum 0 least 49999 greatest 0 last
meter longer<- LENGTH 50000 count 1250025000 sum 1 least 50000 greatest 50000 last
meter named-> LENGTH 4 count 3 sum 0 least 2 greatest 0 last
meter named<- LENGTH 4 count 7 sum 1 least 3 greatest 1 last
meter same<- LENGTH 3 count 4 sum 1 least 2 greatest 2 last
node main 1
node main;&old-> 0 6 amount 5 errors
node main;&old<- 0 1 amount
node main;&reused-> 0 1 amount
node main;&reused<- 0 10 amount
node main;&swapped-> 0 3 amount
node main;&swapped<- 0 3 amount
node main;&unnamed-> 0 4 amount
node main;&unnamed<- 0 10 amount
node main;canceled-> 0 1 amount
node main;canceled<- 0 1 amount
node main;events-> 2 7 amount
node main;events<- 2 7 amount
node main;lines 10 30 amount
node main;messages-> 5 4 amount
node main;messages<- 5 4 amount
node main;named-> 1 4 amount
node main;named<- 1
node main;pipes-> 2 4 amount
node main;put 4
node main;put;named<- 0 4 amount
node main;same<- 0 3 amount
END
LC_ALL=C sort "$work/expected" > "$work/sorted"
check()
{
    what=$1
    shift
    "$@" -Iinclude -o "$work/steps" -L"$build" -lflamel-probe || { complain "$what: does not compile"; return; }
    FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/steps" 2> "$work/pipes" || complain "$what: it fails"
    "$work/dump" "$work/out" > "$work/dumped"
    sed 's/ calls [0-9]* ns//' "$work/dumped" | grep -v ' DELAY \| DURATION \|^meter \(pipes\|events\|messages\)' |
        grep -v ';pipes<-\|;longer' | LC_ALL=C sort | diff "$work/sorted" - || complain "$what: other counts"
    # What did not fit into the pipe was not sent.
    grep -q "^node main;pipes<- .* $(cat "$work/pipes") amount" "$work/dumped" ||
        complain "$what: $(grep pipes "$work/dumped"), not $(cat "$work/pipes")"
    # Three waited for 20 ms at least, and one did not; those before measuring have no time.
    awk '/^meter named-> DELAY 4 count/ && $6 >= 60e6 && $8 < 20e6 { named = 1 }
         /^meter &old-> DELAY 1 count/ && $6 >= 20e6 { old = 1 }
         /^meter &unnamed-> DELAY 4 count/ { unnamed = 1 }
         /^meter &swapped-> DELAY 3 count/ { swapped = 1 }
         /^meter longer-> DELAY/ { timed = $4 }
         /^node main;longer->/ { for (i = 3; i < NF; i++) if ($(i + 1) == "errors") not = $i }
         END { exit !(named && old && unnamed && swapped && timed + not == 50000 && timed > 100) }' "$work/dumped" ||
        complain "$what: other delays: $(grep 'DELAY\|main;longer' "$work/dumped")"
    "$work/steps" 2> /dev/null || complain "$what: it fails where nothing is measured"
}
check C $cc -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/steps.c"
check C++11 g++ -O2 -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/steps.cc"
$cc -DFLM_PROBE=0 -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -O2 -Iinclude "$work/steps.c" -o "$work/steps" && "$work/steps" 2> /dev/null ||
    complain "compiled out: it fails"

# Memory is bounded, and queues that are ended make room; what is beyond is counted.
check "again" $cc -O2 -D_GNU_SOURCE "$work/steps.c"
FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/steps" many || complain "many: it fails"
"$work/dump" "$work/out" > "$work/dumped"
grep -q '^lost 528$' "$work/dumped" || complain "many: $(grep lost "$work/dumped"), not 3 items of 176 queues"
grep -q '^node main;at-> 0 calls 0 ns 100000 amount$' "$work/dumped" || complain "many: $(grep 'at->' "$work/dumped")"

# A ring without locks, and a queue with many on both ends.
cat > "$work/threads.c" << 'END'
#include <flamel/probe_flow.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ITEMS = 100000, SLOTS = 256, THREADS = 3 };
static struct ring {
    _Alignas(64) atomic_uint head;
    _Alignas(64) atomic_uint tail;
    int item[SLOTS];
} ring;
static struct { pthread_mutex_t lock; int length; } shared = {PTHREAD_MUTEX_INITIALIZER, 0};

static int push(struct ring *r, int item)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&r->tail, memory_order_acquire) == SLOTS)
        return 0;
    r->item[head % SLOTS] = item;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return 1;
}

static int pop(struct ring *r, int *item)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&r->head, memory_order_acquire))
        return 0;
    *item = r->item[tail % SLOTS];
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 1;
}

static void *produce(void *arg)
{
    FLM_FUNC();
    for (int i = 0; i < ITEMS; i++) {
        FLM_QUEUE_SEND(&ring, 1);
        while (!push(&ring, i)) {
            FLM_QUEUE_SEND_WAIT(&ring);
            sched_yield();
        }
    }
    return arg;
}

static void *consume(void *arg)
{
    FLM_FUNC();
    for (int i = 0; i < ITEMS;) {
        int item = -1;
        if (!pop(&ring, &item)) {
            sched_yield();
            continue;
        }
        FLM_QUEUE_RECEIVE(&ring, 1);
        if (item != i)
            return 0;
        i++;
    }
    return arg;
}

static void *send_some(void *arg)
{
    FLM_FUNC();
    for (int i = 0; i < ITEMS / 10; i++) {
        FLM_QUEUE_SEND(&shared, 1);
        pthread_mutex_lock(&shared.lock);
        shared.length++;
        pthread_mutex_unlock(&shared.lock);
    }
    return arg;
}

static void *receive_some(void *arg)
{
    FLM_FUNC();
    for (int i = 0; i < ITEMS / 10;) {
        pthread_mutex_lock(&shared.lock);
        int was = shared.length;
        shared.length -= was > 0;
        pthread_mutex_unlock(&shared.lock);
        if (was == 0) {
            sched_yield();
            continue;
        }
        FLM_QUEUE_RECEIVE(&shared, 1);
        i++;
    }
    return arg;
}

int main(void)
{
    pthread_t thread[2 * THREADS];
    void *result;
    pthread_create(&thread[0], 0, produce, 0);
    pthread_create(&thread[1], 0, consume, &ring);
    pthread_join(thread[0], 0);
    pthread_join(thread[1], &result);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[2 * i], 0, send_some, 0);
        pthread_create(&thread[2 * i + 1], 0, receive_some, 0);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(thread[i], 0);
    return result ? 0 : 1;
}
END
$cc -O2 -std=gnu11 -Iinclude "$work/threads.c" -o "$work/threads" -pthread -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/threads" || complain "threads: it fails"
"$work/dump" "$work/out" > "$work/dumped"
awk '/^node/ { for (i = 3; i < NF; i++) { if ($(i + 1) == "amount") amount[$2] = $i; if ($(i + 1) == "errors") not[$2] = $i } }
     /DELAY/ { timed[$2] = $4 }
     /LENGTH/ { last[$2] = $12; most[$2] = $10 }
     END { exit !(amount["produce;&ring<-"] == 100000 && amount["consume;&ring->"] == 100000 &&
           timed["&ring->"] + not["consume;&ring->"] == 100000 && timed["&ring->"] > 1000 &&
           amount["send_some;&shared<-"] == 30000 && amount["receive_some;&shared->"] == 30000 &&
           timed["&shared->"] + not["receive_some;&shared->"] == 30000 && last["&ring->"] == 0 && most["&ring<-"] <= 258) }' \
    "$work/dumped" || { complain "threads: other counts"; cat "$work/dumped"; }
grep wrong "$work/dumped" && bad=1
exit $bad
