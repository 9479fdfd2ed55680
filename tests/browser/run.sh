#!/bin/sh
# Runs a test in a browser that is installed: run.sh TEST.mjs FLAMEL [ARGUMENT]... The libraries that
# it needs are installed to MODULES when the lock in PACKAGES changes. What is missing skips the test
# (exit status 77) and is said.

cd "$(dirname "$0")/../.." || exit 1
test=$1
shift
packages=${PACKAGES:-tests/browser} modules=${MODULES:-build/browser}

skip()
{
    echo "$1"
    exit 77
}

command -v node > /dev/null || skip 'there is no node'
version=$(node -p 'process.versions.node')
[ "${version%%.*}" -ge 18 ] || skip "node $version is too old: this takes 18"
command -v npm > /dev/null || skip 'there is no npm'
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

# Several tests may want them at once: one installs, the others wait for it.
mkdir -p $modules
until mkdir $modules/installing 2> /dev/null; do
    [ -z "$(find $modules/installing -maxdepth 0 -mmin +5)" ] || rmdir $modules/installing
    sleep 1
done
trap 'rmdir $modules/installing' EXIT
if ! cmp -s $packages/package-lock.json $modules/package-lock.json ||
    [ ! -d $modules/node_modules ]; then
    cp $packages/package.json $packages/package-lock.json $modules/
    (cd $modules && npm ci --ignore-scripts --no-audit --no-fund > npm.log 2>&1) || {
        rm -f $modules/package-lock.json
        skip "npm ci failed: $(tail -n 1 $modules/npm.log)"
    }
fi
rmdir $modules/installing
trap - EXIT

NODE_MODULES=$PWD/$modules BROWSER=$browser FIREFOX=$firefox exec node --test-reporter=spec "$test" "$@"
