#!/bin/sh
# Every function that a public header declares is in a library: exports.sh LIBRARY.a...
# Where a header has inline functions that call what it declares, its declarations begin with extern;
# probe_adapters.h has these only.

defined=$(nm --defined-only "$@" 2> /dev/null | awk '$2 == "T" { print $3 }')
bad=0
for header in include/flamel/*.h; do
    declarations='flm_'
    if grep -q '^extern .*flm_' "$header" || grep -q '^#include "flamel/probe_flow.h"' "$header"; then
        declarations='^extern .*flm_'
    fi
    for name in $(grep "$declarations" "$header" | grep -v 'static inline' | sed 's,(\*, ,g' |
        grep -o 'flm_[a-z0-9_]* *(' | tr -d ' (' | sort -u); do
        printf '%s\n' "$defined" | grep -qx "$name" || {
            echo "$header: $name is declared, but not defined"
            bad=1
        }
    done
done
exit $bad
