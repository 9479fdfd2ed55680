#!/bin/sh
# Functions that call at their beginning, and where the compiler can, at their end: gcc -pg -mfentry, -pg, clang's
# XRay. Each call is counted, with its name, and no register is lost: entries.sh BUILD.
build=$1 cc=${CC:-gcc}
[ "$(uname -m)" = x86_64 ] || { echo "only for x86-64"; exit 0; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
calls()
{
    "$build/flamel" convert -q -t folded -m calls "$1"
}

# What it computes is wrong if a register is lost: arguments and results in those for vectors, more than six
# arguments, a number of them in rax, a nested function's frame in r10, jumps to other functions.
cat > "$work/app.c" << 'END'
#include <immintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <flamel/probe.h>
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
static jmp_buf out;
static volatile int sink;
APART static void leaf(void)
{
    sink++;
}
APART __attribute__((target("avx"))) static __m256d wide(__m256d a, __m256d b)
{
    return _mm256_add_pd(a, b);
}
APART __attribute__((target("avx"))) static int is_wide_kept(void)
{
    double got[4];
    __m256d sum = wide(_mm256_set_pd(1, 2, 3, 4), _mm256_set_pd(10, 20, 30, 40));
    _mm256_storeu_pd(got, wide(sum, _mm256_set1_pd(100)));
    return got[0] == 144 && got[1] == 133 && got[2] == 122 && got[3] == 111;
}
APART static double mixed(int a, double b, int c, float d, long e, int f, int g, double h, int i, int k)
{
    sink++;
    return a + b + c + d + e + f + g + h + i + k;
}
APART static double sum(int count, ...)
{
    double all = 0;
    va_list more;
    va_start(more, count);
    for (int i = 0; i < count; i++)
        all += va_arg(more, double);
    va_end(more);
    return all;
}
APART static long double longer(long double x)
{
    sink++;
    return x + 1;
}
APART static int last(int n)
{
    leaf();
    return n + 1;
}
APART static int jumps(int n)
{
    sink++;
    return last(n);
}
APART static int deep(int n)
{
    int below = n == 0 ? -1 : deep(n - 1);
    sink++;
    return below + 1;
}
APART static void leap(int n)
{
    if (n == 0)
        longjmp(out, 1);
    leap(n - 1);
    sink++;
}
APART static void try(void)
{
    if (setjmp(out) == 0)
        leap(3);
    leaf();
    sink++;
}
APART static void *run(void *arg)
{
    for (int i = 0; i < 500; i++)
        if (jumps(i) != i + 1)
            return 0;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread[4];
    int bad = 0;
    for (int i = 0; i < 1000; i++) {
        bad |= jumps(i) != i + 1;
        bad |= mixed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) != 55;
        bad |= sum(3, 1.0, 2.0, 3.0) != 6;
        bad |= longer(1) != 2;
        if (__builtin_cpu_supports("avx"))
            bad |= !is_wide_kept();
    }
    for (int i = 0; i < 10; i++)
        try();
    {
        FLM_SCOPE("by hand");
        leaf();
    }
    bad |= deep(300) != 300;
    leaf();
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, run, argv);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(thread[i], &result);
        bad |= result != argv;
    }
    return bad;
}
END
cat > "$work/expected" << 'END'
main 1
main;by hand 1
main;by hand;leaf 1
main;last 1000
main;last;leaf 1000
main;leaf 1
main;longer 1000
main;mixed 1000
main;sum 1000
main;try 10
main;try;leaf 10
main;try;leap 10
main;try;leap;leap 10
main;try;leap;leap;leap 10
main;try;leap;leap;leap;leap 10
run 4
run;last 2000
run;last;leaf 2000
END
measure()
{
    rm -f "$work/out"
    FLAMEL=file:$work/out,no-memory "$work/app" > "$work/said" 2>&1 || complain "$1: a register is lost, or it fails"
    [ -s "$work/said" ] && { complain "$1: it prints"; cat "$work/said"; }
    "$work/app" || complain "$1: it fails where nothing is measured"
    calls "$work/out" | grep -v wide | sort > "$work/folded"
}
check()
{
    measure "$1"
    # A function that jumps to another ends there, if it does.
    sed 's/;jumps;/;/g; s/^jumps;//' "$work/folded" | grep -v 'deep\|jumps' | diff "$work/expected" - ||
        complain "$1: other counts"
    [ "$(awk '/jumps [0-9]*$/ { n += $NF } END { print n }' "$work/folded")" = 3000 ] || complain "$1: not 3000 jumps"
    deepest=$(awk '{ n = gsub(/deep/, "&"); if (n > most) most = n } END { print most }' "$work/folded")
    [ "$deepest" = 255 ] || complain "$1: $deepest calls of deep, not 255"
    # The static library does not see jumps: a function that begins or ends outside says it.
    left=$("$build/flamel" info "$work/out" 2>&1 | sed -n 's/.*without an end.* //p')
    case "$1" in *static*) wanted=40 ;; *) wanted= ;; esac
    [ "$left" = "$wanted" ] || complain "$1: '$left' were left, not '$wanted'"
}
count_of()
{
    awk -v name="$1" '$1 == name { print $2 }' "$work/folded"
}

ends="-pg -mfentry -minstrument-return=call"
if $cc $ends -x c -c -o "$work/try.o" - < /dev/null 2> /dev/null; then
    for level in -O0 -O2; do
        $cc $level $ends -Iinclude -c -o "$work/app.o" "$work/app.c" || exit 1
        $cc "$work/app.o" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
        check "gcc $ends $level"
        "$build/flamel" report "$work/out" | grep -q 'time: functions' && complain "$ends: says that they are not timed"
        if $cc -static "$work/app.o" -o "$work/app" -pthread -L"$build" -lflamel-probe 2> /dev/null; then
            check "gcc $ends $level -static"
        fi
    done
    # Memory, and a way of timing, in the slow ways.
    $cc "$work/app.o" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
    for words in memory ordered count sample:4 only:jumps not:l* cpu; do
        FLAMEL=file:$work/out,$words "$work/app" || complain "gcc $ends, $words: it fails"
    done
    FLAMEL=file:$work/out,only:last "$work/app" || complain "gcc $ends: it fails with a filter"
    [ "$(calls "$work/out" | tr '\n' ' ')" = "by hand 1 last 3000 " ] || { complain "a filter: other counts"; calls "$work/out"; }
else
    echo "$cc has no -minstrument-return"
fi

# Without ends they are counted, and the report says how to have times.
for way in "-pg -mfentry" -pg; do
    $cc $way -x c -c -o "$work/try.o" - < /dev/null 2> /dev/null || continue
    $cc -O2 $way -Iinclude -c -o "$work/app.o" "$work/app.c" || exit 1
    for static in "" -static; do
        $cc $static "$work/app.o" -o "$work/app" -pthread -L"$build" -lflamel-probe 2> /dev/null || continue
        measure "$way $static"
        [ "$(count_of jumps) $(count_of leap) $(count_of deep) $(count_of run) $(count_of main)" = "3000 40 301 4 1" ] ||
            { complain "$way $static: other counts"; cat "$work/folded"; }
        "$build/flamel" report "$work/out" > "$work/said"
        grep -q 'counted, not timed.*-minstrument-return=call' "$work/said" || complain "$way $static: it does not say why"
        grep -q '^ *301  *deep$' "$work/said" || { complain "$way $static: times of what is counted"; cat "$work/said"; }
    done
done

# gprof has its calls, where nothing is measured.
if command -v gprof > /dev/null && $cc -O2 -pg -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe 2> /dev/null; then
    (cd "$work" && ./app) || complain "gprof: it fails"
    [ "$(gprof -b -p "$work/app" "$work/gmon.out" | awk '$NF == "leap" { print $(NF - 3) }')" = 10 ] ||
        gprof -b -p "$work/app" "$work/gmon.out" | grep -q ' leap$' || complain "gprof: it has no calls"
fi

# Exceptions, which leave functions without an end; the names are readable.
cat > "$work/app.cc" << 'END'
#include <stdexcept>
static volatile int sink;
namespace app {
struct guard { ~guard() { sink = sink + 1; } };
__attribute__((noinline)) void thrower(int n)
{
    guard g;
    if (n % 3 == 0)
        throw std::runtime_error("three");
    sink = sink + n;
}
__attribute__((noinline)) int tries(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++)
        try {
            thrower(i);
        } catch (const std::exception &) {
            caught++;
        }
    return caught;
}
}
int main()
{
    return app::tries(300) == 100 ? 0 : 1;
}
END
throws()
{
    FLAMEL=file:$work/out,no-memory "$work/app" || complain "$1: it fails"
    calls "$work/out" > "$work/folded"
    grep -qx 'main;app::tries(int);app::thrower(int) 300' "$work/folded" ||
        { complain "$1: other counts"; cat "$work/folded"; }
}
if echo 'int main(){}' | g++ $ends -x c++ -c -o "$work/try.o" - 2> /dev/null; then
    for level in -O0 -O2; do
        g++ $level $ends -c -o "$work/app.o" "$work/app.cc" && g++ "$work/app.o" -o "$work/app" -L"$build" -lflamel-probe || exit 1
        throws "g++ $level"
    done
fi

# XRay. Its runtime is in C++.
for clang in clang clang-14; do
    xray="-fxray-instrument -fxray-instruction-threshold=1"
    command -v $clang > /dev/null && echo 'int main(void) { return 0; }' > "$work/try.c" &&
        $clang $xray "$work/try.c" -o "$work/try" -lstdc++ -lm 2> /dev/null || continue
    for level in -O0 -O2; do
        $clang $level $xray -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe -lstdc++ -lm || exit 1
        check "$clang $level XRay"
        $clang $level $xray -x c++ "$work/app.cc" -o "$work/app" -L"$build" -lflamel-probe -lstdc++ -lm || exit 1
        throws "$clang $level XRay"
    done
    $clang -O1 $xray -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe -lstdc++ -lm || exit 1
    FLAMEL=file:$work/out,only:last "$work/app" || complain "$clang XRay: it fails with a filter"
    [ "$(calls "$work/out" | tr '\n' ' ')" = "by hand 1 last 3000 " ] || { complain "XRay, a filter: other counts"; calls "$work/out"; }
    # Not linked with the library: its runtime is found by its symbols; without those the report says why.
    sed 's/.*flamel.probe.h.*//; s/FLM_SCOPE("by hand");//' "$work/app.c" > "$work/plain.c"
    $clang -O1 $xray "$work/plain.c" -o "$work/app" -pthread -lstdc++ -lm || exit 1
    FLAMEL=file:$work/out,no-memory LD_PRELOAD=$build/libflamel-probe.so.0 "$work/app" || complain "$clang, preloaded: it fails"
    [ "$(calls "$work/out" | awk '$1 == "main;last;leaf" || $1 == "main;jumps;last;leaf" { print $2 }')" = 1000 ] ||
        { complain "$clang, preloaded: other counts"; calls "$work/out" | grep -v deep; }
    strip "$work/app"
    FLAMEL=report LD_PRELOAD=$build/libflamel-probe.so.0 "$work/app" 2>&1 |
        grep -q 'fxray-instrument are not measured.*link with' || complain "$clang, stripped: it does not say why"
done
exit $bad
