#!/bin/sh
# bench/record.sh BUILD - what recording costs, and what it loses, beside `perf record` in the same
# run. Fixed work (bench/busy.c) is recorded by each in turn, RUNS times; CPU times are the smallest,
# because others on the machine only add to them; costs are those of runs in pairs, with and without.
#
# RATE=9999 is the high one; COST_RUNS=25, how often the cost is measured; STEPS, how much work each
# thread does (20000: 0.6 s);
# TEMPLATES, the program that gen_templates.py makes.
set -eu
build=$1
flamel=$build/flamel
busy=$build/bench/busy
runs=${RUNS:-5}
cost_runs=${COST_RUNS:-25}
rate=${RATE:-9999}
steps=${STEPS:-20000}
event=${EVENT:-cpu-clock}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The CPU seconds of a command and its children.
cpu_of() {
    sh -c '"$@" > /dev/null 2>&1; times' sh "$@" | awk '
        function seconds(text) { split(text, part, /[ms]/); return part[1] * 60 + part[2] }
        END { print seconds($1) + seconds($2) }'
}

# Keeps the smaller of a number and what the file has.
keep_least() { awk -v new="$1" 'NR == 1 && $1 + 0 < new + 0 { new = $1 } END { print new }' "$2" > "$2.new" 2> /dev/null || echo "$1" > "$2.new"; mv "$2.new" "$2"; }

has_perf=
command -v perf > /dev/null && has_perf=1

# The middle of the numbers in a file.
middle_of() { sort -n "$1" | awk '{ value[NR] = $1 } END { if (NR) print value[int((NR + 1) / 2)] }'; }

# What the target took by its own count, undisturbed: bench/busy.c. Each run beside one without, so
# that a machine that gets slower meanwhile does not count.
target_of() { "$@" 2> /dev/null | tail -n 1 | cut -d ' ' -f 2; }

# The event is said: perf and flamel must take the same one.
recorded() {
    case $1 in
    alone) target_of "$busy" 1 "$steps" ;;
    fp) target_of "$flamel" record -q -e "$event" -F "$hz" --call-graph=fp -o "$work/a.flm" -- "$busy" 1 "$steps" ;;
    copy) target_of "$flamel" record -q -e "$event" -F "$hz" -o "$work/a.flm" -- "$busy" 1 "$steps" ;;
    perf-fp) target_of perf record -q -e "$event" -F "$hz" -g -o "$work/perf.data" -- "$busy" 1 "$steps" ;;
    perf-copy) target_of perf record -q -e "$event" -F "$hz" --call-graph dwarf -o "$work/perf.data" -- "$busy" 1 "$steps" ;;
    esac
}

# At a tenfold rate as well: what others on the machine do to the figures is then a tenth of them.
ways="fp copy"
[ -z "$has_perf" ] || ways="fp perf-fp copy perf-copy"
for hz in 999 "$rate"; do
    echo " cost to the target at $hz Hz, CPU of fixed work over that of the same alone, middle of $cost_runs"
    i=0
    while [ $i -lt "$cost_runs" ]; do
        for way in $ways; do
            alone=$(recorded alone)
            awk -v alone="$alone" -v with="$(recorded "$way")" \
                'BEGIN { print 100 * (with / alone - 1) }' >> "$work/cost-$way-$hz"
        done
        i=$((i + 1))
    done
    for way in $ways; do
        middle_of "$work/cost-$way-$hz" | awk -v way="$way" -v hz="$hz" \
            '{ printf "  %-10s %+6.2f %%, %5.1f us a sample\n", way, $1, $1 * 1e4 / hz }'
    done
done
echo " the kernel's part of it, by what a sample holds"
"$build/bench/sampling_bench" "$rate" "$cost_runs"

echo " $rate Hz, 2 busy threads, stack copies: lost, CPU of the recorder, bytes a sample"
number() { sed -n "s/^ *\"$1\": \([0-9.e-]*\),*\$/\1/p" "$2"; }
: > "$work/cpu" && : > "$work/perf-cpu"
lost=0
i=0
while [ $i -lt "$runs" ]; do
    "$flamel" record --json -e "$event" -F "$rate" -o "$work/b.flm" -- "$busy" 2 "$steps" 2> /dev/null | sed 1d > "$work/json"
    lost=$((lost + $(number lost "$work/json")))
    keep_least "$(number recorder_cpu_s "$work/json")" "$work/cpu"
    if [ "$has_perf" ]; then
        # All of it, less what the target says of itself.
        all=$(cpu_of sh -c "perf record -e $event -F $rate --call-graph dwarf -o $work/perf.data -- $busy 2 $steps > $work/out 2> $work/said")
        keep_least "$(awk -v all="$all" 'NR == 1 { print all - $1 }' "$work/out")" "$work/perf-cpu"
        perf report --stats -i "$work/perf.data" 2> /dev/null | awk '/LOST_SAMPLES events|LOST events/ { lost += $NF } END { print lost + 0 }' > "$work/perf-lost"
        wc -c < "$work/perf.data" > "$work/perf-size"
    fi
    i=$((i + 1))
done
samples=$(number samples "$work/json")
awk -v lost="$lost" -v runs="$runs" -v samples="$samples" -v size="$(number size_bytes "$work/json")" '
    { printf "  %-10s lost %d of %d in %d runs, recorder %.3f s CPU (%.2f us a sample, unwound), %.1f bytes a sample\n",
             "flamel", lost, samples * runs, runs, $1, 1e6 * $1 / samples, size / samples }' "$work/cpu"
[ ! -s "$work/perf-cpu" ] || awk -v lost="$(cat "$work/perf-lost")" -v size="$(cat "$work/perf-size")" -v samples="$samples" '
    { printf "  %-10s %d LOST records in the last run, recorder %.3f s CPU (not unwound), %.1f bytes a sample\n", "perf", lost, $1, size / samples }' "$work/perf-cpu"

# Two threads of a C++ program with 5 MB of debug information, for ten seconds; then from its last
# word to the end of flamel, by the clock.
templates=${TEMPLATES:-}
if [ -n "$templates" ]; then
    echo " from the end of a C++ program to the finished .flm: 10 s at 999 Hz, 2 threads"
    for kind in cold cached; do
        i=0
        while [ $i -lt 3 ]; do
            [ $kind = cached ] || rm -rf "$work/cache"
            XDG_CACHE_HOME=$work/cache "$flamel" record --json -e "$event" -F 999 -o "$work/c.flm" -- sh -c \
                "'$templates' ${ROUNDS:-25000} 2 > /dev/null; date +%s.%N > $work/said" 2> /dev/null > "$work/json"
            date +%s.%N > "$work/now"
            awk 'NR == FNR { ended = $1; next } { print $1 - ended }' "$work/said" "$work/now" >> "$work/end-$kind"
            i=$((i + 1))
        done
        printf '  symbols %-8s %.3f s (least of 3); %d samples in %.1f s\n' "$kind" \
            "$(sort -n "$work/end-$kind" | head -n 1)" \
            "$(number samples "$work/json")" "$(number duration_s "$work/json")"
    done
fi

echo " start-up: from the start of the recorder to that of the program, and of perf; least of $cost_runs"
started() {
    from=$(date +%s%N)
    "$@" -- date +%s%N 2> /dev/null | awk -v from="$from" '{ printf "%.1f\n", ($1 - from) / 1e6 }'
}
i=0
while [ $i -lt "$cost_runs" ]; do
    started "$flamel" record -q -o "$work/d.flm" >> "$work/start"
    [ -z "$has_perf" ] || started perf record -q -e "$event" --call-graph dwarf -o "$work/perf.data" >> "$work/perf-start"
    i=$((i + 1))
done
printf '  flamel     %s ms\n' "$(sort -n "$work/start" | head -n 1)"
[ -z "$has_perf" ] || printf '  perf       %s ms\n' "$(sort -n "$work/perf-start" | head -n 1)"

echo " whole commands, and memory"
set -- "true" "true" "flamel record true" "$flamel record -q -o $work/d.flm -- true" \
    "flamel record busy" "$flamel record -q -o $work/d.flm -F $rate -- $busy 2 $steps"
[ -z "$has_perf" ] || set -- "$@" "perf record true" "perf record -q -e $event --call-graph dwarf -o $work/perf.data -- true"
"$build/bench/compare" -n "$runs" "$@"
