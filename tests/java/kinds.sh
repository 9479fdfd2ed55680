#!/bin/sh
# Frames of methods that the VM is told to interpret, compile or inline have that kind: kinds.sh BUILD.
. "$(dirname "$0")/common.sh"
compile Kinds

# kinds NAME OPTION...: the mark of each method of the program; "mixed" where no mark has 97 % of its time.
kinds()
{
    name=$1
    shift
    record -F 1999 -o "$work/$name.flm" -- java -Xbatch -XX:CompileCommand=quiet -XX:CompileCommand=exclude,Kinds.run \
        -XX:CompileCommand=dontinline,Kinds.fast -XX:CompileCommand=inline,Kinds.mix -XX:CompileCommand=inline,Kinds.twice \
        "$@" -cp "$work" Kinds 1 > "$work/out" || complain "$name: recording failed"
    "$flamel" convert --annotate "$work/$name.flm" -o "$work/$name.folded" -m cpu-clock 2> "$work/said" ||
        "$flamel" convert --annotate "$work/$name.flm" -o "$work/$name.folded"
    grep 'Kinds\.measured' "$work/$name.folded" | awk '{
        value = $NF
        sub(/ [0-9.]+$/, "")
        n = split($0, frames, ";")
        for (i = 1; i <= n; i++) {
            if (frames[i] !~ /^Kinds\./)
                continue
            method = frames[i]
            mark = sub(/_\[.*\]$/, "", method) ? substr(frames[i], length(method) + 2) : "none"
            seen[method "#" ++depth[method]] = method "#" depth[method]
            of[method "#" depth[method] " " mark] += value
            all[method "#" depth[method]] += value
        }
        split("", depth)
    }
    END {
        for (key in of) {
            split(key, part, " ")
            if (of[key] >= 0.97 * all[part[1]])
                is[part[1]] = part[2]
        }
        for (method in seen)
            printf "%s %s\n", method, method in is ? is[method] : "mixed"
    }' | sort > "$work/$name.kinds"
}
# expect NAME METHOD MARK
expect()
{
    grep -qxF "$2 $3" "$work/$1.kinds" || complain "$1: $2 is not $3 but: $(tr '\n' ' ' < "$work/$1.kinds")"
}

kinds interpreted -Xint
expect interpreted 'Kinds.run#1' '[0]'
expect interpreted 'Kinds.twice#1' '[0]'
expect interpreted 'Kinds.twice#2' '[0]'
expect interpreted 'Kinds.fast#1' '[0]'
expect interpreted 'Kinds.mix#1' '[0]'

kinds C1 -XX:TieredStopAtLevel=1
expect C1 'Kinds.run#1' '[0]'
expect C1 'Kinds.twice#1' '[1]'
expect C1 'Kinds.fast#1' '[1]'

# The outer one is the compiled frame, and the inner one, of the same method, is inlined there.
kinds C2 -XX:-TieredCompilation
expect C2 'Kinds.run#1' '[0]'
expect C2 'Kinds.twice#1' '[j]'
expect C2 'Kinds.twice#2' '[i]'
expect C2 'Kinds.fast#1' '[j]'
expect C2 'Kinds.mix#1' '[i]'
exit $bad
