#!/bin/sh
# The programs of examples/ are true: they compile as C11 and as C++17, against the library in the
# tree and against an installed one, without warnings, and print what they should. programs.sh FLAMEL

cd "$(dirname "$0")/../.." || exit 1
flamel=$1
built=$(cd "$(dirname "$flamel")" && pwd)
cc=${CC:-gcc}
cxx=${CXX:-g++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

if nm "$flamel" 2> /dev/null | grep -qE '__(asan|tsan)_init'; then
    echo 'built with sanitizers, which the programs would have to be linked with'
    exit 77
fi

complain()
{
    echo "$1"
    bad=1
}

# What the transcripts of the manual pages promise is not repeated here: one fact of each program.
check()
{
    program=$1 kind=$2
    run=$work/$kind/$program
    out=$work/$kind/$program.out
    case $program in
    top_table)
        printf 'main;parse;lex 30\nmain;idle 70\n' > "$work/in.folded"
        "$run" "$work/in.folded" > "$out" 2>&1 || complain "$kind $program: failed: $(cat "$out")"
        awk '{ print $1, $NF }' "$out" | sed -n '2,3p' | tr '\n' ' ' | grep -qx '70 idle 30 lex ' ||
            complain "$kind $program: printed $(cat "$out")"
        ;;
    own_sampler)
        "$run" "$work/vm.folded" || complain "$kind $program: failed"
        # 2,750 instructions a round, 100 rounds, a sample each 100.
        awk '{ sum += $NF } /^main;evaluate;multiply / { found = 1 }
            END { exit !(found && sum == 2750) }' "$work/vm.folded" ||
            complain "$kind $program: wrote $(cat "$work/vm.folded")"
        ;;
    compare_two)
        printf 'main;lex 30\nmain;idle 70\n' > "$work/before.folded"
        printf 'main;lex 50\nmain;idle 70\n' > "$work/after.folded"
        "$run" "$work/before.folded" "$work/after.folded" "$work/change.svg" > "$out" 2>&1 ||
            complain "$kind $program: failed: $(cat "$out")"
        grep -q '^total 100 -> 120 (+20.00 %), similarity 0.909$' "$out" &&
            grep -q '+20  grown        lex  (may be noise)$' "$out" ||
            complain "$kind $program: printed $(cat "$out")"
        grep -q '</svg>' "$work/change.svg" || complain "$kind $program: wrote no picture"
        ;;
    draw_pixels)
        "$run" tests/data/folded/perf-node.folded "$work/picture.ppm" ||
            complain "$kind $program: failed"
        [ "$(head -c 2 "$work/picture.ppm")" = P6 ] || complain "$kind $program: wrote no picture"
        ;;
    record_self)
        "$run" "$work/self.folded" > "$out" 2>&1
        status=$?
        if [ $status -ne 0 ]; then
            grep -q 'perf_event' "$out" || complain "$kind $program: failed: $(cat "$out")"
        elif ! grep -q 'sum_of_' "$work/self.folded"; then
            complain "$kind $program: wrote $(cat "$work/self.folded")"
        fi
        ;;
    *) complain "examples/$program.c: programs.sh does not know what it should print" ;;
    esac
}

# compile KIND PROGRAM COMPILER FLAGS...
compile()
{
    kind=$1 program=$2
    shift 2
    mkdir -p "$work/$kind"
    "$@" -Wall -Wextra -Wpedantic -Werror -o "$work/$kind/$program" \
        > "$work/log" 2>&1 || {
        complain "$kind examples/$program.c: $(cat "$work/log")"
        return 1
    }
    check "$program" "$kind"
}

# The variables of the make that runs this test are in MAKEFLAGS; so it builds nothing.
make install DESTDIR= PREFIX="$work/prefix" LIBDIR="$work/prefix/lib" > "$work/log" 2>&1 ||
    complain "make install failed: $(cat "$work/log")"
installed=$(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --cflags --libs flamel) ||
    complain 'pkg-config does not know the installed library'

for source in examples/*.c; do
    program=$(basename "$source" .c)
    LD_LIBRARY_PATH=$built compile c "$program" \
        "$cc" -std=c11 -D_GNU_SOURCE -Iinclude "$source" -L"$built" -lflamel -lm
    LD_LIBRARY_PATH=$built compile c++ "$program" \
        "$cxx" -std=c++17 -Iinclude -x c++ "$source" -x none -L"$built" -lflamel -lm
    LD_LIBRARY_PATH=$work/prefix/lib compile installed "$program" \
        "$cc" -std=c11 -D_GNU_SOURCE "$source" $installed -lm
done
exit $bad
