#!/bin/sh
# Debug information, machine code and sources come from debuginfod: debuginfod.sh FLAMEL. A program is
# built, packed with its sources into an archive that a server of elfutils serves, and deleted but
# for a stripped copy; its recording then says what it can and asks the server for the rest.

cd "$(dirname "$0")" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
server=
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; rm -rf "$work"' EXIT
bad=0

for tool in debuginfod gcc objcopy readelf tar python3; do
    command -v "$tool" > /dev/null || { echo "there is no $tool"; exit 77; }
done
"$flamel" version | grep -q -- '--debuginfod (libdebuginfod)' && { echo 'built without libdebuginfod'; exit 77; }
"$flamel" record -q -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}

# Nothing of another run is used: caches are in this folder, and a compiler's has objects that name
# another folder. No proxy is asked for 127.0.0.1.
export CCACHE_DISABLE=1 XDG_CACHE_HOME="$work/cache" DEBUGINFOD_CACHE_PATH="$work/downloads" no_proxy=127.0.0.1
unset DEBUGINFOD_URLS

# has WHAT TEXT COMMAND...: the command ends well, and prints TEXT, which is a basic regular expression.
has()
{
    what=$1 text=$2
    shift 2
    "$@" > "$work/output" 2>&1 && grep -q -- "$text" "$work/output" && return
    echo "$what: no \"$text\" in"
    sed 's/^/    /' "$work/output"
    bad=1
}

mkdir -p "$work/sources" "$work/archive$work/sources" "$work/served"
cp programs/lines.c programs/lines_other.c programs/lines.h "$work/sources"
(
    cd "$work/sources" && gcc -g -O2 -Wl,--build-id -o whole lines.c lines_other.c &&
        objcopy --only-keep-debug whole whole.debug && objcopy --strip-all whole "$work/program" &&
        cp "$work/program" whole.debug ./*.c ./*.h "$work/archive$work/sources"
) || exit 1
tar -C "$work/archive" -cf "$work/served/program.tar" .
rm -rf "$work/sources" "$work/archive"
id=$(readelf -n "$work/program" | sed -n 's/.*Build ID: //p')

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
debuginfod -d :memory: -p "$port" -Z .tar -t 0 "$work/served" > "$work/server.log" 2>&1 &
server=$!
# It answers when it has scanned the archive; a port that another process took first, not at all.
python3 - "http://127.0.0.1:$port/buildid/$id/debuginfo" "$server" << 'WAIT' || { tail -n 1 "$work/server.log"; exit 77; }
import os, sys, time, urllib.error, urllib.request
for attempt in range(600):
    os.kill(int(sys.argv[2]), 0)
    try:
        urllib.request.urlopen(sys.argv[1]).close()
        sys.exit(0)
    except (urllib.error.URLError, ConnectionError):
        time.sleep(0.1)
sys.exit('debuginfod does not find the program')
WAIT

(cd "$work" && "$flamel" record -q -o lines.flm -- ./program "${MILLISECONDS:-500}") > /dev/null 2> "$work/why" || {
    cat "$work/why"
    exit 1
}
cp "$work/lines.flm" "$work/again.flm"
has 'without a server' 'No line is known' "$flamel" annotate --lines "$work/lines.flm"

export DEBUGINFOD_URLS="http://127.0.0.1:$port"
has 'hottest lines' 'lines_other.c:22 ' "$flamel" annotate --debuginfod --lines "$work/lines.flm"
has 'source' 'lines_other.c: the file that was compiled, from a debuginfod server' \
    "$flamel" annotate --debuginfod other_file "$work/lines.flm"
has 'a header' 'int n)$' "$flamel" annotate --debuginfod --whole in_header "$work/lines.flm"
rm "$work/program"
has 'machine code of a program that is gone' 'lines_other.c:22' \
    "$flamel" annotate --debuginfod --both other_file "$work/lines.flm"
has 'a page' 'lines_other.c' "$flamel" convert --debuginfod --with-source --with-assembly \
    -o "$work/page.html" "$work/again.flm"

kill "$server"
wait "$server" 2> /dev/null
server=
rm -rf "$work/downloads" "$work/cache"
has 'a server that is gone' 'No line is known' \
    "$flamel" annotate --debuginfod --lines "$work/lines.flm"
exit "$bad"
