#!/bin/sh
# The examples compile without a warning, run, and are measured as docs/probe.md says: examples.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/figures" || exit 1

# example NAME ARGUMENTS SAID LINES...: lines of what it measured, without times.
example()
{
    name=$1 arguments=$2 said=$3
    shift 3
    for more in '' -DFLM_PROBE=0; do
        # shellcheck disable=SC2086 # several words, or none
        $cc -O2 -Wall -Wextra -Wshadow -Werror $more -Iinclude "examples/probe/$name.c" -o "$work/$name$more" \
            -pthread -L"$build" -lflamel-probe || { complain "$name $more: does not compile"; return; }
        # shellcheck disable=SC2086
        [ "$("$work/$name$more" $arguments 2>&1)" = "$said" ] || complain "$name $more: says something else"
    done
    # shellcheck disable=SC2086
    [ "$(FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/$name" $arguments 2>&1)" = "$said" ] ||
        complain "$name: says something else where it is measured"
    "$work/figures" "$work/out" | sed 's/ calls [0-9]* ns/ calls/; s/ count .*//' > "$work/measured"
    for line in "$@"; do
        grep -qxF "$line" "$work/measured" || { complain "$name: not '$line' in"; cat "$work/measured"; }
    done
    # shellcheck disable=SC2086
    FLAMEL=report:$work/report "$work/$name" $arguments > /dev/null 2>&1 && [ -s "$work/report" ] ||
        complain "$name: there is no report"
}
example overview 10 done 'node main;coroutine;sync_work 30 calls' 'node main;coroutine;sync_alloc 30 calls' \
    'node main;coroutine;async_sleep 30 calls' 'node main;coroutine 33 calls 3 amount' 'meter coroutine WHOLE 3' \
    'meter coroutine SUSPENDED 30' 'meter async_sleep DURATION 30' 'left 0'
example thread_pool 200 done 'node worker;compress a file;compress 50 calls' \
    'node worker;check a file;checksum 150 calls' 'node main;put 200 calls' \
    'meter jobs-> DELAY 200' 'meter jobs<- LENGTH 200' 'meter compress a file DELAY 50' \
    'meter check a file WHOLE 150' 'left 0'
example game 60 done 'node main;frame 60 calls' 'node main;frame;draw;fade 60 calls' \
    'meter frame DURATION 60' 'meter particles LEVEL 60' 'meter pixels lit LEVEL 60' \
    'node main;frame;spawn;particles made 60 calls 1795 amount' 'left 0'
example http_server '0 80' '80 answers' 'node GET /users/{id} 60 calls' 'node GET / 10 calls' \
    'node GET (unknown) 10 calls' 'node GET /users/{id};find_user 60 calls' \
    'node GET /users/{id};find_user;load user 15 calls' 'meter connections LEVEL 160' 'left 0'
exit $bad
