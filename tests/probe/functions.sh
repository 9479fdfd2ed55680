#!/bin/sh
# Programs compiled with -finstrument-functions: each call is counted, with its name: functions.sh BUILD.
build=$1 cc=${CC:-gcc}
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

cat > "$work/app.c" << 'END'
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <flamel/probe.h>
static jmp_buf out;
static volatile int sink;
__attribute__((noinline)) static void leaf(void)
{
    sink++;
}
__attribute__((noinline)) static int last(int n)
{
    leaf();
    return n + sink;
}
__attribute__((noinline)) static int tail(int n)
{
    sink++;
    return last(n);
}
__attribute__((noinline)) static int deep(int n)
{
    return n == 0 ? 0 : deep(n - 1) + 1;
}
__attribute__((noinline)) static void grows(int n)
{
    char *room = alloca((size_t)n * 100);
    memset(room, n, (size_t)n * 100);
    sink += room[n];
    leaf();
}
__attribute__((noinline)) static void leap(int n)
{
    if (n == 0)
        longjmp(out, 1);
    leap(n - 1);
    sink++;
}
__attribute__((noinline)) static void try(void)
{
    if (setjmp(out) == 0)
        leap(3);
    leaf();
}
static void *run(void *arg)
{
    for (int i = 0; i < 500; i++)
        tail(i);
    return arg;
}
int main(void)
{
    for (int i = 0; i < 1000; i++)
        tail(i);
    for (int i = 0; i < 10; i++)
        try();
    for (int i = 1; i < 20; i++)
        grows(i);
    {
        FLM_SCOPE("by hand");
        leaf();
    }
    deep(300);
    leaf();
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, run, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], 0);
    return 0;
}
END
cat > "$work/expected" << 'END'
main 1
main;by hand 1
main;by hand;leaf 1
main;grows 19
main;grows;leaf 19
main;leaf 1
main;tail 1000
main;tail;last 1000
main;tail;last;leaf 1000
main;try 10
main;try;leaf 10
main;try;leap 10
main;try;leap;leap 10
main;try;leap;leap;leap 10
main;try;leap;leap;leap;leap 10
run 4
run;tail 2000
run;tail;last 2000
run;tail;last;leaf 2000
END
check()
{
    what=$1
    shift
    rm -f "$work/app" "$work/out"
    "$@" -Iinclude -finstrument-functions -o "$work/app" -pthread -L"$build" ||
        { complain "$what: does not compile"; return; }
    FLAMEL=file:$work/out,no-memory "$work/app" > "$work/said" 2>&1 || complain "$what: the program fails"
    [ -s "$work/said" ] && { complain "$what: it prints"; cat "$work/said"; }
    calls "$work/out" > "$work/folded"
    grep -v ';deep' "$work/folded" | sort | diff "$work/expected" - || complain "$what: other counts"
    # 256 scopes are kept, main among them; of 301 calls of deep 46 are beyond.
    deepest=$(awk '{ n = gsub(/deep/, "&"); if (n > most) most = n } END { print most }' "$work/folded")
    [ "$deepest" = 255 ] || complain "$what: $deepest calls of deep, not 255"
    "$build/flamel" info "$work/out" 2>&1 | grep -q '256 others.* 46$\|46 scopes in more' ||
        { complain "$what: no word of the 46 beyond"; }
    # The static library does not see jumps: a function that begins or ends outside says it.
    left=$("$build/flamel" info "$work/out" 2>&1 | sed -n 's/.*without an end.* //p')
    case "$what" in *static*) wanted=40 ;; *) wanted= ;; esac
    [ "$left" = "$wanted" ] || complain "$what: '$left' were left, not '$wanted'"
}
check "gcc -O0" $cc -O0 "$work/app.c" -lflamel-probe
check "gcc -O2" $cc -O2 "$work/app.c" -lflamel-probe
echo 'int main(void) { return 0; }' | $cc -static -x c - -o "$work/static" 2> /dev/null &&
    check "static" $cc -O2 -static "$work/app.c" -lflamel-probe
for other in clang clang-14; do
    command -v $other > /dev/null || continue
    check "$other -O0" $other -O0 "$work/app.c" -lflamel-probe
    check "$other -O2" $other -O2 "$work/app.c" -lflamel-probe
done

# Killed before anything was written: the file has what is mapped, and its symbols name the functions.
cat > "$work/killed.c" << 'END'
#include <signal.h>
static volatile int sink;
__attribute__((noinline)) static void leaf(void)
{
    sink++;
}
int main(void)
{
    for (int i = 0; i < 10; i++)
        leaf();
    return raise(SIGKILL);
}
END
for flags in "" -no-pie; do
    $cc -O1 $flags -finstrument-functions -o "$work/killed" "$work/killed.c" -L"$build" -lflamel-probe &&
        FLAMEL=file:$work/killed.probe,no-memory "$work/killed" 2> /dev/null
    got=$(calls "$work/killed.probe")
    [ "$got" = "main;leaf 10" ] || complain "killed $flags: $got"
    "$build/flamel" report -q "$work/killed.probe" | grep -q '  leaf$' || complain "killed $flags: no leaf in the report"
    rm -f "$work/killed.probe"
done

# Not linked with the library, and no symbols: it is loaded before, and names are places in the file.
grep -v 'flamel/probe' "$work/app.c" | sed 's/FLM_SCOPE("by hand");//' > "$work/plain.c"
$cc -O1 -finstrument-functions "$work/plain.c" -o "$work/plain" -pthread || exit 1
FLAMEL=file:$work/out,no-memory LD_PRELOAD=$build/libflamel-probe.so.0 "$work/plain" || complain "preloaded: it fails"
[ "$(calls "$work/out" | awk '$1 == "main;tail;last;leaf" { print $2 }')" = 1000 ] || complain "preloaded: other counts"
strip "$work/plain"
FLAMEL=file:$work/out,no-memory LD_PRELOAD=$build/libflamel-probe.so.0 "$work/plain" || complain "stripped: it fails"
calls "$work/out" | grep -q '^plain+0x[0-9a-f]*;plain+0x[0-9a-f]*;plain+0x[0-9a-f]* 1000$' ||
    { complain "stripped: other names"; calls "$work/out" | head -5; }

# Which functions.
$cc -O1 -Iinclude -finstrument-functions "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
filtered()
{
    FLAMEL="file:$work/out,no-memory,$1" "$work/app" || complain "$1: it fails"
    calls "$work/out" | grep -v deep | tr '\n' ' ' > "$work/folded"
    [ "$(cat "$work/folded")" = "$2" ] || { complain "$1: other functions"; cat "$work/folded"; }
}
filtered 'only:t?il/last' 'by hand 1 tail 3000 tail;last 3000 '
filtered 'not:l*/d*/try/r?n' 'main 1 main;by hand 1 main;grows 19 main;tail 1000 tail 2000 '
printf '# some\nl*\n\n  ! leaf \n!leap\n' > "$work/globs"
filtered "filter:$work/globs" 'by hand 1 last 3000 '
filtered "filter:$work/globs,only:grows" 'by hand 1 grows 19 last 3000 '
printf '! *\n' > "$work/globs"
filtered "filter:$work/globs" 'by hand 1 '

# Libraries that are unloaded, of which each has another function at the same address.
for i in 1 2 3; do
    printf 'int plug_%d(int n);\nint plug_%d(int n)\n{\n    return n + %d;\n}\n' $i $i $i > "$work/plug.c"
    $cc -O1 -fPIC -shared -finstrument-functions "$work/plug.c" -o "$work/plug$i.so" || exit 1
done
cat > "$work/host.c" << 'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char name[16];
        void *library = dlopen(argv[i], RTLD_NOW);
        snprintf(name, sizeof name, "plug_%d", i);
        int (*plug)(int) = library ? (int (*)(int))dlsym(library, name) : 0;
        for (int k = 0; plug && k < 10 * i; k++)
            plug(k);
        if (!plug || dlclose(library) != 0)
            return 1;
    }
    return 0;
}
END
$cc -O1 -finstrument-functions "$work/host.c" -o "$work/host" -L"$build" -lflamel-probe -ldl || exit 1
FLAMEL=file:$work/out,no-memory "$work/host" "$work"/plug[123].so || complain "dlclose: it fails"
[ "$(calls "$work/out" | tr '\n' ' ')" = "main 1 main;plug_1 10 main;plug_2 20 main;plug_3 30 " ] ||
    { complain "dlclose: other counts"; calls "$work/out"; }

# Functions that are inlined are in the one that they are inlined in, whatever is inlined in what.
cat > "$work/inlined.c" << 'END'
static volatile int sink;
static inline int leaf(int n)
{
    sink += n;
    return n;
}
static inline int middle(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += leaf(i);
    return sum + leaf(n);
}
static int fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}
static inline void last(int n)
{
    sink += middle(n % 3);
}
static void work(int n)
{
    last(middle(n));
    sink += leaf(n);
    if (n & 1)
        sink += middle(1);
    last(n);
}
int main(void)
{
    for (int i = 0; i < 200; i++)
        work(i % 7);
    return fib(15) != 610;
}
END
for other in $cc clang clang-14; do
    command -v $other > /dev/null || continue
    for level in -O0 -O1 -O2 -O3 -Os '-O3 -fomit-frame-pointer' '-O2 -fno-omit-frame-pointer'; do
        $other $level -finstrument-functions "$work/inlined.c" -o "$work/inlined" -L"$build" -lflamel-probe || exit 1
        FLAMEL=file:$work/out,no-memory "$work/inlined" || complain "inlined by $other $level: it fails"
        calls "$work/out" > "$work/folded"
        [ -s "$work/inlined.expected" ] || cp "$work/folded" "$work/inlined.expected"
        diff "$work/inlined.expected" "$work/folded" || complain "inlined by $other $level: other counts"
        "$build/flamel" info "$work/out" 2>&1 | grep 'without an end' && complain "inlined by $other $level: some were left"
    done
done
grep -qx 'main;work;last;middle;leaf [0-9]*' "$work/inlined.expected" || complain 'inlined: -O0 has other counts'

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
for cxx in g++ clang++ clang++-14; do
    command -v $cxx > /dev/null || continue
    for level in -O0 -O2; do
        $cxx $level -finstrument-functions "$work/app.cc" -o "$work/app" -L"$build" -lflamel-probe || { bad=1; continue; }
        FLAMEL=file:$work/out,no-memory "$work/app" || complain "$cxx $level: it fails"
        calls "$work/out" > "$work/folded"
        grep -qx 'main;app::tries(int);app::thrower(int) 300' "$work/folded" ||
            { complain "$cxx $level: other counts"; cat "$work/folded"; }
    done
done
exit $bad
