#!/bin/sh
# Programs of compiled languages have whole stacks of functions with their names in the source:
# languages.sh FLAMEL. Each spends its time in a function, below two others and its main program; of
# the samples in it, 98 % have all of them. No time is asserted.

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

# check LANGUAGE PATTERN LEAF: the program is $work/app; both patterns are awk's, for its stacks.
check()
{
    checked=$((checked + 1))
    "$flamel" record -q -o "$work/app.flm" -- "$work/app" > /dev/null 2> "$work/said" || {
        cat "$work/said"
        bad=1
        return
    }
    "$flamel" convert -q -m samples -t folded -o "$work/app.folded" "$work/app.flm" 2> "$work/said" || {
        cat "$work/said"
        bad=1
        return
    }
    awk -v name="$1" -v whole="$2" -v leaf="$3" '
        { all += $NF }
        $0 ~ leaf { in_leaf += $NF; if ($0 ~ whole) good += $NF }
        END {
            if (in_leaf < all / 2 || good < 0.98 * in_leaf) {
                printf "%s: of %d samples %d are in the leaf, %d with a whole stack\n", name, all,
                    in_leaf, good
                exit 1
            }
        }' "$work/app.folded" || {
        sort -t ' ' -k 2 -n "$work/app.folded" | tail -n 3
        bad=1
    }
}

if g++ -O2 -g -o "$work/app" app.cpp 2> "$work/said"; then
    check C++ ';main;.*app::outer\(long\);.*app::Work<long>::middle\(long\);app::Work<long>::leaf\(long\)' \
        'Work<long>::leaf\(long\)'
fi
# Debian's, where the user has one of their own that installs itself first.
rust=$([ -x /usr/bin/rustc ] && echo /usr/bin/rustc || command -v rustc)
if [ -n "$rust" ] && "$rust" -O -g -o "$work/app" app.rs 2> "$work/said"; then
    check Rust ';main;.*app::main;.*app::outer;.*app::Work<u64>::middle;app::Work<u64>::leaf' \
        'Work<u64>::leaf'
fi
if command -v ocamlopt > /dev/null && cp app.ml "$work/app.ml" &&
    (cd "$work" && ocamlopt -g -o app app.ml) 2> "$work/said"; then
    check OCaml ';main;.*;App.entry;App.outer;App.middle;App.leaf' 'App.leaf'
fi
[ $checked -gt 0 ] || {
    echo 'there is no compiler of C++, Rust or OCaml'
    exit 77
}
exit $bad
