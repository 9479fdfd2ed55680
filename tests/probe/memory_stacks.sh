#!/bin/sh
# Stacks of allocations: leaks are found by them, exactly; those that are sampled are without bias:
# memory_stacks.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/values.c -o "$work/values" || exit 1

cat > "$work/leaks.c" << 'END'
#include <flamel/probe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static void *volatile sink;
static void *kept[1000];
NOINLINE void *get(size_t size)
{
    char *volatile block = malloc(size);
    return block;
}
NOINLINE void lose(int n)
{
    for (int i = 0; i < n; i++)
        sink = get(100);
    __asm__ volatile("");
}
NOINLINE void lose_in_large_frame(int n)
{
    volatile char large[5000];
    large[n] = 1;
    sink = get(1000);
    large[n + 1] = 2;
}
NOINLINE void lose_aligned(int n)
{
    _Alignas(64) volatile char aligned[64];
    char *room = __builtin_alloca((size_t)n * 16);
    aligned[n] = 1;
    room[0] = 1;
    sink = get(10000);
    sink = room;
    aligned[n + 1] = 2;
}
NOINLINE void deep(int n)
{
    if (n > 0)
        deep(n - 1);
    else
        sink = get(77);
    __asm__ volatile("");
}
NOINLINE void keep(void)
{
    for (int i = 0; i < 1000; i++)
        kept[i] = get(50);
    for (int i = 0; i < 1000; i++)
        kept[i] = realloc(kept[i], 60);
}
NOINLINE void let_go(void)
{
    for (int i = 0; i < 1000; i++)
        free(kept[i]);
}
NOINLINE int compare(const void *a, const void *b)
{
    if (!sink)
        sink = get(33); /* called by the C library */
    return *(const char *)a - *(const char *)b;
}
static void *run_thread(void *argument)
{
    let_go();
    lose(5);
    return argument;
}
NOINLINE void all(void)
{
    FLM_SCOPE("all");
    char letters[] = "zyx";
    lose(10);
    lose_in_large_frame(3);
    lose_aligned(3);
    deep(5);
    deep(100);
    keep();
    sink = NULL;
    qsort(letters, 3, 1, compare);
    sink = get(0);
}
int main(int argc, char **argv)
{
    pthread_t thread;
    all();
    pthread_create(&thread, NULL, run_thread, NULL);
    pthread_join(thread, NULL);
    if (argc > 1 && strcmp(argv[1], "_exit") == 0)
        _exit(0);
    return 0;
}
END
cat > "$work/expected" << 'END'
main;all;compare;get 33
main;all;deep;deep;deep;deep;deep;deep;get 77
main;all;lose;get 1000
main;all;lose_aligned;get 10000
main;all;lose_in_large_frame;get 1000
END
find_leaks()
{
    what=$1
    shift
    $* -w -g -D_GNU_SOURCE -Iinclude "$work/leaks.c" -o "$work/leaks" -pthread -L"$build" -lflamel-probe ||
        { complain "$what: does not compile"; return; }
    FLAMEL=file:$work/out,leaks "$work/leaks" || complain "$what: it fails"
    "$build/flamel" convert -q -t folded -m 'live by stack' "$work/out" > "$work/folded" ||
        complain "$what: the file is not read"
    # From main on, and without the C library's frames.
    # The C library's own functions have addresses where its debug information is missing.
    sed 's/^.*;main;/main;/; s/^.*;run_thread;/run_thread;/; s/;\(__GI_\)*\(qsort[a-z_]*\|msort[a-z_.0-9]*\|0x[0-9a-f]*\)//g' "$work/folded" |
        grep '^main\|^run_thread' | grep -v 'deep;deep;deep;deep;deep;deep;deep;' | sort > "$work/seen"
    grep '^main;all' "$work/seen" | diff "$work/expected" - || complain "$what: other leaks"
    grep -qx 'run_thread;lose;get 500' "$work/seen" || { complain "$what: not the thread's"; cat "$work/seen"; }
    # Of the deep ones the innermost 46 are kept.
    [ "$(grep -c '^deep;.*deep;get 77$' "$work/folded")" = 1 ] || complain "$what: not the deep one"
    # What lives, of the scope: 10 x 100 + 1000 + 10000 + 2 x 77 + 33.
    "$work/values" "$work/out" > "$work/values.txt"
    grep '^node -;all ' "$work/values.txt" | cut -d' ' -f9 | grep -qx 12187 ||
        { complain "$what: other bytes live"; grep '^node' "$work/values.txt"; }
}
find_leaks "$cc -O2" $cc -O2
find_leaks "$cc -O0" $cc -O0
find_leaks "$cc, no frame pointers" $cc -O1 -fomit-frame-pointer
for other in clang clang-14; do
    command -v $other > /dev/null && find_leaks "$other -O2" $other -O2
done
# Killed or not, what is not freed is in the file.
FLAMEL=file:$work/out,leaks "$work/leaks" _exit || complain "_exit: it fails"
"$build/flamel" convert -q -t folded -m 'live by stack' "$work/out" | grep -q 'lose;get 1000$' || complain "_exit: no leaks"

# The stacks of code that the C library unwinds too are the same ones.
cat > "$work/same.c" << 'END'
#include <execinfo.h>
#include <flamel/probe.h>
#include <flamel/probe_format.h>
#include <stdio.h>
#include <stdlib.h>
static void *volatile sink;
static int calls;
static int compare(const void *a, const void *b)
{
    void *frame[64];
    if (calls++ == 1) {
        FLM_SCOPE("here");
        sink = malloc(4444444);
        int count = backtrace(frame, 64);
        for (int i = 1; i < count; i++)
            printf("%s%llx", i > 1 ? ";" : "", (unsigned long long)(size_t)frame[i]);
        printf("\n");
    }
    return *(const int *)a - *(const int *)b;
}
int main(void)
{
    void *frame[4];
    backtrace(frame, 4);
    int some[] = {3, 2, 1, 5, 4};
    qsort(some, 5, sizeof *some, compare);
    return 0;
}
END
$cc -O2 -Iinclude "$work/same.c" -o "$work/same" -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/out,leaks "$work/same" > "$work/said"
"$work/values" "$work/out" | grep '^stack -;here .* 4444444 ' | sed 's/.* [^;]*;//' > "$work/seen"
diff "$work/said" "$work/seen" || complain "backtrace has other callers"

# Chance: what stacks stand for, in many runs. The estimate of bytes has the variance of the sum of
# b^2 x q / p over all allocations, p = 1 - exp(-b / interval), q = 1 - p. Six deviations off is one
# in a billion.
cat > "$work/chance.c" << 'END'
#include <flamel/probe.h>
#include <pthread.h>
#include <stdlib.h>
static __thread void *volatile sink;
static void *run(void *argument)
{
    FLM_SCOPE("sizes");
    static const size_t sizes[] = {16, 100, 1000, 5000, 20000, 100000};
    static const int counts[] = {60000, 20000, 4000, 1000, 200, 40};
    for (int s = 0; s < 6; s++) {
        struct flm_scope scope;
        static struct flm_site site[6] = {{"16"}, {"100"}, {"1000"}, {"5000"}, {"20000"}, {"100000"}};
        scope = flm_enter(&site[s]);
        for (int i = 0; i < counts[s]; i++) {
            sink = malloc(sizes[s]);
            if (i % 2)
                free(sink);
        }
        flm_exit(&scope);
    }
    return argument;
}
int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
END
$cc -O2 -Iinclude "$work/chance.c" -o "$work/chance" -pthread -L"$build" -lflamel-probe || exit 1
runs=25
: > "$work/stacks"
for run in $(seq $runs); do
    FLAMEL=file:$work/out,memory:20000 "$work/chance" || complain "chance: it fails"
    "$work/values" "$work/out" | grep '^stack' >> "$work/stacks"
done
awk -v runs=$runs '
{
    n = split($2, path, ";"); size = path[n]
    samples[size] += $3; bytes[size] += $4; allocations[size] += $5; live[size] += $6
}
function check(what, seen, wanted, variance) {
    if (variance < 1) variance = 1
    off = (seen - wanted) / sqrt(variance)
    if (off > 6 || off < -6) { printf "%s: %d, not %d: %.1f deviations\n", what, seen, wanted, off; bad = 1 }
}
END {
    split("16 100 1000 5000 20000 100000", sizes, " ")
    split("60000 20000 4000 1000 200 40", counts, " ")
    for (i = 1; i <= 6; i++) {
        b = sizes[i]; n = counts[i] * 4 * runs
        p = 1 - exp(-b / 20000); q = 1 - p
        check(b " bytes: samples", samples[b], n * p, n * p * q)
        check(b " bytes: bytes", bytes[b], n * b, n * b * b * q / p)
        check(b " bytes: allocations", allocations[b], n, n * q / p)
        check(b " bytes: live", live[b], n * b / 2, n / 2 * b * b * q / p)
    }
    exit bad
}' "$work/stacks" || complain "chance: it has a bias"
exit $bad
