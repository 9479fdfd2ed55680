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

# Compilers say of some instructions that they are of no line (clang of much of a loop, at -O1), and
# flamel in a row of its own. `unknown` is what the functions of this line have there, `others` what
# those of the rest of its group have: the line may have had any part of the one, and the rest of the
# other.
function judge(what, is, unknown, others, should, of, samples,    error, least, most)
{
    least = 100 * is / (of + others)
    most = 100 * (is + unknown) / (of + unknown)
    if (of == total)
        most = 100 * (is + unknown) / of
    if (samples < 1)
        samples = 1
    error = 3 * 100 * sqrt(should / 100 * (1 - should / 100) / samples)
    if (verbose)
        printf "%s: %s: %.2f to %.2f %%, and the program says %.2f %%\n", name, what, least, most, should
    if (least - should > 2 + error || should - most > 2 + error) {
        printf "%s: %s: %.2f %% (%.2f to %.2f with what has no line), but the program says %.2f %% (2 points, and %.2f for %d samples)\n",
            name, what, 100 * is / of, least, most, should, error, samples
        bad = 1
    }
}

# What functions have without a line that are in `list` and not in `but`, each once.
function without_line(list, but,    parts, function_of, k, seen, sum)
{
    parts = split(but, function_of, "\n")
    for (k = 2; k <= parts; k++)
        seen[function_of[k]] = 1
    parts = split(list, function_of, "\n")
    for (k = 2; k <= parts; k++)
        if (!(function_of[k] in seen)) {
            seen[function_of[k]] = 1
            sum += unknown[function_of[k]]
        }
    return sum + 0
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
    for (i = 0; i < count; i++) {
        group_is[group[i]] += is[i]
        group_functions[group[i]] = group_functions[group[i]] functions[i]
    }
    for (i = 0; i < count; i++) {
        what = kind[i] " of " file[i] ":" line[i] (called[i] == "-" ? "" : " in " called[i])
        nowhere = without_line(functions[i], "")
        judge(what, is[i], nowhere, 0, 100 * ns[i] / all_ns, total, samples)
        if (group[i] != "-" && group_is[group[i]] > 0)
            judge(what " among those of \"" group[i] "\"", is[i], nowhere,
                without_line(group_functions[group[i]], functions[i]), 100 * ns[i] / group_ns[group[i]],
                group_is[group[i]], samples * group_is[group[i]] / total)
    }
    exit bad
}
