#!/bin/sh
# The library under the thread sanitizer: races.sh BUILD. Several threads measure everything that has no front (see
# mk/probe.mk: what stands in front of malloc and of locks cannot be sanitized, the sanitizer stands there
# itself), while reports are written. Any race that it sees is a failure: there is no list of known ones.
build=$1
program=$build/tests/probe/races
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
[ -x "$program" ] || { echo 'no thread sanitizer here'; exit 77; }
FLAMEL=off "$program" > "$work/out" 2>&1 || { echo "it does not run here: $(head -n 1 "$work/out")"; exit 77; }
for words in on cpu cpu,signal:USR2,metrics:0 budget:2% sample:4 count ordered; do
    rm -f "$work"/r.*
    FLAMEL=$words,quiet,report:$work/r.txt,json:$work/r.json,flm:$work/r.flm,file:$work/r.probe \
        "$program" > "$work/out" 2>&1
    status=$?
    [ $status = 0 ] && [ ! -s "$work/out" ] || { echo "$words: status $status: $(head -n 60 "$work/out")"; bad=1; }
    # 4 threads x (1,500 rounds x 3 + 3 threads that were made)
    leaf=$("$build/flamel" convert -q -t folded -m calls "$work/r.probe" | awk '/;leaf [0-9]*$/ { n += $NF } END { print n }')
    [ "$leaf" = 18012 ] || { echo "$words: leaf has $leaf calls, not 18012"; bad=1; }
done
exit $bad
