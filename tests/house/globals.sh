#!/bin/sh
# The library has no writable globals, thread-local ones and static ones inside functions included:
# globals.sh LIBRARY.a. Constants that hold pointers are fine: the loader writes them, then nobody.

if nm "$1" 2> /dev/null | grep -q ' U __asan_init'; then
    echo 'the address sanitizer adds globals of its own'
    exit 77
fi

nm -f sysv "$1" 2> /dev/null | awk -F '|' '
    /^Symbols from / {
        object = $0
        sub(/.*\[/, "", object)
        sub(/\].*/, "", object)
    }
    # name | value | class | type | size | line | section
    NF == 7 && $3 ~ /[BbDdCcGgSs]/ && $7 !~ /^\.data\.rel\.ro/ {
        gsub(/ /, "", $1)
        print object ": " $1 " can be written to (" $7 ")"
        bad = 1
    }
    END {
        if (!NR) {
            print "the library has no symbols"
            bad = 1
        }
        exit bad
    }'
