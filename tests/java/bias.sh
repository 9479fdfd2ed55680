#!/bin/sh
# Stacks are those of where a thread is, not of the next safepoint: bias.sh BUILD. A counted loop with an inlined call
# has none in it; its share is what the program measures, within 2 points. That safepoints would show something else
# is what thread dumps of the same program show, which are taken there.
. "$(dirname "$0")/common.sh"
compile Bias
options='-XX:+UseSerialGC -XX:-UseCountedLoopSafepoints -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Bias.*'

# shellcheck disable=SC2086
record -F 1999 -o "$work/child.flm" -- java $options -cp "$work" Bias 4 > "$work/child" || complain 'recording a command failed'
folded "$work/child.flm"
near 'a command: the loop' "$(share "$work/child.flm" Bias.counted Bias.main)" "$(awk '/counted/ { print $2 }' "$work/child")" 2

# shellcheck disable=SC2086
java $options -cp "$work" Bias 6 > "$work/running" &
program=$!
pids="$pids $program"
await grep -q ready "$work/running"
record -F 1999 --java -p $program -d 2s -o "$work/attached.flm" || complain 'attaching failed'
record --threads-of $program -o "$work/dumps.flm" || complain 'asking for threads failed'
wait $program || complain 'the program failed'
folded "$work/attached.flm"
counted=$(awk '/counted/ { print $2 }' "$work/running")
near 'attached: the loop' "$(share "$work/attached.flm" Bias.counted Bias.main)" "$counted" 2
folded "$work/dumps.flm" cpu
awk -v a="$(share "$work/dumps.flm" Bias.counted Bias.main)" -v b="$counted" 'BEGIN { exit !(b - a > 2) }' ||
    complain "safepoints show the loop too, so this test shows nothing: $(cat "$work/dumps.flm.folded")"
exit $bad
