#!/bin/sh
# Runs a test with clients of other projects: run.sh TEST.mjs FLAMEL. They are packages of npm, which
# are installed to build/clients when the lock here changes. What is missing skips the test (exit
# status 77) and is said.

cd "$(dirname "$0")/../.." || exit 1
test=$1 flamel=$2 packages=tests/clients modules=build/clients

skip()
{
    echo "$1"
    exit 77
}

command -v node > /dev/null || skip 'there is no node'
version=$(node -p 'process.versions.node')
[ "${version%%.*}" -ge 18 ] || skip "node $version is too old: this takes 18"
command -v npm > /dev/null || skip 'there is no npm'

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

# Clients find their packages beside themselves: they run from where these are.
mkdir -p $modules/tests
cp $packages/*.mjs $modules/tests/
exec node --test-reporter=spec "$modules/tests/$(basename "$test")" "$PWD/$flamel"
