#!/bin/sh
# A folder of src/ uses the folders above it in LAYERS, never one below; LAYERS and src/ name the
# same folders; public headers use only public headers.

complain()
{
    echo "$1"
    bad=1
}
bad=0

for folder in src/*/; do
    folder=$(basename "$folder")
    awk -v folder="$folder" '$1 == folder { found = 1 } END { exit !found }' LAYERS ||
        complain "src/$folder is not in LAYERS: give it a line at its place"
done
for folder in $(awk '!/^#/ && NF { print $1 }' LAYERS); do
    [ -d "src/$folder" ] || complain "LAYERS names $folder, but there is no src/$folder"
done
for file in $(find src -name '*.[ch]'); do
    case $file in
    src/*/*/*) complain "$file: folders of src/ have no folders" ;;
    src/*/*) ;;
    *) complain "$file: every source is in a folder of src/" ;;
    esac
done

awk '
    FILENAME == "LAYERS" {
        if (!/^#/ && NF)
            place[$1] = ++count
        next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        split(quoted[2], to, "/")
        split(FILENAME, from, "/")
        where = FILENAME ":" FNR ": "
        if (to[1] == "flamel")
            next
        if (from[1] == "include") {
            print where "a public header includes \"" quoted[2] "\", which is not public"
            bad = 1
        } else if (!(to[1] in place)) {
            print where "\"" quoted[2] "\": write the folder, as LAYERS has it"
            bad = 1
        } else if (place[to[1]] > place[from[2]]) {
            print where from[2] " uses " to[1] ", which is below it in LAYERS"
            bad = 1
        }
    }
    END { exit bad }
' LAYERS $(find src include -name '*.[ch]') || bad=1

exit $bad
