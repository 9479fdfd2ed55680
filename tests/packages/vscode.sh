#!/bin/bash
# The extension of `make vscode`: tsc checks its types, unit tests its functions, and VS Code itself (in code-server, from
# npm) opens profiles, shows sources and costs of lines, and records programs: with the command flamel, and with the
# WebAssembly build alone. vscode.sh FLAMEL EXTENSION

cd "$(dirname "$0")/../.." || exit 1
. tests/support/npm.sh
flamel=$(realpath "$1") extension=$(realpath "$2")
fail()
{
    echo "$1"
    exit 1
}

# ---- What is in it ----------------------------------------------------------------------------------

size=$(stat -c %s "$extension")
[ "$size" -le 3000000 ] || fail "it has $size bytes: more than 3 MB"
python3 -m zipfile -l "$extension" > build/vscode/contents || exit 1
for file in package.json extension.js media/page.js media/flamel-graph.js media/flamel.wasm wasm/command.js wasm/flamel.wasm.gz icon.png LICENSE; do
    grep -qi "extension/$file" build/vscode/contents || fail "there is no $file in it"
done
grep -q node_modules build/vscode/contents && fail 'it has packages of npm inside'
ln -sfn "$PWD/build/vscode/node_modules" build/vscode/extension/node_modules
cp web/vscode/jsconfig.json build/vscode/extension/
build/vscode/node_modules/.bin/tsc -p build/vscode/extension/jsconfig.json
types=$?
rm build/vscode/extension/node_modules build/vscode/extension/jsconfig.json
[ $types = 0 ] || fail 'types'
node --test-reporter=tap tests/vscode/functions.mjs build/vscode/extension > build/vscode/functions.log || fail "$(grep -A20 '^not ok' build/vscode/functions.log)"

# ---- VS Code --------------------------------------------------------------------------------------

for program in chromium rg; do
    command -v $program > /dev/null || skip "there is no $program"
done
modules=build/vscode-server
install_packages tests/vscode $modules
server=$PWD/$modules/node_modules/code-server/lib/vscode
# The packages of VS Code. Only these of its native modules are needed; the headers of node come with its package.
if [ ! -e "$server/node_modules/.installed" ]; then
    headers=$(dirname "$(dirname "$(realpath "$(command -v node)")")")
    [ -e "$headers/include/node/node.h" ] || skip "there are no headers of node in $headers/include"
    (cd "$server" && npm ci --ignore-scripts --omit=dev --no-audit --no-fund &&
        npm rebuild --nodedir="$headers" @vscode/spdlog native-watchdog) > $modules/server.log 2>&1 || skip "npm: $(tail -n 1 $modules/server.log)"
    # A script of this package that runs after compiling fails in a server, so the status says nothing.
    (cd "$server" && npm rebuild --nodedir="$headers" node-pty) > $modules/terminal.log 2>&1
    # It finds files with ripgrep, which its package would download.
    mkdir -p "$server/node_modules/@vscode/ripgrep/bin" && ln -sf "$(command -v rg)" "$server/node_modules/@vscode/ripgrep/bin/rg"
    touch "$server/node_modules/.installed"
fi
NODE_MODULES=$PWD/$modules exec node --test-reporter=spec tests/vscode/vscode.mjs "$flamel" "$extension" "$server"
