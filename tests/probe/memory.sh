#!/bin/sh
# Bytes and counts of allocations are exact, whatever allocates, and wherever it is freed: memory.sh BUILD.
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

# The program adds up by itself what each scope should have, with what the allocator says of blocks.
cat > "$work/app.c" << 'END'
#include <errno.h>
#include <flamel/probe.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sums {
    unsigned long allocated, allocations, freed, frees, rounded;
};
static struct sums small, deep, moved, aligned, other, thread_sums, thread_frees, at_end;
static void *volatile sink; /* no pair of malloc and free is left out */

static void add(struct sums *sums, void *block, size_t size)
{
    sink = block;
    sums->allocated += size;
    sums->allocations++;
    sums->rounded += malloc_usable_size(block) - size;
}
static void drop(struct sums *sums, void *block)
{
    sums->freed += malloc_usable_size(block);
    sums->frees++;
}
static void take(struct sums *sums, void *block)
{
    drop(sums, block);
    free(block);
}

static void run_small(void)
{
    FLM_SCOPE("small");
    for (size_t size = 0; size < 3000; size += 7) {
        void *block = malloc(size);
        add(&small, block, size);
        take(&small, block);
    }
    free(NULL);
}

static void run_deep(int n)
{
    FLM_SCOPE("deep");
    void *block = malloc(100);
    add(&deep, block, 100);
    if (n > 1)
        run_deep(n - 1);
    take(&deep, block);
}

static void resize(void **block, size_t size)
{
    drop(&moved, *block);
    *block = realloc(*block, size);
    add(&moved, *block, size);
}

static void run_moved(void)
{
    FLM_SCOPE("moved");
    void *block = realloc(NULL, 50);
    add(&moved, block, 50);
    resize(&block, 51); /* in place */
    void *between = malloc(10);
    add(&moved, between, 10);
    resize(&block, 5000);
    resize(&block, 1000000); /* mapped */
    resize(&block, 3000000);
    resize(&block, 20);
    volatile size_t huge = SIZE_MAX / 2;
    errno = 0;
    if ((sink = malloc(huge)) || (sink = realloc(block, huge)) || (sink = calloc(huge, 4)) ||
        (sink = reallocarray(block, huge, 4)) || errno != ENOMEM)
        exit(3);
    drop(&moved, block);
    block = reallocarray(block, 30, 7);
    add(&moved, block, 210);
    take(&moved, block);
    take(&moved, between);
    block = malloc(8);
    add(&moved, block, 8);
    drop(&moved, block);
    volatile size_t nothing = 0;
    if (realloc(block, nothing))
        exit(4);
}

static int has_pvalloc;
static void run_aligned(void)
{
    FLM_SCOPE("aligned");
    void *block[8];
    size_t page = (size_t)getpagesize();
    block[0] = aligned_alloc(64, 640);
    block[1] = memalign(4096, 33);
    if (posix_memalign(&block[2], 256, 77) != 0 || posix_memalign(&block[3], 3, 1) != EINVAL)
        exit(5);
    block[3] = calloc(13, 17);
    block[4] = valloc(10);
    block[5] = has_pvalloc ? pvalloc(10) : memalign(page, page);
    block[6] = strdup("fifteen letters");
    block[7] = strndup("fifteen letters", 7);
    size_t size[8] = {640, 33, 77, 221, 10, page, 16, 8};
    for (int i = 0; i < 8; i++)
        add(&aligned, block[i], size[i]);
    for (int i = 0; i < 221; i++)
        if (((char *)block[3])[i])
            exit(6);
    if ((uintptr_t)block[0] % 64 || (uintptr_t)block[1] % 4096 || (uintptr_t)block[2] % 256 ||
        (uintptr_t)block[4] % page)
        exit(7);
    for (int i = 0; i < 8; i++)
        take(&aligned, block[i]);
}

static void *given[1000];
static void give(void)
{
    FLM_SCOPE("give");
    for (int i = 0; i < 1000; i++)
        add(&other, given[i] = malloc(40), 40);
}

static pthread_key_t key;
static void end_of_key(void *block)
{
    take(&at_end, block);
}

static void *run_thread(void *argument)
{
    (void)argument;
    pthread_setspecific(key, malloc(123));
    add(&thread_sums, pthread_getspecific(key), 123);
    FLM_SCOPE("frees");
    for (int i = 0; i < 1000; i++)
        take(&thread_frees, given[i]);
    return NULL;
}

static void run_maps(void)
{
    FLM_SCOPE("maps");
    char *map = mmap(NULL, 123 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[0] = 1;
    munmap(map + (23 << 12), 100 << 12);
    munmap(map, 23 << 12);
    if (mmap(NULL, 0, 0, 0, -1, 0) != MAP_FAILED)
        exit(8);
}

static void print(const char *path, unsigned calls, const struct sums *sums)
{
    printf("node %s %u %lu %lu %lu %lu %lu\n", path, calls, sums->allocated, sums->allocations,
           sums->freed, sums->frees, sums->rounded);
}

int main(int argc, char **argv)
{
    (void)argv;
    has_pvalloc = argc == 1; /* jemalloc has none */
    pthread_t thread;
    static char out[4096]; /* standard output needs no block */
    setvbuf(stdout, out, _IOFBF, sizeof out);
    pthread_key_create(&key, end_of_key);
    {
        FLM_SCOPE("all");
        run_small();
        run_deep(3);
        run_moved();
        run_aligned();
        run_maps();
        give();
    }
    pthread_create(&thread, NULL, run_thread, NULL);
    pthread_join(thread, NULL);
    print("-;all;small", 1, &small);
    struct sums third = {deep.allocated / 3, 1, deep.freed / 3, 1, deep.rounded / 3};
    print("-;all;deep", 1, &third);
    print("-;all;deep;deep", 1, &third);
    print("-;all;deep;deep;deep", 1, &third);
    print("-;all;moved", 1, &moved);
    print("-;all;aligned", 1, &aligned);
    print("-;all;give", 1, &other);
    print("-;frees", 1, &thread_frees);
    printf("thread %lu %lu %lu %lu %lu\n", thread_sums.allocated, thread_sums.allocations,
           at_end.freed, at_end.frees, thread_sums.rounded);
    return 0;
}
END

check()
{
    what=$1 words=$2
    shift 2
    rm -f "$work/out"
    env FLAMEL="file:$work/out$words" "$@" > "$work/said" 2> "$work/errors" ||
        complain "$what: the program fails, $?"
    [ -s "$work/errors" ] && { complain "$what: it prints"; cat "$work/errors"; }
    "$work/values" "$work/out" > "$work/values.txt" || complain "$what: the file is not read"
    grep '^signal 1 1 ' "$work/values.txt" > /dev/null || complain "$what: memory is not measured"
    grep '^node' "$work/said" | sort > "$work/expected"
    cut -d' ' -f1-8 "$work/values.txt" | grep -F -f "$work/names" | sort > "$work/seen"
    diff "$work/expected" "$work/seen" || complain "$what: other bytes or counts"
    # What the thread has at its end, in a destructor, is its root's.
    grep '^thread' "$work/said" | cut -d' ' -f2- > "$work/expected"
    grep '^node - ' "$work/values.txt" | cut -d' ' -f4-8 | grep -x -F -f "$work/expected" > /dev/null ||
        { complain "$what: the thread's own are other ones"; cat "$work/expected"; grep '^node - ' "$work/values.txt"; }
    for line in '-;all;maps;mmap 1 0 0 0 0 0 0 503808' '-;all;maps;munmap 2 0 0 0 0 0 0 503808'; do
        grep -x -F -e "node $line" "$work/values.txt" > /dev/null || complain "$what: not $line"
    done
}
cat > "$work/names" << 'END'
node -;all;small 
node -;all;deep 
node -;all;deep;deep 
node -;all;deep;deep;deep 
node -;all;moved 
node -;all;aligned 
node -;all;give 
node -;frees 
END

compile()
{
    what=$1
    shift
    rm -f "$work/app"
    "$@" -w -D_GNU_SOURCE -Iinclude -o "$work/app" -pthread -L"$build" -lflamel-probe ||
        complain "$what: does not compile"
}
for other in $cc clang clang-14; do
    command -v $other > /dev/null || continue
    compile $other $other -O2 "$work/app.c"
    check "$other" "" "$work/app"
    check "$other, all stacks" ",leaks" "$work/app"
    check "$other, no stacks" ",memory:0" "$work/app"
done
# no-frees: what is allocated is the same, and what is freed is not 0 but not told.
FLAMEL="file:$work/out,no-frees" "$work/app" > "$work/said" || complain 'no-frees: it fails'
"$work/values" "$work/out" > "$work/values.txt"
grep '^node' "$work/said" | awk '{ $6 = $7 = $8 = 0; print }' | sort > "$work/expected"
cut -d' ' -f1-8 "$work/values.txt" | grep -F -f "$work/names" | sort | diff "$work/expected" - || complain 'no-frees: other bytes'
"$build/flamel" report "$work/out" | grep -q '^frees are not measured: FLAMEL has no-frees$' || complain 'no-frees: nothing is said'
"$build/flamel" report --json "$work/out" | grep -q '"freed"' && complain 'no-frees: something was freed'
FLAMEL=leaks,no-frees "$work/app" 2>&1 > /dev/null | grep -q 'leaks are what is not freed' || complain 'leaks,no-frees is taken'
library=$build/$(readlink "$build/libflamel-probe.so.0" || echo libflamel-probe.so.0)
check "preloaded too" "" LD_PRELOAD="$library" "$work/app"

# C++: every form of new and delete, counted once.
cat > "$work/new.cc" << 'END'
#include <cstdio>
#include <flamel/probe.h>
#include <new>
#include <string>
#include <vector>
void operator delete(void *, std::size_t) noexcept; /* clang has them not by itself */
void operator delete(void *, std::size_t, std::align_val_t) noexcept;
struct alignas(128) wide {
    char bytes[256];
};
struct with_end {
    ~with_end() {}
    char bytes[24];
};
static void *volatile sink;
template <typename T> static T *seen(T *t)
{
    sink = t;
    return t;
}
int main(int argc, char **)
{
    {
        FLM_SCOPE("plain"); /* 3 x 4 + 1 x 40 + 7 x 1 */
        delete seen(new int);
        delete[] seen(new int[10]);
        delete seen(new (std::nothrow) int);
        delete[] seen(new (std::nothrow) char[7]);
        operator delete(seen(operator new(4)), std::size_t(4));
    }
    {
        FLM_SCOPE("aligned"); /* 3 x 256 */
        delete seen(new wide);
        delete seen(new (std::nothrow) wide);
        delete[] seen(new wide[1]);
        operator delete(seen(operator new(256, std::align_val_t(64))), std::size_t(256),
                        std::align_val_t(64));
    }
    if (argc > 1) { /* mimalloc ends the program */
        FLM_SCOPE("fails");
        volatile std::size_t huge = std::size_t(-1) / 4;
        try {
            seen(operator new(huge));
            return 1;
        } catch (const std::bad_alloc &) {
        }
    }
    {
        FLM_SCOPE("containers"); /* 800 + 101 */
        std::vector<double> v(100);
        std::string s(100, 'x');
        seen(&s);
        seen(&v);
    }
    return 0;
}
END
cat > "$work/new.expected" << 'END'
plain 59 5 5
aligned 1024 4 4
containers 901 2 2
END
check_new()
{
    what=$1
    shift
    rm -f "$work/out"
    env FLAMEL="file:$work/out" "$@" || complain "$what: it fails"
    "$work/values" "$work/out" | grep '^node -;' | sed 's/node -;//' | cut -d' ' -f1,3,4,6 |
        grep -v '^fails;' > "$work/seen"
    for scope in plain aligned containers; do
        wanted=$(grep "^$scope " "$work/new.expected")
        grep -qx "$wanted" "$work/seen" || { complain "$what: not $wanted"; cat "$work/seen"; }
    done
    # Throwing an exception allocates one.
    case $* in
    *throws*) grep -q '^fails [0-9]* [01] [01]$' "$work/seen" || { complain "$what: what fails is counted"; cat "$work/seen"; } ;;
    esac
}
find_library()
{
    ldconfig -p | sed -n "s|.*$1[^ ]* .*=> ||p" | head -1
}
for cxx in g++ clang++ clang++-14; do
    command -v $cxx > /dev/null || continue
    $cxx -std=c++17 -O1 -fsized-deallocation -Iinclude "$work/new.cc" -o "$work/new" -L"$build" -lflamel-probe ||
        complain "$cxx: does not compile"
    check_new "$cxx" "$work/new" throws
    $cxx -std=c++17 -O1 -static-libstdc++ -Iinclude "$work/new.cc" -o "$work/new.static" -L"$build" -lflamel-probe &&
        check_new "$cxx, libstdc++ in the program" "$work/new.static" throws
    # Allocators that have their own new, behind the library and in front of it.
    for name in libjemalloc.so libmimalloc.so libtcmalloc_minimal.so; do
        other=$(find_library $name)
        [ -n "$other" ] || continue
        throws=throws
        [ $name = libmimalloc.so ] && throws=
        check_new "$cxx, $name" LD_PRELOAD="$library $other" "$work/new" $throws
        rm -f "$work/out"
        env FLAMEL="file:$work/out" LD_PRELOAD="$other $library" "$work/new" || complain "$name first: it fails"
        "$work/values" "$work/out" | grep -q "^signal 1 2 0 the malloc of .*$name.* comes first: " ||
            complain "$name first: no word of it"
    done
done
for name in libjemalloc.so libmimalloc.so libtcmalloc_minimal.so; do
    other=$(find_library $name)
    [ -n "$other" ] || continue
    case $name in *mimalloc*) continue ;; esac # realloc(block, 0) gives a block there
    check "$name" ",leaks" LD_PRELOAD="$library $other" "$work/app" other
done
exit $bad
