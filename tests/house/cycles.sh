#!/bin/sh
# No header includes itself by way of others. Layers forbid that between folders, so it is about
# headers of one folder, and the public ones.

awk '
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        from = FILENAME
        sub(/^(src|include)\//, "", from)
        uses[from] = uses[from] " " quoted[2]
    }
    END {
        # Take away headers that use none of those left, until nothing changes. What stays is on a
        # cycle, or leads to one.
        do {
            changed = 0
            for (header in uses) {
                count = split(uses[header], used, " ")
                leads = 0
                for (i = 1; i <= count; i++)
                    leads += used[i] in uses
                if (!leads) {
                    delete uses[header]
                    changed = 1
                    break
                }
            }
        } while (changed)
        for (header in uses) {
            print header ": is on an include cycle, or leads to one:" uses[header]
            bad = 1
        }
        exit bad
    }
' $(find src include -name '*.h') /dev/null
