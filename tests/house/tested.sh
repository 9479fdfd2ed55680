#!/bin/sh
# src/A/B.c has its test, tests/A/B_test.c or the transcript tests/A/B.md. One test may serve the
# parts of a module: number_test.c tests number_parse.c too. What has none is listed in
# tests/house/untested, a line each: the file, and the reason.

list=tests/house/untested
[ -f $list ] || list=/dev/null
bad=0

excused()
{
    awk -v file="$1" '$1 == file && NF > 1 { found = 1 } END { exit !found }' $list
}

# Of number_parse: number_parse, then number.
tested()
{
    name=$1
    while [ ! -f "tests/${name}_test.c" ] && [ ! -f "tests/$name.md" ]; do
        case ${name##*/} in
        *_*) name=${name%_*} ;;
        *) return 1 ;;
        esac
    done
}

for source in src/*/*.c; do
    name=${source#src/}
    name=${name%.c}
    if tested "$name"; then
        excused "$source" && { echo "$list: $source has a test by now"; bad=1; }
    elif ! excused "$source"; then
        echo "$source: there is no tests/${source#src/}" | sed 's/\.c$/_test.c/'
        bad=1
    fi
done
for source in $(awk '!/^#/ && NF { print $1 }' $list); do
    [ -f "$source" ] || { echo "$list: there is no $source"; bad=1; }
done
exit $bad
