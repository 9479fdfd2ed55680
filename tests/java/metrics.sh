#!/bin/sh
# Elapsed time with states, allocations and monitors, against what a program measures itself: metrics.sh BUILD.
. "$(dirname "$0")/common.sh"
compile Waits
mkfifo "$work/in"

# The program is our own child, so what it counts is what there is to see. It runs until enough was allocated.
"$flamel" record -q --java=cpu,wall,alloc,lock -o "$work/waits.flm" -- \
    java -XX:-UseCompressedClassPointers -cp "$work" Waits < "$work/in" > "$work/out" 2> "$work/said" &
recorder=$!
pids="$pids $recorder"
exec 9> "$work/in"
await grep -q ready "$work/out"
await_cpu "$(child_of $recorder)" 600
exec 9>&-
wait $recorder || {
    cat "$work/said"
    grep -q 'perf_event_paranoid' "$work/said" && exit 77
    complain 'recording failed'
}
value()
{
    awk -v name="$1" '$1 == name { print $2 }' "$work/out"
}
# total METRIC FUNCTION: the sum of stacks with it
total()
{
    "$flamel" convert -q -m "$1" "$work/waits.flm" -o "$work/$1.folded"
    awk -v f=";$2;" '{ v = $NF; s = ";" substr($0, 1, length($0) - length(v) - 1) ";"
        if (index(s, f)) sum += v } END { printf "%.0f\n", sum }' "$work/$1.folded"
}
percent()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f\n", b ? 100 * a / b : 0 }'
}
# Five times the deviation of as many samples as there should be.
tolerance()
{
    awk -v bytes="$1" 'BEGIN { printf "%.2f\n", 2 + 500 * sqrt(524288 / bytes) }'
}
near 'arrays, percent of what was allocated' "$(percent "$(total allocation 'Waits.allocateArrays;byte[]')" "$(value arrays)")" 100 "$(tolerance "$(value arrays)")"
near 'objects, percent of what was allocated' "$(percent "$(total allocation 'Waits.allocateSmall;Waits$Small')" "$(value small)")" 100 "$(tolerance "$(value small)")"
# A thread spins before it waits, for the VM, which on a busy machine is longer.
near 'blocked, percent of what was measured' "$(percent "$(total lock 'Waits.enter')" "$(value blocked)")" 80 22
[ "$(total lock 'Waits.enter;java.lang.Object')" = "$(total lock 'Waits.enter')" ] || complain 'the class of the lock is not its leaf'
near 'queued, percent of what was measured' "$(percent "$(total lock 'Waits.queue')" "$(value queued)")" 90 12
grep -q 'Waits.queue;.*;java.util.concurrent.locks.ReentrantLock$FairSync ' "$work/lock.folded" || complain 'the class of the fair lock is not its leaf'
# The lock of a class that is being initialized is an int[].
grep 'Waits.awaitSignal' "$work/lock.folded" | grep -v ';int\[\] ' && complain 'conditions and latches are no locks'
"$flamel" info "$work/waits.flm" | grep 'Java locks' && complain 'parks were not measured'
grep -i 're-registering' "$work/out" "$work/said" && complain 'the VM has warned'

# state THREAD STATE: most of the elapsed time of the thread is in that state
state()
{
    all=$("$flamel" convert -q -m wall --apply "thread:$1" "$work/waits.flm" -t folded | awk '{ n += $NF } END { printf "%.0f\n", n }')
    of=$("$flamel" convert -q -m wall --apply "thread:$1 | state:$2" "$work/waits.flm" -t folded | awk '{ n += $NF } END { printf "%.0f\n", n }')
    awk -v a="$of" -v b="$all" 'BEGIN { exit !(b > 1e9 && a > 0.5 * b) }' ||
        complain "thread $1: $of of $all ns are '$2'"
}
state sleeps sleeping
state waits waiting
state timed timed-waiting
state parks parked
state reads native
state holds sleeping
state blocked blocked
# On a busy machine it waits for a CPU, too.
state runs on-CPU,runnable

# The VM checks how its functions are called.
record --java=cpu,wall,alloc,lock -o "$work/checked.flm" -- java -Xcheck:jni -cp "$work" Waits < /dev/null > "$work/out"
grep -i 'without checking\|fatal' "$work/out" "$work/said" && complain 'the JNI is called wrongly'
exit $bad
