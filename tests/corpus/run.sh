#!/bin/sh
# tests/corpus/run.sh COMMAND DIR - flamel held against a folder of real profiles.
#
# DIR has a folder a format; NAME.expected.folded beside NAME is what the format's own tool makes of it.
# Totals and the number of different stacks must agree; names too where the source is folded text
# already (the tools shorten names in their own ways). Hostile files, in DIR/bad, must be read or refused
# with one line on standard error and status 2, within 20 seconds and 2 GiB.
set -u
command=$1 corpus=$2
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }

# Sum of the values, and the number of different stacks, of folded text without comments.
summary() {
    awk '!/^#/ && NF { value = $NF; stack = $0; sub(/ [^ ]*$/, "", stack)
                       total += value; if (!(stack in seen)) { seen[stack] = 1; stacks++ } }
         END { printf "%.10g %d\n", total, stacks }' "$1"
}

# agrees NAME EXPECTED OPTIONS...
agrees() {
    name=$1 expected=$2
    shift 2
    [ -e "$corpus/$name" ] && [ -e "$expected" ] || return 0
    if ! "$command" convert -q -t folded "$@" "$corpus/$name" > "$work/got" 2> "$work/errors"; then
        fail "$name" "$(head -n 1 "$work/errors")"
        return
    fi
    wanted=$(summary "$expected") got=$(summary "$work/got")
    case $name in
        # The file ends without a blank line, and stackcollapse-perf.pl loses its last sample.
        perf-script/flamescope-perf.test01) [ "$wanted" != "8 6" ] || wanted="9 6" ;;
    esac
    if [ "$wanted" = "$got" ]; then pass; else
        fail "$name $*" "total and stacks are $got, should be $wanted"
    fi
    LC_ALL=C sort -c "$work/got" 2> /dev/null || fail "$name" "the lines are not in byte order"
}

# What the reference did in its own way: it counted samples where the file has periods, or all events
# where the file has several.
options_for() {
    case $1 in
        perf-script/fp.nocallgraph.txt | big/syscalls.*) echo "--metric samples" ;;
    esac
}

for folder in folded perf-script big; do
    for expected in "$corpus/$folder"/*.expected.folded; do
        [ -e "$expected" ] || continue
        file=$(basename "$expected" .expected.folded)
        # shellcheck disable=SC2046 # the options are words
        agrees "$folder/$file" "$expected" $(options_for "$folder/$file")
    done
done

for expected in "$corpus"/folded/*.expected.folded; do
    [ -e "$expected" ] || continue
    file=$(basename "$expected" .expected.folded)
    "$command" convert -q -t folded "$corpus/folded/$file" > "$work/got" 2> /dev/null
    awk '!/^#/ && NF { value = $NF; sub(/ [^ ]*$/, ""); total[$0] += value }
         END { for (stack in total) printf "%s %.15g\n", stack, total[stack] }' "$expected" |
        LC_ALL=C sort > "$work/wanted"
    if cmp -s "$work/got" "$work/wanted"; then pass; else
        fail "folded/$file" "the names are not those of the source"
    fi
done

# compared EXPECTED OPTIONS...: two profiles side by side, as difffolded.pl does it.
compared() {
    expected=$corpus/diff/$1
    shift
    [ -e "$expected" ] || return 0
    "$command" merge -q --side-by-side -t difffolded "$@" "$corpus/diff/before.folded" \
        "$corpus/diff/after.folded" > "$work/got" 2> /dev/null
    LC_ALL=C sort "$expected" > "$work/wanted"
    if cmp -s "$work/got" "$work/wanted"; then pass; else
        fail "${expected#"$corpus"/}" "not what merge --side-by-side makes"
    fi
}
compared expected.difffolded.default.txt
compared expected.difffolded.striphex.txt --apply by:nohex
for expected in "$corpus"/diff/expected.*; do
    [ -e "$expected" ] || continue
    LC_ALL=C sort "$expected" > "$work/wanted"
    "$command" convert -q -t difffolded "$expected" > "$work/got" 2> /dev/null
    if cmp -s "$work/got" "$work/wanted"; then pass; else
        fail "${expected#"$corpus"/}" "two columns do not survive being read and written"
    fi
done

for file in "$corpus"/bad/*; do
    [ -e "$file" ] || continue
    case $file in *.expected*) continue ;; esac
    (ulimit -v 2097152; exec timeout 20 "$command" convert -t folded "$file") \
        > "$work/got" 2> "$work/errors"
    status=$?
    if [ $status -eq 2 ] && [ "$(wc -l < "$work/errors")" -eq 1 ]; then pass
    elif [ $status -eq 0 ]; then pass
    else fail "bad/$(basename "$file")" "status $status: $(head -n 1 "$work/errors")"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
