#!/bin/sh
# Threads and tasks of CPython as a program knows them: python.sh FLAMEL. The tasks of asyncio have their
# shares of the samples, the calls that wait for the GIL their share of the time of a thread, each within
# two percentage points of what the program measures. What blocks that thread is the GIL, and it has its
# name. No time is asserted.

cd "$(dirname "$0")/programs" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
checked=0
export XDG_CACHE_HOME="$work/cache"

# The sum of lines of folded stacks that match a pattern: sum FILE PATTERN.
sum()
{
    awk -v pattern="$2" '$0 ~ pattern { sum += $NF } END { printf "%.0f\n", sum }' "$1"
}
# near WHAT A B WANTED: a/b is within 0.02 of it.
near()
{
    awk -v a="$2" -v b="$3" -v wanted="$4" -v what="$1" 'BEGIN {
        share = b > 0 ? a / b : -1
        if (share - wanted <= 0.02 && wanted - share <= 0.02) exit 0
        printf "%s: %.1f %%, not %.1f\n", what, 100 * share, 100 * wanted
        exit 1
    }' || bad=1
}
# fold METRIC KEY: the samples of the recording, with a label as the first frame.
fold()
{
    "$flamel" convert -q -m "$1" -a "split:$2" -t folded -o "$work/$2.$1" "$work/run.flm" 2> "$work/said" || {
        cat "$work/said"
        bad=1
    }
}
check()
{
    name=$("$1" -c 'import sys; print("CPython %d.%d" % sys.version_info[:2])') || return
    "$flamel" record -q --off-cpu -e cpu-clock -F 499 -o "$work/run.flm" -- "$1" threads.py > "$work/measured" 2> "$work/said" || {
        cat "$work/said"
        bad=1
        return
    }
    checked=$((checked + 1))
    read -r large released < "$work/measured"
    fold cpu-clock task
    near "$name: task large" "$(sum "$work/task.cpu-clock" '^large;')" "$(sum "$work/task.cpu-clock" '^(large|small);')" "$large"
    fold cpu-clock 'thread name'
    fold off-cpu 'thread name'
    cat "$work/thread name.cpu-clock" "$work/thread name.off-cpu" > "$work/all"
    waiter=$(sum "$work/all" ';demand[; ]')
    near "$name: releases the GIL and takes it" "$(sum "$work/all" ';demand;.*give_and_take[; ]')" "$waiter" "$released"
    near "$name: has its name" "$(sum "$work/all" '^waiter;.*;demand[; ]')" "$waiter" 1
    # What it waits for is the GIL, unless it could run.
    fold off-cpu state
    blocked=$(awk '!/^runnable;/' "$work/state.off-cpu" > "$work/blocked" && sum "$work/blocked" ';demand;.*[; ]')
    near "$name: blocked by the GIL" "$(sum "$work/blocked" '^GIL;.*;demand;.*;\\[waiting for the GIL\\];')" "$blocked" 1
}

"$flamel" record -q --off-cpu -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}
for python in /usr/bin/python3 $(command -v python3); do
    [ -x "$python" ] && [ "$(realpath "$python")" != "${last:-}" ] || continue
    last=$(realpath "$python")
    check "$python"
done
[ $checked -gt 0 ] || {
    echo 'there is no python3 here'
    exit 77
}
exit $bad
