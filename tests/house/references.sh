#!/bin/sh
# Comments and documents name things that exist:
#
#     /* NAME - what it is for ... */     a head comment begins with the name of its own file
#     draw/raster/pixels.h, order.c      in comments of C: the end of the path of a file, a header of
#                                        the system, or a file that a test makes
#     flm_layout_new, FLM_NONE           in comments of C, and in documents: an identifier of the code
#     `src/draw/svg/`, `order.c`         in documents: a file or folder of the tree
#
# A name with a part in capitals (flm_format_NAME, tests/FOLDER/NAME_test.c) stands for several. With a line
# number (map.c:12) it is an example.

sources=$(find src include probe tests bench web examples -name '*.[ch]' 2> /dev/null | sort)
documents=$(find README.md docs LAYERS tests/house/untested -type f \( -name '*.md' -o -name '*.[1-9]' \
    -o -name LAYERS -o -name untested \) 2> /dev/null | sort)
others=$(find src include probe java tests bench web docs mk examples \( -type f -o -type d \) 2> /dev/null; ls)

# shellcheck disable=SC2086 # names of sources have no blanks
printf '%s\n' "$others" | LC_ALL=C awk '
    function complain(what)
    {
        print FILENAME ":" FNR ": " what
        bad = 1
    }

    # Splits a line of C at its comments: code is what is left, comment what they say.
    function split_line(line,    at, next_one)
    {
        code = comment = ""
        if (!inside)
            gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                comment = comment " " (at ? substr(line, 1, at - 1) : line)
                line = at ? substr(line, at + 2) : ""
                inside = !at
                continue
            }
            at = index(line, "/*")
            next_one = index(line, "//")
            if (next_one && (!at || next_one < at)) {
                code = code substr(line, 1, next_one - 1)
                comment = comment " " substr(line, next_one + 2)
                return
            }
            code = code (at ? substr(line, 1, at - 1) : line)
            line = at ? substr(line, at + 2) : ""
            inside = at > 0
        }
    }

    function is_known_path(name)
    {
        sub(/\/$/, "", name)
        return name in ends
    }

    function check_identifiers(text,    name)
    {
        while (match(text, /(^|[^A-Za-z0-9_])(flm|FLM)_[A-Za-z0-9_]+/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^A-Za-z0-9_]/, "", name)
            if (!(name in known) && text !~ /^\.[ch]/ && name !~ /_$/ && name !~ /[a-z]_[A-Z]/)
                complain("there is no " name)
        }
    }

    function check_paths(text,    name, after)
    {
        while (match(text, /[A-Za-z0-9_.\/-]+\.([ch]|md|mjs|sh)/)) {
            name = substr(text, RSTART, RLENGTH)
            after = substr(text, RSTART + RLENGTH, 2)
            text = substr(text, RSTART + RLENGTH)
            if (after ~ /^[A-Za-z0-9_]/ || after ~ /^:[0-9]/ || name ~ /^[.\/-]/)
                continue
            if (!(name ~ /(^|\/)[A-Z]+[_.\/].*[ch]$/) && !is_known_path(name))
                complain("there is no " name)
        }
    }

    function check_document(line,    name)
    {
        check_identifiers(line)
        while (match(line, /`((src|include|tests|bench|web|docs|mk|examples)\/[A-Za-z0-9_.\/-]*|[a-z0-9_.\/-]+\.[ch])`/)) {
            name = substr(line, RSTART + 1, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
            if (name !~ /[A-Z][A-Z]+/ && !is_known_path(name))
                complain("there is no " name)
        }
    }

    FILENAME == "-" { # every end of every path
        path = $0
        do
            ends[path] = 1
        while (sub(/^[^\/]*\//, "", path))
        next
    }
    FNR == 1 { inside = 0 }
    pass == 1 {
        if (match($0, /^ *# *include *<[^>]*>/)) # of the system
            ends[substr($0, index($0, "<") + 1, RSTART + RLENGTH - index($0, "<") - 2)] = 1
        line = $0
        while (match(line, /"[A-Za-z0-9_.\/-]+"/)) { # of a test
            ends[substr(line, RSTART + 1, RLENGTH - 2)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
        split_line($0)
        while (match(code, /[A-Za-z0-9_]+/)) {
            known[substr(code, RSTART, RLENGTH)] = 1
            code = substr(code, RSTART + RLENGTH)
        }
        next
    }
    FILENAME !~ /\.[ch]$/ { check_document($0); next }
    FNR == 1 && match($0, /^\/\* [A-Za-z0-9_.]+ - /) {
        name = FILENAME
        sub(/.*\//, "", name)
        if (substr($0, 4, RLENGTH - 6) != name)
            complain("its head comment is that of " substr($0, 4, RLENGTH - 6))
    }
    {
        split_line($0)
        check_identifiers(comment)
        check_paths(comment)
    }
    END { exit bad }' - pass=1 $sources pass=2 $sources $documents
