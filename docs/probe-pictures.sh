#!/bin/sh
# Pictures of the reports in docs/probe.md: probe-pictures.sh BUILD, from the root of the repository. Each example
# is compiled and run here, and what it reported is drawn as it is in a terminal: docs/probe-NAME.svg.

set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

draw() # the report on standard input; $1: what was run
{
    sed '1s/^[^ ]*\//.\//; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' | awk -v command="$1" '
        { line[NR] = $0; plain = $0; gsub(/&[a-z]*;/, "x", plain); if (length(plain) > most) most = length(plain) }
        END {
            size = 13; wide = size * 0.602; high = 18; pad = 14
            if (length(command) + 2 > most) most = length(command) + 2
            width = int(most * wide + 2 * pad + 1); height = (NR + 2) * high + pad
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height
            print "<title>What " command " reported</title>"
            print "<style>svg{background:#fff}text{font:" size "px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;" \
                  "white-space:pre;fill:#1c1d1f}.s{font-weight:600;fill:#1d4fd7}.m{fill:#63666b}" \
                  "@media(prefers-color-scheme:dark){svg{background:#17191c}text{fill:#ececee}.s{fill:#8ab4ff}.m{fill:#a2a6ad}}</style>"
            row(1, "$ " command, "m")
            for (i = 1; i <= NR; i++) {
                is_section = line[i] ~ /^[a-zA-Z]+[:,] / && i > 1
                row(i + 2, line[i], is_section ? "s" : i == 1 || was_section || line[i] ~ /^FLAMEL=| more \(/ ? "m" : "")
                was_section = is_section
            }
            print "</svg>"
        }
        function row(at, text, kind) {
            if (text != "")
                printf "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\"%s>%s</text>\n", pad, at * high, kind == "" ? "" : " class=\"" kind "\"", text
        }'
}

picture() # NAME WORDS ARGUMENTS...
{
    name=$1 words=$2
    shift 2
    ${CC:-cc} -O2 -Iinclude "examples/probe/$name.c" -o "$work/$name" -pthread -L"$build" -lflamel-probe
    FLAMEL="report:$work/report${words:+,$words}" "$work/$name" "$@" > "$work/said"
    draw "FLAMEL=report${words:+,$words} ./$name${*:+ $*}" < "$work/report" > "docs/probe-$name.svg"
    echo "docs/probe-$name.svg"
}

picture overview no-memory,no-locks,no-io,no-threads
picture thread_pool no-memory,no-io,rows:5
picture game no-memory,no-io,no-threads,percentiles:50/99
picture http_server rows:5 0 1000
