#!/bin/sh
# Runs a test with clients of other projects: run.sh TEST.mjs FLAMEL. They are packages of npm, which
# are installed to build/clients when the lock here changes. What is missing skips the test (exit
# status 77) and is said.

cd "$(dirname "$0")/../.." || exit 1
. tests/support/npm.sh
test=$1 flamel=$2 packages=tests/clients modules=build/clients
install_packages $packages $modules

# Clients find their packages beside themselves: they run from where these are.
mkdir -p $modules/tests
cp $packages/*.mjs $modules/tests/
exec node --test-reporter=spec "$modules/tests/$(basename "$test")" "$PWD/$flamel"
