#!/bin/sh
# The library on another processor, arm64, by an emulator: arm64.sh BUILD. Several threads measure scopes, tasks, queues and
# values; their calls are counted exactly.
build=$1 cc=${ARM64_CC:-aarch64-linux-gnu-gcc} run=${ARM64_RUN:-qemu-aarch64}
command -v "$cc" > /dev/null || { echo "there is no $cc"; exit 77; }
command -v "$run" > /dev/null || { echo "there is no $run"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
# shellcheck disable=SC2046 # a list
$cc -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Wno-missing-field-initializers -Werror -O2 -Iinclude -Isrc -Iprobe -Iprobe/front \
    -Iprobe/functions -Iprobe/output tests/probe/programs/races.c tests/probe/programs/file_only.c \
    $(ls probe/*.c probe/functions/*.c | grep -v 'probe/link.c') -static -pthread -lm -o "$work/races" ||
    { echo 'it does not compile'; exit 1; }
for words in on count sample:4 ordered; do
    rm -f "$work"/r.*
    said=$(FLAMEL=$words,file:$work/r.probe $run "$work/races" 2>&1) || { echo "$words: status $?: $said"; bad=1; }
    [ -z "$said" ] || { echo "$words: it says $said"; bad=1; }
    # 4 threads x (1,500 rounds x 3 + 3 threads that were made)
    leaf=$("$build/flamel" convert -q -t folded -m calls "$work/r.probe" | awk '/;leaf [0-9]*$/ { n += $NF } END { print n }')
    [ "$leaf" = 18012 ] || { echo "$words: leaf has $leaf calls, not 18012"; bad=1; }
done
exit $bad
