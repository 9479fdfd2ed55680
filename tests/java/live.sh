#!/bin/sh
# Bytes of objects that can still be reached when the recording ends, compared with what a program says: live.sh BUILD.
. "$(dirname "$0")/common.sh"
compile Live
# total FILE FUNCTION
total()
{
    awk -v f=";$2;" '{ v = $NF; s = ";" substr($0, 1, length($0) - length(v) - 1) ";"
        if (index(s, f)) sum += v } END { printf "%.0f\n", sum }' "$1"
}
# check WHAT FILE: within five standard deviations of the number of samples that there should be.
check()
{
    "$flamel" convert -q -m live "$2" -o "$work/live.folded" || complain "$1: no live objects"
    kept=$(awk '$1 == "kept" { print $2 }' "$work/out")
    near "$1: percent of what is kept" "$(awk -v a="$(total "$work/live.folded" 'Live.kept;byte[]')" -v b="$kept" 'BEGIN { print 100 * a / b }')" \
        100 "$(awk -v b="$kept" 'BEGIN { print 2 + 500 * sqrt(524288 / b) }')"
    # Its arrays alone: the list keeps its own array, of references, when it is cleared.
    [ "$(total "$work/live.folded" 'Live.dropped;byte[]')" = 0 ] || complain "$1: what was dropped is there"
    # The last sampled object of each thread may still be in a register.
    [ "$(total "$work/live.folded" Live.passing)" -le 1200000 ] || complain "$1: garbage is there"
    "$flamel" convert -q -m allocation "$2" -o "$work/allocated.folded" || complain "$1: no allocations"
    [ "$(total "$work/allocated.folded" Live.passing)" -gt "$kept" ] || complain "$1: garbage was not sampled"
}

mkfifo "$work/in"
java -Xmx700m -cp "$work" Live < "$work/in" > "$work/out" 2> "$work/err" &
program=$!
pids="$pids $program"
exec 9> "$work/in"
await grep -q ready "$work/out"
"$flamel" record -q --java=alloc,live -p $program -o "$work/attached.flm" 2> "$work/said" 9>&- &
recorder=$!
pids="$pids $recorder"
await sh -c "! ($(command -v grep) -c 'memfd:flamel' /proc/$program/maps | grep -qx 0) || ! kill -0 $recorder"
kill -0 $recorder || { cat "$work/said"; grep -q 'perf_event_paranoid' "$work/said" && exit 77; }
echo >&9
await grep -q kept "$work/out"
kill -TERM $recorder
wait $recorder || complain "attached: the recorder ended with status $?: $(cat "$work/said")"
check attached "$work/attached.flm"
exec 9>&-
wait $program || complain "the program ended with status $?: $(cat "$work/err")"

# The VM ends first: objects that can be reached then.
echo | record --java=alloc,live -o "$work/ended.flm" -- java -Xmx700m -cp "$work" Live > "$work/out" || complain 'recording failed'
check ended "$work/ended.flm"
exit $bad
