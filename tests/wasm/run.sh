#!/bin/sh
# Runs one test of the wasm module: run.sh TEST.mjs [MODULE]. Exit status 77, and a reason, where
# there is no node, or one that is too old (Ubuntu 22.04 has 12), or no clang that could make the
# module.

node=$(command -v node || command -v nodejs) || {
    echo 'there is no node: ./bootstrap test installs it'
    exit 77
}
version=$("$node" -p 'process.versions.node')
[ "${version%%.*}" -ge 16 ] || {
    echo "node $version is too old: this takes 16"
    exit 77
}
[ -f "${2-}" ] || {
    echo 'there is no wasm module: it takes clang and wasm-ld, ./bootstrap test installs them'
    exit 77
}
exec "$node" "$1" "$2"
