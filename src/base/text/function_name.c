#include "base/text/function_name.h"

#include "base/text/internal.h"

/* Past the bracket that closes the one at `at`; 0 where there is none. Brackets of other kinds are
 * ignored: in names they need not match ("operator<"). */
static size_t closed(struct flm_name_reading *r, size_t at)
{
    char open = r->name.at[at];
    char close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
    size_t depth = 0;
    for (size_t i = at; !r->broken && i < r->end; i++) {
        char c = r->name.at[i];
        if (c == open)
            depth++;
        else if (c == close && (c != '>' || r->name.at[i - 1] != '-') && --depth == 0)
            return i + 1;
    }
    r->broken = true;
    return 0;
}

/* V8 writes "LazyCompile:*render app.js:12": returns the offset after the colon and the mark of the
 * tier, which may be the end of the name. */
static size_t engine_prefix(struct flm_bytes name)
{
    size_t colon = flm_name_word_end(name, 0);
    if (colon == 0 || colon + 1 >= name.size || name.at[colon] != ':' ||
        !flm_name_is_one_of(flm_name_part(name, 0, colon),
                            "LazyCompile Function Script Eval Builtin Handler RegExp "
                            "BytecodeHandler Stub JS"))
        return 0;
    size_t start = colon + 1;
    char mark = name.at[start];
    start += mark == '*' || mark == '~' || mark == '^' || mark == '+';
    return start;
}

size_t flm_line_number_size(struct flm_bytes text)
{
    size_t kept = text.size;
    for (int i = 0; i < 2; i++) {
        size_t at = kept;
        while (at > 0 && flm_name_is_digit(text.at[at - 1]))
            at--;
        if (at == kept || at == 0 || text.at[at - 1] != ':')
            break;
        kept = at - 1;
    }
    return text.size - kept;
}

#define TRAMPOLINE "py::"

/* Interpreters write "render (app/page.py:12)" and "render app/page.js:12:3": returns where the
 * location begins, 0 where there is none. */
static size_t find_location(struct flm_bytes name)
{
    size_t space = name.size;
    while (space > 0 && name.at[space - 1] != ' ')
        space--;
    if (space < 2 || space == name.size)
        return 0;
    struct flm_bytes rest = flm_name_part(name, space, name.size);
    if (rest.at[0] == '(' && rest.at[rest.size - 1] == ')') {
        rest = flm_name_part(rest, 1, rest.size - 1);
        space++;
    }
    if (memchr(rest.at, ')', rest.size) || memchr(rest.at, '(', rest.size))
        return 0;
    return flm_line_number_size(rest) || memchr(rest.at, '/', rest.size) ? space : 0;
}

/* Past the type of a conversion, as in "operator std::vector<int>*(...)". */
static size_t past_conversion(struct flm_bytes name, size_t at)
{
    size_t depth = 0;
    for (; at < name.size; at++) {
        char c = name.at[at];
        if (c == '<')
            depth++;
        else if (c == '>' && depth > 0)
            depth--;
        else if (depth == 0 && (c == '(' || (c == '[' && name.at[at - 1] == ' ')))
            break;
    }
    return at;
}

/* Past "operator<<", "operator()", "operator new"; `at` when there is no operator. */
static size_t past_operator(struct flm_bytes name, size_t at)
{
    static const char word[] = "operator";
    size_t i = at + sizeof word - 1;
    if (name.size - at < sizeof word || memcmp(name.at + at, word, sizeof word - 1) != 0 ||
        (at > 0 && flm_name_is_word(name.at[at - 1])) || flm_name_is_word(name.at[i]))
        return at;
    if (name.at[i] == ' ' && i + 1 < name.size && (flm_name_is_word(name.at[i + 1])))
        return past_conversion(name, i + 1);
    if (i + 1 < name.size && (name.at[i] == '(' || name.at[i] == '['))
        return i + 2;
    size_t start = i, most = i + 3 < name.size ? i + 3 : name.size;
    while (i < most && flm_is_one_of(name.at[i], "<>=!+-*/%^&|~,")) {
        if (name.at[i] == '<' && i > start && name.at[i - 1] != '<')
            break; /* operator-<int>: its template arguments */
        i++;
    }
    return i;
}

/* Whether a name begins with a phrase of a demangler or of Ruby, for code that is no function of
 * its own: a label must not be the name behind it alone. `name` is not empty. Its first letter is
 * compared first, as this is called for each name before the first picture, in the page before
 * WebAssembly is optimized. */
static bool is_phrase(struct flm_bytes name)
{
    static const char *const beginnings[] = {"guard variable for ",
                                             "vtable for ",
                                             "typeinfo for ",
                                             "initializer for ",
                                             "closure #",
                                             "global constructors keyed to ",
                                             "transaction clone for ",
                                             "block in ",
                                             "block (",
                                             "rescue in ",
                                             "ensure in "};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (name.at[0] == *beginnings[i] && flm_bytes_start_with(name, beginnings[i]))
            return true;
    return false;
}

#define THUNK "thunk to "

/* What adjusts `this` or a result and then calls a function is named after that: returns where the
 * function's name begins, 0 where the name is of no thunk. */
static size_t thunk_size(struct flm_bytes name)
{
    static const char *const beginnings[] = {"virtual " THUNK, "non-virtual " THUNK,
                                             "covariant return " THUNK};
    for (size_t i = 0; name.size > 0 && i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (name.at[0] == *beginnings[i] && flm_bytes_start_with(name, beginnings[i]))
            return strlen(beginnings[i]);
    return 0;
}

/* Whether "." at `at` does not separate: a file's extension, a version, or the end. */
static bool is_inner_dot(struct flm_bytes name, size_t at)
{
    size_t after = at + 1, end = flm_name_word_end(name, after);
    if (after == name.size || at == 0 || flm_name_is_digit(name.at[after]) || name.at[after] == '.')
        return true;
    if (end < name.size && name.at[end] != '.' && name.at[end] != ':')
        return false;
    return (end == name.size || flm_name_is_digit(name.at[end + 1 < name.size ? end + 1 : end])) &&
           flm_name_is_one_of(
               flm_name_part(name, after, end),
               "so py js mjs cjs ts tsx jsx rb php c cc cpp cxx h hpp rs go java kt lua pl "
               "exe dll dylib jar wasm");
}

/* Whether an address in a program follows, as in "cc1+0x7e9360", and not an offset in a function:
 * few functions have 4 KiB of code. */
static bool is_address(struct flm_bytes name, size_t at)
{
    size_t digit = at + 3;
    if (name.size - at < 4 || memcmp(name.at + at, "+0x", 3) != 0)
        return false;
    while (digit < name.size && flm_name_is_hex(name.at[digit]))
        digit++;
    return digit == name.size && digit - at - 3 >= 4;
}

/* Whether the text at `at` was appended by a compiler or linker: ".isra.0", "+0x1f", "@plt",
 * "::h0123456789abcdef". */
static bool is_suffix(const struct flm_name_reading *r, size_t at)
{
    struct flm_bytes name = r->name;
    char c = name.at[at];
    if (at == r->component)
        return false;
    if (c == '@')
        return true;
    if (c == '+')
        return at + 2 < name.size && name.at[at + 1] == '0' && name.at[at + 2] == 'x' &&
               !is_address(name, at);
    if (c == '.')
        return flm_name_is_one_of(flm_name_part(name, at + 1, flm_name_word_end(name, at + 1)),
                                  "isra part constprop cold llvm lto_priv clone __uniq");
    if (c == ':' && name.size - at == 19 && name.at[at + 2] == 'h') {
        size_t i = at + 3;
        while (i < name.size && flm_name_is_hex(name.at[i]))
            i++;
        return i == name.size;
    }
    return false;
}

/* The size of the separator at `at`, 0 where there is none. */
static size_t separator_size(const struct flm_name_reading *r, size_t at)
{
    struct flm_bytes name = r->name;
    char c = name.at[at], next = at + 1 < r->end ? name.at[at + 1] : 0;
    switch (c) {
    case ':':
        return next == ':'
                   ? 2
                   : at > r->component && flm_name_is_word(next) && !flm_name_is_digit(next);
    case '-':
        return next == '>' ? 2 : 0;
    case '.':
        return at > r->address && !is_inner_dot(name, at);
    case '+':
        return is_address(name, at);
    case '/':
        return next && !flm_name_is_digit(next);
    case '#':
    case '!':
    case '`':
    case '\\':
        return next && at > r->start;
    default:
        return 0;
    }
}

/* Whether the text at `at` is the result type of a JVM method: "I", "[B", "Ljava/lang/Long;". */
static bool is_descriptor(const struct flm_name_reading *r, size_t at)
{
    while (at < r->end && r->name.at[at] == '[')
        at++;
    if (at >= r->end)
        return false;
    char c = r->name.at[at];
    return c == 'L' ? r->end - at > 2 : at + 1 == r->end && flm_name_is_among(c, "VZBCSIJFD");
}

/* Whether a function's name follows the blank at `at`: "void sort<int>(int*)". */
static bool ends_result_type(const struct flm_name_reading *r, size_t at)
{
    return at + 1 < r->arguments && flm_name_is_word(r->name.at[at + 1]);
}

/* Skips the bracket at `at`. Returns where to continue: r->end when the function's name ends
 * there. */
static size_t past_bracket(struct flm_name_reading *r, size_t at)
{
    struct flm_bytes name = r->name;
    char open = name.at[at], before = at > 0 ? name.at[at - 1] : 0;
    size_t after = closed(r, at);
    if (after == 0) {
        bool ends_name = (open == '<' || open == '(') && flm_name_is_word(before) && r->cut == 0;
        r->cut = ends_name ? at : r->cut;
        return ends_name ? r->end = at : at + 1;
    }
    if (at == r->component) { /* (*conn), (anonymous namespace), <A as B>, <init>, {closure} */
        if (open != '<' || at < r->start + 2 || before != ':')
            return after;
        at -= 2; /* of collect::<T> */
        r->component = r->previous;
    }
    if (open == '{')
        return after;
    if (before == ' ' && open != '<') { /* f (deleted), f [clone .cold] */
        if (after == r->end)
            r->end = at - 1;
        return after == r->end || after > r->end ? r->end : after;
    }
    char next = after < r->end ? name.at[after] : 0;
    if (open == '(' && next == ' ' &&
        flm_name_is_one_of(flm_name_part(name, r->component, at), "decltype"))
        return after;                 /* the result type of decltype(auto) f<int>(int) */
    if (open == '<' && next == '(') { /* template arguments, then arguments */
        size_t end = closed(r, after);
        next = end && end < r->end ? name.at[end] : 0;
        if (end == 0)
            return after;
        after = end;
    }
    if (open == '(' && is_descriptor(r, after))
        return r->end = at;
    if (open == '<' && next == ' ' && ends_result_type(r, after))
        return after;
    if (open == '[' && next == '.' && !is_suffix(r, after))
        return after; /* main.Map[...].func1 */
    if (next == 0 || next == ' ' || next == '[' || next == '@' || next == '.' || next == '+')
        return r->end = at;
    return after;
}

/* The end of a closure or scope without a name of its own that begins at `at`, which tells nothing
 * without the function that it is in: "{{closure}}" and "{closure#0}" of Rust, "<lambda>" and
 * "<locals>" of Python, "<anonymous>" of V8, "func1", "gowrap1" and "deferwrap1" of Go. 0: there is
 * none. */
static size_t nameless_end(struct flm_name_reading *r, size_t at)
{
    struct flm_bytes name = r->name, rest = flm_name_part(name, at, r->end);
    if (flm_bytes_start_with(rest, "{{closure}}") || flm_bytes_start_with(rest, "{closure#"))
        return closed(r, at);
    if (flm_bytes_start_with(rest, "<")) {
        size_t end = flm_name_word_end(name, at + 1);
        bool is_known =
            flm_name_is_one_of(flm_name_part(name, at + 1, end),
                               "lambda locals genexpr listcomp dictcomp setcomp anonymous");
        return is_known && end < r->end && name.at[end] == '>' ? end + 1 : 0;
    }
    size_t letters = at, end = flm_name_word_end(name, at);
    while (letters < end && !flm_name_is_digit(name.at[letters]))
        letters++;
    bool is_numbered = r->location == 0 && letters < end;
    return is_numbered &&
                   flm_name_is_one_of(flm_name_part(name, at, letters), "func gowrap deferwrap")
               ? end
               : 0;
}

/* Whether the component says which function of C++ a lambda is in: "{lambda(int)#1}", and clang's
 * "$_0" and "'lambda'(int)". */
static bool is_lambda(struct flm_bytes component)
{
    return flm_bytes_start_with(component, "{") || flm_bytes_start_with(component, "$_") ||
           flm_bytes_start_with(component, "'lambda");
}

static void read_name(struct flm_name_reading *r)
{
    struct flm_bytes name = r->name;
    for (size_t i = r->start; i < r->end;) {
        char c = name.at[i];
        size_t size;
        if (c == 'o' && (size = past_operator(name, i)) > i) {
            i = size;
        } else if (flm_name_is_word(c)) {
            i++;
        } else if (c == '(' || c == '<' || c == '[' || c == '{') {
            i = past_bracket(r, i);
        } else if (is_suffix(r, i)) {
            r->end = i;
        } else if ((size = separator_size(r, i)) > 0) {
            if (c == '/')
                r->path_end = i + 1;
            if (c == '`' || c == '!')
                r->module_end = i;
            if (r->first_end == 0)
                r->first_end = i;
            size_t end = nameless_end(r, i + size);
            if (end > 0) { /* a part of the component before it */
                bool is_first = r->nameless == 0 && !flm_name_is_word(name.at[i + size]);
                r->nameless = is_first ? i + size : r->nameless;
                i = end;
                continue;
            }
            if (c == '/')
                r->previous = i + size;
            else if (r->nameless == 0 && !is_lambda(flm_name_part(name, r->component, i)))
                r->previous = r->component; /* what a lambda is in says which one it is */
            i += size;
            r->component = i;
            r->nameless = 0;
        } else if (c == ' ' && ends_result_type(r, i)) {
            i++;
            r->start = r->component = r->previous = i;
            r->first_end = r->path_end = r->nameless = 0;
        } else {
            i++;
        }
    }
}

/* CPython writes "py::parse:/srv/app.py" into perf maps: returns where the file begins, 0 where it
 * is no such name. */
static size_t trampoline_location(struct flm_bytes name)
{
    if (!flm_bytes_start_with(name, TRAMPOLINE))
        return 0;
    size_t at = name.size - flm_line_number_size(name);
    while (at > sizeof TRAMPOLINE && name.at[at - 1] != ':')
        at--;
    return at > sizeof TRAMPOLINE ? at : 0;
}

/* Of functions without a name, V8 tells where they are: "(anonymous) app/page.js:12:3". */
static bool is_named_by_location(const struct flm_name_reading *r)
{
    struct flm_bytes before = flm_name_part(r->name, 0, r->end);
    return r->location == r->end + 1 &&
           (flm_bytes_end_with(before, "(anonymous)") || flm_bytes_end_with(before, "<anonymous>"));
}

struct flm_name_reading flm_name_read(struct flm_bytes name)
{
    struct flm_name_reading r = {.name = name, .end = name.size};
    size_t trampoline = trampoline_location(name);
    r.location = trampoline ? trampoline : find_location(name);
    if (r.location)
        r.end = r.location - 1 - (name.at[r.location - 1] == '(');
    bool is_anonymous = is_named_by_location(&r);
    if (is_anonymous)
        r.end = name.size;
    size_t thunk = thunk_size(name);
    r.start = trampoline ? sizeof TRAMPOLINE - 1
              : thunk    ? thunk
                         : engine_prefix(flm_name_part(name, 0, r.end));
    if (r.location && r.start == r.end) { /* "JS:~ app.js:3": only a location */
        r.start = r.location;
        r.end = name.size;
    }
    r.component = r.previous = r.start;
    for (size_t i = 1; i < r.end; i++)
        if (name.at[i] == '(' && name.at[i - 1] != ' ')
            r.arguments = i;
        else if (name.at[i] == '+')
            r.address = i;
    if (r.address && !is_address(name, r.address))
        r.address = 0;
    bool whole = is_anonymous || name.size < 2 || name.at[0] == '[' || name.at[1] == '[' ||
                 is_phrase(name) || (name.at[0] == '<' && closed(&r, 0) == r.end);
    if (!whole)
        read_name(&r);
    for (size_t i = r.location; is_anonymous && i < r.end; i++)
        if (i == r.location || name.at[i - 1] == '/')
            r.component = i;
    while (r.end > r.component + 1 && name.at[r.end - 1] == ' ')
        r.end--;
    return r;
}

/* Whether the last component says nothing alone: a tool has cut the name there, since "operator" is
 * no function. */
static bool is_cut_operator(const struct flm_name_reading *r)
{
    return flm_bytes_are(flm_name_part(r->name, r->component, r->end), "operator");
}

/* In a class of Java, "$$Lambda" and its number, and the classes that an inner one is in:
 * "HashMap...apply", "Node.run" of "Tree$Node.run". */
static void find_inner_class(struct flm_bytes name, struct flm_name_parts *parts)
{
    static const char lambda[] = "$$Lambda";
    size_t end = parts->bare - 1;
    for (size_t i = parts->qualified + 1; i + 1 < end; i++) {
        if (name.at[i] != '$')
            continue;
        if (flm_bytes_start_with(flm_name_part(name, i, end), lambda)) {
            parts->elided_from = i;
            parts->elided_to = end;
            return;
        }
        if (name.at[i - 1] != '$' && name.at[i + 1] != '$' && !flm_name_is_digit(name.at[i + 1])) {
            parts->elided_from = parts->qualified;
            parts->elided_to = i + 1;
        }
    }
}

/* What may give way to an ellipsis in the class of the function: the inside of its brackets,
 * "vector<...>::push_back"; all of them where there are several, "run...::operator()"; of a class
 * in brackets what it implements, "<gfx::Node...>::fmt". In a closure, its brackets:
 * "run::{...}". */
static void find_elided(struct flm_name_reading *r, struct flm_name_parts *parts)
{
    struct flm_bytes name = r->name;
    unsigned groups = 0;
    r->broken = false;
    if (r->nameless && flm_name_is_among(name.at[parts->end - 1], ">}")) {
        parts->elided_from = r->nameless + 1;
        parts->elided_to = parts->end - 1;
        return;
    }
    for (size_t i = parts->qualified; i < parts->bare; i++) {
        char c = name.at[i];
        if (!flm_name_is_among(c, "<([{") || (c == '(' && name.at[i + 1] == '*'))
            continue;
        size_t after = closed(r, i);
        if (after == 0 || after > parts->bare)
            continue;
        if (i == parts->qualified && c == '<') {
            while (i + 4 < after && memcmp(name.at + i, " as ", 4) != 0)
                i++;
            parts->elided_from = i + 4 < after ? i : 0;
            parts->elided_to = i + 4 < after ? after - 1 : 0;
            return;
        }
        if (groups++ == 0)
            parts->elided_from = i + 1;
        else if (groups == 2)
            parts->elided_from--;
        parts->elided_to = groups == 1 ? after - 1 : after;
        i = after - 1;
    }
    if (groups == 0 && parts->bare > parts->qualified &&
        flm_name_is_among(name.at[parts->bare - 1], ".#"))
        find_inner_class(name, parts);
}

struct flm_name_parts flm_name_parts(struct flm_bytes name)
{
    struct flm_name_reading r = flm_name_read(name);
    struct flm_name_parts parts = {.qualified = r.path_end > r.start ? r.path_end : r.previous,
                                   .bare = r.component,
                                   .end = r.end};
    if (parts.bare >= parts.end || parts.qualified > parts.bare)
        return (struct flm_name_parts){.end = name.size};
    parts.is_cut = r.cut > 0;
    if (thunk_size(name)) { /* "thunk to Shape::draw", "thunk to …draw": never "draw" alone */
        parts.elided_from = thunk_size(name);
        parts.elided_to = parts.bare;
        parts.qualified = parts.bare = parts.elided_from - strlen(THUNK);
        if (parts.elided_from == parts.elided_to)
            parts.elided_from = parts.elided_to = 0;
        return parts;
    }
    find_elided(&r, &parts);
    if (is_cut_operator(&r))
        parts.bare = parts.qualified;
    return parts;
}
