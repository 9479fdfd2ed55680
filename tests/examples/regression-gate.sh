#!/bin/sh
# The experiment of examples/regression-gate with a few runs: regression-gate.sh FLAMEL. What is
# found are the two changes that were made, each at its place and of its size, and nothing else.
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

# "+108 ms  ...  where": the size of the change, in ms, and the end of its stack.
judge()
{
    awk '
        function wrong(what) {
            print what
            bad = 1
        }
        / ms .* fails  / {
            size = $1 + 0
            if (/;execsitecustomize;.*<module>/ && size > 90 && size < 160)
                grown++
            else if (/;c;b;a$/ && size < -40 && size > -65)
                shrunk++
            else
                wrong("not planted: " $0)
        }
        END {
            if (grown != 1 || shrunk != 1)
                wrong("found: " grown + 0 " of 1 growth, " shrunk + 0 " of 1 shrinking")
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
