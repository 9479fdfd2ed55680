#!/bin/sh
# Comments of C are as they were drawn. A clang-format that reflows comments joins the lines of tables and
# grammars and breaks banners, and what it leaves compiles. So:
#
#     /* ---- Section ---- ... */        a banner ends on its own line
#     ... the last words. */             each line of a comment says something: none has the end alone
#     100 columns                        no comment is wider: clang-format does not break them

# shellcheck disable=SC2046 # names of sources have no blanks
LC_ALL=C awk '
    function columns(line)
    {
        gsub(/[\200-\277]/, "", line) # all but the first byte of a character
        return length(line)
    }
    FNR == 1 { inside = 0 }
    /^[ \t]*\/\* ---/ && !/\*\/[ \t]*$/ {
        print FILENAME ":" FNR ": the banner does not end on its line"
        bad = 1
    }
    /^[ \t]*\*[ \t]+(\*\/)?$/ {
        print FILENAME ":" FNR ": the comment has a line with nothing on it"
        bad = 1
    }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        starts = line ~ /\/\*/
        wide = columns(inside ? $0 : line) # a long string in front is none of the comment
        if ((inside || starts || line ~ /^[ \t]*\/\//) && wide > 100) {
            print FILENAME ":" FNR ": the comment is " wide " columns wide, and 100 is most"
            bad = 1
        }
        sub(/.*\/\*/, starts ? "/*" : "", line)
        if (starts)
            inside = line !~ /\*\//
        else if (inside && line ~ /\*\//)
            inside = 0
    }
    END { exit bad }' $(find include src probe java tests bench web -name '*.[ch]' 2> /dev/null) /dev/null
