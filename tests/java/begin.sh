#!/bin/sh
# A VM is recorded from its first moment on: begin.sh BUILD. It has no library of the VM yet, or no handler of the
# signal that attaching sends, which would end it, or no interface for agents.
. "$(dirname "$0")/common.sh"
compile Shares
for moment in 0 0.02 0.05 0.1 0.2 0.3; do
    : > "$work/out"
    java -cp "$work" Shares 1 > "$work/out" &
    program=$!
    pids="$pids $program"
    # It is java by now, and not yet the shell.
    await grep -qx java "/proc/$program/comm"
    sleep $moment
    record --java -p $program -o "$work/begin.flm" || complain "attached $moment s after its start: $(cat "$work/said")"
    wait $program || complain "attached $moment s after its start, the program ended with status $?"
    grep -q alpha "$work/out" || complain "attached $moment s after its start: the program did not end its work"
    folded "$work/begin.flm"
    grep -q 'Shares.alpha' "$work/begin.flm.folded" || complain "attached $moment s after its start: no method was seen"
done
exit $bad
