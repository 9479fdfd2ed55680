#!/bin/sh
# Where nothing is asked for nothing happens; compiled out, the machine code is as without: off.sh BUILD.
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
#ifdef WITH
#include <flamel/probe.h>
#include <flamel/probe_flow.h>
#include <flamel/probe_tasks.h>
#include <flamel/probe_values.h>
#else
#define FLM_VALUE(name, value) ((void)0)
#define FLM_QUEUE(queue, name) ((void)0)
#define FLM_QUEUE_SEND(queue, n) ((void)0)
#define FLM_QUEUE_RECEIVE(queue, n) ((void)0)
#define FLM_QUEUE_CANCEL(queue, n) ((void)0)
#define FLM_QUEUE_SEND_WAIT(queue) ((void)0)
#define FLM_QUEUE_RECEIVE_WAIT(queue) ((void)0)
#define FLM_QUEUE_END(queue) ((void)0)
#define FLM_STREAM(name, n) ((void)0)
#define FLM_GAUGE(name, value) ((void)0)
#define FLM_GAUGE_ADD(name, value) ((void)0)
#define FLM_COUNT(name, value) ((void)0)
#define FLM_WATCH(value) (value)
#define FLM_FRAME(name) ((void)0)
#define flm_frame_end() ((void)0)
#define FLM_TASK(name) ((struct flm_task){0})
#define FLM_TASK_RUN(task) ((void)0)
#define FLM_TASK_AWAY(task) ((void)0)
#define flm_task_end(task) ((void)0)
struct flm_task { void *task; };
#define FLM_FUNC()      ((void)0)
#define FLM_SCOPE(name) ((void)0)
#define FLM_SCOPE_NAMED(name) ((void)0)
#define FLM_REQUEST(name) ((void)0)
#endif
extern const char *name(int i);
int work(int *at, int n);
int work(int *at, int n)
{
    FLM_FUNC();
    int sum = 0;
    struct flm_task task = FLM_TASK("work");
    FLM_TASK_RUN(task);
    for (int i = 0; i < n; i++) {
        FLM_SCOPE("add");
        FLM_SCOPE_NAMED(name(i));
        FLM_REQUEST(name(n));
        sum += at[i];
        FLM_TASK_AWAY(task);
        FLM_FRAME("frame");
        FLM_VALUE("value", work(at, i));
        FLM_GAUGE("gauge", work(at, i));
        FLM_GAUGE_ADD("gauge", work(at, i));
        FLM_COUNT("count", work(at, i));
        sum += FLM_WATCH(work(at, n - 1));
    }
    flm_frame_end();
    FLM_QUEUE(at, name(n));
    FLM_QUEUE_SEND(at, work(at, 1));
    FLM_QUEUE_RECEIVE(at, work(at, 2));
    FLM_QUEUE_CANCEL(at, work(at, 2));
    FLM_QUEUE_SEND_WAIT(at);
    FLM_QUEUE_RECEIVE_WAIT(at);
    FLM_STREAM("stream", work(at, 3));
    FLM_QUEUE_END(at);
    flm_task_end(task);
    return sum;
}
END
$cc -O2 -c "$work/app.c" -o "$work/without.o" &&
    $cc -O2 -Wall -Wextra -Werror -c -DWITH -DFLM_PROBE=0 -Iinclude "$work/app.c" -o "$work/with.o" || exit 1
objdump -d "$work/without.o" | tail -n +4 > "$work/without"
objdump -d "$work/with.o" | tail -n +4 > "$work/with"
cmp -s "$work/without" "$work/with" || complain "compiled out, the machine code is another"
[ -s "$work/with" ] || complain "there is no machine code"

cat > "$work/main.c" << 'END'
#include <flamel/probe.h>
#include <stdio.h>
int main(void)
{
    FLM_FUNC();
    puts(FLM_PROBE_IS_LINKED ? "linked" : "not linked");
    flm_probe_write();
    return 0;
}
END
cd "$work" || exit 1
include=$OLDPWD/include
$cc -O2 -I"$include" main.c -o alone || exit 1
[ "$(FLAMEL=file:out ./alone)" = "not linked" ] || complain "without the library it does not run"
$cc -O2 -I"$include" main.c -o linked -L"$build" -lflamel-probe || exit 1
for value in '' off file:out,off; do
    [ "$(FLAMEL=$value ./linked 2>&1)" = linked ] || complain "FLAMEL='$value': it prints"
    [ -e out ] && complain "FLAMEL='$value': there is a file"
done
said=$(FLAMEL=fiel:out ./linked 2>&1) || complain "wrong settings end the program"
case $said in
*"'fiel:out' is not understood"*linked*) ;;
*) complain "wrong settings: $said" ;;
esac
said=$(FLAMEL=file:no/such/folder ./linked 2>&1) || complain "a folder that is not there ends the program"
case $said in
*no/such/folder:*) ;;
*) complain "a folder that is not there: $said" ;;
esac
# A program may start it too: one file for a process, and not where FLAMEL is off.
cat > start.c << 'END'
#include <flamel/probe.h>
#include <stdio.h>
int main(void)
{
    int first = flm_probe_start("file:first"), second, wrong;
    flm_probe_stop();
    second = flm_probe_start("file:second");
    flm_probe_stop();
    wrong = flm_probe_start("nonsense");
    printf("%d %d %d\n", first, second, wrong);
    return 0;
}
END
$cc -O2 -I"$include" start.c -o start -L"$build" -lflamel-probe || exit 1
[ "$(./start)" = "0 0 -1" ] || complain "starts: $(./start)"
[ -e first ] && [ ! -e second ] || complain "starts: not the first file alone"
rm -f first
[ "$(FLAMEL=off ./start)" = "-1 -1 -1" ] || complain "off: a program starts it"
[ -e first ] && complain "off: there is a file"

FLAMEL=file:out-%p ./linked > /dev/null
ls out-[0-9]* > /dev/null || complain "%p is no number"
exit $bad
