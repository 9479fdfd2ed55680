#!/bin/sh
# Samples in virtual threads have the label "virtual thread": virtual_threads.sh BUILD. Shares of threads are compared
# with the turns that each has worked. Needs JDK 21 or later.
version()
{
    "$1" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p'
}
# The one in the PATH, or else one that is installed beside it.
for other in /usr/lib/jvm/*/bin/java; do
    [ "$(version java)" -ge 21 ] 2> /dev/null && break
    [ "$(version "$other")" -ge 21 ] 2> /dev/null && PATH=$(dirname "$other"):$PATH
done
. "$(dirname "$0")/common.sh"
[ "$(version java)" -ge 21 ] || {
    echo "virtual threads need JDK 21 or later; this one is $(version java)"
    exit 77
}
compile Virtual

# total FILE METRIC [OPERATION]
total()
{
    "$flamel" convert -q -m "$2" ${3:+--apply "$3"} "$1" -t folded -o "$work/folded" 2> "$work/said" || : > "$work/folded"
    awk '{ n += $NF } END { printf "%.0f\n", n }' "$work/folded"
}
metric_of()
{
    "$flamel" convert -q -m cpu-clock "$1" -t folded > /dev/null 2>&1 && echo cpu-clock || echo cycles
}
# shares FILE METRIC PERIOD: of each long thread, of what all of them have, within five standard deviations and 2 points
shares()
{
    all=$(total "$1" "$2" 'focus:Virtual.longer')
    turns=$(awk '$2 > 0 { n += $2 } END { print n }' "$work/out")
    [ "$all" -gt 0 ] || complain "$2: nothing of the long threads"
    while read -r name own; do
        [ "$name" = done ] && continue
        near "$2 of $name, percent" \
            "$(awk -v a="$(total "$1" "$2" "thread:$name | focus:Virtual.longer")" -v b="$all" 'BEGIN { print 100 * a / b }')" \
            "$(awk -v a="$own" -v b="$turns" 'BEGIN { print 100 * a / b }')" \
            "$(awk -v p="$own" -v n="$turns" -v all="$all" -v period="$3" 'BEGIN { p /= n; print 2 + 500 * sqrt(p * (1 - p) * period / all) }')"
    done < "$work/out"
}

for collector in UseG1GC UseSerialGC; do
    record -F 1999 --java=cpu,alloc -o "$work/$collector.flm" -- java -XX:+$collector -cp "$work" Virtual 20 > "$work/out" ||
        complain 'recording failed'
    file=$work/$collector.flm
    grep -qx 'done' "$work/out" || complain "$collector: the program did not end"
    shares "$file" "$(metric_of "$file")" 500250
    shares "$file" allocation 524288
    metric=$(metric_of "$file")
    # The short ones: all have a number, and those that are looked up while they run have their name.
    all=$(total "$file" "$metric" 'focus:Virtual.shorter')
    labeled=$(total "$file" "$metric" 'thread:short-*,#* | focus:Virtual.shorter')
    awk -v a="$labeled" -v b="$all" 'BEGIN { exit !(b > 0 && a >= 0.97 * b) }' || complain "$collector: $labeled of $all of short threads have a label"
    [ "$(total "$file" "$metric" 'thread:short-*')" -gt 0 ] || complain "$collector: no short thread has a name"
    # A platform thread has none.
    [ "$(total "$file" "$metric" 'thread:#*,long-*,short-* | focus:Virtual.outside')" = 0 ] || complain "$collector: a platform thread has the label"
    [ "$(total "$file" "$metric" 'thread:outside | focus:Virtual.outside')" -gt 0 ] || complain "$collector: the platform thread has no name"
done

# The VM checks how its functions are called, and would end: names are not looked up then.
record --java=cpu,alloc,lock -o "$work/checked.flm" -- java -Xcheck:jni -cp "$work" Virtual 4 > "$work/out"
grep -qx 'done' "$work/out" || complain "checked: the program did not end: $(tail -n 3 "$work/out" "$work/said")"
grep -i 'fatal' "$work/out" "$work/said" && complain 'the JNI is called wrongly'
exit $bad
