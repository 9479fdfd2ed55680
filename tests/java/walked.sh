#!/bin/sh
# Nearly all samples have their Java stack: walked.sh BUILD. Those of compiled code that has something on the stack of
# which the VM does not know (String.compareTo), of stubs, and of functions of the VM that code calls directly, too.
. "$(dirname "$0")/common.sh"
compile Words
record -F 1999 -o "$work/words.flm" -- java -cp "$work" Words 4 > "$work/said.by.it" || complain 'recording failed'
folded "$work/words.flm"
near 'percent of samples of Java threads without a Java stack' "$(awk '
    /no Java stack/ { none += $NF }
    /no Java stack|Words\.sort/ { all += $NF }
    END { print all ? 100 * none / all : 100 }' "$work/words.flm.folded")" 0 5
exit $bad
