#!/bin/sh
# Tasks in the loops of libuv and io_uring, as docs/probe.md says: loops.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0 tested=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/figures" || exit 1

cat > "$work/uv.c" << 'END'
#include <flamel/probe_tasks.h>
#include <stdio.h>
#include <uv.h>

enum { JOBS = 20 };
static struct job {
    uv_work_t request;
    struct flm_task task;
} jobs[JOBS];

static void step(void)
{
    FLM_FUNC();
}

static void work(uv_work_t *request)
{
    FLM_TASK_RUN(((struct job *)request)->task);
    step();
}

static void after(uv_work_t *request, int status)
{
    struct job *job = (struct job *)request;
    {
        FLM_TASK_RUN(job->task);
        FLM_SCOPE("after");
        if (status != 0)
            puts("it failed");
    }
    flm_task_end(job->task);
}

int main(void)
{
    uv_loop_t *loop = uv_default_loop();
    FLM_FUNC();
    for (int i = 0; i < JOBS; i++) {
        jobs[i].task = FLM_TASK("job");
        uv_queue_work(loop, &jobs[i].request, work, after);
    }
    uv_run(loop, UV_RUN_DEFAULT);
    return 0;
}
END
cat > "$work/uring.c" << 'END'
#include <flamel/probe_tasks.h>
#include <liburing.h>

enum { OPERATIONS = 20 };
static struct operation {
    struct flm_task task;
    int left;
} all[OPERATIONS];

static int submit(struct io_uring *ring, struct operation *operation)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(ring);
    if (!entry)
        return 0;
    io_uring_prep_nop(entry);
    io_uring_sqe_set_data(entry, operation);
    return io_uring_submit(ring) == 1;
}

static int complete(struct io_uring *ring, struct operation *operation)
{
    {
        FLM_TASK_RUN(operation->task);
        FLM_SCOPE("complete");
        if (--operation->left > 0)
            return submit(ring, operation) ? 0 : -1;
    }
    flm_task_end(operation->task);
    return 1;
}

int main(void)
{
    struct io_uring ring;
    FLM_FUNC();
    if (io_uring_queue_init(64, &ring, 0) != 0)
        return 77; /* the kernel has none, or it is forbidden */
    for (int i = 0; i < OPERATIONS; i++) {
        all[i].left = 3;
        all[i].task = FLM_TASK("operation");
        if (!submit(&ring, &all[i]))
            return 1;
    }
    for (int ended = 0; ended < OPERATIONS;) {
        struct io_uring_cqe *entry;
        if (io_uring_wait_cqe(&ring, &entry) != 0)
            return 1;
        struct operation *operation = io_uring_cqe_get_data(entry);
        io_uring_cqe_seen(&ring, entry);
        int result = complete(&ring, operation);
        if (result < 0)
            return 1;
        ended += result;
    }
    return 0;
}
END

# Each way of waiting with liburing: for a completion, with a timeout, and for a completion that is there already.
cat > "$work/waits.c" << 'END'
#include <errno.h>
#include <flamel/probe.h>
#include <liburing.h>
#include <stdio.h>

static struct io_uring ring;
static struct __kernel_timespec soon = {.tv_nsec = 20000000};

static void submit(int is_timeout)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (is_timeout)
        io_uring_prep_timeout(entry, &soon, 0, 0);
    else
        io_uring_prep_nop(entry);
}
static void seen(void)
{
    struct io_uring_cqe *entry;
    if (io_uring_peek_cqe(&ring, &entry) != 0)
        puts("nothing is there");
    io_uring_cqe_seen(&ring, entry);
}
static void must(int is, int should, const char *what)
{
    if (is != should)
        printf("%s: %d, not %d\n", what, is, should);
}

int main(void)
{
    FLM_FUNC();
    if (io_uring_queue_init(64, &ring, 0) != 0)
        return 77;
    struct io_uring_cqe *entry;
    {
        FLM_SCOPE("waits");
        submit(1);
        must(io_uring_submit(&ring), 1, "submit");
        must(io_uring_wait_cqe(&ring, &entry), 0, "wait_cqe");
        seen();
        submit(1);
        must(io_uring_submit_and_wait(&ring, 1), 1, "submit_and_wait");
        seen();
        must(io_uring_wait_cqe_timeout(&ring, &entry, &soon), -ETIME, "wait_cqe_timeout");
    }
    {
        FLM_SCOPE("does not");
        submit(0);
        must(io_uring_submit(&ring), 1, "submit");
        must(io_uring_wait_cqe(&ring, &entry), 0, "a completion that is there");
        seen();
    }
    return 0;
}
END
$cc -O1 -Iinclude tests/probe/programs/dump.c -o "$work/dump" || exit 1
if $cc -O2 -D_GNU_SOURCE -Iinclude "$work/waits.c" -o "$work/waits" -L"$build" -lflamel-probe -luring 2> /dev/null; then
    FLAMEL=file:$work/out "$work/waits" > "$work/said"
    status=$?
    [ $status = 0 ] || [ $status = 77 ] || complain "waits: it fails"
    [ ! -s "$work/said" ] || complain "waits: $(cat "$work/said")"
    "$work/dump" "$work/out" > "$work/measured"
    [ $status = 77 ] || grep -qx "node 5.18 io_uring 3 3 0 0 root;main;waits" "$work/measured" || complain "waits: not 3"
    [ "$(grep -c '^node 5.18' "$work/measured")" -le 1 ] || complain "waits: what is there is waited for"
    # As long as they were: more than 50 ms, in ticks of at least 10 MHz.
    [ $status = 77 ] || awk '/^meter 5.18 io_uring 0 3 / && $6 >= 500000 { good = 1 } END { exit !good }' "$work/measured" ||
        complain "waits: not timed"
fi

# loop NAME LIBRARY LINES...
loop()
{
    name=$1 library=$2
    shift 2
    $cc -O2 -D_GNU_SOURCE -Iinclude "$work/$name.c" -o "$work/$name" -pthread -L"$build" -lflamel-probe "$library" \
        2> /dev/null || return
    FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/$name"
    case $? in
    0) ;;
    77) return ;;
    *) complain "$name: it fails" ;;
    esac
    tested=1
    "$work/figures" "$work/out" | sed 's/ calls [0-9]* ns/ calls/; s/ count .*//' > "$work/measured"
    for line in "$@"; do
        grep -qxF "$line" "$work/measured" || { complain "$name: not '$line' in"; cat "$work/measured"; }
    done
}
loop uv -luv 'node job 20 calls' 'node job;step 20 calls' 'node main;job 20 calls 20 amount' \
    'node main;job;after 20 calls' 'meter job DELAY 20' 'meter job SUSPENDED 20' 'meter job WHOLE 20' 'left 0'
loop uring -luring 'node main;operation 60 calls 20 amount' 'node main;operation;complete 60 calls' \
    'meter operation DELAY 20' 'meter operation SUSPENDED 40' 'meter operation WHOLE 20' 'left 0'
[ $tested = 1 ] || { echo "there is neither libuv nor liburing"; exit 77; }
exit $bad
