#!/bin/sh
# A real program recorded on this machine, and what was found: demo.sh FLAMEL FOLDER [CC]
#
# What is recorded is surely there: the compiler that built flamel, at one of its sources, and then
# flamel itself, turning a large profile over. Where recording is not allowed (in many containers)
# it says why, and shows a profile that was recorded elsewhere.
#
# FOLDER gets demo.flm, demo.svg and demo.html; the page is opened where there is a desktop.

set -u
flamel=$1
folder=$2
cc=${3:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Stacks as a program of many functions has them: some paths often, most of them seldom.
stacks()
{
    awk 'BEGIN {
        split("read parse decode lookup merge sort hash copy write flush encode check", verb, " ")
        split("request token header index table block string buffer row page node path", noun, " ")
        srand(7)
        for (i = 0; i < 150000; i++) {
            line = "main"
            depth = 4 + int(14 * rand() * rand())
            for (k = 0; k < depth; k++)
                line = line ";" verb[1 + int(12 * rand() * rand())] "_" noun[1 + int(12 * rand())]
            print line, 1 + int(50 * rand() * rand())
        }
    }'
}

# The program that is recorded: two compilations at once, and flamel behind them.
work()
{
    cat << 'END'
for source in src/viewer/query/detail.c src/record/perf/event.c; do
    $CC -std=c11 -D_GNU_SOURCE -O2 -g -Isrc -Iinclude -c $source -o $WORK/${source##*/}.o &
done
wait
for operations in 'invert' 'by:function | invert' 'collapse:any | invert'; do
    $FLAMEL filter -q $WORK/stacks.folded --apply "$operations" -o $WORK/turned.flm
done
END
}

record()
{
    stacks > "$work/stacks.folded"
    work > "$work/program"
    # A cache would have the results, and nothing would be compiled.
    CCACHE_DISABLE=1 CC=$cc WORK=$work FLAMEL=$flamel "$flamel" record -q -o "$folder/demo.flm" -- sh "$work/program" \
        2> "$work/why"
}

started=$(date +%s)
echo 'Recording the compiler and flamel at work, a few seconds ...'
if record; then
    what="${cc##* } compiling two files of flamel, and flamel turning a profile over"
else
    sed 's/^/    /' "$work/why"
    echo 'So this is a profile that was recorded elsewhere: Node.js running a small benchmark.'
    "$flamel" convert -q tests/data/folded/perf-node.folded -o "$folder/demo.flm" || exit 1
    what='Node.js running a small benchmark'
fi
"$flamel" convert -q "$folder/demo.flm" -o "$folder/demo.svg" --title "$what" || exit 1
"$flamel" convert -q "$folder/demo.flm" -o "$folder/demo.html" || exit 1

echo
"$flamel" report -q -n 12 "$folder/demo.flm"
cat << END

$what ($(($(date +%s) - started)) s in all):

    $folder/demo.html    the viewer with the profile in it
    $folder/demo.svg     a picture that can be zoomed
    $folder/demo.flm     the profile:  $flamel view $folder/demo.flm
                         in this terminal:  $flamel view --tui $folder/demo.flm

Your own program:  $flamel record -- ./app    and    $flamel top PID
END

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open > /dev/null 2>&1; then
    xdg-open "$folder/demo.html" > /dev/null 2>&1 &
else
    echo "There is no desktop here: open $folder/demo.html in a browser."
fi
