#!/bin/sh
# Tasks that are suspended in scopes, and go on in other threads and at other depths: tasks.sh BUILD.
build=$1 cc=${CC:-gcc} here=$PWD
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/dump" || exit 1

# ---- One after the other. A counter tells in which scope something is, as bytes that are allocated do.

cat > "$work/steps.c" << 'END'
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <pthread.h>
#include <setjmp.h>

static void count(uint64_t bytes)
{
    FLM_COUNT("bytes", bytes);
}

/* The bug of hotpath: two tasks take turns in a thread, and each counts what the other allocates. */
static void turns(void)
{
    FLM_FUNC();
    struct flm_task a = FLM_TASK("turn a"), b = FLM_TASK("turn b");
    FLM_SITE(in_a, "in a");
    FLM_SITE(in_b, "in b");
    flm_task_resume(a);
    struct flm_scope scope_a = flm_enter(&in_a);
    count(1);
    flm_task_suspend(a);
    flm_task_resume(b);
    struct flm_scope scope_b = flm_enter(&in_b);
    count(1000);
    flm_task_suspend(b);
    count(100000);
    flm_task_resume(a);
    count(2);
    flm_exit(&scope_a);
    count(4);
    flm_task_end(a);
    flm_task_resume(b);
    count(2000);
    flm_exit(&scope_b);
    flm_task_end(b);
}

static struct flm_task job, inner;
static struct flm_scope fetch, parse;
static struct flm_site parse_site = {"parse", "main", "steps.c", 1, 0, 0, 0, 0};

static void *second(void *arg)
{
    FLM_SCOPE("second");
    FLM_SCOPE("deeper");
    FLM_SCOPE("still");
    flm_task_resume(job);
    count(20);
    { FLM_SCOPE("new"); count(30); }
    flm_exit(&parse);
    count(40);
    {
        FLM_SCOPE("rest");
        FLM_TASK_AWAY(job);
        FLM_SCOPE("not of it");
        count(7000);
    }
    flm_exit(&fetch);
    flm_task_end(job);
    count(9000);
    return arg;
}

static void migrate(void)
{
    pthread_t thread;
    FLM_SITE(fetch_site, "fetch");
    job = FLM_TASK("job");
    flm_task_resume(job);
    fetch = flm_enter(&fetch_site);
    count(10);
    parse = flm_enter(&parse_site);
    count(15);
    flm_task_suspend(job);
    { FLM_SCOPE("other"); count(5000); }
    pthread_create(&thread, 0, second, 0);
    pthread_join(thread, 0);
}

static void *go_on(void *arg)
{
    FLM_SCOPE("thread");
    flm_task_resume(job);
    count(1);
    flm_exit(&parse);
    flm_task_end(inner);
    count(2);
    flm_task_end(job);
    return arg;
}

static void nest(void)
{
    pthread_t thread;
    job = flm_task_named("around");
    inner = flm_task_named("inside");
    flm_task_resume(job);
    flm_task_resume(inner);
    parse = flm_enter(&parse_site);
    if (flm_task_now().task != inner.task)
        count(1000000);
    flm_task_suspend(job);
    if (flm_task_now().task)
        count(1000000);
    pthread_create(&thread, 0, go_on, 0);
    pthread_join(thread, 0);
}

static void deep(struct flm_task task, int n)
{
    FLM_SCOPE("deep");
    count(1);
    if (n > 0) {
        deep(task, n - 1);
        return;
    }
    FLM_TASK_AWAY(task);
    FLM_TASK_AWAY(task);
}

static jmp_buf out;
static void leap(struct flm_task task)
{
    FLM_SCOPE("leap");
    FLM_SCOPE("high");
    { FLM_TASK_AWAY(task); }
    longjmp(out, 1);
}

static void misuse(void)
{
    struct flm_task task = FLM_TASK("misused"), none = {0};
    flm_task_suspend(task);
    flm_task_resume(task);
    flm_task_resume(task);
    flm_task_suspend(task);
    flm_task_suspend(task);
    flm_task_end(task);
    flm_task_end(task);
    flm_task_resume(task);
    flm_task_resume(none);
    flm_task_end(none);
    flm_task_end(FLM_TASK("canceled"));
    task = FLM_TASK("thrown away");
    flm_task_resume(task);
    flm_task_cancel(task);
}

int main(void)
{
    FLM_FUNC();
    turns();
    migrate();
    nest();
    {
        FLM_SCOPE("run");
        struct flm_task task = FLM_TASK("deeps");
        {
            FLM_TASK_RUN(task);
            deep(task, 40);
        }
        flm_task_end(task);
    }
    {
        FLM_SCOPE("jump");
        struct flm_task task = FLM_TASK("leaper");
        flm_task_resume(task);
        {
            FLM_SCOPE("try");
            if (setjmp(out) == 0)
                leap(task);
            count(3);
        }
        count(5);
        flm_task_end(task);
    }
    misuse();
    return 0;
}
END
cat > "$work/expected" << 'END'
main 1
main;canceled 0 1 amount 1 errors
main;deeper;still;job - never
main;job 1 1 amount
main;job;fetch 0 10 allocated
main;job;fetch;parse 0 15 allocated
main;around 1 1 amount
main;around;inside 1
main;around;inside;parse 0
main;inside 0 1 amount
main;jump 1
main;jump;leaper 2 5 allocated 1 amount
main;jump;leaper;try 1 3 allocated
main;jump;leaper;try;leap 1
main;jump;leaper;try;leap;high 1
main;misused 1 1 amount
main;other 1 5000 allocated
main;run 1
main;run;deeps 2 1 amount
main;thrown away 1 1 amount 1 errors
main;turns 1 100000 allocated
main;turns;turn a 2 4 allocated 1 amount
main;turns;turn a;in a 1 3 allocated
main;turns;turn b 2 1 amount
main;turns;turn b;in b 1 3000 allocated
second 1
second;deeper 1
second;deeper;still 1 9000 allocated
second;deeper;still;job 2
second;deeper;still;job;fetch 1 40 allocated
second;deeper;still;job;fetch;parse 1 20 allocated
second;deeper;still;job;fetch;parse;new 1 30 allocated
second;deeper;still;job;fetch;rest 1
second;deeper;still;not of it 1 7000 allocated
thread 1
thread;around 1 2 allocated
thread;around;inside 1
thread;around;inside;parse 1 1 allocated
END
grep -v never "$work/expected" | LC_ALL=C sort > "$work/sorted"
$cc -O1 -D_GNU_SOURCE -Iinclude "$work/steps.c" -o "$work/steps" -pthread -L"$build" -lflamel-probe ||
    exit 1
FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/steps" || complain "steps: it fails"
"$work/dump" "$work/out" > "$work/dumped" || complain "steps: the file cannot be read"
# A node of the counter is a value of the node that it is in.
fold='$1 == "node" {
        path = $2
        for (i = 3; $i !~ /^[0-9]+$/ || $(i + 1) != "calls"; i++)
            path = path " " $i
        line = $i
        for (i += 4; i < NF; i += 2)
            line = line " " $i " " $(i + 1)
        if (sub(/;bytes$/, "", path)) {
            split(line, part, " ")
            bytes[path] = part[2]
            times[path] = part[1]
        } else
            values[path] = line
    }
    END {
        for (path in values) {
            calls = values[path]
            rest = sub(/ .*/, "", calls) ? substr(values[path], length(calls) + 1) : ""
            print path " " calls (path in bytes ? " " bytes[path] " allocated" : "") rest
        }
    }'
awk "$fold" "$work/dumped" | grep -v ';deep\(;\| \)' | LC_ALL=C sort | diff "$work/sorted" - || complain "steps: other counts"
deep=$(awk "$fold" "$work/dumped" | grep -c ';deeps\(;deep\)* 1 1 allocated$')
[ "$deep" = 41 ] || complain "steps: $deep scopes of 41 that were suspended at once have one call and one byte"
meter()
{
    sed -n "s/^meter $1 $2 \([0-9]*\) count.*/\1/p" "$work/dumped"
}
[ "$(meter job SUSPENDED)$(meter job WHOLE)$(meter job DELAY)$(meter job DURATION)" = 2113 ] ||
    complain "steps: meters of the job: $(grep '^meter job' "$work/dumped")"
[ "$(meter deep DURATION)" = 41 ] || complain "steps: durations of deep"
grep -q '^meter canceled' "$work/dumped" && complain "steps: a canceled task has times"
grep -q '^left 0$' "$work/dumped" || complain "steps: what longjmp left: $(grep left "$work/dumped")"
grep wrong "$work/dumped" && bad=1

# ---- What tasks allocate is theirs, in whatever thread; and a call's bytes are one number.
cat > "$work/bytes.c" << 'END'
#include <flamel/probe_tasks.h>
#include <pthread.h>
#include <stdlib.h>
static struct flm_task a, b;
static struct flm_scope in_a;
static void *volatile kept;
static void take(size_t bytes)
{
    kept = malloc(bytes);
    free(kept);
}
static void *second(void *arg)
{
    FLM_SCOPE("second");
    take(50000);
    flm_task_resume(a);
    take(20);
    flm_exit(&in_a);
    take(3);
    flm_task_end(a);
    take(70000);
    return arg;
}
int main(void)
{
    pthread_t thread;
    FLM_SITE(site, "in a");
    a = FLM_TASK("a");
    b = FLM_TASK("b");
    flm_task_resume(a);
    in_a = flm_enter(&site);
    take(100);
    flm_task_suspend(a);
    flm_task_resume(b);
    take(1000);
    flm_task_end(b);
    take(9000);
    pthread_create(&thread, 0, second, 0);
    pthread_join(thread, 0);
    return 0;
}
END
cat > "$work/expected" << 'END'
meter a BYTES 1 count 3 sum 3 least 3 greatest 3 last
meter b BYTES 1 count 1000 sum 1000 least 1000 greatest 1000 last
meter in a BYTES 1 count 120 sum 120 least 120 greatest 120 last
meter in a COUNT 1 count 2 sum 2 least 2 greatest 2 last
node a;in a 0 calls 100 allocated 1 allocations
node b 1 calls 1000 allocated 1 allocations
node second 1 calls 120000 allocated 2 allocations
node second;a 1 calls 3 allocated 1 allocations
node second;a;in a 1 calls 20 allocated 1 allocations
END
$cc -O1 -D_GNU_SOURCE -Iinclude "$work/bytes.c" -o "$work/bytes" -pthread -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/out,no-locks,no-io "$work/bytes" || complain "bytes: it fails"
"$work/dump" "$work/out" | sed 's/calls [0-9]* ns/calls/; s/ allocations .*/ allocations/' |
    grep '^node.* allocated\|^meter \(a\|b\|in a\) \(BYTES\|COUNT 1 count 2\)' | LC_ALL=C sort |
    diff "$work/expected" - || complain "bytes: others"

# ---- Coroutines that go from thread to thread.
cat > "$work/many.c" << 'END'
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

enum { COROUTINES = 100, ROUNDS = 30, THREADS = 4, STACK = 64 << 10 };
struct coroutine {
    struct flm_task task;
    ucontext_t here, *scheduler;
    struct coroutine *next;
    int has_ended;
    unsigned random;
    char *stack;
};
static struct coroutine all[COROUTINES], *first, **last = &first;
static int alive = COROUTINES;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(uint64_t bytes)
{
    FLM_COUNT("bytes", bytes);
}

static void await(struct coroutine *c)
{
    FLM_TASK_AWAY(c->task);
    swapcontext(&c->here, c->scheduler);
}

static void leaf(struct coroutine *c)
{
    FLM_FUNC();
    count(5);
    if (rand_r(&c->random) % 3 == 0)
        await(c);
    { FLM_SCOPE("tail"); count(2); }
}

static void step(struct coroutine *c)
{
    FLM_FUNC();
    count(10);
    {
        FLM_SCOPE("part");
        count(7);
        await(c);
        count(3);
        leaf(c);
    }
    if (rand_r(&c->random) % 2 == 0)
        await(c);
    leaf(c);
}

static void body(unsigned low, unsigned high)
{
    struct coroutine *c = (struct coroutine *)((uintptr_t)high << 32 | low);
    flm_task_resume(c->task);
    {
        FLM_FUNC();
        for (int i = 0; i < ROUNDS; i++)
            step(c);
    }
    flm_task_end(c->task);
    c->has_ended = 1;
    swapcontext(&c->here, c->scheduler);
}

static void serve(int depth)
{
    FLM_SCOPE("depth");
    if (depth > 0) {
        serve(depth - 1);
        return;
    }
    for (;;) {
        ucontext_t mine;
        pthread_mutex_lock(&lock);
        struct coroutine *c = first;
        int left = alive;
        if (c && !(first = c->next))
            last = &first;
        pthread_mutex_unlock(&lock);
        if (left == 0)
            return;
        if (!c)
            continue;
        c->scheduler = &mine;
        swapcontext(&mine, &c->here);
        { FLM_SCOPE("between"); count(100000); }
        pthread_mutex_lock(&lock);
        if (c->has_ended)
            alive--;
        c->next = NULL;
        if (!c->has_ended) {
            *last = c;
            last = &c->next;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void *run(void *arg)
{
    serve((int)(size_t)arg * 3 % 5);
    return 0;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < COROUTINES; i++) {
        struct coroutine *c = &all[i];
        c->task = FLM_TASK("coroutine");
        c->random = (unsigned)i;
        c->stack = malloc(STACK);
        getcontext(&c->here);
        c->here.uc_stack.ss_sp = c->stack;
        c->here.uc_stack.ss_size = STACK;
        makecontext(&c->here, (void (*)(void))body, 2, (unsigned)(uintptr_t)c,
                    (unsigned)((uintptr_t)c >> 32));
        *last = c;
        last = &c->next;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], 0, run, (void *)(size_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], 0);
    return 0;
}
END
cat > "$work/expected" << 'END'
coroutine;body 100 0 0
coroutine;body;step 3000 30000 3000
coroutine;body;step;leaf 3000 15000 3000
coroutine;body;step;leaf;tail 3000 6000 3000
coroutine;body;step;part 3000 30000 6000
coroutine;body;step;part;leaf 3000 15000 3000
coroutine;body;step;part;leaf;tail 3000 6000 3000
END
$cc -O2 -D_GNU_SOURCE -Iinclude "$work/many.c" -o "$work/many" -pthread -L"$build" -lflamel-probe ||
    exit 1
for round in 1 2 3; do
    FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/many" || complain "many: it fails"
    "$work/dump" "$work/out" > "$work/dumped" || complain "many: the file cannot be read"
    awk '$1 == "node" && sub(/^.*;coroutine;/, "coroutine;", $2) {
        if (sub(/;bytes$/, "", $2)) {
            count[$2] += $3
            bytes[$2] += $7
        } else
            calls[$2] += $3
    }
    END { for (path in calls) print path, calls[path], bytes[path] + 0, count[path] + 0 }' "$work/dumped" |
        LC_ALL=C sort | diff "$work/expected" - || complain "many: other counts"
    # The time of each stretch is in a node, and that of each call in the meter: the sums are one.
    awk '$1 == "node" { n = split($2, path, ";"); ns[path[n]] += $5 }
         $1 == "meter" && $3 == "DURATION" { sum[$2] = $6 }
         END {
            for (name in sum) {
                off = sum[name] - ns[name]
                if (off > 50 || off < -50) { print name ": " sum[name] " ns in the meter, " ns[name] " in nodes"; bad = 1 }
            }
            exit bad
         }' "$work/dumped" || complain "many: other times"
    grep -q '^meter coroutine WHOLE 100 count' "$work/dumped" || complain "many: not 100 tasks"
    grep -q '^left 0' "$work/dumped" || complain "many: $(grep left "$work/dumped")"
    polls=$(sed -n 's/^meter coroutine DURATION \([0-9]*\) .*/\1/p' "$work/dumped")
    waits=$(sed -n 's/^meter coroutine SUSPENDED \([0-9]*\) .*/\1/p' "$work/dumped")
    [ "$polls" = $((waits + 100)) ] && [ "$waits" -gt 3000 ] || complain "many: $polls polls, suspended $waits times"
    "$build/flamel" info "$work/out" > /dev/null || complain "many: flamel does not read it"
done
cd "$here" || exit 1
exit $bad
