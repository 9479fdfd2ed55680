#!/bin/sh
# Scopes are counted exactly, whatever compiles and links them: scopes.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
FLM_SITE(of_file, "of the file");
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
    struct flm_scope outside = flm_enter(&of_file);
    flm_exit(&outside);
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
main;of the file 1
main;two 1
main;two;on a line 1
END

check()
{
    what=$1
    shift
    rm -f "$work/app" "$work/out"
    "$@" -Wall -Wextra -Werror -Iinclude -o "$work/app" -L"$build" ||
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

# Lambdas have the name of the function that they are in, whose own name may be odd.
cat > "$work/lambdas.cc" << 'END'
#include <flamel/probe.h>
namespace ns {
template <class T> struct parser {
    T value;
    int parse(int (*next)(int, void (*)(int))) const
    {
        FLM_FUNC();
        int sum = 0;
        auto line = [&](int x) {
            FLM_FUNC();
            auto word = [&] { FLM_FUNC(); return sum++; };
            return word() + x;
        };
        return line(next ? 1 : 2);
    }
    operator int() const { return [](T x) { FLM_FUNC(); return x ? 1 : 0; }(value); }
    bool operator<(const parser &other) const { return [&](auto x) { FLM_FUNC(); return x < other.value; }(value); }
    int operator()(int x) const { FLM_FUNC(); return [&](int *y) -> int { FLM_FUNC(); return *y; }(&x); }
};
}
static int (*everywhere)() = [] { FLM_FUNC(); return 1; };
int main()
{
    ns::parser<long *> one{nullptr};
    ns::parser<int> two{2};
    return one.parse(nullptr) + one + (two < two) + two(0) + everywhere() - 3;
}
END
check_lambdas()
{
    for level in -O0 -O2; do
        $1 -std=c++14 -Wall -Wextra -Werror $level -Iinclude "$work/lambdas.cc" -o "$work/lambdas" -L"$build" -lflamel-probe ||
            { echo "$1 $level: lambdas do not compile"; bad=1; return; }
        FLAMEL=file:$work/out "$work/lambdas" || { echo "$1 $level: lambdas fail"; bad=1; }
        found=$("$build/flamel" convert -q -t folded -m calls "$work/out" | tr '\n' ' ')
        [ "$found" = "operator int::{lambda} 1 operator<::{lambda} 1 parse 1 parse;parse::{lambda} 1 \
parse;parse::{lambda};parse::{lambda}::{lambda} 1 parser::operator() 1 parser::operator();operator()::{lambda} 1 {lambda} 1 " ] ||
            { echo "$1 $level: other names of lambdas: $found"; bad=1; }
    done
}

# Lambdas that are arguments of templates are in no name; a function with as long a name as lambdas have is no lambda.
cat > "$work/arguments.cc" << 'END'
#include <flamel/probe.h>
template <class F> int run(F f)
{
    auto inner = [&](int x) { FLM_FUNC(); return f() + x; };
    return inner(1);
}
template <class F> struct holder {
    F f;
    int operator()(int x) const { FLM_FUNC(); return f() + x; }
    int plain() const { auto in = [this] { FLM_FUNC(); return f(); }; return in(); }
};
template <class F> int call(F f) { return holder<F>{f}(1) + holder<F>{f}.plain(); }
struct Less { template <class T> bool operator()(T t) const { FLM_FUNC(); return t() > 0; } };
template <class T> T ten_letter(T t) { FLM_FUNC(); return t; }
int main()
{
    auto two = [] { FLM_FUNC(); return 2; };
    struct local { int operator()() const { FLM_FUNC(); return 1; } };
    auto generic = [](auto f) { auto in = [&] { FLM_FUNC(); return f(); }; return in(); };
    ten_letter(1), ten_letter(1L), ten_letter('c');
    return run(two) + call(two) + Less()(two) + run(local()) + generic(two) - 13;
}
END
check_arguments()
{
    $1 -std=c++14 -Wall -Wextra -Werror -O1 -Iinclude "$work/arguments.cc" -o "$work/arguments" -L"$build" -lflamel-probe ||
        { echo "$1: lambdas as arguments do not compile"; bad=1; return; }
    FLAMEL=file:$work/out,csv:$work/csv "$work/arguments" || { echo "$1: lambdas as arguments fail"; bad=1; }
    found=$("$build/flamel" convert -q -t folded -m calls "$work/out" | tr '\n' ' ')
    [ "$found" = "Less::operator() 1 Less::operator();main::{lambda} 1 holder::operator() 1 holder::operator();main::{lambda} 1 \
main::{lambda}::{lambda} 1 main::{lambda}::{lambda};main::{lambda} 1 plain::{lambda} 1 plain::{lambda};main::{lambda} 1 \
run::{lambda} 2 run::{lambda};local::operator() 1 run::{lambda};main::{lambda} 1 ten_letter 3 " ] ||
        { echo "$1: other names of lambdas that have lambdas as arguments: $found"; bad=1; }
    [ "$(grep -c 'ten_letter,,calls' "$work/csv")" = 1 ] || { echo "$1: a function with a long name is several"; grep ten_letter "$work/csv"; bad=1; }
}

# Each macro, with no warning.
macros() # COMPILER STANDARD
{
    for off in '' -DFLM_PROBE=0; do
        # shellcheck disable=SC2086 # none, or one
        $1 -std=$2 $off -Wall -Wextra -Wpedantic -Werror -O1 -Iinclude -c tests/probe/programs/macros.c -o "$work/macros.o" ||
            { echo "$1 $2 $off: a macro has a warning"; bad=1; }
    done
}

check "shared" $cc -O2 "$work/app.c" -lflamel-probe
check "shared, named twice" $cc -O0 "$work/app.c" -lflamel-probe -lflamel-probe
check "shared, as needed" $cc -O0 -Wl,--as-needed "$work/app.c" -lflamel-probe
check "strict C11" $cc -std=c11 -Wall -Wextra -Werror -O2 "$work/app.c" -lflamel-probe
echo 'int main(void) { return 0; }' | $cc -static -x c - -o "$work/static" 2> /dev/null &&
    check "static" $cc -O2 -static "$work/app.c" -lflamel-probe
for cxx in g++ clang++ clang++-14; do
    command -v $cxx > /dev/null || continue
    check "$cxx, C++11" $cxx -std=c++11 -Wall -Wextra -Werror -O2 "$work/app.cc" -lflamel-probe
    check "$cxx, C++17" $cxx -std=c++17 -O1 "$work/app.cc" -lflamel-probe
    check_lambdas $cxx
    check_arguments $cxx
    for standard in c++11 c++17 c++20; do
        macros "$cxx -x c++" $standard
    done
done
for other in clang clang-14; do
    command -v $other > /dev/null && check $other $other -O2 "$work/app.c" -lflamel-probe
done
for other in $cc gcc clang clang-14; do
    command -v $other > /dev/null || continue
    macros $other c11
    macros $other gnu17
done
exit $bad
