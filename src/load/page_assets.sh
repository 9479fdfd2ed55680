#!/bin/sh
# What every page consists of, as C: page_assets.sh BODY STYLES START SCRIPTS [MODULE PAGE_MODULE
# UNPACK SPLIT]. The policy of a page names its style and its scripts by their hashes, so they are made
# here, together.

bare()
{
    # shellcheck disable=SC2086 # a list of files
    awk -f src/draw/svg/minify.awk $1
}
script()
{
    bare "$1" | awk -f web/short_names.awk
}
# The bytes of standard input, and a 0 behind them.
bytes()
{
    printf 'static const unsigned char %s[] = {\n' "$1"
    od -An -v -tu1 | sed 's/[0-9]\{1,\}/&,/g'
    printf '0};\n'
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
# What web/unpack.c reads; a module goes through web/split.c first.
pack()
{
    xz --format=lzma --lzma1=preset=9e,lc=2,lp=0,pb=0 -c
}

if [ -z "$5" ]; then
    bare() { :; }
    script() { :; }
    pack() { :; }
    set -- /dev/null '' '' '' /dev/null /dev/null /dev/null cat
fi
bytes body < "$1"
bare "$2" | bytes style
bare "$2" | hash | bytes style_hash
script "$3" | bytes start
script "$3" | hash | bytes start_hash
script "$4" | pack | bytes script
script "$4" | hash | bytes script_hash
echo "enum { SCRIPT_SIZE = $(script "$4" | wc -c) };"
bytes module < "$5"
echo "enum { PAGE_MODULE_SIZE = $(wc -c < "$6") };"
{ "$8" < "$6"; script "$4"; } | pack | bytes module_and_script
bytes unpack < "$7"
