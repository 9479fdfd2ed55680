#!/bin/sh
# Scopes are counted exactly, whatever compiles and links them: scopes.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
static volatile int sink;
static void work(int n)
{
    FLM_FUNC();
    for (int i = 0; i < n; i++)
        sink += i;
}
static int deep(int n)
{
    FLM_FUNC();
    return n == 0 ? 0 : deep(n - 1) + 1;
}
int main(void)
{
    FLM_FUNC();
    for (int i = 0; i < 1000; i++) {
        FLM_SCOPE("line");
        work(10);
        if (i % 3 == 0) {
            FLM_SCOPE("third");
            work(20);
        }
    }
    { FLM_SCOPE("two"); FLM_SCOPE("on a line"); }
    FLM_SITE(by_hand, "by hand");
    struct flm_scope scope = flm_enter(&by_hand);
    deep(3);
    flm_exit(&scope);
    deep(300);
    return 0;
}
END
cp "$work/app.c" "$work/app.cc"
cat > "$work/expected" << 'END'
main 1
main;by hand 1
main;by hand;deep 1
main;by hand;deep;deep 1
main;by hand;deep;deep;deep 1
main;by hand;deep;deep;deep;deep 1
main;line 1000
main;line;third 334
main;line;third;work 334
main;line;work 1000
main;two 1
main;two;on a line 1
END

check()
{
    what=$1
    shift
    rm -f "$work/app" "$work/out"
    "$@" -Iinclude -o "$work/app" -L"$build" ||
        { echo "$what: does not compile"; bad=1; return; }
    FLAMEL=file:$work/out "$work/app" > "$work/said" 2>&1 ||
        { echo "$what: the program fails"; bad=1; }
    [ -s "$work/said" ] && { echo "$what: it prints"; cat "$work/said"; bad=1; }
    "$build/flamel" convert -q -t folded -m calls "$work/out" > "$work/folded"
    grep -v ';deep' "$work/folded" > "$work/some"
    grep 'by hand;' "$work/folded" >> "$work/some"
    sort "$work/some" | diff "$work/expected" - || { echo "$what: other counts"; bad=1; }
    # 256 scopes are kept, main among them; of 301 calls of deep 46 are beyond.
    deepest=$(awk '{ n = gsub(/deep/, "&"); if (n > most) most = n } END { print most }' "$work/folded")
    [ "$deepest" = 255 ] || { echo "$what: $deepest calls of deep, not 255"; bad=1; }
    "$build/flamel" report --view top "$work/out" > "$work/report" 2> "$work/lost" || bad=1
    grep -q 'scopes in more than 256 others: 46' "$work/lost" ||
        { echo "$what: no word of the 46 beyond"; bad=1; }
}

check "shared" $cc -O2 "$work/app.c" -lflamel-probe
check "shared, as needed" $cc -O0 -Wl,--as-needed "$work/app.c" -lflamel-probe
check "strict C11" $cc -std=c11 -Wall -Wextra -Werror -O2 "$work/app.c" -lflamel-probe
echo 'int main(void) { return 0; }' | $cc -static -x c - -o "$work/static" 2> /dev/null &&
    check "static" $cc -O2 -static "$work/app.c" -lflamel-probe
for cxx in g++ clang++ clang++-14; do
    command -v $cxx > /dev/null || continue
    check "$cxx, C++11" $cxx -std=c++11 -Wall -Wextra -Werror -O2 "$work/app.cc" -lflamel-probe
    check "$cxx, C++17" $cxx -std=c++17 -O1 "$work/app.cc" -lflamel-probe
done
for other in clang clang-14; do
    command -v $other > /dev/null && check $other $other -O2 "$work/app.c" -lflamel-probe
done
exit $bad
