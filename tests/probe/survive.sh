#!/bin/sh
# What programs do to a library that is loaded into them: survive.sh BUILD [WORDS]. They start others in every
# way, load and unload, make ten thousand threads, cancel them, crash and recover. Each must end as it does
# without, and what it measured must be there. With WORDS of FLAMEL (make test-probe-hosts) also those that bring
# an allocator or a sanitizer of their own, or run under valgrind, which takes minutes.
build=$(cd "$1" && pwd) words=${2:-on} is_long=$2 cc=${CC:-gcc}
library=$build/libflamel-probe.so.0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
calls()
{
    "$build/flamel" convert -q -t folded -m calls "$@" | sort | tr '\n' ' '
}
count()  # of a scope in all threads and paths
{
    calls "$1" | tr ' ' '\n' | awk -v name="$2" '$0 ~ "(^|;)" name "$" { is = 1; next } is { sum += $0 } { is = 0 } END { print sum + 0 }'
}

cat > "$work/plugin.c" << 'EOF'
#include <flamel/probe.h>
void work(void) { FLM_SCOPE("plugin"); }
EOF
cat > "$work/app.c" << 'EOF'
#include <flamel/probe.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void step(void) { FLM_FUNC(); }
static int status_of(pid_t child) { int s = 0; waitpid(child, &s, 0); return WEXITSTATUS(s); }
static void *once(void *arg) { (void)arg; FLM_SCOPE("thread"); step(); free(malloc(100)); return NULL; }
static void *leaves(void *arg) { FLM_SCOPE("left"); step(); if (arg) pthread_exit(NULL); return NULL; }
static pthread_barrier_t ready;
static void *waits(void *arg)
{
    (void)arg;
    FLM_SCOPE("cancelled");
    step();
    pthread_barrier_wait(&ready);
    for (;;)
        pause();
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void unlock(void *m) { pthread_mutex_unlock(m); }
static void *waits_locked(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_barrier_wait(&ready);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
    return NULL;
}
static sigjmp_buf out;
static void on_fault(int number) { (void)number; FLM_SCOPE("fault"); step(); siglongjmp(out, 1); }
static _Atomic int spinning;
static void *spins(void *arg) { (void)arg; for (int i = 0;; i++) { FLM_SCOPE("spin"); step(); if (i == 0) spinning++; } }
int main(int count, char **argv)
{
    FLM_FUNC();
    const char *what = count > 1 ? argv[1] : "";
    char *again[] = {argv[0], "child", NULL};
    if (!strcmp(what, "child")) { step(); return 3; }
    if (!strcmp(what, "start")) {
        pid_t child;
        int sum = 0;
        if ((child = vfork()) == 0) { execv(argv[0], again); _exit(1); }
        sum += status_of(child);
        if ((child = vfork()) == 0) _exit(2);
        sum += status_of(child);
        posix_spawn(&child, argv[0], NULL, NULL, again, environ);
        sum += status_of(child);
        char command[4200], line[64] = "";
        snprintf(command, sizeof command, "%s child", argv[0]);
        sum += WEXITSTATUS(system(command));
        snprintf(command, sizeof command, "%s child; echo said", argv[0]);
        FILE *pipe = popen(command, "r");
        if (!fgets(line, sizeof line, pipe)) return 1;
        pclose(pipe);
        if ((child = fork()) == 0) { step(); execv(argv[0], again); _exit(1); }
        sum += status_of(child);
        step();
        printf("%d %s", sum, line);
    }
    if (!strcmp(what, "plugins"))
        for (int i = 0; i < 1000; i++) {
            void *plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
            void (*work)(void) = (void (*)(void))dlsym(plugin, "work");
            work();
            dlclose(plugin);
        }
    if (!strcmp(what, "storm"))
        for (int round = 0; round < (count > 2 && *argv[2] ? atoi(argv[2]) : 100); round++) {
            pthread_t thread[100];
            for (int i = 0; i < 100; i++) if (pthread_create(&thread[i], NULL, once, NULL)) return 1;
            for (int i = 0; i < 100; i++) pthread_join(thread[i], NULL);
        }
    if (!strcmp(what, "cancel")) {
        pthread_barrier_init(&ready, NULL, 2);
        for (int i = 0; i < 100; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, i % 2 ? waits : waits_locked, NULL);
            pthread_barrier_wait(&ready);
            pthread_cancel(thread);
            pthread_join(thread, NULL);
        }
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (!strcmp(what, "leave"))
        for (long i = 0; i < 100; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, leaves, (void *)(i % 2));
            pthread_join(thread, NULL);
        }
    if (!strcmp(what, "fault")) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_fault;
        action.sa_flags = SA_NODEFER;
        sigaction(SIGSEGV, &action, NULL);
        for (volatile int i = 0; i < 100; i++) {
            FLM_SCOPE("try");
            if (sigsetjmp(out, 1) == 0) { FLM_SCOPE("bad"); *(volatile int *)8 = 1; }
            step();
        }
    }
    if (!strcmp(what, "abort")) { step(); abort(); }
    if (!strcmp(what, "killed")) {
        pthread_t thread;
        for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, spins, NULL);
        while (spinning < 4) usleep(1000);
        kill(getpid(), SIGKILL);
    }
    if (!strcmp(what, "running_exit")) {
        pthread_t thread;
        for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, spins, NULL);
        while (spinning < 4) usleep(1000);
        exit(5);
    }
    return 0;
}
EOF
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe -ldl || exit 1
$cc -O1 -Iinclude -shared -fPIC "$work/plugin.c" -o "$work/plugin.so" -L"$build" -lflamel-probe || exit 1
$cc -O1 -Iinclude "$work/app.c" -o "$work/static" -pthread -L"$build" -Wl,-Bstatic -lflamel-probe -Wl,-Bdynamic -ldl -lm || exit 1

# How it runs: the program, its status, and what all say; the file of the first process is $work/of.$what.
runs() # WHAT STATUS [PROGRAM] [ARGUMENT]
{
    rm -f "$work"/of.*
    FLAMEL=$words,file:$work/of.$1 timeout 60 "${3:-$work/app}" "$1" "$4" > "$work/out" 2> "$work/err"
    status=$?
    [ $status = "$2" ] || complain "$1: status $status, not $2: $(tail -n 2 "$work/err")"
    grep -vxE 'Aborted|Killed|Terminated' "$work/err" | grep -q . && complain "$1: it says $(head -n 3 "$work/err")"
}
for preload in '' "$library"; do
    for program in app static; do
        name="$program${preload:+, preloaded too}"
        export LD_PRELOAD="$preload"
        runs start 0 "$work/$program"
        [ "$(cat "$work/out")" = '14 said' ] || complain "$name: start: $(cat "$work/out")"
        runs storm 0 "$work/$program"
        file=$(grep -l storm "$work"/of.storm* | while read -r f; do [ "$(count "$f" step)" -gt 0 ] && echo "$f"; done)
        [ "$(count "$file" step)" = 10000 ] || complain "$name: storm: $(calls "$file")"
        runs fault 0 "$work/$program"
        runs leave 0 "$work/$program"
        runs cancel 0 "$work/$program"
    done
done
export LD_PRELOAD=
runs start 0
[ "$(for f in "$work"/of.start*; do calls "$f"; done | tr ' ' '\n' | grep -c '^main;step$')" = 6 ] ||
    { complain 'start: not main;step in six processes'; for f in "$work"/of.start*; do echo "$f: $(calls "$f")"; done; }
runs plugins 0 "$work/app" "$work/plugin.so"
[ "$(calls "$work/of.plugins")" = 'main 1 main;plugin 1000 ' ] || complain "plugins: $(calls "$work/of.plugins")"
runs fault 0
[ "$(count "$work/of.fault" fault) $(count "$work/of.fault" try)" = '100 100' ] ||
    { [ "$(count "$work/of.fault" try)" = 100 ] || complain "fault: $(calls "$work/of.fault")"; }
[ "$(count "$work/of.fault" step)" = 200 ] || complain "fault: $(calls "$work/of.fault")"
runs leave 0
[ "$(count "$work/of.leave" step)" = 100 ] || complain "leave: $(calls "$work/of.leave")"
runs cancel 0
[ "$(count "$work/of.cancel" step)" = 50 ] || complain "cancel: $(calls "$work/of.cancel")"
runs running_exit 5
[ "$(count "$work/of.running_exit" step)" -gt 0 ] || complain 'running_exit: nothing is there'
for what in abort killed; do
    runs $what $([ $what = abort ] && echo 134 || echo 137) 2> /dev/null
    "$build/flamel" report "$work/of.$what" > /dev/null || complain "$what: no report"
    [ "$(count "$work/of.$what" step)" -gt 0 ] || complain "$what: nothing is there"
done

# Allocations before any constructor, and in all of them.
cat > "$work/early.c" << 'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *early[3];
static void first(int c, char **v, char **e) { (void)c, (void)v, (void)e; early[0] = malloc(1000); }
__attribute__((section(".preinit_array"), used)) static void (*const list[])(int, char **, char **) = {first};
__attribute__((constructor(101))) static void second(void) { early[1] = calloc(10, 100); early[0] = realloc(early[0], 5000); }
__attribute__((destructor(101))) static void last(void) { free(malloc(10)); free(early[1]); }
int main(void)
{
    early[2] = strdup("text");
    if (posix_memalign(&early[2], 64, 100)) return 1;
    for (int i = 0; i < 3; i++) if (!early[i]) return 1;
    free(early[0]);
    return 6;
}
EOF
$cc -O0 "$work/early.c" -o "$work/early" && { export LD_PRELOAD="$library"; runs early 6 "$work/early"; export LD_PRELOAD=; }

# Setuid: it is off.
if [ "$(id -u)" = 0 ] && command -v runuser > /dev/null; then
    folder=$(mktemp -d) && chmod 1777 "$folder"
    $cc -O1 -Iinclude "$work/app.c" -o "$folder/app" -pthread -L"$build" -Wl,-Bstatic -lflamel-probe -Wl,-Bdynamic -ldl -lm
    chmod 4755 "$folder/app"
    runuser -u nobody -- env FLAMEL="file:$folder/out" "$folder/app" child
    [ $? = 3 ] || complain 'setuid: another status'
    [ -e "$folder/out" ] && complain 'setuid: it is measured'
    rm -rf "$folder"
fi

# Sanitizers in the program; that of threads stands in front of much that the library calls. Where none of the compilers
# has one that runs, the rest is tested, and the test counts as skipped.
sanitizers=0
sanitized() # COMPILER SANITIZER
{
    $1 -g -O1 -fsanitize=$2 -Iinclude "$work/app.c" -o "$work/sane" -pthread -L"$build" -lflamel-probe -ldl \
        2> /dev/null || { echo "$1 has no -fsanitize=$2"; return; }
    "$work/sane" > /dev/null 2>&1 || { echo "-fsanitize=$2 of $1 does not run here"; return; }
    sanitizers=$((sanitizers + 1))
    runs storm 0 "$work/sane" 10 # rounds of 100 threads
    [ "$(count "$work/of.storm" step)" = 1000 ] || complain "$1 $2: storm: $(calls "$work/of.storm")"
    runs leave 0 "$work/sane"
    runs start 0 "$work/sane"
}
for compiler in gcc clang; do
    command -v $compiler > /dev/null && sanitized $compiler thread
done

[ $bad = 0 ] || exit 1
[ $sanitizers -gt 0 ] || { echo 'all but -fsanitize=thread, which no compiler here has or can run'; [ -n "$is_long" ] || exit 77; }
[ -n "$is_long" ] || exit 0

# Allocators of their own.
for other in libjemalloc.so.2 libmimalloc.so.2 libmimalloc.so.2.0 libtcmalloc_minimal.so.4; do
    LD_PRELOAD=$other /bin/true 2>&1 | grep -q . && continue
    for order in "$other:$library" "$library:$other" "$other"; do
        export LD_PRELOAD="$order"
        runs storm 0
        runs start 0
        # Programs use functions that one of the two has and the other lacks: reallocarray.
        for off in '' off on; do
            [ "$(echo one | FLAMEL=$off grep -x 'one\|two' 2>&1)" = one ] && FLAMEL=$off ls / > "$work/out" 2>&1 ||
                complain "grep or ls with $order: $(head -n 3 "$work/out")"
        done
        export LD_PRELOAD=
    done
    echo "with $other"
done

# And the library preloaded behind what sanitizers need to be first.
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    sanitized $compiler address
    sanitized $compiler undefined
    $compiler -g -O1 -fsanitize=address -Iinclude -DFLM_PROBE=0 "$work/app.c" -o "$work/sane" -pthread -ldl 2> /dev/null || continue
    first=$(ldd "$work/sane" | awk '/libasan/ { print $3 }')
    export LD_PRELOAD="${first:+$first:}$library" ASAN_OPTIONS=verify_asan_link_order=0
    runs storm 0 "$work/sane"
    runs start 0 "$work/sane"
    export LD_PRELOAD=
    unset ASAN_OPTIONS
done

if command -v valgrind > /dev/null; then
    for tool in memcheck helgrind; do
        FLAMEL=$words timeout 120 valgrind -q --tool=$tool --error-exitcode=77 "$work/app" leave > "$work/out" 2> "$work/err" ||
            complain "$tool: $(grep -c '^==' "$work/err") lines: $(head -n 12 "$work/err")"
    done
    # It asks for functions of libc without a version, and does not know the library's lock: only that it runs.
    FLAMEL=$words timeout 120 valgrind -q --tool=drd "$work/app" cancel > "$work/out" 2> "$work/err" ||
        complain "drd: $(grep -A8 terminating "$work/err")"
fi
exit $bad
