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

static bool begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

/* A part of a name, between "::", without what it is a template of and its parameters. */
struct part {
    const char *at;
    size_t size;
};

static bool is_part(const struct part *part, const char *text)
{
    return part->size == strlen(text) && memcmp(part->at, text, part->size) == 0;
}

/* "<lambda(int)>" of gcc; "(anonymous class)" and "(lambda at app.cc:7:3)" of clang. */
static bool is_lambda(const struct part *part)
{
    return begins(part->at, "<lambda(") || begins(part->at, "(anonymous class)") ||
           begins(part->at, "(lambda at ");
}

/* Behind the word "operator" what belongs to it: signs, or a type up to its parameters. */
static const char *skip_operator(const char *at)
{
    if (begins(at, "()") || begins(at, "[]"))
        return at + 2;
    if (*at != ' ')
        return at + strspn(at, "<>=!+-*/%^&|~,");
    int depth = 0;
    for (; *at && (depth > 0 || *at != '('); at++)
        depth += *at == '<' || *at == '(' ? 1 : *at == '>' || *at == ')' ? -1 : 0;
    return at;
}

/* The next part from `at` on: where the one behind it begins; NULL: it is the last. What is in
 * brackets, lambdas as arguments too, is in none, nor are the types that stand before a name. What
 * the templates were made with follows the last in " [with T = int]". */
static const char *read_part(const char *at, struct part *part)
{
    enum { SIZE = sizeof "operator" - 1 };
    const char *begin = at, *end = NULL;
    int depth = 0;
    for (; *at; at++) {
        bool is_outside = depth == 0;
        if (is_outside && (begins(at, "::") || begins(at, " [")))
            break;
        if (is_outside && !end && (at == begin || !is_letter(at[-1])) && begins(at, "operator") &&
            !is_letter(at[SIZE])) {
            begin = at;
            end = skip_operator(at + SIZE);
            at = end - 1;
        } else if (is_outside && !end && strchr(" *&", *at)) {
            begin = at + 1;
        } else if (begins(at, "->")) {
            at++;
        } else if (*at == '(' || *at == '<') {
            end = is_outside && !end && at > begin ? at : end;
            depth++;
        } else if ((*at == ')' || *at == '>') && depth > 0) {
            depth--;
            end = depth == 0 && !end ? at + 1 : end;
        }
    }
    end = end ? end : at;
    *part = (struct part){begin, (size_t)(end - begin)};
    return *at == ':' ? at + 2 : NULL;
}

static size_t add(char *to, size_t at, size_t room, const char *text, size_t size)
{
    size = size < room - at ? size : room - at;
    memcpy(to + at, text, size);
    return at + size;
}

/* The function that the last lambdas are in, and they; a function object's class and the call. */
size_t flm_lambda_name(const char *pretty, char *to, size_t room)
{
    struct part part, name = {pretty, 0}, before = {pretty, 0};
    size_t lambdas = 0, at = 0;
    bool is_behind_lambda = false;
    while (pretty) {
        pretty = read_part(pretty, &part);
        bool is_one = is_lambda(&part);
        if (is_one) {
            lambdas++;
        } else if (!is_behind_lambda || !is_part(&part, call_name)) { /* clang has that, too */
            before = name;
            name = part;
            lambdas = 0;
        }
        is_behind_lambda = is_one;
    }
    if (lambdas == 0)
        at = add(to, at, room, before.at, before.size);
    else
        at = add(to, at, room, name.at, name.size);
    for (size_t i = 0; i < lambdas; i++) {
        at = at > 0 ? add(to, at, room, "::", 2) : 0;
        at = add(to, at, room, "{lambda}", sizeof "{lambda}" - 1);
    }
    if (lambdas == 0) {
        at = at > 0 ? add(to, at, room, "::", 2) : 0;
        at = add(to, at, room, call_name, sizeof call_name - 1);
    }
    return at;
}
