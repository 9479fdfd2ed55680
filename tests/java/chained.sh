#!/bin/sh
# Another profiler puts its handler of faults in front of the agent's while a VM is recorded: chained.sh BUILD. It
# stays there, and calls the agent's; recorded again, the program goes on to its end. A thread of it computes in a loop,
# where the VM stops it by faults.
. "$(dirname "$0")/common.sh"
cc -shared -fPIC -o "$work/chain.so" "$here/programs/chain.c" || {
    echo 'there is no C compiler here'
    exit 77
}
compile Waits
mkfifo "$work/in"
LD_PRELOAD="$work/chain.so" java -Xmx128m -cp "$work" Waits < "$work/in" > "$work/out" 2>&1 &
program=$!
pids=$program
exec 9> "$work/in"
await grep -q ready "$work/out"
"$flamel" record -q --java=cpu,wall -p $program -d 60s -o "$work/first.flm" 2> "$work/said" 9>&- &
recorder=$!
pids="$pids $recorder"
await grep -q 'memfd:flamel' "/proc/$program/maps"
await_cpu $program 20
kill -IO $program
await_cpu $program 20
kill $recorder
wait $recorder || complain "the first recording ended with status $?: $(cat "$work/said")"
for i in 1 2; do
    record --java=cpu,wall -p $program -d 500ms -o "$work/again.flm" || complain "recording again failed: $(cat "$work/said")"
    await_cpu $program 20
done
"$flamel" info "$work/again.flm" | grep -q 'samples by an agent in the VM' || complain 'recorded again, the agent has no samples'
"$flamel" info "$work/again.flm" | grep 'leaves when it runs again' && complain 'the VM hangs'
has_ended()
{
    ! grep -q "^State:[^Z]*$" "/proc/$program/status"
}
exec 9>&-
await has_ended || kill -9 $program
wait $program || complain "the program ended with status $?"
grep -q "^blocked" "$work/out" || complain "the program has not come to its end: $(tail -n 3 "$work/out")"
exit $bad
