#!/bin/sh
# Makes two modules of one: split.sh LINKED VIEWER FIRST SECOND TOOLS...
#
# FIRST has the functions that VIEWER has, a link of the viewer alone; SECOND has the others of LINKED, which
# are the readers of other tools' files. TOOLS are the commands wasm-opt and wasm-split with the features of
# the modules. What FIRST calls of SECOND goes through a table, where the page puts what loads SECOND.
#
# The linker merges functions that are alike, under the name of either: so what FIRST calls directly is added to
# it until that is only the functions that the page calls in its worker. By numbers, where functions have no
# names, the two modules call what they share by a letter or two.
set -e
linked=$1 viewer=$2 first=$3 second=$4 optimize=$5 split=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines "NUMBER:NAME" of a module's functions.
functions()
{
    $optimize "$1" --print-function-map -o /dev/null 2> /dev/null
}
$optimize "$linked" --strip-debug -o "$work/unnamed.wasm" 2> /dev/null
functions "$viewer" > "$work/viewer"
functions "$linked" > "$work/linked"
functions "$work/unnamed.wasm" > "$work/unnamed"
table=$($optimize "$work/unnamed.wasm" -S -o - 2> /dev/null | sed -n 's/.*(table \$[^ ]* \([0-9]*\).*/\1/p')

# NUMBER of LINKED, and the number that wasm-split has for it: imported functions are not counted there.
paste -d : "$work/linked" "$work/unnamed" | awk -F : -v kept="$work/kept" -v later="$work/later" '
    FILENAME != "-" { viewer[$2] = 1; next }
    $4 ~ /import/   { next }
    $2 == "flamel_read" || $2 == "flamel_unzstd" || $2 ~ /^flamel_sanitize/ { print $4 > later; next }
    $2 in viewer    { print $4 > kept }' "$work/viewer" -

while :; do
    # shellcheck disable=SC2086 # a command and its options
    $split --keep-funcs=@"$work/kept" --export-prefix=% --placeholdermap "$work/unnamed.wasm" \
        -o1 "$work/first.wasm" -o2 "$work/second.wasm" 2> /dev/null
    awk -F : -v table="$table" 'NR == FNR { later[$1] = 1; next } $1 >= table && !($2 in later) { print $2 }' \
        "$work/later" "$work/first.wasm.placeholders" > "$work/more"
    [ -s "$work/more" ] || break
    cat "$work/more" >> "$work/kept"
done
$optimize -Oz "$work/first.wasm" -o "$first"
$optimize -Oz "$work/second.wasm" -o "$second"
