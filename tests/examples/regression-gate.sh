#!/bin/sh
# The experiment of examples/regression-gate with a few runs: regression-gate.sh FLAMEL. The gate finds
# the two changes that were made, each in its function and of its size, and nothing else.
#
# Eight runs of each are the fewest for alpha 0.01 but one.

flamel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
example=$(pwd)/examples/regression-gate
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

version=$(python3 -c 'import sys; print(sys.version_info[0] * 100 + sys.version_info[1])' 2> /dev/null)
if [ -z "$version" ]; then
    echo 'there is no python3'
    exit 77
elif [ "$version" -lt 308 ] || [ "$version" -gt 313 ]; then
    echo "python3 is $version; functions are known of 3.8 to 3.13"
    exit 77
elif ! why=$("$flamel" record -q --off-cpu -o "$work/probe.flm" -- true 2>&1); then
    echo "nothing may be recorded here: $why"
    exit 77
elif ! python3 -c 'import sys; sys.exit(sys.implementation.name != "cpython")'; then
    echo 'python3 is not CPython'
    exit 77
fi

# Columns are apart by two spaces or more: change, share, "+75 ms to +142 ms", p, "fails", where; and in
# the table of noise: between runs, by sampling, MDE, where.
#
# The machine may be busy, and a sleep then ends late: so what is tested is that the interval holds
# the change that was made, and that the smaller one is found wherever the minimum detectable effect is
# less than a quarter of 200 ms.
judge()
{
    awk -F '  +' '
        function wrong(what) {
            print what
            bad = 1
        }
        function holds(interval, change,  bounds) {
            split(interval, bounds, " to ")
            return bounds[1] + 0 <= change + 10 && bounds[2] + 0 >= change - 10
        }
        { sub(/^ +/, "") }
        / ms  .*  fails  / {
            if ($NF ~ /;execsitecustomize;.*<module>/ && holds($3, 100))
                grown++
            else if ($NF ~ /;c;b;a$/ && holds($3, -50))
                shrunk++
            else
                wrong("not planted: " $0)
        }
        NF <= 4 && $NF ~ /;c;b;a$/ { mde = $(NF - 1) + 0 }
        END {
            if (mde == 0)
                wrong("the table of noise does not have c;b;a")
            if (grown != 1 || shrunk > 1 || (shrunk == 0 && mde < 25))
                wrong("found: " grown + 0 " of 1 growth, " shrunk + 0 " of 1 shrinking; the minimum detectable effect is " \
                      mde " % of c;b;a")
            exit bad
        }
    ' verdict
}

# A gate may be wrong in one of a hundred cases, and a machine may stand still for a while: so twice.
cd "$work" || exit 1
for attempt in first second; do
    FLAMEL=$flamel "$example/run.sh" 8 > verdict
    status=$?
    cat verdict
    [ $status -eq 1 ] && judge && exit 0
    echo "the $attempt time, the gate has said $status"
done
exit 1
