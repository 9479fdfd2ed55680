#!/bin/sh
# Instructions have the samples that perf counts at them: annotate_perf.sh FLAMEL. Of one perf.data,
# each address of a function, and what `perf annotate` prints beside it, to the sample.

flamel=$1
for tool in gcc perf objdump awk; do
    command -v $tool > /dev/null || {
        echo "there is no $tool"
        exit 77
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cat > "$work/work.c" << 'END'
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
    x ^= x >> 13;
    x *= 0x5bd1e995;
    return x ^ (x >> 15);
}
__attribute__((noinline)) unsigned hash(const char *text, int size)
{
    unsigned h = 1;
    for (int i = 0; i < size; i++)
        h = mix(h + (unsigned char)text[i]);
    return h;
}
int main(void)
{
    static char text[5000];
    unsigned sum = 0;
    for (int i = 0; i < 40000; i++)
        sum += hash(text + i % 900, 4000);
    return printf("%u\n", sum) < 0;
}
END
gcc -O2 -g "$work/work.c" -o "$work/work" || exit 1
perf record -q -e cpu-clock -o "$work/perf.data" "$work/work" > /dev/null 2>&1 || {
    echo "perf cannot record here"
    exit 77
}
perf annotate -i "$work/perf.data" --stdio -n -s hash 2> /dev/null |
    awk '$1 + 0 > 0 && $2 == ":" { sub(":", "", $3); print "0x" $3, $1 }' | sort > "$work/perf"
"$flamel" annotate -q --asm -m samples --csv hash "$work/perf.data" |
    awk -F, 'NR > 1 && $4 > 0 { print $3, $4 }' | sort > "$work/flamel"
[ -s "$work/perf" ] || {
    echo "perf annotate prints nothing here"
    exit 77
}
diff "$work/perf" "$work/flamel" && echo "$(wc -l < "$work/perf") instructions"
