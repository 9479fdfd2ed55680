#!/bin/sh
# Counts what run_test.sh wrote: count_results.sh RESULT... Names what failed; exit status 1 then.

[ $# -gt 0 ] || { echo '0 passed, 0 failed'; exit 0; }
awk '
    { count[$0]++ }
    $0 == "failed" { sub(/.*\/(results|check)\//, "", FILENAME); print "  FAIL   " FILENAME }
    END {
        line = (count["passed"] + 0) " passed, " (count["failed"] + 0) " failed"
        if (count["skipped"])
            line = line ", " count["skipped"] " skipped"
        print line
        exit count["failed"] > 0
    }' "$@"
