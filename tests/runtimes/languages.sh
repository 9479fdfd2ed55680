#!/bin/sh
# Programs of compiled languages have whole stacks of functions with their names in the source:
# languages.sh FLAMEL. Each spends some time in a function, below two others and its main program; of
# the samples in it, 98 % have all of them (Haskell: 90 %). Then it spends less in another one, and
# prints both times: the shares are within two percentage points. No time is asserted.

cd "$(dirname "$0")/programs" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
checked=0
export XDG_CACHE_HOME="$work/cache"

"$flamel" record -q -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}

# check LANGUAGE PATTERN LEAF REST [LEAST]: the program is $work/app; the patterns are awk's, for its
# stacks; LEAST is the share of stacks with the leaf that are whole, 0.98 by default.
check()
{
    checked=$((checked + 1))
    "$flamel" record -q -o "$work/app.flm" -- "$work/app" > "$work/measured" 2> "$work/said" || {
        cat "$work/said"
        bad=1
        return
    }
    "$flamel" convert -q -m samples -t folded -o "$work/app.folded" "$work/app.flm" 2> "$work/said" || {
        cat "$work/said"
        bad=1
        return
    }
    awk -v name="$1" -v whole="$2" -v leaf="$3" -v rest="$4" -v least="${5:-0.98}" \
        -v measured="$(cat "$work/measured")" '
        { all += $NF }
        $0 ~ leaf { in_leaf += $NF; if ($0 ~ whole) good += $NF }
        $0 ~ rest { in_rest += $NF }
        END {
            split(measured, seconds, " ")
            wanted = seconds[1] / (seconds[1] + seconds[2])
            found = in_leaf / (in_leaf + in_rest)
            if (in_leaf + in_rest < 0.9 * all || good < least * in_leaf || found - wanted > 0.02 ||
                wanted - found > 0.02) {
                printf "%s: of %d samples %d are in the leaf, %d with a whole stack, %d in the other "\
                    "function: %.1f %%, not %.1f\n", name, all, in_leaf, good, in_rest, 100 * found,
                    100 * wanted
                exit 1
            }
        }' "$work/app.folded" || {
        sort -t ' ' -k 2 -n "$work/app.folded" | tail -n 3
        bad=1
    }
}

if g++ -O2 -g -o "$work/app" app.cpp 2> "$work/said"; then
    check C++ ';main;.*app::outer\(long\);.*app::Work<long>::middle\(long\);app::Work<long>::leaf\(long\)' \
        'Work<long>::leaf\(long\)' 'Work<long>::rest\(long\)'
fi
# Debian's, where the user has one of their own that installs itself first.
rust=$([ -x /usr/bin/rustc ] && echo /usr/bin/rustc || command -v rustc)
if [ -n "$rust" ] && "$rust" -O -g -o "$work/app" app.rs 2> "$work/said"; then
    check Rust ';main;.*app::main;.*app::outer;.*app::Work<u64>::middle;app::Work<u64>::leaf' \
        'Work<u64>::leaf' 'Work<u64>::rest'
fi
if command -v ocamlopt > /dev/null && cp app.ml "$work/app.ml" &&
    (cd "$work" && ocamlopt -g -o app app.ml) 2> "$work/said"; then
    check OCaml ';main;.*;App.entry;.*App.outer;App.middle;App.leaf' 'App.leaf' 'App.rest'
fi
# The callers are read from outside, which begins some hundredths of a second after the program.
if command -v ghc > /dev/null && cp app.hs "$work/app.hs" &&
    (cd "$work" && ghc -v0 -O -o app app.hs) 2> "$work/said"; then
    check Haskell ';Main.main[0-9]*;.*Main.loop[0-9]*;.*Main.*outer;.*Main.*middle;Main.*leaf' ';Main[^;]*leaf' ';Main[^;]*rest' 0.9
fi
if command -v zig > /dev/null && cp app.zig "$work/app.zig" &&
    (cd "$work" && zig build-exe -O ReleaseSafe -lc app.zig) 2> "$work/said"; then
    check Zig ';main;.*app.outer;app.middle;app.leaf' 'app.leaf' 'app.rest'
fi
[ $checked -gt 0 ] || {
    echo 'there is no compiler of C++, Rust, OCaml, Haskell or Zig'
    exit 77
}
exit $bad
