# Compares what a program measured with what flamel shows, for truth.sh. The first file is the
# truth (programs/lines.c says how it looks), the second what flamel annotate --lines --json wrote.

function text(name,    at, rest)
{
    at = index($0, "\"" name "\": ")
    rest = substr($0, at + length(name) + 4)
    if (substr(rest, 1, 1) != "\"") {
        sub(/[,}].*/, "", rest)
        return rest
    }
    match(rest, /^"([^"\\]|\\.)*"/)
    return substr(rest, 2, RLENGTH - 2)
}

# `unknown` is what the same functions have where no line is known: compilers say that of some
# instructions, and flamel in a row of its own.
function judge(what, is, unknown, should, of, samples,    error)
{
    is = 100 * is / of
    unknown = 100 * unknown / of
    if (samples < 1)
        samples = 1
    error = 3 * 100 * sqrt(should / 100 * (1 - should / 100) / samples)
    if (verbose)
        printf "%s: %s: %.2f %%, and the program says %.2f %%\n", name, what, is, should
    if (is - should > 2 + error || should - is - unknown > 2 + error) {
        printf "%s: %s: %.2f %% (and %.2f %% without a line), but the program says %.2f %% (2 points, and %.2f for %d samples)\n",
            name, what, is, unknown, should, error, samples
        bad = 1
    }
}

BEGIN {
    count = 0
}
FNR == NR && $1 == "all" {
    all_ns = $6
    next
}
FNR == NR && $1 == without {
    next
}
FNR == NR {
    kind[count] = $1
    file[count] = $2
    line[count] = $3
    called[count] = $4
    group[count] = $5
    ns[count] = $6
    group_ns[$5] += $6
    count++
    next
}
/^  "total": / {
    total = $2 + 0
    next
}
/"line": null/ {
    unknown[text("function")] += text("self")
    next
}
/"line": / {
    path = text("file")
    sub(/.*\//, "", path)
    for (i = 0; i < count; i++)
        if (path == file[i] && text("line") == line[i] &&
            (called[i] == "-" || index(text("function"), called[i]))) {
            is[i] += text(kind[i])
            if (kind[i] == "self")
                functions[i] = functions[i] "\n" text("function")
        }
}
END {
    if (!(total > 0) || !(all_ns > 0) || count == 0) {
        print name ": nothing was measured"
        exit 1
    }
    # Of a metric in nanoseconds: one sample is a period.
    samples = total / (1e9 / frequency)
    for (i = 0; i < count; i++)
        group_is[group[i]] += is[i]
    for (i = 0; i < count; i++) {
        what = kind[i] " of " file[i] ":" line[i] (called[i] == "-" ? "" : " in " called[i])
        nowhere = 0
        parts = split(functions[i], function_of, "\n")
        for (k = 2; k <= parts; k++)
            nowhere += unknown[function_of[k]]
        judge(what, is[i], nowhere, 100 * ns[i] / all_ns, total, samples)
        if (group[i] != "-" && group_is[group[i]] > 0)
            judge(what " among those of \"" group[i] "\"", is[i], nowhere, 100 * ns[i] / group_ns[group[i]],
                group_is[group[i]], samples * group_is[group[i]] / total)
    }
    exit bad
}
