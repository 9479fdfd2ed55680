#!/bin/sh
# Stacks of C that a goroutine has called, and of Go that such C has called, go on in the goroutine: cgo.sh FLAMEL.

cd "$(dirname "$0")/programs/cgo" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" GOCACHE="$work/go" CGO_ENABLED=1

command -v go > /dev/null && command -v gcc > /dev/null || {
    echo 'there is no Go here, or no C compiler'
    exit 77
}
[ "$(uname -m)" = x86_64 ] || {
    echo 'only on x86-64'
    exit 77
}
"$flamel" record -q -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}
go build -o "$work/app" . || exit 1
"$flamel" record -q -e cpu-clock -F 499 -o "$work/app.flm" -- "$work/app" > "$work/measured" 2> "$work/said" &&
    "$flamel" convert -q -m cpu-clock -t folded -o "$work/folded" "$work/app.flm" 2> "$work/said" || {
    cat "$work/said"
    exit 1
}
awk '
    FNR == NR { seconds[$1] = $2; next }
    /;main\.leaf/ { leaf["main.leaf"] += $NF }
    /;c_leaf/ { leaf["c_leaf"] += $NF }
    /runtime\.goexit;main\.main\.func1;main\.worker;main\.callsBack;.*;main\.goCallback;main\.leaf/ { whole["main.leaf"] += $NF }
    /runtime\.goexit;main\.main\.func1;main\.worker;main\.callsC;.*;runtime\.asmcgocall;.*;c_work;c_leaf/ { whole["c_leaf"] += $NF }
    END {
        for (name in seconds) {
            if (leaf[name] < 0.9e9 * seconds[name] || leaf[name] > 1.1e9 * seconds[name]) {
                printf "%s has %.2f s, and not %.2f\n", name, leaf[name] / 1e9, seconds[name]
                bad = 1
            }
            if (whole[name] < 0.97 * leaf[name]) {
                printf "%.1f %% of the samples of %s have their callers\n", 100 * whole[name] / leaf[name], name
                bad = 1
            }
        }
        exit bad || length(seconds) != 2
    }' "$work/measured" "$work/folded"
