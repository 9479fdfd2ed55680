#!/bin/sh
# What measuring memory costs: ns of a pair of malloc and free, of the probe, of other allocators and of other profilers that are
# installed, the least of ROUNDS rounds in turn; then glibc's, the probe switched off and the probe in one process: memory.sh BUILD.
build=$(cd "$1" && pwd) rounds=${ROUNDS:-7} cpu=${CPU:-1}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
${CC:-gcc} -O2 -D_GNU_SOURCE -I"$here/../../include" "$here/memory.c" -o "$work/plain" || exit 1
${CC:-gcc} -O2 -D_GNU_SOURCE -I"$here/../../include" "$here/memory.c" -o "$work/linked" -L"$build" -Wl,--no-as-needed -lflamel-probe || exit 1
export LD_LIBRARY_PATH="$build"
probe=$build/libflamel-probe.so.0
find_library() { ldconfig -p | sed -n "s|.*$1[^ ]* .*=> ||p" | head -1; }
jemalloc=$(find_library libjemalloc.so) mimalloc=$(find_library libmimalloc.so)
tcmalloc=$(find_library libtcmalloc.so)
heaptrack=$(ls /usr/lib/heaptrack/libheaptrack_preload.so 2> /dev/null)

one()
{
    name=$1
    shift
    printf '%s\t' "$name" >> "$work/figures"
    (cd "$work" && env "$@" "$cpu" 2> /dev/null | tail -1) >> "$work/figures"
}
for round in $(seq "$rounds"); do
    one 'glibc' "$work/plain"
    one 'linked, FLAMEL not set' "$work/linked"
    one 'counted, no-frees' FLAMEL=memory:0,no-frees "$work/linked"
    one 'counted, with bytes freed' FLAMEL=memory:0 "$work/linked"
    one 'and one stack for 512 KB' FLAMEL=memory "$work/linked"
    one 'preloaded, the same' FLAMEL=memory LD_PRELOAD="$probe" "$work/plain"
    one 'leaks: every stack' FLAMEL=leaks "$work/linked"
    [ -n "$heaptrack" ] && one 'heaptrack' DUMP_HEAPTRACK_OUTPUT="$work/heap" LD_PRELOAD="$heaptrack" "$work/plain"
    [ -n "$jemalloc" ] && one 'jemalloc' LD_PRELOAD="$jemalloc" "$work/plain"
    [ -n "$jemalloc" ] && one 'jemalloc, counted' FLAMEL=memory LD_PRELOAD="$probe $jemalloc" "$work/plain"
    [ -n "$mimalloc" ] && one 'mimalloc' LD_PRELOAD="$mimalloc" "$work/plain"
    [ -n "$mimalloc" ] && one 'mimalloc, counted' FLAMEL=memory LD_PRELOAD="$probe $mimalloc" "$work/plain"
    [ -n "$tcmalloc" ] && one 'tcmalloc' LD_PRELOAD="$tcmalloc" "$work/plain"
    [ -n "$tcmalloc" ] && one 'tcmalloc, heap profile' HEAPPROFILE="$work/profile" LD_PRELOAD="$tcmalloc" "$work/plain"
done
awk -F'[\t ]' 'BEGIN { FS = "\t" } {
    if (!($1 in first)) { first[$1] = 1; order[++n] = $1; a[$1] = b[$1] = 1e9 }
    split($2, v, " ")
    if (v[1] != "" && v[1] < a[$1]) a[$1] = v[1]
    if (v[2] != "" && v[2] < b[$1]) b[$1] = v[2]
} END {
    printf "%-28s %10s %10s\n", "ns of malloc + free", "64 bytes", "mixed"
    for (i = 1; i <= n; i++) printf "%-28s %10.2f %10.2f\n", order[i], a[order[i]], b[order[i]]
}' "$work/figures"
for words in memory:0,no-frees memory:0 memory; do
    for round in $(seq "$rounds"); do
        (cd "$work" && ./linked "$cpu" $words)
    done | sed 's/[()]//g' | awk -v words=$words '{
        if (NR <= 3) { order[NR] = $1; a[$1] = b[$1] = 1e9 }
        if ($2 < a[$1]) a[$1] = $2
        if ($4 < b[$1]) b[$1] = $4
    } END {
        printf "\n%s, in turn in one process\n", words
        for (i = 1; i <= 3; i++) printf "%-28s %10.2f %10.2f    %+.2f %+.2f\n", order[i], a[order[i]], b[order[i]], a[order[i]] - a["libc"], b[order[i]] - b["libc"]
    }'
done
