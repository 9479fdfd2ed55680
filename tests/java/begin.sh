#!/bin/sh
# A VM is recorded from its first moment on: begin.sh BUILD. It has no library of the VM yet, or no handler of the
# signal that attaching sends, which would end it, or no interface for agents. And VMs that a command starts, whose
# name is another one.
. "$(dirname "$0")/common.sh"
compile Busy
mkfifo "$work/in"

# has_stacks FILE WHEN: the agent has taken some.
has_stacks()
{
    "$flamel" info "$1" | grep -q 'samples by an agent in the VM' || complain "$2: the agent has no samples"
}
# right WHAT: what the program computes is.
right()
{
    grep -qx right "$work/out" || complain "$1: the program was not right: $(tail -n 3 "$work/out")"
}

# How far the VM is, in the order in which it goes: from the launcher alone to the program.
is_at()
{
    case $1 in
    launcher) grep -qx java "/proc/$program/comm" ;;
    library) grep -q libjvm "/proc/$program/maps" ;;
    threads) grep -qx 'VM Thread' "/proc/$program/task/"*/comm ;;
    signals) grep -qx 'Signal Dispatch' "/proc/$program/task/"*/comm ;;
    begun) grep -qx 'Service Thread' "/proc/$program/task/"*/comm ;;
    program) grep -q ready "$work/out" ;;
    esac 2> /dev/null
}
for moment in launcher library threads signals begun program; do
    : > "$work/out"
    java -Xmx64m -cp "$work" Busy 2 < "$work/in" > "$work/out" 2>&1 &
    program=$!
    pids="$pids $program"
    exec 9> "$work/in"
    # Without a pause: it passes soon.
    until is_at $moment || [ ! -d "/proc/$program" ]; do
        :
    done
    record --java -p $program -d 1s -o "$work/begin.flm" || complain "attached at '$moment': $(cat "$work/said")"
    exec 9>&-
    wait $program || complain "attached at '$moment', the program ended with status $?"
    right "attached at '$moment'"
done

# The launcher that runs now, once it has the agent.
find_launcher()
{
    for maps in $(grep -l 'memfd:flamel-java' /proc/[0-9]*/maps 2> /dev/null); do
        folder=${maps%/maps}
        grep -q "$work/launcher" "$folder/cmdline" && launcher=${folder#/proc/} && return 0
    done
    return 1
}

# A launcher of another name, which a script starts, twice.
ln -s "$(readlink -f "$(command -v java)")" "$work/launcher"
"$flamel" record -q --java -o "$work/started.flm" -- sh -c '
    for i in 1 2; do "$0/launcher" -Xmx64m -cp "$0" Busy 2; done' "$work" < "$work/in" > "$work/out" 2> "$work/said" &
recorder=$!
pids="$pids $recorder"
for i in 1 2; do
    exec 9> "$work/in"
    await sh -c "grep -c ready '$work/out' | grep -qx $i"
    # Until the agent is in it.
    await find_launcher
    await_cpu "$launcher" 50
    exec 9>&-
    [ $i = 2 ] || await sh -c "grep -c right '$work/out' | grep -qx $i"
done
wait $recorder || complain "recording a script ended with status $?: $(cat "$work/said")"
[ "$(grep -c right "$work/out")" = 2 ] || complain "the started programs were not right: $(cat "$work/out")"
has_stacks "$work/started.flm" 'started by a script'
folded "$work/started.flm"
grep -q 'Busy' "$work/started.flm.folded" || complain 'started by a script: no method of the program was seen'

# One that starts no VM.
record --java -o "$work/none.flm" -- sh -c true || complain "a command that starts no VM: $(cat "$work/said")"
"$flamel" info "$work/none.flm" | grep -q 'no Java VM was started' || complain 'it is not said that there was no VM'
exit $bad
