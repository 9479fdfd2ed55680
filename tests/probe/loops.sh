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
$cc -O1 -Iinclude tests/probe/figures.c -o "$work/figures" || exit 1

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
