#!/bin/sh
# Samples of Go have the number of their goroutine: go.sh FLAMEL. Two goroutines measure their CPU time; the
# shares of the samples are within two percentage points. The program is also linked without symbols.

cd "$(dirname "$0")/programs" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
export XDG_CACHE_HOME="$work/cache" GOCACHE="$work/go"

command -v go > /dev/null || {
    echo 'there is no Go here'
    exit 77
}
"$flamel" record -q -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}
for flags in '' '-s -w'; do
    go build -ldflags "$flags" -o "$work/app" goroutines.go || exit 1
    "$flamel" record -q -e cpu-clock -F 499 -o "$work/app.flm" -- "$work/app" > "$work/measured" 2> "$work/said" &&
        "$flamel" convert -q -m cpu-clock -a split:goroutine -t folded -o "$work/folded" "$work/app.flm" 2> "$work/said" || {
        cat "$work/said"
        bad=1
        continue
    }
    awk -v flags="$flags" '
        FNR == NR { seconds[$1] = $2; sum += $2; count++; next }
        { at = index($0, ";"); found[substr($0, 1, at - 1)] += $NF }
        END {
            for (number in seconds)
                all += found[number]
            for (number in seconds) {
                difference = found[number] / all - seconds[number] / sum
                if (difference > 0.02 || difference < -0.02) {
                    printf "linked with \"%s\": goroutine %s has %.1f %%, not %.1f\n", flags, number,
                        100 * found[number] / all, 100 * seconds[number] / sum
                    bad = 1
                }
            }
            exit bad || count != 2
        }' "$work/measured" "$work/folded" || bad=1
done
exit $bad
