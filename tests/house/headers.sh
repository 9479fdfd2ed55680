#!/bin/sh
# Every header compiles alone, and twice in a row; public ones also as C++11.

cc=${CC:-gcc}
cxx=${CXX:-g++}
flags='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Isrc -Iinclude -Itests'
bad=0

command -v "$cxx" > /dev/null || { echo "there is no $cxx: ./bootstrap check installs it"; exit 1; }

# A header without declarations is fine; an empty translation unit is not, hence the typedef.
twice()
{
    printf '#include "%s"\n#include "%s"\ntypedef int some_declaration;\n' "$1" "$1"
}

# Those of src/wasi/libc stand beside headers that this machine does not have.
for header in $(find src include tests/support -name '*.h' ! -path 'src/wasi/libc/*' 2> /dev/null); do
    name=${header#*/}
    folder=${name%%/*}
    # Pure folders see the C standard only, as in the Makefile.
    beyond=-D_GNU_SOURCE=
    awk -v folder="$folder" '$1 == folder && $2 == "pure" { found = 1 } END { exit !found }' LAYERS &&
        beyond=
    twice "$name" | $cc -std=c11 $flags $beyond -x c - || {
        echo "$header: does not compile alone"
        bad=1
    }
    case $header in
    include/*)
        twice "$name" | $cxx -std=c++11 $flags -x c++ - || {
            echo "$header: does not compile as C++11"
            bad=1
        }
        ;;
    esac
done
exit $bad
