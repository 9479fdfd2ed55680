#!/bin/bash
# `make npm`: installed from its file into an empty folder, without a network, it answers as the command does, byte
# for byte, on every file of tests/data (and of CORPUS, a folder); programs use it as well. npm.sh FLAMEL PACKAGE

cd "$(dirname "$0")/../.." || exit 1
native=$(realpath "$1") package=$(realpath "$2") here=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    exit 1
}
command -v npm > /dev/null || { echo 'there is no npm'; exit 77; }

# ---- Installed ------------------------------------------------------------------------------------

mkdir "$work/app" && cd "$work/app" && echo '{"private": true}' > package.json
npm install --offline --ignore-scripts --no-audit --no-fund --silent "$package" || fail 'npm does not install it'
size=$(du -sb node_modules | cut -f 1)
[ "$size" -le 3000000 ] || fail "it takes $size bytes: more than 3 MB"
in_wasm=$work/app/node_modules/.bin/flamel
cd "$here" || exit 1
"$in_wasm" --version > "$work/version" || fail 'it does not run'
head -n 1 "$work/version" | cmp -s - <("$native" --version | head -n 1) || fail 'other versions'
grep -q '^WebAssembly, without: record, .*names from programs' "$work/version" ||
    fail "--version does not say what is left out: $(cat "$work/version")"
"$in_wasm" record -- true 2> "$work/refused" && fail 'it records'
grep -q 'record takes flamel for Linux' "$work/refused" || fail "$(cat "$work/refused")"

# ---- The same answers -----------------------------------------------------------------------------

answers()
{
    timeout 60 "$1" convert -t folded "$2" 2>&1
    echo "status $?"
}
# Names of programs' addresses are those of this machine, archives and URLs are not in it.
compared=0
while read -r file; do
    answers "$native" "$file" > "$work/native"
    answers "$in_wasm" "$file" > "$work/wasm"
    cmp -s "$work/native" "$work/wasm" || fail "$file: $(diff "$work/native" "$work/wasm" | head -n 8)"
    compared=$((compared + 1))
done < <(find tests/data ${CORPUS:+"$CORPUS"} \( -path tests/data/archive -o -path '*/perf-data' -o -path '*perf_data*' \
    -o -name '*.perf.data' -o -path '*gperftools*' \) -prune -o -type f -size -200k -print | LC_ALL=C sort |
    awk -v each="${EACH-1}" 'NR % each == 0')
[ "$compared" -gt 20 ] || fail "only $compared files were compared"

folded=$(find tests/data/folded -type f -size +1k | LC_ALL=C sort | head -n 1)
for to in flm packed pprof otlp gecko speedscope json d3 callgrind html svg pdf; do
    "$native" convert -q -t $to -o "$work/native.$to" "$folded" || exit 1
    "$in_wasm" convert -q -t $to -o "$work/wasm.$to" "$folded" || exit 1
    cmp "$work/native.$to" "$work/wasm.$to" || exit 1
done
while read -r words; do
    # shellcheck disable=SC2086
    "$native" $words > "$work/native" 2>&1
    echo $? >> "$work/native"
    # shellcheck disable=SC2086
    "$in_wasm" $words > "$work/wasm" 2>&1
    echo $? >> "$work/wasm"
    cmp -s "$work/native" "$work/wasm" || fail "$words: $(diff "$work/native" "$work/wasm" | head -n 8)"
done << END
report -n 5 $folded
report -v tree $folded
report --json $folded
info $folded
info --json $work/native.flm
diff $folded $work/native.flm
filter -a reverse -t folded $folded
report $work/nothing.folded
report --rowz 5 $folded
convert $folded -t nonsense
note --add slow -o $work/noted.flm $folded
note --json $work/noted.flm
annotate --lines -n 5 tests/data/v8/example.cpuprofile
gate --base $folded $folded $folded $folded $folded --new $folded $folded $folded $folded $folded
END
"$in_wasm" report - < "$folded" | cmp - <("$native" report - < "$folded") || fail 'a pipe is read otherwise'
for flamel in "$native" "$in_wasm"; do
    rm -f "$work/gone"
    {
        until [ -e "$work/gone" ]; do sleep 0.01; done
        "$flamel" report "$folded" 2> "$work/said"
        echo $? > "$work/status"
    } | { exec 0<&-; : > "$work/gone"; }
    [ "$(cat "$work/status")" = 141 ] && [ ! -s "$work/said" ] ||
        fail "a reader that has gone: $flamel ends with $(cat "$work/status"): $(cat "$work/said")"
done
(cd "$work" && cp native.flm flamel.flm && "$in_wasm" info 2> /dev/null | grep -q flamel.flm) ||
    fail 'the last recording in the folder is not taken'

# ---- Paths of Windows ------------------------------------------------------------------------------

mkdir -p "$work/c/work/deep" "$work/c/other" && cp "$folded" "$work/c/work/a.folded" && cp "$folded" "$work/c/other/b.folded"
windows()
{
    DRIVE_C=$work/c node -r "$here/tests/packages/npm_windows.cjs" "$work/app/node_modules/flamel/command.js" "$@"
}
"$native" convert -t folded "$folded" > "$work/native"
for path in a.folded './a.folded' 'C:\work\a.folded' 'C:/work/a.folded' 'c:\other\b.folded' '..\other\b.folded' '../other/b.folded' '\other\b.folded' /other/b.folded; do
    windows convert -t folded "$path" > "$work/wasm" 2>&1 || fail "$path: $(cat "$work/wasm")"
    cmp "$work/native" "$work/wasm" || fail "$path is read otherwise"
done
for path in out.flm 'deep\out.flm' 'C:\other\out.flm'; do
    windows convert -q a.folded -o "$path" || fail "$path is not written"
done
for path in work/out.flm work/deep/out.flm other/out.flm; do
    [ -s "$work/c/$path" ] || fail "there is no $path"
done
windows report 'C:\nothing.folded' > "$work/wasm" 2>&1
[ $? = 2 ] && grep -q 'C:\\nothing.folded: ' "$work/wasm" || fail "a file that is not there: $(cat "$work/wasm")"

# ---- A page, and programs -------------------------------------------------------------------------

address=$("$in_wasm" view --no-open "$folded") || fail 'view fails'
page=${address#file://}
grep -q '<title>' "$page" || fail "view: there is no page at $address"
rm -f "$page"
cp tests/packages/npm.mjs "$work/app/"
(cd "$work/app" && node --test-reporter=tap npm.mjs "$here/$folded" > "$work/log" 2>&1) || fail "$(grep -A20 '^not ok' "$work/log")"

# The package of Python reads profiles with it if there is no library.
if command -v python3 > /dev/null; then
    tests/python/run.sh '' "$in_wasm" Profiles.test_values Profiles.test_operations_leave_the_profile \
        Comparing.test_a_difference > "$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
fi
