#!/bin/sh
# Runs a test in the browser that is installed: run.sh TEST.mjs FLAMEL. The two libraries that it
# needs are installed to build/browser when package-lock.json changes. What is missing skips the test
# (exit status 77) and is said.

cd "$(dirname "$0")/../.." || exit 1
test=$1 flamel=$2 modules=build/browser

skip()
{
    echo "$1"
    exit 77
}

command -v node > /dev/null || skip 'there is no node'
command -v npm > /dev/null || skip 'there is no npm'
browser=
for name in ${BROWSER_PATH:-} chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name")
done
[ -n "$browser" ] || skip 'there is no chromium'

if ! cmp -s tests/browser/package-lock.json $modules/package-lock.json ||
    [ ! -d $modules/node_modules ]; then
    mkdir -p $modules
    cp tests/browser/package.json $modules/
    (cd $modules && cp ../../tests/browser/package-lock.json . &&
        npm ci --ignore-scripts --no-audit --no-fund > npm.log 2>&1) || {
        rm -f $modules/package-lock.json
        skip "npm ci failed: $(tail -n 1 $modules/npm.log)"
    }
fi

NODE_MODULES=$PWD/$modules BROWSER=$browser exec node --test-reporter=spec "$test" "$flamel"
