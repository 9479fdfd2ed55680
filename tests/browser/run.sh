#!/bin/sh
# Runs a test in a browser that is installed: run.sh TEST.mjs FLAMEL [ARGUMENT]... The libraries that
# it needs are installed to MODULES when the lock in PACKAGES changes. What is missing skips the test
# (exit status 77) and is said.

cd "$(dirname "$0")/../.." || exit 1
. tests/support/npm.sh
test=$1
shift
packages=${PACKAGES:-tests/browser} modules=${MODULES:-build/browser}

find_program()
{
    for name in "$@"; do
        command -v "$name" && return
    done
}
# FILE_firefox.mjs is a test in Firefox.
browser='' firefox=''
case $test in
*_firefox.mjs)
    firefox=$(find_program ${FIREFOX_PATH:-} firefox-esr firefox)
    # Ubuntu's is a script that asks for a snap.
    [ -n "$firefox" ] && "$firefox" --version > /dev/null 2>&1 || skip 'there is no firefox'
    ;;
*)
    browser=$(find_program ${BROWSER_PATH:-} chromium chromium-browser google-chrome)
    [ -n "$browser" ] || skip 'there is no chromium'
    ;;
esac

install_packages "$packages" "$modules"

NODE_MODULES=$PWD/$modules BROWSER=$browser FIREFOX=$firefox exec node --test-reporter=spec "$test" "$@"
