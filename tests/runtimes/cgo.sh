#!/bin/sh
# The stack of Go that C has called goes on in the goroutine that called C: cgo.sh FLAMEL.

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
    FNR == NR { seconds = $2; next }
    /;main\.leaf/ { leaf += $NF }
    /runtime\.goexit;.*main\.worker;main\.callsBack;.*;main\.goCallback;main\.leaf/ { whole += $NF }
    END {
        if (leaf < 0.9e9 * seconds || leaf > 1.1e9 * seconds) {
            printf "main.leaf has %.2f s, and not %.2f\n", leaf / 1e9, seconds
            bad = 1
        }
        if (whole < 0.97 * leaf) {
            printf "%.1f %% of the samples of main.leaf have their callers\n", 100 * whole / leaf
            bad = 1
        }
        exit bad
    }' "$work/measured" "$work/folded"
