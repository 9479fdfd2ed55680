#!/bin/sh
# CPU time goes to the scopes that used it, and what the kernel says of threads is in the file: cpu.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}

cat > "$work/app.c" << 'END'
#define _GNU_SOURCE
#include <errno.h>
#include <flamel/probe.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static unsigned long long cpu(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}
static void burn(unsigned ms)
{
    unsigned long long end = cpu(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ull;
    while (cpu(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            sink++;
}
static void *scoped(void *arg)
{
    FLM_SCOPE("scoped");
    prctl(PR_SET_NAME, "renamed");
    burn(60);
    return arg;
}
static void *bare(void *arg)
{
    struct timespec nap = {0, 100000};
    for (int i = 0; i < 50; i++)
        nanosleep(&nap, 0);
    char *pages = mmap(0, 300 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, 300 * 4096, MADV_NOHUGEPAGE);
    for (int i = 0; i < 300; i++)
        pages[i * 4096] = 1;
    burn(30);
    return arg;
}
static volatile sig_atomic_t urgent;
static void on_urgent(int number)
{
    (void)number;
    urgent++;
}
/* No perf_event_open, as in many containers. */
static void forbid(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        exit(77);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "forbidden") == 0) {
        forbid();
        setenv("FLAMEL", argv[2], 1);
        execl(argv[0], argv[0], (char *)0);
    }
    if (strcmp(what, "exec") == 0) {
        for (int i = 0; i < 100; i++) {
            int status;
            if (fork() == 0) {
                FLM_SCOPE("child");
                burn(1);
                execl("/bin/true", "true", (char *)0);
            }
            wait(&status);
            if (status != 0)
                return 1;
        }
        return 0;
    }
    if (strcmp(what, "pipe") == 0) {
        int ends[2];
        const size_t size = 16 << 20;
        char *text = calloc(1, size);
        if (!text || pipe(ends) != 0)
            return 1;
        if (fork() == 0) {
            close(ends[1]);
            while (read(ends[0], text, size) > 0)
                burn(1);
            _exit(0);
        }
        ssize_t written = write(ends[1], text, size);
        printf("%zd\n", (ssize_t)size - written);
        return 0;
    }
    if (strcmp(what, "handler") == 0) {
        signal(SIGURG, on_urgent);
        flm_probe_start("cpu:5000");
        burn(50);
        raise(SIGURG);
        printf("%d\n", (int)urgent);
        return 0;
    }
    unsigned long long before = cpu(CLOCK_THREAD_CPUTIME_ID);
    pthread_t one, two;
    pthread_create(&one, 0, scoped, 0);
    pthread_create(&two, 0, bare, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    {
        FLM_SCOPE("burns");
        burn(100);
    }
    {
        FLM_SCOPE("sleeps");
        struct timespec nap = {0, 50000000};
        nanosleep(&nap, 0);
    }
    printf("%llu\n", cpu(CLOCK_THREAD_CPUTIME_ID) - before);
    flm_probe_write();
    printf("%llu\n", cpu(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
END
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1

# Main's samples add up to its time, whatever the rate: more than what passed in it, and less than all.
adds_up()
{
    "$build/flamel" convert -q -t folded -m cpu "$work/out" > "$work/cpu"
    main=$(sed -n 1p "$work/said") all=$(sed -n 2p "$work/said")
    awk -v all="$all" -v main="$main" '
        { name = $0; sub(/ *[0-9]*$/, "", name); ns[name] += $NF; sum += $NF }
        END { threads = 90000000
              if (sum < main + threads) { print "only " sum " of " main " and " threads; exit 1 }
              if (sum > all) { print sum " of " all; exit 1 }
              if (ns["burns"] < 50000000) { print "burns has " ns["burns"]; exit 1 }
              if (ns["scoped"] < 30000000) { print "scoped has " ns["scoped"]; exit 1 }
              if (ns["sleeps"] > ns["burns"] / 2) { print "sleeps has " ns["sleeps"]; exit 1 } }' "$work/cpu" ||
        { complain "$1: other sums"; cat "$work/cpu"; }
    "$build/flamel" info "$work/out" > "$work/info" 2>&1
    grep -q "^cpu samples .* a second where $2 were asked for" "$work/info" || { complain "$1: no rate"; cat "$work/info"; }
}
FLAMEL=file:$work/out,cpu "$work/app" > "$work/said" || complain "cpu: it fails"
adds_up cpu 999
FLAMEL=file:$work/out,cpu:4999,count "$work/app" > "$work/said" || complain "cpu:4999: it fails"
adds_up cpu:4999 4999
"$work/app" forbidden "file:$work/out,cpu" > "$work/said"
case $? in
0)  adds_up forbidden 999
    grep -q '^cpu samples .*by timers' "$work/info" || { complain "forbidden: no word of timers"; cat "$work/info"; } ;;
77) ;;
*)  complain "forbidden: it fails" ;;
esac

# A signal that is pending when another program is run kills none.
FLAMEL=cpu:9999 "$work/app" exec || complain "exec: a child was killed"
# A write to a pipe is whole, however many samples come meanwhile.
FLAMEL=cpu:9999 "$work/app" pipe > "$work/said" || complain "pipe: it fails"
[ "$(cat "$work/said")" = 0 ] || complain "pipe: $(cat "$work/said") bytes were not written"
# Another handler of this signal gets what is not ours, and only that.
[ "$("$work/app" handler)" = 1 ] || complain "handler: $("$work/app" handler)"

# What the kernel says of threads.
cat > "$work/tell.c" << 'END'
#include <flamel/probe_format.h>
#include <stdio.h>
static char all[1 << 24];
int main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "rb");
    if (!file || fread(all, 1, sizeof all, file) < sizeof(struct flm_probe_header))
        return 1;
    const struct flm_probe_header *header = (const void *)all;
    for (uint32_t at = header->first_thread; at;) {
        const struct flm_probe_thread *thread = (const void *)(all + (size_t)at * FLM_PROBE_UNIT);
        const struct flm_probe_kernel *kernel = &thread->kernel;
        printf("%.16s threads %u state %u root %d voluntary %d faults %d user %d\n", thread->name,
               thread->threads, thread->state, thread->root > 0, kernel->voluntary_switches >= 50,
               kernel->minor_faults >= 300, kernel->user_ns + kernel->system_ns > 0);
        at = thread->next;
    }
    return 0;
}
END
$cc -O1 -Iinclude "$work/tell.c" -o "$work/tell" || exit 1
cat > "$work/idle.c" << 'END'
#include <flamel/probe.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
static int pipes[2];
static void *waits(void *arg)
{
    char byte;
    prctl(PR_SET_NAME, arg);
    write(pipes[1], "x", 1);
    pause();
    return read(pipes[0], &byte, 1) == 1 ? arg : 0;
}
static void *bare(void *arg)
{
    struct timespec nap = {0, 100000};
    prctl(PR_SET_NAME, "naps");
    for (int i = 0; i < 50; i++)
        nanosleep(&nap, 0);
    return arg;
}
int main(void)
{
    pthread_t thread;
    char byte;
    pthread_create(&thread, 0, bare, 0);
    pthread_join(thread, 0);
    if (pipe(pipes) != 0)
        return 1;
    pthread_create(&thread, 0, waits, "waits");
    if (read(pipes[0], &byte, 1) != 1)
        return 1;
    return 0;
}
END
$cc -O1 -Iinclude "$work/idle.c" -o "$work/idle" -pthread -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/out "$work/idle" || complain "threads: it fails"
"$work/tell" "$work/out" | sort > "$work/told"
grep -q '^idle threads 1 state 1 ' "$work/told" || { complain "threads: no main"; cat "$work/told"; }
grep -q '^naps threads 1 state 2 .*voluntary 1' "$work/told" || { complain "threads: switches"; cat "$work/told"; }
grep -q '^waits threads 1 state 1 ' "$work/told" || { complain "threads: no word of one that waits"; cat "$work/told"; }
FLAMEL=file:$work/out "$work/app" > "$work/said"
"$work/tell" "$work/out" | grep -q 'voluntary 1 faults 1 user 1$' || { complain "threads: faults"; "$work/tell" "$work/out"; }
FLAMEL=file:$work/out,no-threads "$work/idle"
"$work/tell" "$work/out" | grep -q 'voluntary 1' && complain "no-threads: there are switches"

# A thread that the report finds before its first scope has one block, also where that is of another one that
# ended: for each of 40, which go on at once, after all of them were found.
cat > "$work/found.c" << 'END'
#include <flamel/probe.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { MOST = 40 };
static pthread_barrier_t begun, go;
static void step(void)
{
    FLM_FUNC();
}
static void *scoped(void *arg)
{
    step();
    return arg;
}
static void *late(void *arg)
{
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&go);
    if (arg)
        step();
    return NULL;
}
static void run(int count, void *(*function)(void *), int have_scopes)
{
    pthread_t thread[MOST];
    pthread_barrier_init(&begun, NULL, (unsigned)count + 1);
    pthread_barrier_init(&go, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, function, have_scopes ? thread : NULL);
    if (function == late) {
        pthread_barrier_wait(&begun);
        flm_probe_write();
        pthread_barrier_wait(&go);
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    flm_probe_write();
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run(MOST, argv[i][0] == 's' ? scoped : late, argv[i][1] == 's');
    step();
    return 0;
}
END
$cc -O1 -Iinclude "$work/found.c" -o "$work/found" -pthread -L"$build" -lflamel-probe || exit 1
for what in 'ss ls ls' 'ln ls ss' 'ss ln ls ls'; do
    FLAMEL=file:$work/out,no-memory "$work/found" $what || complain "found: it fails"
    "$work/tell" "$work/out" | awk -v all="$(($(echo $what | wc -w) * 40 + 1))" '
        { threads += $3; blocks++; running += $5 == 1 }
        END { if (threads != all || running != 1 || blocks > 41) {
                  print threads " threads of " all ", " running " run, " blocks " blocks"; exit 1 } }' ||
        complain "found: $what"
done
exit $bad
