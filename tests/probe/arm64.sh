#!/bin/sh
# The library on another processor, arm64, by an emulator: arm64.sh BUILD. Several threads measure scopes, tasks, queues and
# values; their calls are counted exactly. And the shared library, preloaded: jumps, and a program that becomes another.
build=$1 cc=${ARM64_CC:-aarch64-linux-gnu-gcc} run=${ARM64_RUN:-qemu-aarch64}
command -v "$cc" > /dev/null || { echo "there is no $cc"; exit 77; }
command -v "$run" > /dev/null || { echo "there is no $run"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
complain()
{
    echo "$1"
    bad=1
}
compile="$cc -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Wno-missing-field-initializers -Werror -O2 -Iinclude -Isrc -Iprobe
    -Iprobe/front -Iprobe/functions -Iprobe/output"
# shellcheck disable=SC2046 # a list
$compile tests/probe/programs/races.c tests/probe/programs/file_only.c \
    $(ls probe/*.c probe/functions/*.c probe/stack/*.c | grep -v 'probe/link.c') -static -pthread -lm -o "$work/races" ||
    { echo 'it does not compile'; exit 1; }
for words in on count sample:4 ordered; do
    rm -f "$work"/r.*
    said=$(FLAMEL=$words,file:$work/r.probe $run "$work/races" 2>&1) || complain "$words: status $?: $said"
    [ -z "$said" ] || complain "$words: it says $said"
    # 4 threads x (1,500 rounds x 3 + 3 threads that were made)
    leaf=$("$build/flamel" convert -q -t folded -m calls "$work/r.probe" | awk '/;leaf [0-9]*$/ { n += $NF } END { print n }')
    [ "$leaf" = 18012 ] || complain "$words: leaf has $leaf calls, not 18012"
done

# With what stands in front of libc. Where the compiler has its loader and libc it knows.
# shellcheck disable=SC2046
$compile -fPIC -shared -fvisibility=hidden tests/probe/programs/file_only.c \
    $(ls probe/*.c probe/functions/*.c probe/stack/*.c probe/front/*.c | grep -v 'probe/link.c') -pthread -lm -o "$work/probe.so" ||
    { echo 'the shared library does not compile'; exit 1; }
libc=$($cc -print-file-name=libc.so.6)
preloaded() # WORDS PROGRAM [ARGUMENT]
{
    words=$1
    shift
    $run -L "${libc%/lib*/libc.so.6}" -E LD_PRELOAD="$work/probe.so" -E FLAMEL="$words" "$@"
}
calls()
{
    "$build/flamel" convert -q -t folded -m calls "$1" | tr '\n' ' '
}

# execle reads its environment behind the arguments: fewer and more than registers hold.
cat > "$work/becomes.c" << 'END'
#include <unistd.h>
#include <flamel/probe.h>
static void step(void) { FLM_FUNC(); }
int main(int argc, char **argv)
{
    char *const only[] = {"ONLY=this", NULL};
    (void)argv;
    step();
    if (argc > 1)
        execle("/bin/sh", "sh", "-c", "echo $ONLY$9$HOME", "0", "1", "2", "3", "4", "5", "6", "7", "8", " nine", (char *)0, only);
    else
        execle("/bin/sh", "sh", "-c", "echo $ONLY$HOME", (char *)0, only);
    return 1;
}
END
$cc -O1 -Iinclude "$work/becomes.c" -o "$work/becomes" || exit 1
for many in '' many; do
    # shellcheck disable=SC2086 # none, or one
    said=$(preloaded "file:$work/becomes.probe" "$work/becomes" $many 2>&1)
    [ "$said" = "this${many:+ nine}" ] || complain "execle $many: it says $said"
    [ "$(calls "$work/becomes.probe")" = 'step 1 ' ] || complain "execle $many: $(calls "$work/becomes.probe")"
    rm -f "$work"/becomes.probe*
done

$cc -w -O1 -Iinclude tests/probe/programs/jumps.c -o "$work/jumps" -pthread || exit 1
for what in plain signals mask faults coroutines; do
    preloaded "file:$work/$what" "$work/jumps" "$what" || complain "$what: it fails"
done
for what in plain signals mask; do
    [ "$(calls "$work/$what" | grep -o 'deep;step 5\|wrapped;step 5\|step;' | tr '\n' ' ')" = \
        'deep;step 5 deep;step 5 deep;step 5 deep;step 5 wrapped;step 5 ' ] || complain "$what: $(calls "$work/$what")"
done
[ "$(calls "$work/faults")" = 'faults 1 faults;step 1 faults;touch 4 faults;touch;handler 4 faults;touch;handler;step 4 ' ] ||
    complain "faults: $(calls "$work/faults")"
[ "$(calls "$work/coroutines")" = "coroutines 1 coroutines;coroutine 8 coroutines;coroutine;turn 6 \
coroutines;coroutine;turn;fail 6 coroutines;coroutine;turn;step 12 coroutines;step 1 " ] ||
    complain "coroutines: $(calls "$work/coroutines")"
exit $bad
