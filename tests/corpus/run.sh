#!/bin/sh
# tests/corpus/run.sh COMMAND DIR - flamel held against a folder of real profiles.
#
# DIR has a folder a format; NAME.expected.folded beside NAME is what the format's own tool makes of it.
# Totals and the number of different stacks must agree; names too where the source is folded text
# already (the tools shorten names in their own ways). Hostile files, in DIR/bad, must be read or refused
# with one line on standard error and status 2, within 20 seconds and 2 GiB.
#
# Recordings of perf have no names in them: of the programs in DIR/bin they are there, of libraries and the
# kernel only on the machine that recorded. Elsewhere totals are compared, and what lies below each function
# of the program itself.
set -u
command=$(realpath "$1") corpus=$(realpath "$2")
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

table=$(dirname "$0")/expected.txt

# options_for EXPECTED: of its line `file`, or nothing. differs_from EXPECTED: total and stacks, likewise.
options_for() {
    awk -v name="$1" '$1 == "file" && $2 == name { $1 = $2 = ""; print }' "$table"
}
differs_from() {
    awk -v name="$1" '$1 == "differs" && $2 == name { print $3, $4 }' "$table"
}

# The different stacks with a value, without marks of kinds, which not all formats have.
names() {
    awk '$NF != 0 { sub(/ [^ ]*$/, ""); gsub(/_\[.\](;|$)/, ";"); sub(/;$/, ""); if ($0 != "") print }' "$1" |
        LC_ALL=C sort -u
}

# returns NAME: its stacks, which are in $work/got, after they were written in each format of the lines
# `roundtrip`, and read again. Units may change, so values are not compared, nor is the empty stack.
returns() {
    names "$work/got" > "$work/stacks"
    for extension in $(awk '$1 == "roundtrip" { print $2 }' "$table"); do
        if "$command" convert -q -o "$work/again$extension" "$corpus/$1" 2> "$work/errors" &&
           "$command" convert -q -t folded "$work/again$extension" > "$work/again" 2>> "$work/errors" &&
           names "$work/again" | cmp -s - "$work/stacks"; then
            pass
        else
            fail "$1" "is another one after it was written as $extension: $(head -n 1 "$work/errors")"
        fi
        rm -f "$work/again$extension"
    done
}

# agrees EXPECTED: a file of the corpus with what its own tool makes of it.
agrees() {
    expected=$1 name=${1%.expected*}
    [ -e "$corpus/$expected" ] && [ -e "$corpus/$name" ] || return 0
    options=$(options_for "$expected")
    if ! (eval "set -- $options" && cd "$corpus" &&
          "$command" convert -q -t folded "$@" "$name") > "$work/got" 2> "$work/errors"; then
        fail "$expected" "$(head -n 1 "$work/errors")"
        return
    fi
    wanted=$(differs_from "$expected") got=$(summary "$work/got")
    [ -n "$wanted" ] || wanted=$(summary "$corpus/$expected")
    if [ "$wanted" = "$got" ]; then
        pass
        echo "agrees ${expected%.folded}: total and stacks ${got}${options:+ with$options}"
        [ -n "$options" ] || returns "$name"
    else
        fail "$expected" "total and stacks are $got, should be $wanted"
    fi
    LC_ALL=C sort -c "$work/got" 2> /dev/null || fail "$expected" "the lines are not in byte order"
}

for folder in $(awk '$1 == "folder" { print $2 }' "$table"); do
    for path in "$corpus/$folder"/*.expected.folded; do
        agrees "${path#"$corpus/"}"
    done
done
for expected in $(awk '$1 == "file" && $2 !~ /\.expected\.folded$/ { print $2 }' "$table"); do
    agrees "$expected"
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

# is_complete GOT: whether the names of libraries and the kernel are those of the machine that recorded.
is_complete() {
    ! grep -q -e 'libc\.so\.6+0x' -e 'libm\.so\.6+0x' -e 'ld-linux[^;]*+0x' -e '\[kernel\]+0x' \
        -e '\[vdso\]+0x' "$1"
}

# Whether this machine has the debug information of the mathematical library, whose inlined functions
# are in what perf made of the recording with copies of stacks.
has_math_debug() {
    library=$(ldconfig -p 2> /dev/null | awk '/libm\.so\.6 .*x86-64/ { print $NF; exit }')
    id=$(readelf -n "${library:-/}" 2> /dev/null | awk '/Build ID/ { print $3; exit }')
    [ -n "$id" ] && [ -e "/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug" ]
}

# below FILE: for each function of the program (corpus/bin/work.cpp), what lies below it.
below() {
    awk '{ value = $NF; sub(/ [^ ]*$/, ""); count = split($0, frames, ";"); split("", seen)
           for (i = 1; i <= count; i++) {
               name = frames[i]; sub(/_\[.\]$/, "", name); sub(/\(.*/, "", name)
               if (name ~ /^(main|math_loop|fib|deep|app::StrEngine::run)$/ && !(name in seen)) {
                   seen[name] = 1; total[name] += value
               }
           } }
         END { for (name in total) printf "%s %.10g\n", name, total[name] }' "$1" | LC_ALL=C sort
}

# recorded FILE STACKS OPTIONS...: perf.data beside what perf made of it; so many different stacks.
recorded() {
    name=perf-data/$1 stacks=$2
    expected=$corpus/$name.expected.perf-script.folded
    shift 2
    [ -e "$corpus/$name" ] && [ -e "$expected" ] || return 0
    if ! "$command" convert -q -t folded --symbols "$corpus/bin" "$@" "$corpus/$name" \
        > "$work/got" 2> "$work/errors"; then
        fail "$name" "$(head -n 1 "$work/errors")"
        return
    fi
    wanted=$(summary "$expected") got=$(summary "$work/got")
    if [ "${wanted% *}" = "${got% *}" ]; then pass; else
        fail "$name $*" "the total is ${got% *}, should be ${wanted% *}"
    fi
    if ! is_complete "$work/got" || { [ "$1" != --no-inlines ] && ! has_math_debug; }; then
        echo "$name: recorded with another kernel or C library, so the number of stacks is not compared"
    elif [ "${got#* }" = "$stacks" ]; then pass; else
        fail "$name $*" "${got#* } different stacks, should be $stacks"
    fi
    below "$expected" > "$work/wanted"
    below "$work/got" > "$work/names"
    case $name in
        perf-data/dwarf*) ;; # without the tables of that C library stacks end in it
        *)  if cmp -s "$work/names" "$work/wanted"; then pass; else
                fail "$name $*" "what lies below the program's functions is not what perf says"
            fi ;;
    esac
}

# perf 6.1 shows no inlined functions in chains of frame pointers, so ours are left out too.
recorded fp.perf.data 65 --no-inlines
# It shows the first event of several that a sample was of: page faults.
recorded multi.perf.data 6 --no-inlines --metric page-faults
# perf has 40 stacks, among them two spellings of one: mid_inl;math_loop;__sin_fma;libc_feholdsetround_sse_ctx
# and mid_inl;inner_inl;__sin_fma;libc_feholdsetround_sse_ctx. Its libbfd (as addr2line) takes the name of the
# innermost inlined function from the symbol table, which only knows the function around it, until it was
# asked for another place there: `addr2line -ife bin/work 0x27c0` says math_loop, with 0x274c before it
# inner_inl. llvm-symbolizer says inner_inl always.
recorded dwarf.perf.data 39 --metric cpu-clock

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
    elif [ $status -eq 0 ]; then
        case $file in
            *.perf.data)
                if "$command" info "$file" 2> /dev/null | grep -q '^lost '; then pass; else
                    fail "bad/$(basename "$file")" "nothing was counted as lost"
                fi ;;
            *) pass ;;
        esac
    else fail "bad/$(basename "$file")" "status $status: $(head -n 1 "$work/errors")"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
