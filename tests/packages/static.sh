#!/bin/bash
# `make static`: one file that needs no other. It answers as the command does, on every file of tests/data, and
# runs in roots that have nothing, or musl, or what ROOTS names (folders). static.sh FLAMEL STATIC [EMULATOR]

cd "$(dirname "$0")/../.." || exit 1
native=$(realpath "$1") static=$(realpath "$2") emulator=${3-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    exit 1
}

# ---- The file -------------------------------------------------------------------------------------

size=$(stat -c %s "$static")
[ "$size" -le 8000000 ] || fail "$static has $size bytes: more than 8 MB"
if readelf -dl "$static" | grep -E 'NEEDED|INTERP'; then
    fail "$static needs what is above"
fi
# shellcheck disable=SC2086
$emulator "$static" --version > "$work/version" || fail 'it does not run'
head -n 1 "$work/version" | cmp -s - <("$native" --version | head -n 1) || fail 'other versions'
grep -q '^one static file, without: serve, .*PNG (cairo), URLs (libcurl), archives (libarchive)' "$work/version" ||
    fail "--version does not say what is left out: $(cat "$work/version")"

# ---- The same answers -----------------------------------------------------------------------------

# What is said of a file, its stacks and its functions: output, messages and status.
answers()
{
    for words in 'convert -t folded' 'report -n 30' 'info'; do
        # shellcheck disable=SC2086
        timeout 60 "${@:2}" $words "$1" 2>&1
        echo "status $?"
    done
}
# Archives and URLs are not in it. Other files are asked for by name, so both stand in the same place.
compared=0
while read -r file; do
    answers "$file" "$native" > "$work/native"
    # shellcheck disable=SC2086
    answers "$file" $emulator "$static" > "$work/static"
    cmp -s "$work/native" "$work/static" || fail "$file: $(diff "$work/native" "$work/static" | head -n 8)"
    compared=$((compared + 1))
done < <(find tests/data -path tests/data/archive -prune -o -type f -size -200k -print | LC_ALL=C sort |
    awk -v each="${EACH-1}" 'NR % each == 0')
[ "$compared" -gt 20 ] || fail "only $compared files were compared"
folded=$(find tests/data/folded -type f -size +1k | LC_ALL=C sort | head -n 1)
for to in svg html flm pprof speedscope; do
    "$native" convert -t $to -o "$work/native.$to" "$folded" || exit 1
    # shellcheck disable=SC2086
    $emulator "$static" convert -t $to -o "$work/static.$to" "$folded" || exit 1
    cmp "$work/native.$to" "$work/static.$to" || exit 1
done
[ -z "$emulator" ] || exit 0 # an emulator has no perf events, and no roots

# ---- Roots ----------------------------------------------------------------------------------------

# Becomes a command in the root: unprivileged, where that is allowed.
enter_root()
{
    local become=-r
    [ "$(id -u)" != 0 ] || become=
    # shellcheck disable=SC2016,SC2086
    exec unshare $become -m --propagation private sh -c \
        'mkdir -p "$1/proc" && mount --rbind /proc "$1/proc" && cd / && root=$1 && shift && exec chroot "$root" "$@"' \
        sh "$@"
}
in_root()
{
    (enter_root "$@")
}
in_root / true 2> "$work/why" || {
    echo "other roots cannot be entered here: $(cat "$work/why")"
    exit 77
}

# A program that runs for a while in two functions, one of them twice as often.
program='int main(void)
{
    extern int once(int), twice(int);
    unsigned sum = 0;
    for (int i = 0; i < 300; i++)
        sum += once(i) + twice(i);
    return sum == 1;
}'
functions='static int work(int n) { volatile int x = n; for (int i = 0; i < 1000000; i++) x += i; return x; }
__attribute__((noinline)) int once(int n) { int r = work(n); __asm__ volatile(""); return r; }
__attribute__((noinline)) int twice(int n) { int r = work(n) + work(n); __asm__ volatile(""); return r; }'

# try_root NAME ROOT COMMAND...: records the command there, and everything else that the file is for.
try_root()
{
    local name=$1 root=$2
    shift 2
    cp "$static" "$root/flamel"
    in_root "$root" /flamel record -q -o /a.flm -- "$@" > /dev/null || fail "$name: record"
    for i in 1 2 3 4; do
        in_root "$root" /flamel record -q -o "/run$i.flm" -- "$@" > /dev/null || fail "$name: record"
    done
    in_root "$root" /flamel report -n 5 /a.flm > "$work/report" || fail "$name: report"
    cmp -s "$work/report" <(cd "$root" && "$native" report -n 5 a.flm | sed 's,^a.flm,/a.flm,') ||
        fail "$name: report says $(cat "$work/report")"
    in_root "$root" /flamel convert /a.flm -o /a.svg || fail "$name: convert"
    grep -q '</svg>' "$root/a.svg" || fail "$name: no picture"
    in_root "$root" /flamel gate --base /run1.flm /run2.flm --new /run3.flm /run4.flm > "$work/gate"
    [ $? -le 3 ] && grep -qE 'PASS|FAIL|INCONCLUSIVE' "$work/gate" || fail "$name: gate: $(cat "$work/gate")"
    in_root "$root" /flamel top -a --once 5 -w 1s > "$work/top" || fail "$name: top: $(cat "$work/top")"
    view "$name" "$root"
    echo "$name: $(sed -n 4p "$work/report")"
}
# The page comes from a server of the loopback, which this shell shares with the root.
view()
{
    command -v curl > /dev/null || return
    mkfifo "$work/url"
    enter_root "$2" /flamel view --no-open /a.flm > "$work/url" 2>&1 & # so that it is killed, and not a shell
    local server=$! url
    read -r url < "$work/url"
    curl -sL --max-time 60 "$url" > "$work/page"
    kill $server
    wait $server 2> /dev/null
    rm "$work/url"
    grep -q '<title>' "$work/page" || fail "$1: view serves $(head -c 300 "$work/page") at $url"
}

mkdir "$work/empty"
cp tests/data/README.md "$work/empty/x" # a file, so that the root is not quite empty
printf 'a;b 1\n' > "$work/empty/x.folded"
seq 400000 | sed 's/.*/main;f&;g& &/' > "$work/empty/many.folded"
try_root 'an empty root' "$work/empty" /flamel report -n 1 /many.folded

compile_in()
{
    printf '%s\n' "$program" > "$work/main.c" && printf '%s\n' "$functions" > "$work/functions.c" &&
        "${@:2}" -g -O1 -o "$1/program" "$work/main.c" "$work/functions.c"
}
# The functions' shares of a report: 2 to 1, within 6 points.
check_shares()
{
    in_root "$2" /flamel report --csv /a.flm | awk -F, -v name="$1" '
        $1 == "once" { once = $7 } $1 == "twice" { twice = $7 }
        END { if (once < 27 || once > 39 || twice < 60 || twice > 73) { print name ": once " once " %, twice " twice " %"; exit 1 } }' ||
        exit 1
}
if command -v musl-gcc > /dev/null; then
    mkdir -p "$work/musl/lib"
    compile_in "$work/musl" musl-gcc || exit 1
    loader=$(readelf -l "$work/musl/program" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
    cp -L "$loader" "$work/musl/lib/"
    try_root 'musl' "$work/musl" /program
    check_shares musl "$work/musl"
else
    echo 'there is no musl-gcc: no root with musl'
fi
for root in ${ROOTS-}; do
    cp -a "$root" "$work/root" || exit 1
    compile_in "$work/root" gcc -static || exit 1
    try_root "$(sed -n 's/^PRETTY_NAME=//p' "$root/etc/os-release")" "$work/root" /program
    check_shares "$root" "$work/root"
    rm -rf "$work/root"
done
