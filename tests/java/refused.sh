#!/bin/sh
# An agent that cannot begin takes everything back: refused.sh BUILD. A VM whose memory may not grow is attached to,
# with a little more room each time, until it works; after each failure its signal handlers are those of before, and
# nothing of the agent is in it. And the recorder does not wait for a VM that is stopped.
. "$(dirname "$0")/common.sh"
command -v prlimit > /dev/null || {
    echo 'there is no prlimit here'
    exit 77
}
compile Still
mkfifo "$work/in"
java -Xint -XX:+UseSerialGC -Xmx32m -cp "$work" Still < "$work/in" > "$work/out" 2>&1 &
program=$!
pids=$program
exec 9> "$work/in"
await grep -q ready "$work/out"
# The first command, for which the VM starts a thread of its own.
record --threads-of $program -d 100ms -o "$work/first.flm" || complain "asking for threads failed: $(cat "$work/said")"

# What the agent would leave: handlers, files, memory that is shared, its thread.
state_of()
{
    grep SigCgt "/proc/$program/status"
    find "/proc/$program/fd" -lname 'anon_inode:*perf_event*' -o -lname '*flamel-java*' -o -lname 'anon_inode:*eventfd*' | wc -l
    grep -c 'memfd:flamel' "/proc/$program/maps"
    grep -lx flamel "/proc/$program/task/"*/comm 2> /dev/null | wc -l
}
same_state()
{
    state_of > "$work/now"
    cmp -s "$work/before" "$work/now"
}
state_of > "$work/before"
size()
{
    awk '/VmSize/ { printf "%.0f\n", 1024 * $2 }' "/proc/$program/status"
}
refused=0
now=$(size)
for mib in 12 20 24 26 28 30 32 34 36 38 40 44 48 56 64; do
    prlimit --pid $program "--as=$((now + mib * 1048576)):"
    if record --java=cpu,wall -p $program -d 200ms -o "$work/refused.flm" > /dev/null; then
        break
    fi
    refused=$((refused + 1))
    echo "$mib MiB: $(cat "$work/said")"
    prlimit --pid $program --as=unlimited:
    await same_state || complain "with $mib MiB more, after '$(cat "$work/said")': $(diff "$work/before" "$work/now")"
done
prlimit --pid $program --as=unlimited:
[ $refused -gt 1 ] || complain "it was refused $refused times, and should have been more often"
# It is as good as new.
record --java=cpu,wall -p $program -d 300ms -o "$work/last.flm" || complain "attaching after all failed: $(cat "$work/said")"
await same_state || complain "in the end: $(diff "$work/before" "$work/now")"

# Stopped while it is recorded: the recording ends, and the agent leaves when the VM runs again.
"$flamel" record -q --java=cpu,wall -p $program -d 60s -o "$work/stopped.flm" 2> "$work/said" 9>&- &
recorder=$!
pids="$pids $recorder"
await grep -q 'memfd:flamel' "/proc/$program/maps"
# The recorder takes signals only when all agents have begun.
takes_signals()
{
    [ $((0x$(awk '/^SigCgt/ { print $2 }' "/proc/$recorder/status") & 0x4000)) -ne 0 ] # SIGTERM
}
await takes_signals
kill -STOP $program
kill -TERM $recorder
wait $recorder || complain "with a stopped VM the recorder ended with status $?: $(cat "$work/said")"
"$flamel" info "$work/stopped.flm" | grep -q 'is stopped: the agent in it leaves when it runs again' ||
    complain 'it is not said that the VM is stopped'
kill -CONT $program
await same_state || complain "after it was stopped: $(diff "$work/before" "$work/now")"
exec 9>&-
wait $program || complain "the program ended with status $?"
exit $bad
