# Libraries from npm for tests, which are skipped (exit status 77) where something is missing; read by other
# scripts, from the root of the tree.

skip()
{
    echo "$1"
    exit 77
}

# install_packages PACKAGES MODULES: what the lock in the folder PACKAGES names is in MODULES/node_modules. Several
# tests may want it at once: one installs, the others wait for it.
install_packages()
{
    command -v node > /dev/null || skip 'there is no node'
    version=$(node -p 'process.versions.node')
    [ "${version%%.*}" -ge 18 ] || skip "node $version is too old: this takes 18"
    command -v npm > /dev/null || skip 'there is no npm'
    mkdir -p "$2"
    until mkdir "$2/installing" 2> /dev/null; do
        [ -z "$(find "$2/installing" -maxdepth 0 -mmin +5)" ] || rmdir "$2/installing"
        sleep 1
    done
    installing=$2/installing
    trap 'rmdir "$installing"' EXIT
    if ! cmp -s "$1/package-lock.json" "$2/package-lock.json" || [ ! -d "$2/node_modules" ]; then
        cp "$1/package.json" "$1/package-lock.json" "$2/"
        (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund > npm.log 2>&1) || {
            rm -f "$2/package-lock.json"
            skip "npm ci failed: $(tail -n 1 "$2/npm.log")"
        }
    fi
    rmdir "$installing"
    trap - EXIT
}
