#!/bin/sh
# A folder of src/ uses the folders above it in LAYERS, never one below; LAYERS and src/ name the
# same folders; public headers use only public headers; no folder shows more than 30 files, but for
# tests/fuzz, which has one for every reader; and headers of different folders have different names, but for internal.h.
#
# tests/house/layers_exceptions lists what is known to break the rule of order, a line each: the
# folder, the folder that it uses, and the reason. It only shrinks: a line that is not needed any
# more is refused.

exceptions=tests/house/layers_exceptions
[ -f $exceptions ] || exceptions=/dev/null
most=30

complain()
{
    echo "$1"
    bad=1
}
bad=0

rooms=$(find src -name '*.[ch]' ! -path 'src/*/include/*' -exec dirname {} + | sort -u)
for room in $rooms; do
    case $room in
    src) complain "src has sources of its own: every source is in a folder of src/" ;;
    src/*/*/*) complain "$room: src/ has folders and sub-folders, and nothing deeper" ;;
    *)
        awk -v room="${room#src/}" '$1 == room { found = 1 } END { exit !found }' LAYERS ||
            complain "$room is not in LAYERS: give it a line at its place"
        ;;
    esac
done
for folder in $(awk '!/^#/ && NF { print $1 }' LAYERS); do
    [ -d "src/$folder" ] || complain "LAYERS names $folder, but there is no src/$folder"
done

for folder in $(find src include probe tests web mk bench docs examples -type d \
    ! -path 'tests/data/*' ! -path tests/fuzz ! -path '*/node_modules*' 2> /dev/null); do
    count=$(find "$folder" -maxdepth 1 -type f | wc -l)
    [ "$count" -le $most ] ||
        complain "$folder shows $count files: more than $most hide an idea that wants a sub-folder"
done

find src -name '*.h' ! -name internal.h ! -path '*/libc/*' | awk -F / '
    $NF in first {
        print $0 ": " first[$NF] " has this name already; two headers of one name get mixed up"
        bad = 1
    }
    { first[$NF] = $0 }
    END { exit bad }
' || bad=1

awk '
    FILENAME == "LAYERS" {
        if (!/^#/ && NF)
            place[$1] = ++count
        next
    }
    FILENAME ~ /layers_exceptions$/ {
        if (!/^#/ && NF)
            excused[$1 " " $2] = 1
        next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        to = quoted[2]
        from = FILENAME
        where = FILENAME ":" FNR ": "
        if (to ~ /^flamel\//)
            next
        if (from ~ /^include/) {
            print where "a public header includes \"" quoted[2] "\", which is not public"
            bad = 1
            next
        }
        sub(/\/[^\/]*$/, "", from)
        sub(/^src\//, "", from)
        if (from ~ /^wasm\/libc/)
            next
        sub(/\/?[^\/]*$/, "", to)
        if (!(to in place)) {
            print where "\"" quoted[2] "\": write the folder, as LAYERS has it"
            bad = 1
        } else if (place[to] > place[from]) {
            if ((from " " to) in excused) {
                used[from " " to] = 1
                next
            }
            print where from " uses " to ", which is below it in LAYERS"
            bad = 1
        }
    }
    END {
        for (pair in excused)
            if (!(pair in used)) {
                print "layers_exceptions: " pair " is not needed any more"
                bad = 1
            }
        exit bad
    }
' LAYERS $exceptions $(find src include -name '*.[ch]') || bad=1

exit $bad
