#!/bin/sh
# Shares of CPU time are those that a program measures itself, within 2 points: shares.sh BUILD. Once from its
# first method on, as our own child, and once as a VM that runs already.
. "$(dirname "$0")/common.sh"
compile Shares

compare()
{
    folded "$1"
    near "$1: alpha" "$(share "$1" Shares.alpha Shares.main)" "$(awk '/alpha/ { print $2 }' "$2")" 2
    near "$1: beta" "$(share "$1" Shares.beta Shares.main)" "$(awk '/beta/ { print $2 }' "$2")" 2
    near "$1: gamma" "$(share "$1" 'Shares.lambda$static$0' Shares.main)" "$(awk '/gamma/ { print $2 }' "$2")" 2
    # The lambda is called through a class that has no name in the source.
    grep -q 'Shares\$\$Lambda.run;Shares.lambda' "$1.folded" || complain "$1: no readable name for the lambda's class"
}

# CPU time, not elapsed: a busy machine makes it longer, and not the samples fewer.
record -F 4999 -o "$work/child.flm" -- java -cp "$work" Shares 3 > "$work/child" || complain 'recording a command failed'
compare "$work/child.flm" "$work/child"

java -cp "$work" Shares 4 > "$work/running" &
program=$!
pids="$pids $program"
await grep -q ready "$work/running"
record -F 4999 --java -p $program -o "$work/attached.flm" || complain 'attaching failed'
wait $program || complain 'the program failed'
compare "$work/attached.flm" "$work/running"
exit $bad
