#!/bin/sh
# src/A/B.c has its test, tests/A/B_test.c or the transcript tests/A/B.md. One test may serve the
# parts of a module: number_test.c tests number/parse.c too. What has none is listed in
# tests/house/untested, a line each: the file, or a folder with a / behind it, and the reason.

list=tests/house/untested
[ -f $list ] || list=/dev/null
bad=0

excused()
{
    awk -v file="$1" -v folder="${1%/*}/" '
        ($1 == file || $1 == folder) && NF > 1 { found = 1 }
        END { exit !found }' $list
}

# Of record/perf/event_layout: that name, then record/perf/event, then record/perf/perf.
tested()
{
    name=$1
    folder=${name%/*}
    while [ ! -f "tests/${name}_test.c" ] && [ ! -f "tests/$name.md" ]; do
        case ${name##*/} in
        "${folder##*/}") return 1 ;;
        *_*) name=${name%_*} ;;
        *) name=$folder/${folder##*/} ;;
        esac
    done
}

for source in $(find src -name '*.c' ! -path '*/libc/*' | sort); do
    name=${source#src/}
    name=${name%.c}
    if tested "$name"; then
        awk -v file="$source" '$1 == file { found = 1 } END { exit !found }' $list && { echo "$list: $source has a test by now"; bad=1; }
    elif ! excused "$source"; then
        echo "$source: there is no tests/${source#src/}" | sed 's/\.c$/_test.c/'
        bad=1
    fi
done
for source in $(awk '!/^#/ && NF { print $1 }' $list); do
    [ -e "$source" ] || { echo "$list: there is no $source"; bad=1; }
done
exit $bad
