#!/bin/sh
# Every function that a public header declares is in the library: exports.sh LIBRARY.a.

defined=$(nm --defined-only "$1" 2> /dev/null | awk '$2 == "T" { print $3 }')
bad=0
for name in $(grep -hv 'static inline' include/flamel/*.h |
    grep -o 'flm_[a-z0-9_]* *(' | tr -d ' (' | sort -u); do
    printf '%s\n' "$defined" | grep -qx "$name" || {
        echo "$(grep -l "$name *(" include/flamel/*.h | head -n 1): $name is declared, but not defined"
        bad=1
    }
done
exit $bad
