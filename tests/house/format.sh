#!/bin/sh
# Every source is as clang-format writes it: format.sh, or format.sh --fix to write it so.
#
# Versions of clang-format disagree with each other. The one of Debian 12 decides; another does not
# judge, and says so.

version=14
tool=clang-format-$version
command -v $tool > /dev/null || tool=clang-format
command -v $tool > /dev/null || {
    echo "there is no clang-format: ./bootstrap check installs it"
    exit 1
}
$tool --version | grep -q "version $version\." || {
    echo "clang-format $version decides; this is $($tool --version)"
    exit 77
}

files=$(find include src probe java tests bench web -name '*.[ch]' 2> /dev/null)
if [ "$1" = --fix ]; then
    exec $tool -i $files
fi
# A line per file, with the lines that differ.
$tool --dry-run -Werror $files 2>&1 | awk -F: '
    / error: / && !(($1, $2) in seen) {
        seen[$1, $2] = bad = 1
        lines[$1] = lines[$1] " " $2
    }
    END {
        for (file in lines)
            print file ": not as clang-format writes it, make format does: lines" lines[file]
        exit bad
    }'
