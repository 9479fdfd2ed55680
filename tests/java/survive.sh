#!/bin/sh
# The agent never harms its host: survive.sh BUILD [SECONDS [COLLECTOR]...]. A program that starts threads, loads
# and unloads classes and makes garbage is attached to again and again, under each collector; the recorder is
# killed; the VM ends while it is sampled, in both ways. What the program computes must be right in the end, and
# nothing of the agent may be left in it but its library, which HotSpot does not unload.
. "$(dirname "$0")/common.sh"
seconds=${2:-3}
[ $# -gt 2 ] && shift 2 && collectors=$*
collectors=${collectors:-UseSerialGC UseParallelGC UseG1GC UseZGC UseShenandoahGC}
compile Busy
mkfifo "$work/in"
files_of_agents()
{
    ls -a /tmp | grep '^\.\(lib\)\{0,1\}flamel-java'
}
files_of_agents > "$work/before"

# How many there are: files of perf events and of ours, timers, threads of ours.
left_behind()
{
    find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' -o -lname '*flamel-java*' | wc -l
    grep -c . "/proc/$1/timers"
    grep -lx flamel "/proc/$1/task/"*/comm 2> /dev/null | wc -l
    grep -c 'perf_event\|memfd:flamel' "/proc/$1/maps"
}
is_clean()
{
    [ "$(left_behind "$1" | tr -d '\n')" = 0000 ]
}

# start COLLECTOR: a program that runs until its input ends.
start()
{
    : > "$work/out"
    rm -f "$work"/hs_err*
    java -XX:+UnlockExperimentalVMOptions "-XX:+$1" -XX:ErrorFile="$work/hs_err" -XX:-CreateCoredumpOnCrash -Xmx256m \
        -cp "$work" Busy 8 < "$work/in" > "$work/out" 2> "$work/err" &
    program=$!
    pids="$pids $program"
    exec 9> "$work/in"
    await grep -q ready "$work/out"
}
# finish WHAT: it ends by itself, and is right.
finish()
{
    exec 9>&-
    wait $program
    status=$?
    [ $status = 0 ] && grep -qx right "$work/out" && [ ! -e "$work/hs_err" ] || {
        complain "$1: the program ended with status $status: $(tail -n 3 "$work/out" "$work/err")"
        grep -m 12 . "$work/hs_err" 2> /dev/null
    }
}

for collector in $collectors; do
    java -XX:+UnlockExperimentalVMOptions "-XX:+$collector" -version > /dev/null 2>&1 || continue
    start $collector
    until=$(($(date +%s) + seconds))
    times=0
    while :; do
        record -F 1999 --java=cpu,wall,alloc,live,lock -p $program -d 300ms -o "$work/$collector.flm" || {
            complain "$collector: attaching failed: $(cat "$work/said")"
            break
        }
        times=$((times + 1))
        # The last that its thread does, once the recorder may go, is to leave the VM.
        await is_clean $program || { complain "$collector: left behind: $(left_behind $program | tr '\n' ' ')"; break; }
        [ "$(date +%s)" -lt $until ] || break
    done
    echo "$collector: attached $times times"
    finish $collector
    folded "$work/$collector.flm"
    grep -q 'Busy' "$work/$collector.flm.folded" || complain "$collector: no method of the program was seen"
done

# The recorder is killed: the agent notices, and goes.
start UseSerialGC
"$flamel" record -q --java=cpu,wall,lock -p $program -d 60s -o "$work/killed.flm" 2> "$work/said" 9>&- &
recorder=$!
pids="$pids $recorder"
await sh -c "! ($(command -v grep) -c 'memfd:flamel' /proc/$program/maps | grep -qx 0)"
kill -9 $recorder
wait $recorder 2> /dev/null
await is_clean $program 2> /dev/null || is_clean $program || complain "after the recorder was killed: $(left_behind $program | tr '\n' ' ')"
finish 'the recorder was killed'

# The VM ends while it is sampled: by itself, and by a signal.
for way in itself TERM KILL; do
    start UseG1GC
    "$flamel" record -q --java=cpu,wall,lock -p $program -d 60s -o "$work/$way.flm" 2> "$work/said" 9>&- &
    recorder=$!
    pids="$pids $recorder"
    await sh -c "! ($(command -v grep) -c 'memfd:flamel' /proc/$program/maps | grep -qx 0)"
    await_cpu $program 20
    if [ $way = itself ]; then
        finish 'it ended while sampled'
    else
        kill -$way $program
        wait $program 2> /dev/null
        exec 9>&-
        [ ! -e "$work/hs_err" ] || complain "killed by $way: the VM crashed"
    fi
    wait $recorder || complain "$way: the recorder ended with status $?: $(cat "$work/said")"
    [ -s "$work/$way.flm" ] || complain "$way: nothing was recorded"
done
# Those of other recordings go away, too.
for file in $(files_of_agents); do
    grep -qxF "$file" "$work/before" || await test ! -e "/tmp/$file" || complain "/tmp/$file is left"
done
exit $bad
