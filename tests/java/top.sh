#!/bin/sh
# `flamel top --java` shows the methods of a VM that runs, takes its agent back when it ends, and ends with a VM that
# does: top.sh BUILD.
. "$(dirname "$0")/common.sh"
compile Busy
mkfifo "$work/in"
java -Xmx64m -cp "$work" Busy 3 < "$work/in" > "$work/out" 2>&1 &
program=$!
pids=$program
exec 9> "$work/in"
await grep -q ready "$work/out"
# A round has what was sampled in a second: on a busy machine that may be little, so the functions are of several.
"$flamel" top --java --once 3 --json -n 50 -p $program > "$work/top.json" 2> "$work/said" || {
    cat "$work/said"
    grep -q 'perf_event_paranoid' "$work/said" && exit 77
    complain "top ended with status $?"
}
grep -q '"function": "Busy[$.]' "$work/top.json" || complain "no method of the program: $(cut -c 1-2000 "$work/top.json")"
no_agent()
{
    ! grep -q 'memfd:flamel' "/proc/$program/maps"
}
await no_agent

"$flamel" top --java --json -n 50 -p $program > "$work/until.json" 2> "$work/said" 9>&- &
recorder=$!
pids="$pids $recorder"
await grep -q '"function": "Busy[$.]' "$work/until.json"
exec 9>&-
wait $program || complain "the program ended with status $?"
grep -qx right "$work/out" || complain "the program was not right: $(tail -n 3 "$work/out")"
wait $recorder || complain "top ended with status $?: $(cat "$work/said")"
exit $bad
