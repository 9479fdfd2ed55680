#!/bin/sh
# What every page consists of, as C: page_assets.sh BODY STYLES START SCRIPTS LIVE SERVE [MODULE PAGE_MODULE READERS].
# The policy of a page names its style and its scripts by their hashes, so all are made here together.

bare()
{
    # shellcheck disable=SC2086 # a list of files
    awk -f src/draw/svg/minify.awk $1
}
# bytes NAME: standard input and a 0 behind it, as an array.
bytes()
{
    printf 'static const unsigned char %s[] = {\n' "$1"
    od -An -v -tu1 | sed 's/[0-9]\{1,\}/&,/g'
    printf '0};\n'
}
# gzip as small as it gets: libdeflate's is 4 % smaller than zlib's, and any browser inflates it. Both leave
# name and time out (-n; standard input has none), so that the same sources and tools make the same bytes.
compress()
{
    if command -v libdeflate-gzip > /dev/null; then
        libdeflate-gzip -12 -c < "$1"
    else
        gzip -9 -n -c "$1"
    fi
}
# part NAME FILE: an array of gzip, and the file's size.
part()
{
    compress "$2" | bytes "$1"
    echo "enum { $(echo "$1" | tr '[:lower:]' '[:upper:]')_SIZE = $(($(wc -c < "$2"))) };"
}
# SHA-256 in base64. printf knows octal numbers only.
hash()
{
    octal=$(sha256sum | awk '{
        for (i = 1; i <= 64; i += 2)
            printf "\\%03o", (index("0123456789abcdef", substr($1, i, 1)) - 1) * 16 + \
                index("0123456789abcdef", substr($1, i + 1, 1)) - 1
    }')
    # shellcheck disable=SC2059 # the format is what is to be printed
    printf "$octal" | base64 | tr -d '\n'
}

# Without a module there are no pages: everything is empty.
if [ -z "$7" ]; then
    for name in body style style_hash start start_hash script_hash live live_hash serve serve_hash served_module script page_module readers; do
        bytes $name < /dev/null
    done
    echo 'enum { SCRIPT_SIZE = 0, PAGE_MODULE_SIZE = 0 };'
    exit 0
fi
scripts=$(mktemp) || exit 1
trap 'rm -f "$scripts"' EXIT
bare "$4" > "$scripts"
bytes body < "$1"
bare "$2" | bytes style
bare "$2" | hash | bytes style_hash
bare "$3" | bytes start
bare "$3" | hash | bytes start_hash
hash < "$scripts" | bytes script_hash
bare "$5" | bytes live
bare "$5" | hash | bytes live_hash
bare "$6" | bytes serve
bare "$6" | hash | bytes serve_hash
bytes served_module < "$7"
part script "$scripts"
part page_module "$8"
bytes readers < "$9"
