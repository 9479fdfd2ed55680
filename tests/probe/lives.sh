#!/bin/sh
# Programs that fork, make threads, leave by longjmp, or are killed: lives.sh BUILD.
build=$1 cc=${CC:-gcc}
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
    "$build/flamel" convert -q -t folded -m calls "$@"
}

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void step(void)
{
    FLM_FUNC();
}

static void *run(void *arg)
{
    FLM_SCOPE("thread");
    for (int i = 0; i < 300; i++)
        step();
    (void)arg;
    return NULL;
}

static void threads(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        pthread_t thread[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&thread[i], NULL, run, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
    }
}

static volatile sig_atomic_t signals;
static long loops;
static void on_signal(int number)
{
    FLM_SCOPE("signal");
    (void)number;
    signals++;
    step();
}

static jmp_buf out;
static void leap(void)
{
    FLM_FUNC();
    step();
    longjmp(out, 1);
}

/* What a destructor does in the last round of all, when the library's has been called. */
static pthread_key_t late;
static void read_late(void *rounds)
{
    if (++*(int *)rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(late, rounds);
    FILE *file = fopen("/dev/null", "r");
    if (file)
        fclose(file);
}
static void *run_late(void *rounds)
{
    pthread_setspecific(late, rounds);
    step();
    return NULL;
}
static void late_threads(void)
{
    pthread_key_create(&late, read_late);
    for (int i = 0; i < 500; i++) {
        pthread_t thread;
        int rounds = 0;
        pthread_create(&thread, NULL, run_late, &rounds);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    FLM_FUNC();
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "threads") == 0)
        threads(500);
    if (strcmp(what, "late") == 0)
        late_threads();
    if (strcmp(what, "fork") == 0) {
        step();
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 2; i++) {
                FLM_SCOPE("child");
                step();
            }
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(what, "longjmp") == 0)
        for (int i = 0; i < 10; i++) {
            FLM_SCOPE("try");
            if (setjmp(out) == 0)
                leap();
            step();
        }
    if (strcmp(what, "kill") == 0) {
        for (int i = 0; i < 5; i++)
            step();
        usleep(3000); /* in main itself */
        {
            FLM_SCOPE("nap");
            usleep(100);
        }
        kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "signals") == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        sigaction(SIGALRM, &action, NULL);
        struct itimerval timer = {{0, 100}, {0, 100}};
        setitimer(ITIMER_REAL, &timer, NULL);
        for (int i = 0; i < 2000000 || signals < 100; i++) {
            FLM_SCOPE("loop");
            step();
            loops++;
        }
        memset(&timer, 0, sizeof timer);
        setitimer(ITIMER_REAL, &timer, NULL);
        printf("%ld %ld\n", loops, (long)signals);
    }
    if (strcmp(what, "exec") == 0) {
        step();
        if (fork() == 0) {
            execl(argv[0], argv[0], "_exit", (char *)0);
            _exit(1);
        }
        int status;
        wait(&status);
        step();
        return status;
    }
    if (strcmp(what, "restart") == 0) {
        flm_probe_start("on");
        step();
        flm_probe_stop();
        if (fork() == 0) {
            flm_probe_start("on");
            FLM_SCOPE("again");
            step();
            exit(0);
        }
        wait(NULL);
    }
    if (strcmp(what, "many") == 0) {
        static struct flm_site sites[30000];
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < 30000; i++) {
                sites[i].function = sites[i].file = "some";
                struct flm_scope scope = flm_enter(&sites[i]);
                step();
                flm_exit(&scope);
            }
        threads(2);
    }
    if (strcmp(what, "becomes") == 0) {
        step();
        usleep(3000); /* in main itself */
        execlp("sh", "sh", "-c", "exit 7", (char *)0);
    }
    if (strcmp(what, "stays") == 0) { /* there is no such program */
        execlp("./none/such", "such", (char *)0);
        step();
        kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "abort") == 0) {
        step();
        usleep(3000);
        abort();
    }
    if (strcmp(what, "_exit") == 0) {
        step();
        _exit(0);
    }
    if (strcmp(what, "quick_exit") == 0) {
        step();
        quick_exit(0);
    }
    return 0;
}
END
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1

FLAMEL=file:$work/threads "$work/app" threads || complain "threads: it fails"
[ "$(calls "$work/threads" | tr '\n' ' ')" = "main 1 thread 2000 thread;step 600000 " ] ||
    { complain "threads: other counts"; calls "$work/threads"; }
[ "$(wc -c < "$work/threads")" -lt 400000 ] || complain "threads: the file grows with their number"

FLAMEL=file:$work/late "$work/app" late || complain "late destructors: it fails"
[ "$(wc -c < "$work/late")" -lt 400000 ] || complain "late destructors: the file grows with the threads: $(wc -c < "$work/late")"

FLAMEL=file:$work/fork "$work/app" fork || complain "fork: it fails"
[ "$(calls "$work/fork" | tr '\n' ' ')" = "main 1 main;step 1 " ] || complain "fork: the parent's counts"
[ "$(calls "$work"/fork.* | tr '\n' ' ')" = "child 2 child;step 2 " ] ||
    { complain "fork: the child's counts"; ls "$work"; calls "$work"/fork.*; }

FLAMEL=file:$work/longjmp "$work/app" longjmp || complain "longjmp: it fails"
[ "$(calls "$work/longjmp" | tr '\n' ' ')" = "main 1 main;try 10 main;try;leap 10 main;try;leap;step 10 main;try;step 10 " ] ||
    { complain "longjmp: other counts"; calls "$work/longjmp"; }
"$build/flamel" info "$work/longjmp" 2>&1 | grep 'left without' && complain "longjmp: scopes are left without an end"
# Without --wrap the static library does not see jumps: what they leave ends with the scope around it, and
# that is said.
$cc -O1 -Iinclude "$work/app.c" -o "$work/static" -pthread -Wl,--whole-archive "$build/libflamel-probe-static.a" -Wl,--no-whole-archive -lm -ldl || exit 1
FLAMEL=file:$work/longjmp-static "$work/static" longjmp || complain "longjmp, static: it fails"
[ "$(calls "$work/longjmp-static" | tr '\n' ' ')" = "main 1 main;try 10 main;try;leap;step 20 " ] ||
    { complain "longjmp, static: other counts"; calls "$work/longjmp-static"; }
"$build/flamel" info "$work/longjmp-static" 2>&1 | grep -q 'left without an end.* 10$\|10.*left without' || complain "longjmp, static: no word of it"

FLAMEL=file:$work/kill "$work/app" kill 2> /dev/null && complain "kill: it lives"
calls "$work/kill" | grep -qx 'main;step 5' || complain "kill: the counts are lost"
"$build/flamel" info "$work/kill" | grep -q 'scopes that were open *1$' || complain "kill: main is not open"

# Scopes of signal handlers are in those that they interrupt, and none is lost without a word.
FLAMEL=file:$work/signals "$work/app" signals > "$work/told" || complain "signals: it fails"
read -r loops signals < "$work/told"
calls "$work/signals" > "$work/folded"
[ "$(awk '$1 == "main;loop" { print $2 }' "$work/folded")" = "$loops" ] || complain "signals: not $loops loops"
[ "$(awk '$1 == "main;loop;step" { print $2 }' "$work/folded")" = "$loops" ] || complain "signals: not $loops steps"
grep 'signal.*;loop' "$work/folded" && complain "signals: the loop is in the handler"
seen=$(awk '$1 ~ /signal$/ { sum += $2 } END { print sum + 0 }' "$work/folded")
lost=$("$build/flamel" report --view top -n 1 "$work/signals" 2>&1 > /dev/null | sed -n 's/.*interrupted the measuring: \([0-9]*\).*/\1/p')
[ $((seen + ${lost:-0})) -ge "$signals" ] || complain "signals: $seen and ${lost:-0} of $signals"

# A program that it runs has the same setting, and must not write into its file.
FLAMEL=file:$work/exec "$work/app" exec || complain "exec: it fails"
[ "$(calls "$work/exec" | tr '\n' ' ')" = "main 1 main;step 2 " ] || complain "exec: the first one's counts"
[ "$(calls "$work"/exec.* | tr '\n' ' ')" = "main;step 1 " ] ||
    { complain "exec: the second one's counts"; calls "$work"/exec.*; }

# Nor over its report, unless the path is the process's own, or it is run by one that does not measure.
FLAMEL=flm:$work/flm "$work/app" exec || complain "exec, a profile: it fails"
[ "$(calls "$work/flm" | tr '\n' ' ')" = "main 1 main;step 2 " ] || complain "exec, a profile: the first one's counts"
[ "$(calls "$work"/flm.* | tr '\n' ' ')" = "main;step 1 " ] || { complain "exec, a profile: no second"; ls "$work"; }
FLAMEL=flm:$work/own-%p "$work/app" exec || complain "exec, %p: it fails"
case $(echo "$work"/own-*) in *own-*own-*) ;; *) complain "exec, %p: not two profiles" ;; esac
ls "$work" | grep 'own-.*[.]' && complain "exec, %p: a number twice"
FLAMEL=flm:$work/shell sh -c "$work/app _exit; true" || complain "a shell: it fails"
[ -f "$work/shell" ] || { complain "a shell that does not measure: another path"; ls "$work"; }

for round in 1 2 3; do
    FLAMEL=file:$work/twice "$work/app" threads & first=$!
    FLAMEL=file:$work/twice "$work/app" threads || complain "twice at a time: one fails"
    wait $first || complain "twice at a time: one fails"
done

FLAMEL=file:$work/restart "$work/app" restart || complain "restart: it fails"
calls "$work"/restart.* | grep -qx 'again;step 1' || complain "restart: the child's counts"

# No room: the program goes on, and what is lost is counted.
(ulimit -f 2048 && FLAMEL=file:$work/room "$work/app" many) || complain "no room: it fails"
"$build/flamel" info "$work/room" 2>&1 | grep -q 'had no room' || complain "no room: no word of it"
said=$(FLAMEL=file:/dev/null "$work/app" _exit 2>&1) || complain "/dev/null: it fails"
case $said in
*/dev/null:*) ;;
*) complain "/dev/null: $said" ;;
esac
[ -c /dev/null ] || complain "/dev/null is gone"

FLAMEL=file:$work/_exit "$work/app" _exit || complain "_exit: it fails"
calls "$work/_exit" | grep -qx 'main;step 1' || complain "_exit: the counts are lost"

# A program that becomes another one, or aborts: the file has what was measured, until then.
FLAMEL=file:$work/becomes "$work/app" becomes
[ $? = 7 ] || complain "becomes: it does not become the shell"
FLAMEL=file:$work/abort "$work/app" abort 2> /dev/null && complain "abort: it lives"
for what in becomes abort; do
    "$build/flamel" info "$work/$what" 2>&1 | grep 'times of open scopes' && complain "$what: a loss, and nothing is lost"
done
"$build/flamel" info "$work/kill" 2>&1 | grep -q 'times of open scopes.*1$' || complain "kill: no word of what is lost"
FLAMEL=file:$work/stays "$work/app" stays 2> /dev/null && complain "stays: it lives"
"$build/flamel" info "$work/stays" 2>&1 | grep -q 'times of open scopes.*1$' || complain "stays: no word of what is lost"
for what in becomes abort kill; do
    calls "$work/$what" | grep -q '^main;step' || complain "$what: the counts are lost"
    time=$("$build/flamel" convert -q -t folded -m wall "$work/$what" | sed -n 's/^main //p')
    [ "${time%.*}" -ge 3000000 ] || complain "$what: main has $time ns, not 3 ms"
done

FLAMEL=json:$work/quick_exit "$work/app" quick_exit || complain "quick_exit: it fails"
grep -q '"step"' "$work/quick_exit" || complain "quick_exit: no report"

# A program that closes all that it did not open, as daemons do, has its own files then; and what it opens
# itself has the lowest numbers, also where it was started without 0 to 2.
cat > "$work/daemon.c" << 'END'
#include <fcntl.h>
#include <flamel/probe.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char text[1 << 20];
    int first = open("/dev/null", O_RDONLY);
    if (argc > 2)
        return first;
    for (int i = 3; i < 1000; i++)
        close(i);
    for (int i = 3; i < 1000; i++)
        if (open(argv[1], O_RDWR | O_CREAT, 0600) < 0)
            return 100;
    FLM_SCOPE("step");
    for (int i = 0; i < 4; i++)
        if (write(3, text, sizeof text) != sizeof text)
            return 101;
    return first == 3 ? 0 : 102;
}
END
$cc -O1 -Iinclude "$work/daemon.c" -o "$work/daemon" -L"$build" -lflamel-probe || exit 1
FLAMEL=report:$work/daemon.txt,cpu,leaks "$work/daemon" "$work/own" || complain "a daemon: $?"
[ "$(wc -c < "$work/own")" = 4194304 ] || complain "a daemon: its file has $(wc -c < "$work/own") bytes"
grep -q 'step' "$work/daemon.txt" || { complain "a daemon: no report"; cat "$work/daemon.txt"; }
FLAMEL=file:$work/closed,cpu "$work/daemon" "$work/own" again 0<&- 1>&- 2>&-
[ $? = 0 ] || complain "started without 0 to 2: its file has another number"

# ---- Jumps: out of functions and handlers, and from coroutine to coroutine.
tried='tries 1
tries;wrapped 5
tries;wrapped;late 5
tries;wrapped;late;deep 5
tries;wrapped;late;deep;deep 5
tries;wrapped;late;deep;deep;deep 5
tries;wrapped;late;deep;deep;deep;deep 5
tries;wrapped;late;deep;deep;deep;deep;step 5
tries;wrapped;late;deep;deep;deep;step 5
tries;wrapped;late;deep;deep;step 5
tries;wrapped;late;deep;step 5
tries;wrapped;step 5'
# The static library sees jumps by what its pkg-config file says.
static="-static $(sed -n 's/^Libs.private: //p' "$build/flamel-probe.pc")"
[ "$(grep -o 'wrap=' "$build/flamel-probe.pc" | wc -l)" = 7 ] || complain "flamel-probe.pc: not the functions that jump"
for level in "-O2 $static" -O0 -O2 "-O2 -D_FORTIFY_SOURCE=2"; do
    $cc -w -Iinclude tests/probe/programs/jumps.c -o "$work/jumps" -pthread -L"$build" -lflamel-probe $level || exit 1
    for what in plain signals mask; do
        FLAMEL=file:$work/$what "$work/jumps" $what || complain "$level $what: it fails"
        [ "$(calls "$work/$what")" = "$tried" ] || { complain "$level $what: other counts"; calls "$work/$what"; }
        "$build/flamel" info "$work/$what" 2>&1 | grep 'left without\|were open' && complain "$level $what: open"
    done
    FLAMEL=file:$work/nested "$work/jumps" nested || complain "$level nested: it fails"
    [ "$(calls "$work/nested" | awk '{ n += $2 } $1 ~ /step;/ { bad = 1 } END { print NR, n + 0, bad + 0 }')" = "42 42 0" ] ||
        { complain "$level nested: other counts"; calls "$work/nested"; }
    FLAMEL=file:$work/many "$work/jumps" many || complain "$level many: it fails"
    [ "$(calls "$work/many" | tr '\n' ' ')" = "many 1 many;leap 601 many;step 601 " ] ||
        { complain "$level many: buffers are forgotten"; calls "$work/many" | head; }
    FLAMEL=file:$work/faults "$work/jumps" faults || complain "$level faults: it fails"
    [ "$(calls "$work/faults" | tr '\n' ' ')" = "faults 1 faults;step 1 faults;touch 4 faults;touch;handler 4 faults;touch;handler;step 4 " ] ||
        { complain "$level faults: other counts"; calls "$work/faults"; }
    FLAMEL=file:$work/storm "$work/jumps" storm > "$work/told" || complain "$level storm: it fails"
    read -r loops jumps < "$work/told"
    calls "$work/storm" > "$work/folded"
    # Which part of a jump's loop was counted is the moment's; that no loop is in another is not.
    grep 'loop.*;loop\|step;\|name.*name' "$work/folded" | head -3 | grep . && complain "$level storm: scopes are in others"
    awk -v loops="$loops" -v jumps="$jumps" '$1 == "storm;loop" { n = $2 } END { exit !(n >= loops - jumps && n <= loops) }' "$work/folded" ||
        { complain "$level storm: not $loops loops less at most $jumps"; grep 'storm;loop ' "$work/folded"; }
done
# A handler that jumps inside of itself leaves what it interrupted.
FLAMEL=file:$work/inside "$work/jumps" inside || complain "inside: it fails"
[ "$(calls "$work/inside" | tr '\n' ' ')" = "inside 1 inside;step 1 " ] ||
    { complain "inside: other counts"; calls "$work/inside"; }
# While nothing is measured setjmp is called too.
FLAMEL=file:$work/paused "$work/jumps" paused || complain "paused: it fails"
[ "$(calls "$work/paused" | tr '\n' ' ')" = "paused 1 paused;deep 1 paused;deep;deep 1 paused;deep;deep;step 1 paused;deep;step 1 paused;step 1 \
paused;wrapped 2 paused;wrapped;deep 1 paused;wrapped;deep;deep 1 paused;wrapped;deep;deep;step 1 paused;wrapped;deep;step 1 paused;wrapped;step 1 " ] ||
    { complain "paused: other counts"; calls "$work/paused"; }
# Who jumps out of waiting for a lock has not got it.
FLAMEL=file:$work/waits "$work/jumps" waits || complain "waits: it fails"
"$build/flamel" report --json "$work/waits" | grep -q '"acquired": 1, "contended": 1, .*"errors": 1' ||
    { complain "waits: the lock counts as taken"; "$build/flamel" report "$work/waits"; }
# A jump onto another stack is what _FORTIFY_SOURCE takes for an attack.
$cc -O1 -U_FORTIFY_SOURCE -w -Iinclude tests/probe/programs/jumps.c -o "$work/jumps" -pthread -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/coroutines "$work/jumps" coroutines || complain "coroutines: it fails"
[ "$(calls "$work/coroutines" | tr '\n' ' ')" = "coroutines 1 coroutines;coroutine 8 coroutines;coroutine;turn 6 \
coroutines;coroutine;turn;fail 6 coroutines;coroutine;turn;step 12 coroutines;step 1 " ] ||
    { complain "coroutines: other counts"; calls "$work/coroutines"; }
exit $bad
