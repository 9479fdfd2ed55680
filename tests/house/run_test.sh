#!/bin/sh
# Runs one test and says in one line how it went: run_test.sh RESULT NAME SECONDS COMMAND...
#
# RESULT becomes "passed", "failed" or "skipped" (exit status 77), RESULT.log what the command said.
# A test that took ten seconds or more says so: they are what a run of all tests waits for. The exit
# status is always 0: a failure must not stop the other tests, count_results.sh counts it.

result=$1 name=$2 seconds=$3
shift 3

mkdir -p "$(dirname "$result")"
begin=$(date +%s)
timeout -k 5 "$seconds" "$@" > "$result.log" 2>&1 < /dev/null
status=$?
took=$(($(date +%s) - begin))
[ $took -ge 10 ] && took=", $took s" || took=

case $status in
0)
    echo passed > "$result"
    printf '  ok     %s%s\n' "$name" "$took"
    ;;
77)
    echo skipped > "$result"
    printf '  skip   %s: %s\n' "$name" "$(tail -n 1 "$result.log")"
    ;;
*)
    echo failed > "$result"
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        echo "stopped after $seconds seconds" >> "$result.log"
    else
        echo "exit status $status" >> "$result.log"
    fi
    # Without cmocka's lines about what went well. One write, so that tests that run at the same time
    # do not mix theirs.
    printf '%s\n' "  FAIL   $name$took
$(grep -v -e '^\[ RUN ' -e '^\[  *OK \]' "$result.log" | tail -n 60 | sed 's/^/         /')"
    ;;
esac
