/* lambdas.c - names of lambdas and function objects, which __func__ calls "operator()". Runs inside
 * malloc and in signal handlers. */
#include "lambdas.h"

#include <stdbool.h>
#include <string.h>

static const char call_name[] = "operator()";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next lambda from `at` on, and its size: "<lambda(int)>" of gcc, "(anonymous class)" and
 * "(lambda at app.cc:7:3)" of clang. NULL: there is none. */
static const char *find_lambda(const char *at, size_t *size)
{
    static const char *const begins[] = {"<lambda(", "(anonymous class)", "(lambda at "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const char *found = strstr(at, begins[i]);
        if (!found || (first && found > first))
            continue;
        first = found;
        *size = strlen(begins[i]);
    }
    return first;
}

/* Where the parameters begin whose end is the last ')' before `end`; `end`: there are none. */
static const char *find_parameters(const char *text, const char *end)
{
    const char *at = end;
    int depth = 0;
    while (at > text && at[-1] != ')')
        at--;
    if (at == text)
        return end;
    while (at > text) {
        at--;
        depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        if (depth == 0)
            break;
    }
    return at;
}

/* The word "operator" of a name that ends at `end`; NULL: it is none. */
static const char *find_operator(const char *text, const char *end)
{
    enum { SIZE = sizeof "operator" - 1 };
    for (const char *at = end - SIZE; at >= text; at--)
        if (memcmp(at, "operator", SIZE) == 0 && (at == text || !is_letter(at[-1])) &&
            !is_letter(at[SIZE]))
            return at;
    return NULL;
}

/* The last part of a name: behind "::" and blanks, but for those in templates. */
static const char *find_last(const char *text, const char *end)
{
    int depth = 0;
    const char *at = end;
    for (; at > text; at--) {
        depth += at[-1] == '>' || at[-1] == ')' ? 1 : at[-1] == '<' || at[-1] == '(' ? -1 : 0;
        if (depth == 0 && strchr(": *&", at[-1]))
            break;
    }
    return at;
}

static size_t add(char *to, size_t at, size_t room, const char *text, size_t size)
{
    size = size < room - at ? size : room - at;
    memcpy(to + at, text, size);
    return at + size;
}

/* A function object: with the class, without what it is a template of, as gcc has "<T>" there. */
static size_t name_call(const char *pretty, char *to, size_t room)
{
    const char *found = strstr(pretty, call_name);
    if (!found || found - pretty < 2)
        return add(to, 0, room, call_name, sizeof call_name - 1);
    const char *from = find_last(pretty, found - 2);
    const char *template = memchr(from, '<', (size_t)(found - from));
    size_t size = add(to, 0, room, from, (size_t)((template ? template : found - 2) - from));
    size = add(to, size, room, "::", 2);
    return add(to, size, room, call_name, sizeof call_name - 1);
}

size_t flm_lambda_name(const char *pretty, char *to, size_t room)
{
    size_t size, at = 0;
    const char *lambda = find_lambda(pretty, &size);
    if (!lambda)
        return name_call(pretty, to, room);
    if (lambda - pretty > 2 && lambda[-1] == ':') {
        const char *end = find_parameters(pretty, lambda - 2);
        const char *name = find_operator(pretty, end);
        name = name ? name : find_last(pretty, end);
        at = add(to, at, room, name, (size_t)(end - name));
    }
    for (; lambda; lambda = find_lambda(lambda + size, &size)) {
        at = at > 0 ? add(to, at, room, "::", 2) : 0;
        at = add(to, at, room, "{lambda}", sizeof "{lambda}" - 1);
    }
    return at;
}
