#!/bin/sh
# Calls are counted exactly however they are timed, and what each allocates is known: modes.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <stdlib.h>
static volatile int sink;
static void leaf(void)
{
    FLM_FUNC();
    sink++;
}
static void branch(void)
{
    FLM_FUNC();
    for (int i = 0; i < 7; i++)
        leaf();
}
int main(int argc, char **argv)
{
    FLM_FUNC();
    for (int i = 0; i < atoi(argv[argc - 1]); i++)
        branch();
    return 0;
}
END
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -L"$build" -lflamel-probe || exit 1
# What the file says, by the structures themselves.
cat > "$work/tell.c" << 'END'
#include <flamel/probe_format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char all[1 << 24];
static const void *at(uint32_t place)
{
    return all + (size_t)place * FLM_PROBE_UNIT;
}
int main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "rb");
    if (!file || fread(all, 1, sizeof all, file) < sizeof(struct flm_probe_header))
        return 1;
    const struct flm_probe_header *header = at(0);
    printf("timed_of %u ordered %u budget %u\n", header->timed_of, header->is_ordered, header->budget);
    const struct flm_probe_site *sites = at(header->site_part[0]);
    const struct flm_probe_thread *thread = at(header->first_thread);
    for (uint32_t p = thread->first_part; p; p = ((const struct flm_probe_part *)at(p))->next)
        for (uint32_t i = 0; i < ((const struct flm_probe_part *)at(p))->count; i++) {
            const struct flm_probe_node *node = at(p + FLM_PROBE_NODE_UNITS * (1 + i));
            const struct flm_probe_site *site = &sites[node->site];
            if (node->site)
                printf("%.*s calls %llu timed %llu of %u total %d\n", (int)site->function_size,
                       all + site->function, (unsigned long long)node->calls,
                       (unsigned long long)node->timed, node->timed_of, node->total > 0);
        }
    for (uint32_t m = thread->first_meter; m; m = ((const struct flm_probe_meter *)at(m))->next) {
        const struct flm_probe_meter *meter = at(m);
        const struct flm_probe_site *site = &sites[meter->site];
        printf("%.*s quantity %u count %llu total %llu least %llu greatest %llu\n",
               (int)site->function_size, all + site->function, meter->quantity,
               (unsigned long long)meter->count,
               (unsigned long long)(meter->quantity == FLM_PROBE_DURATION ? 0 : meter->total),
               (unsigned long long)(meter->quantity == FLM_PROBE_DURATION ? 0 : meter->least),
               (unsigned long long)(meter->quantity == FLM_PROBE_DURATION ? 0 : meter->greatest));
    }
    return 0;
}
END
$cc -O1 -Iinclude "$work/tell.c" -o "$work/tell" || exit 1

# run SETTINGS CALLS: exact counts, whatever is timed.
run()
{
    FLAMEL=file:$work/out,$1 "$work/app" "$2" || complain "$1: the program fails"
    "$build/flamel" convert -q -t folded -m calls "$work/out" > "$work/folded"
    [ "$(tr '\n' ' ' < "$work/folded")" = "main 1 main;branch $2 main;branch;leaf $((7 * $2)) " ] ||
        { complain "$1: other counts"; cat "$work/folded"; }
    "$work/tell" "$work/out" > "$work/told" || complain "$1: the file cannot be read"
}
# field FUNCTION NAME
field()
{
    awk -v f="$1" -v n="$2" '$1 == f && $2 == "calls" { for (i = 2; i < NF; i += 2) if ($i == n) print $(i + 1)
                                 if (n == "of") print $6 }' "$work/told"
}

run "no-memory" 1000
grep -q 'timed_of 1 ordered 0 budget 0' "$work/told" || complain "plain: the header"
[ "$(field leaf timed)" = 0 ] || complain "plain: it counts what is timed"

run ordered 1000
grep -q 'timed_of 1 ordered 1' "$work/told" || complain "ordered: the header"
"$build/flamel" info "$work/out" | grep -q '^timed .*when what was before is done$' || complain "ordered: no word of it"

run count 1000
grep -q 'timed_of 0' "$work/told" || complain "count: the header"
[ "$(grep -c 'total 1' "$work/told")" = 0 ] || complain "count: there are times"
"$build/flamel" info "$work/out" | grep -q '^timed .*no call' || complain "count: no word of it"
"$build/flamel" convert -q -t folded -m wall "$work/out" > "$work/wall" 2>&1 && complain "count: there is a metric wall"

run sample:10 2000
grep -q 'timed_of 10' "$work/told" || complain "sample: the header"
[ "$(field main timed)" = 1 ] || complain "sample: main is not timed"
timed=$(field leaf timed)
# Of 14000 about 1400, with the square root of that, and the first 16.
[ "$timed" -gt 1250 ] && [ "$timed" -lt 1550 ] || complain "sample: $timed of 14000 calls are timed"
"$build/flamel" info "$work/out" | grep -q '^timed .* of 16,\{0,1\}001 calls, taken for all' || complain "sample: no word of it"
run sample:10 2
[ "$(field leaf timed)" = 14 ] || complain "sample: not all of the first calls are timed"

# A call that does nothing takes more than its share, so most are not timed.
run budget:0.01% 50000
grep -q 'budget 100$' "$work/told" || complain "budget: the header"
[ "$(field leaf timed)" -lt 175000 ] || { complain "budget: it is timed as often"; cat "$work/told"; }
grep -q '^leaf .* of [0-9]' "$work/told" || complain "budget: the node does not say how many"
for wrong in budget budget:2 budget:0% budget:101% sample:0; do
    FLAMEL=$wrong "$work/app" 1 2>&1 | grep -q 'flamel-probe: ' || complain "$wrong is taken"
done

# What calls allocate themselves: two blocks each, but the first, which allocates nothing.
cat > "$work/memory.c" << 'END'
#include <flamel/probe.h>
#include <stdlib.h>
static void takes(unsigned bytes)
{
    FLM_FUNC();
    if (bytes > 0) {
        void *volatile one = malloc(bytes - 1), *volatile other = malloc(1);
        free(one);
        free(other);
    }
    if (bytes == 300)
        takes(5); /* it has its own */
}
int main(void)
{
    FLM_FUNC();
    for (unsigned i = 0; i < 10; i++)
        takes(i * 100);
    return 0;
}
END
$cc -O1 -Iinclude "$work/memory.c" -o "$work/memory" -L"$build" -lflamel-probe || exit 1
for mode in memory memory,sample:2 memory,count memory,ordered; do
    FLAMEL=file:$work/out,$mode "$work/memory" || complain "$mode: the program fails"
    "$work/tell" "$work/out" > "$work/told"
    grep -qx 'takes quantity 1 count 10 total 4505 least 5 greatest 900' "$work/told" &&
        grep -qx 'takes quantity 2 count 10 total 20 least 2 greatest 2' "$work/told" ||
        { complain "$mode: other bytes in calls"; cat "$work/told"; }
    grep -q 'main quantity [12]' "$work/told" && complain "$mode: main has what it does not allocate"
done
FLAMEL=file:$work/out,no-memory "$work/memory"
"$work/tell" "$work/out" | grep -q 'quantity [12]' && complain "no-memory: there are bytes"
exit $bad
