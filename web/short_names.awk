# Short names for what a script declares, so that a page that carries it is 2 % smaller. It reads what
# src/draw/svg/minify.awk writes.
#
# The text is cut at its declarations on the outermost level. What one of them declares inside, at any
# depth, is one name in all of it; and its home is the innermost function that has all places of it. It
# gets a short name that nothing else in its home has: so what two names meant they mean apart, and
# functions beside each other have the same names, which packs well. What is not declared stays (the
# browser's), properties stay (what follows a dot, a key, a method), and what begins with `flamel`,
# which scripts have in common.
#
# One thing must not be: a declaration in which a name is the browser's in one place and a variable's in
# another. It is not written here, and a test would fail.

BEGIN {
    split("async await break case catch class const continue default delete do else extends finally for " \
        "function get if in instanceof let new null of return set static super switch this throw true " \
        "false try typeof undefined void while yield arguments", words, " ")
    for (i in words) is_keyword[words[i]] = 1
    split(") > ; } else try finally do catch", words, " ")
    for (i in words) begins_block[words[i]] = 1
    letters = "etaionsrhldcumfpgwybvkxjqzTCSAPEIRMNOLDFBUHGVWKYXJQZ_$"
}
{ all = all $0 "\n" }

# ---- Tokens: word[i] with blank[i] before it, kind[i] --------------------------------------------

function add(what, size)
{
    count++
    word[count] = substr(all, at, size)
    kind[count] = what
    blank[count] = gap
    gap = ""
    at += size
}
# A string, or a piece of a template: to its end, or to behind `${`.
function text_size(quote,    i, letter)
{
    for (i = at + 1; (letter = substr(all, i, 1)) != quote; i++) {
        if (letter == "\\")
            i++
        else if (quote == "`" && substr(all, i, 2) == "${")
            return i + 2 - at
        else if (letter == "")
            fail("a text without an end")
    }
    return i + 1 - at
}
function pattern_size(    i, letter, in_class)
{
    for (i = at + 1; (letter = substr(all, i, 1)) != "/" || in_class; i++) {
        if (letter == "\\")
            i++
        else if (letter == "[")
            in_class = 1
        else if (letter == "]")
            in_class = 0
    }
    for (i++; substr(all, i, 1) ~ /[a-z]/; i++);
    return i - at
}
# Whether a `/` here divides: behind a value.
function is_behind_value()
{
    return kind[count] == "text" || word[count] ~ /^[])}]$/ ||
        kind[count] == "word" && word[count] != "return"
}
function take_text(quote,    size)
{
    size = text_size(quote)
    add("text", size)
    if (quote == "`" && word[count] ~ /\$\{$/) {
        depth++
        is_template[depth] = 1
    }
}
function tokens(    letter, rest)
{
    for (at = 1; at <= length(all);) {
        rest = substr(all, at, 100)
        letter = substr(rest, 1, 1)
        if (letter ~ /[ \n]/) {
            gap = gap letter
            at++
        } else if (match(rest, /^[A-Za-z_$][A-Za-z0-9_$]*/) || match(rest, /^[0-9][0-9A-Za-z_.]*/)) {
            add("word", RLENGTH)
        } else if (letter ~ /["'`]/) {
            take_text(letter)
        } else if (substr(rest, 1, 2) == "//") {
            at += index(substr(all, at), "\n") - 1
        } else if (letter == "/" && !is_behind_value()) {
            add("text", pattern_size())
        } else if (letter == "}" && is_template[depth]) {
            delete is_template[depth--]
            take_text("`")
        } else {
            depth += letter == "{"
            depth -= letter == "}"
            add("sign", 1)
        }
    }
}

# ---- What each word is: role[i] -------------------------------------------------------------------

# What braces hold: "block", "class" or "object".
function braces(i)
{
    if (word[i - 2] == "class" || word[i - 4] == "class" && word[i - 2] == "extends")
        return "class"
    return i == 1 || word[i - 1] in begins_block || word[i - 1] == "{" && inside[nested] == "block" \
        ? "block" : "object"
}
function role_of(i,    before, behind, place)
{
    before = word[i - 1]
    behind = word[i + 1]
    place = inside[nested]
    if (word[i] ~ /^[0-9]/)
        return ""
    if (before == "." && word[i - 2] != ".")
        return "property"
    if (place == "object" && before ~ /^([{,]|async|get|set)$/) {
        if (behind == ":" || behind == "(")
            return "property"
        if (behind ~ /^[,}=]$/)
            return "shorthand"
    }
    if (place == "class" && (behind == "(" || behind == "="))
        return "property"
    return word[i] in is_keyword ? "" : "variable"
}
function roles(    i)
{
    inside[0] = "block"
    for (i = 1; i <= count; i++) {
        if (nested == 0 && begins_part(i))
            parts++
        part[i] = parts
        level[i] = nested
        if (kind[i] == "word")
            role[i] = role_of(i)
        if (kind[i] == "text" ? word[i] ~ /^}/ : word[i] ~ /^[])}]$/) {
            mate[opened[nested]] = i
            mate[i] = opened[nested--]
        }
        if (kind[i] == "text" ? word[i] ~ /^[`}].*\$\{$/ : word[i] ~ /^[[({]$/) {
            opened[nested + 1] = i
            inside[nested + 1] = word[i] == "{" ? braces(i) : word[i]
            nested++
        }
    }
    if (nested != 0)
        fail("braces that are not closed")
}
function begins_part(i)
{
    return word[i] ~ /^(const|let|class|async)$/ ||
        word[i] == "function" && word[i - 1] != "async"
}

# ---- What is declared: is_own[part, name], is_top[name] -------------------------------------------

function declare(i)
{
    if (level[i] == 0)
        is_top[word[i]] = 1
    else
        is_own[part[i], word[i]] = 1
}
# Names in a list of parameters or in a pattern, which ends at `end`. What stands in other parentheses
# is no name.
function declare_in(start, end,    i)
{
    for (i = start + 1; i < end; i++) {
        if (word[i] == "(" && kind[i] == "sign")
            i = mate[i]
        else if (role[i] ~ /^[vs]/ && word[i - 1] ~ /^[(,{[.:]$/ && word[i + 1] ~ /^[],)}=]$/)
            declare_inside(i, start)
    }
}
# A pattern declares where it stands; parameters, in their function.
function declare_inside(i, start)
{
    if (level[start] == 0 && word[start] != "(")
        is_top[word[i]] = 1
    else
        is_own[part[i], word[i]] = 1
}
# Behind const or let: names and patterns, with commas between.
function declare_list(i,    is_next)
{
    for (is_next = 1; i <= count && (kind[i] != "sign" || word[i] !~ /^[;)\]}]$/); i++) {
        if (word[i] ~ /^(of|in)$/ && kind[i] == "word")
            return
        if (is_next && role[i] == "variable")
            declare(i)
        else if (is_next && word[i] ~ /^[{[]$/)
            declare_in(i, mate[i])
        is_next = word[i] == "," && kind[i] == "sign"
        if (i in mate && mate[i] > i)
            i = mate[i]
    }
}
function is_arrow(i) { return word[i] == "=" && word[i + 1] == ">" && blank[i + 1] == "" }
# Whether the list that ends at `i` is one of parameters.
function is_parameters(i,    start)
{
    start = mate[i]
    return is_arrow(i + 1) || word[i + 1] == "{" && (role[start - 1] != "" ||
        word[start - 1] ~ /^(function|catch)$/)
}
function declarations(    i)
{
    for (i = 1; i <= count; i++) {
        if (word[i] ~ /^(const|let)$/ && kind[i] == "word")
            declare_list(i + 1)
        else if (role[i] == "variable" && word[i - 1] ~ /^(function|class)$/)
            declare(i)
        else if (role[i] == "variable" && is_arrow(i + 1))
            is_own[part[i], word[i]] = 1
        if (word[i] != ")" || kind[i] != "sign")
            continue
        if (is_parameters(i))
            declare_in(mate[i], i)
    }
}

# ---- Functions: which[i] is the innermost that has it, from parent[] to parent[] -------------------

# Behind the body of the arrow at `i`.
function end_of_arrow(i)
{
    i += 2
    if (word[i] == "{")
        return mate[i]
    for (; word[i] !~ /^[],;)}]/ || kind[i] == "word"; i++)
        if (i in mate && mate[i] > i)
            i = mate[i]
    return i - 1
}
function find_functions(    i, start)
{
    for (i = 1; i <= count; i++) {
        if (is_arrow(i))
            ends[word[i - 1] == ")" ? mate[i - 1] : i - 1] = end_of_arrow(i)
        else if (word[i] == ")" && kind[i] == "sign" && is_parameters(i) && !is_arrow(i + 1))
            ends[mate[i]] = mate[i + 1]
    }
    start = 0
    for (i = 1; i <= count; i++) {
        if (i in ends) {
            parent[++functions] = start
            start = functions
            first[start] = i
            last[start] = ends[i]
        }
        which[i] = start
        while (start && last[start] == i)
            start = parent[start]
    }
    last[0] = count
}

# ---- Short names ----------------------------------------------------------------------------------

function name_number(number,    size)
{
    size = length(letters)
    if (number < size)
        return substr(letters, number + 1, 1)
    return substr(letters, int(number / size), 1) substr(letters, number % size + 1, 1)
}
# The innermost function that has both. One that begins later is never around one that began before.
function around(one, other)
{
    while (one != other)
        if (one > other)
            one = parent[one]
        else
            other = parent[other]
    return one
}
function find_homes(    i, name)
{
    for (i = 1; i <= count; i++) {
        if (role[i] !~ /^[vs]/)
            continue
        name = word[i]
        owner[i] = (part[i], name) in is_own ? part[i] SUBSEP name : name in is_top ? name : ""
        if (owner[i] == "" || length(name) == 1 || name ~ /^flamel/) {
            owner[i] = ""
            continue
        }
        if (!uses[owner[i]]++)
            home[owner[i]] = name in is_top && owner[i] == name ? 0 : which[i]
        home[owner[i]] = around(home[owner[i]], which[i])
    }
    for (i = 1; i <= count; i++)
        if (owner[i] != "" && !is_listed[owner[i]]++)
            order[home[owner[i]], ++sizes[home[owner[i]]]] = owner[i]
}
# By how often a name is used, the most first; those used alike, as they come.
function give_names(place,    i, j, name, size, number, is_taken, list)
{
    for (i = first[place] + 0; i <= last[place]; i++)
        if (role[i] ~ /^[vs]/)
            is_taken[owner[i] == "" ? word[i] : short[owner[i]]] = 1
    size = sizes[place]
    for (i = 1; i <= size; i++) {
        name = order[place, i]
        for (j = i - 1; j > 0 && uses[list[j]] < uses[name]; j--)
            list[j + 1] = list[j]
        list[j + 1] = name
    }
    number = place ? 0 : 26 # the letters before it are for what is near
    for (i = 1; i <= size; i++) {
        do
            name = name_number(number++)
        while (name in is_taken || name in is_keyword)
        short[list[i]] = name
    }
}

# A line of a script may end without a semicolon; one that goes on in the next one, by a sign, does not.
function needed_blank(i)
{
    if (kind[i] != "sign" && kind[i - 1] != "sign" || word[i] == word[i - 1] && word[i] ~ /[-+]/)
        return blank[i]
    return blank[i] ~ /\n/ && kind[i] != "sign" && word[i - 1] ~ /^[])}]$/ ? "\n" : ""
}

function fail(why)
{
    print "short_names.awk: " why > "/dev/stderr"
    failed = 1
    exit 1
}
END {
    if (failed)
        exit 1
    tokens()
    roles()
    declarations()
    find_functions()
    find_homes()
    for (i = 0; i <= functions; i++)
        give_names(i)
    for (i = 1; i <= count; i++) {
        name = word[i]
        if (owner[i] != "")
            name = (role[i] == "shorthand" ? name ":" : "") short[owner[i]]
        printf "%s%s", needed_blank(i), name
    }
    print ""
}
