#!/bin/sh
# The checks of the house can fail: each gets a good tree and bad ones, and must tell them apart.

house=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$house/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

# A small tree that every check likes.
plant()
{
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/format" "$tree/src/io" "$tree/include/flamel" \
        "$tree/tests/base" "$tree/tests/format" "$tree/tests/io" "$tree/tests/house"
    cd "$tree" || exit 1
    cp "$root/.clang-format" .
    cat > LAYERS <<'EOF'
# folders
base    pure     numbers
format  pure     texts
io      system   files
EOF
    cat > include/flamel/one.h <<'EOF'
#ifndef ONE_H
#define ONE_H
int flm_one(void);
#endif
EOF
    cat > src/base/one.c <<'EOF'
#include "flamel/one.h"

static const char *const names[] = {"a", "b"};

int flm_one(void)
{
    return names[0][0];
}
EOF
    printf '#ifndef T_H\n#define T_H\n#include "flamel/one.h"\nint two(void);\n#endif\n' > src/format/two.h
    printf '#include "format/two.h"\n\nint two(void)\n{\n    return flm_one();\n}\n' > src/format/two.c
    printf '#include "format/two.h"\n\n#include <stdio.h>\n' > src/io/file.c
    touch tests/base/one_test.c tests/format/two_test.c tests/io/file_test.c
}

library()
{
    gcc -fPIC -Isrc -Iinclude -c src/base/one.c -o one.o && rm -f one.a && ar rcs one.a one.o
}

# says STATUS TEXT CLAIM COMMAND...: it ends with that status, and its output has that text.
says()
{
    status=$1 text=$2 claim=$3
    shift 3
    output=$("$@" 2>&1 < /dev/null)
    got=$?
    if [ $got -ne "$status" ]; then
        echo "$claim: the status is $got, not $status: $output"
        bad=1
    elif ! printf '%s\n' "$output" | grep -q -e "$text"; then
        echo "$claim: it does not say '$text': $output"
        bad=1
    fi
}
likes()
{
    says 0 '' "$1 likes a good tree" "$house/$1" ${2-}
}
refuses()
{
    says 1 "$2" "$1 refuses" "$house/$1" ${3-}
}

plant
library
for check in layers cycles headers tested cli_includes comments references format lint; do
    likes $check.sh
done
likes globals.sh one.a
likes exports.sh one.a

# ---- layers ----
plant; echo '#include "format/two.h"' >> src/base/one.c
refuses layers.sh 'src/base/one.c:9: base uses format, which is below it'
plant; echo '  #  include "two.h"' >> src/format/two.c
refuses layers.sh '"two.h": write the folder'
plant; echo '#include "base/one.h"' >> include/flamel/one.h
refuses layers.sh 'which is not public'
plant; mkdir src/extra; touch src/extra/x.c
refuses layers.sh 'src/extra is not in LAYERS'
plant; echo 'draw  pure  pictures' >> LAYERS
refuses layers.sh 'there is no src/draw'
plant; mkdir src/base/deep; touch src/base/deep/x.c
refuses layers.sh 'src/base/deep is not in LAYERS'
plant; mkdir -p src/base/deep/er; touch src/base/deep/er/x.c
refuses layers.sh 'nothing deeper'
plant; for i in $(seq 31); do touch tests/base/$i; done
refuses layers.sh 'tests/base shows 32 files'
plant; sed 's/T_H/U_H/' src/format/two.h > src/io/two.h
refuses layers.sh 'src/io/two.h: src/format/two.h has this name already'
plant; echo '#include "format/two.h"' >> src/base/one.c
echo 'base format  known' > tests/house/layers_exceptions
likes layers.sh
plant; echo 'base format  known' > tests/house/layers_exceptions
refuses layers.sh 'base format is not needed any more'
plant; touch src/x.c
refuses layers.sh 'every source is in a folder'

# ---- cycles ----
plant
echo '#include "base/b.h"' > src/base/a.h
echo '#include "base/c.h"' > src/base/b.h
echo '#include "base/a.h"' > src/base/c.h
refuses cycles.sh 'base/b.h: is on an include cycle'
plant; echo '#include "flamel/one.h"' >> include/flamel/one.h
refuses cycles.sh 'flamel/one.h: is on an include cycle'

# ---- cli_includes ----
plant; mkdir -p src/cli; printf '#include "flamel/one.h"\n#include "base/one.h"\n' > src/cli/main.c
likes cli_includes.sh
echo '#include "format/two.h"' >> src/cli/main.c
refuses cli_includes.sh 'src/cli includes format/two.h, which is not public'
echo 'format/two.h' > tests/house/cli_includes
likes cli_includes.sh
echo 'format/one.h' >> tests/house/cli_includes
refuses cli_includes.sh 'format/one.h is not needed any more'

# ---- comments ----
plant; printf '/* ---- Reading ---- */\nconst char *wide = "/* %0100d"; /* short */\n' 0 >> src/base/one.c
likes comments.sh
printf '/* ---- Writing -----\n */\n' >> src/base/one.c
refuses comments.sh 'one.c:11: the banner does not end on its line'
plant; printf '/* One line.\n * %0100d */\n' 0 >> src/base/one.c
refuses comments.sh 'one.c:10: the comment is 106 columns wide'
plant; printf 'int x; /* %0100d */\n' 0 >> src/base/one.c
refuses comments.sh 'one.c:9: the comment is 113 columns wide'
plant; printf '/* One line.\n *\n * Another\n * one. */\n' >> src/base/one.c
likes comments.sh
plant; printf '/* One line.\n * */\n' >> src/base/one.c
refuses comments.sh 'one.c:10: the comment has a line with nothing on it'
plant; printf '/* One line.\n * \n * Another one. */\n' >> src/base/one.c
refuses comments.sh 'one.c:10: the comment has a line with nothing on it'

# ---- references ----
plant
printf '/* new.c - flm_one of one.c and base/one.c; system.h, flm_NAME_new and map.c:12 in "two.c". */\n' \
    > src/base/new.c
printf '#include <system.h>\nconst char *made[] = {"two.c"};\n' >> src/base/new.c
likes references.sh
printf '/* old.c - what it is for. */\n' > src/base/new.c
refuses references.sh 'src/base/new.c:1: its head comment is that of old.c'
for name in base/gone.h two/one.c gone.md; do
    plant; printf 'int x; /* as in %s. */\n' $name >> src/base/one.c
    refuses references.sh "src/base/one.c:9: there is no $name"
done
plant; printf '// see flm_two, as\n/* FLM_ONE\n * does. */\n' >> src/base/one.c
refuses references.sh 'src/base/one.c:9: there is no flm_two'
refuses references.sh 'src/base/one.c:10: there is no FLM_ONE'
plant; echo 'See `src/base/one.c`, `src/base/` and flm_one.' > README.md
likes references.sh
echo 'See `src/gone/`.' > README.md
refuses references.sh 'README.md:1: there is no src/gone/'
echo 'See flm_two.' > README.md
refuses references.sh 'README.md:1: there is no flm_two'

# ---- headers ----
plant; echo 'size_t three(void);' > src/base/three.h
refuses headers.sh 'src/base/three.h: does not compile alone'
plant; echo 'struct twice { int x; };' > src/base/three.h
refuses headers.sh 'src/base/three.h: does not compile alone'
plant; printf '#include <sys/types.h>\nstatic inline void f(u_int *x) { (void)x; }\n' > src/base/three.h
refuses headers.sh 'src/base/three.h: does not compile alone'
plant; printf '#ifndef N_H\n#define N_H\nint take(int class);\n#endif\n' > include/flamel/new.h
refuses headers.sh 'include/flamel/new.h: does not compile as C++11'

# ---- globals and exports ----
for line in 'int count;' 'static int count = 1; int *at(void) { return &count; }' \
    'int next(void) { static int last; return ++last; }' '_Thread_local int mine;' \
    'const char *texts[] = {"a"};'; do
    plant; echo "$line" >> src/base/one.c; library
    refuses globals.sh 'one.o: .* can be written to' one.a
done
says 1 'no symbols' 'globals.sh refuses no library' "$house/globals.sh" absent.a
plant; echo 'int flm_three(void);' > include/flamel/three.h; library
refuses exports.sh 'three.h: flm_three is declared, but not defined' one.a
plant; sed -i 's/^int flm_one/static int flm_one/' src/base/one.c
sed -i '/include/d' src/base/one.c; library
refuses exports.sh 'flm_one is declared, but not defined' one.a
plant; printf 'extern int flm_four(void);\nstatic inline int flm_five(void) { return flm_four(); }\n' > include/flamel/four.h
library
refuses exports.sh 'four.h: flm_four is declared, but not defined' one.a
echo 'int flm_four(void) { return 4; }' > src/base/four.c
gcc -fPIC -c src/base/four.c -o four.o && rm -f four.a && ar rcs four.a four.o
says 0 '' 'exports.sh looks in all libraries' "$house/exports.sh" one.a four.a

# ---- format and lint: where this version of the tool is the one that judges ----
plant
if "$house/format.sh" > /dev/null 2>&1; then
    echo 'int  badly( void );' >> src/base/one.c
    refuses format.sh 'src/base/one.c: not as clang-format writes it'
    says 0 '' 'format.sh --fix' "$house/format.sh" --fix
    likes format.sh
fi
plant
if cppcheck --version 2> /dev/null | grep -qx 'Cppcheck 2.10'; then
    echo 'int past(void) { int x[2] = {0}; return x[2]; }' >> src/base/one.c
    refuses lint.sh 'one.c:9.* error: .*\[arrayIndexOutOfBounds\]'
    plant
    echo '/* cppcheck-suppress arrayIndexOutOfBounds */' >> src/base/one.c
    refuses lint.sh 'give no reason'
fi

# ---- tested ----
plant; touch src/base/three.c
refuses tested.sh 'src/base/three.c: there is no tests/base/three_test.c'
echo 'src/base/three.c  it only holds data' > tests/house/untested
likes tested.sh
plant; touch src/base/one_half.c
likes tested.sh
plant; touch src/base/onerous.c
refuses tested.sh 'src/base/onerous.c: there is no tests/base/onerous_test.c'
plant; touch src/base/three.c
echo 'src/base/three.c' > tests/house/untested
refuses tested.sh 'src/base/three.c: there is no'
plant; echo 'src/base/one.c  it is small' > tests/house/untested
refuses tested.sh 'has a test by now'
plant; echo 'src/base/gone.c  it was large' > tests/house/untested
refuses tested.sh 'there is no src/base/gone.c'

# ---- manual ----
page()
{
    mkdir -p docs/man
    printf '%s\n' '.Dd January 1, 2026' '.Dt ONE 1' '.Os' '.Sh NAME' '.Nm one' '.Nd a small page' \
        '.Sh DESCRIPTION' '.Bl -tag -width Ds' '.It Fl a' 'first' '.El' > docs/man/one.1
}
if command -v mandoc > /dev/null || command -v groff > /dev/null; then
    plant; page
    likes manual.sh
    sed -i '/^.El/d' docs/man/one.1
    refuses manual.sh 'docs/man/one.1'
    page; sed -i 's/^.Dt ONE/.Dt TWO/' docs/man/one.1
    refuses manual.sh 'its title is two.1'
    rm docs/man/one.1
    refuses manual.sh 'no manual pages'
fi

# ---- transcripts: the command says its words, then trouble on standard error, and ends with 2 ----
transcript()
{
    plant
    mkdir -p tests/cli/command
    printf '#!/bin/sh\necho "$*"\necho trouble >&2\nexit 2\n' > flamel
    chmod +x flamel
    printf '%s\n' "$@" > tests/cli/command/some.md
}
is_true()
{
    claim=$1
    shift
    transcript "$@"
    says 0 '^1 passed, 0 failed$' "tests/cli/run likes $claim" "$root/tests/cli/run" ./flamel
}
is_false()
{
    text=$1 claim=$2
    shift 2
    transcript "$@"
    says 1 "$text" "tests/cli/run refuses $claim" "$root/tests/cli/run" ./flamel
}
is_true 'a transcript' '```sh' '$ flamel a b' 'a b' 'trouble' '[2]' '```'
is_true 'dots for all' '```' '$ flamel a' '...' '[2]' '```'
is_true 'dots for nothing' '```' '$ flamel a' '...' 'a' '...' 'trouble' '[2]' '```'
is_true 'dots that go back' '```' '$ printf "a\nb\na\nc\n"' '...' 'a' 'c' '```'
is_true 'a command of several lines' '~~~' '$ flamel a |' '> sort' 'trouble' 'a' '~~~'
is_true 'a hidden command' '<!-- $ true -->'
is_false 'some.md:2: \$ flamel b' 'another line' '```' '$ flamel b' 'a' 'trouble' '[2]' '```'
is_false 'wanted: more' 'a missing line' '```' '$ flamel a' 'a' 'trouble' 'more' '[2]' '```'
is_false 'printed: trouble' 'a line too many' '```' '$ flamel a' 'a' '[2]' '```'
is_false 'printed: c' 'dots that end too early' '```' '$ printf "a\nb\nc\n"' '...' 'b' '```'
is_false 'status is 2, not 0' 'another status' '```' '$ flamel a' 'a' 'trouble' '```'
is_false 'status is 0, not 2' 'no status' '```' '$ echo a' 'a' '[2]' '```'
is_false 'status is 1, not 0' 'a hidden command that fails' '<!-- $ false -->'
is_false 'printed: a' 'a hidden command that speaks' '<!-- $ echo a -->'
is_false 'last fence is not closed' 'an open fence' '```' '$ echo a' 'a'
is_false '^0 passed, 0 failed$' 'a file without transcripts' 'nothing' '```' 'echo a' '```'

# ---- run_test and count_results ----
plant
says 0 'ok  *good' 'a test passes' "$house/run_test.sh" r/good good 5 true
says 0 'FAIL  *bad' 'a test fails' "$house/run_test.sh" r/bad bad 5 sh -c 'echo why; exit 3'
says 0 'why' 'a failure shows its log' "$house/run_test.sh" r/bad bad 5 sh -c 'echo why; exit 3'
says 0 'skip  *later: no tool' 'a test is skipped' \
    "$house/run_test.sh" r/later later 5 sh -c 'echo no tool; exit 77'
says 0 'stopped after 1 seconds' 'a test hangs' "$house/run_test.sh" r/slow slow 1 sleep 20
says 0 '^1 passed, 0 failed, 1 skipped$' 'results are counted' \
    "$house/count_results.sh" r/good r/later
says 1 '^1 passed, 2 failed$' 'failures are counted' "$house/count_results.sh" r/good r/bad r/slow

# ---- the Makefile: a failing test fails `make test`, an impure include or call `make wasm` ----
plant
cp -r "$root/Makefile" "$root/mk" "$root/web" "$root/tests" .
rm -rf tests/*/*_test.c tests/*/*/*_test.c
for part in fuzz cli wasm browser clients examples install lines probe java runtimes support; do
    rm -rf "tests/$part"
done
quietly() # without wasm-opt: what it makes two modules of is not in this tree
{
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make WASM_OPT= "$@"
}
printf 'int main(void)\n{\n    return 0;\n}\n' > tests/base/one_test.c
rm src/io/file.c
says 0 '^1 passed, 0 failed$' 'make test passes' quietly test
sed -i 's/return 0/return 1/' tests/base/one_test.c
says 2 '^0 passed, 1 failed$' 'make test fails' quietly test
echo 'int unused(int x)' > src/base/bad.c
says 2 'bad.c:1' 'make stops at an error' quietly all
if command -v clang > /dev/null; then
    rm src/base/bad.c
    says 0 '' 'make wasm likes a pure tree' quietly wasm
    for header in stdio.h time.h pthread.h unistd.h threads.h signal.h; do
        echo "#include <$header>" > src/base/bad.c
        says 2 "'$header' file not found" 'make wasm refuses an impure include' quietly wasm
    done
    printf 'int getpid(void);\nint bad(void);\nint bad(void)\n{\n    return getpid();\n}\n' \
        > src/base/bad.c
    says 2 'undefined symbol: getpid' 'make wasm refuses an impure call' quietly wasm
fi

exit $bad
