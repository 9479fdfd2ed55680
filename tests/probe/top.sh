#!/bin/sh
# What a program that measures itself says while it runs, and what it has left: top.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) || exit 1
program=
trap 'kill $program 2> /dev/null; rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    FLM_SCOPE("serve");
    for (int i = 0;; i++) {
        FLM_SCOPE("request");
        usleep(500);
        if (i == 3) {
            puts("ready");
            fflush(stdout);
        }
    }
}
END
$cc -Iinclude "$work/app.c" -o "$work/app" -L"$build" -lflamel-probe || exit 1
flamel=$build/flamel
case $flamel in /*) ;; *) flamel=$(pwd)/$flamel ;; esac
cd "$work" || exit 1
mkfifo ready
start()
{
    FLAMEL=$1 ./app > ready &
    program=$!
    read -r line < ready && [ "$line" = ready ] || exit 1
}
expect()
{
    grep -q -- "$1" out && return
    echo "no '$1' in:"
    cat out
    bad=1
}

start file:app.probe
"$flamel" top --once 1 -i 200ms $program > out 2>&1
expect '^Time$'
expect 'calls *[/]s '
expect ' request$'
"$flamel" top --json --once 2 -i 200ms $program > out 2>&1
expect '"time": \[{"name": "serve"'
expect '"calls/s": [1-9]'
grep -q '": -[0-9]' out && { echo 'a rate below 0'; bad=1; }
[ "$(grep -c '^{"time": ' out)" = 2 ] || { echo 'not two lines of JSON'; bad=1; }

# The screen: a person who looks at Memory, searches, saves and quits.
if command -v script > /dev/null; then
    (sleep 1; printf '2'; sleep 0.3; printf '1/req\r'; sleep 0.3; printf s; sleep 0.3; printf q) |
        TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 120 rows 20; $flamel top -i 100ms $program" /dev/null > out 2>&1
    expect 'running'
    expect '9 Values'
    expect "1 with 'req'"
    expect 'written: top-app'
    "$flamel" info top-app*.probe > out
    grep 'times of open scopes' out && { echo 'a copy has all times'; bad=1; }
    "$flamel" convert -q -t folded -m calls top-app*.probe > out || bad=1
    expect '^serve;request [1-9]'
fi

# A program without scopes: the first section that has rows is shown, and not that of times.
if command -v script > /dev/null; then
    FLAMEL=on LD_PRELOAD=$build/libflamel-probe.so.0 sh -c 'while :; do read -r x < /proc/version; done' &
    other=$!
    sleep 0.5
    (sleep 1; printf q) | TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 120 rows 20; $flamel top -i 100ms $other" /dev/null > out 2>&1
    kill -9 $other
    wait $other 2> /dev/null
    expect '/proc/version\|in no scope'
    grep -q 'nothing was measured yet' out && { echo 'an empty section is shown first'; bad=1; }
fi

# Killed: what it measured is in its file.
kill -9 $program
wait $program 2> /dev/null
"$flamel" top --post-mortem app.probe > out 2>&1
expect ' request$'
"$flamel" top $program > out 2>&1
expect "there is no process $program"
exit $bad
