#include "serve/http/multipart.h"

#include <strings.h>

enum { LONGEST_BOUNDARY = 70, LONGEST_HEADS = 8192 };

static bool fail(struct flm_multipart *m, const char *reason)
{
    m->failed = true;
    return flm_error_byte(m->why, FLM_ERROR_FORMAT, m->size - m->rest.size, "%s", reason);
}

/* Where `text` begins in `all`; its size: nowhere. */
static size_t find(struct flm_bytes all, struct flm_bytes text)
{
    size_t at = 0;
    while (at + text.size <= all.size) {
        const char *first = memchr(all.at + at, text.at[0], all.size - at - text.size + 1);
        if (!first)
            break;
        at = (size_t)(first - all.at);
        if (memcmp(first, text.at, text.size) == 0)
            return at;
        at++;
    }
    return all.size;
}

/* The value of a parameter of a header, such as name="profile", with or without quotes. */
static struct flm_bytes parameter(struct flm_bytes header, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i + size + 1 < header.size; i++) {
        bool begins = i > 0 && flm_is_one_of(header.at[i - 1], "; \t");
        if (!begins || strncasecmp(header.at + i, name, size) != 0 || header.at[i + size] != '=')
            continue;
        struct flm_bytes value = flm_bytes_from(header, i + size + 1);
        bool quoted = value.at[0] == '"';
        value = flm_bytes_from(value, quoted);
        size_t end = 0;
        while (end < value.size &&
               (quoted ? value.at[end] != '"' : !flm_is_one_of(value.at[end], "; \t\r")))
            end++;
        return (struct flm_bytes){value.at, end};
    }
    return (struct flm_bytes){"", 0};
}

static bool starts_with_boundary(const struct flm_multipart *m)
{
    return m->rest.size >= m->boundary.size + 2 && memcmp(m->rest.at, "--", 2) == 0 &&
           memcmp(m->rest.at + 2, m->boundary.at, m->boundary.size) == 0;
}

bool flm_multipart_init(struct flm_multipart *m, const char *type, struct flm_bytes body,
                        struct flm_error *why)
{
    *m = (struct flm_multipart){.rest = body, .why = why, .size = body.size};
    m->boundary = parameter(flm_bytes_of(type), "boundary");
    if (m->boundary.size == 0 || m->boundary.size > LONGEST_BOUNDARY)
        return fail(m, "the Content-Type has no boundary of the parts");
    return starts_with_boundary(m) || fail(m, "the body does not begin with the boundary");
}

/* The header of the part with that name. */
static struct flm_bytes header_of(struct flm_bytes heads, const char *name)
{
    size_t size = strlen(name);
    while (heads.size > 0) {
        size_t end = find(heads, flm_bytes_of("\r\n"));
        if (end > size && strncasecmp(heads.at, name, size) == 0 && heads.at[size] == ':')
            return (struct flm_bytes){heads.at + size, end - size};
        heads = flm_bytes_from(heads, end + 2 <= heads.size ? end + 2 : heads.size);
    }
    return (struct flm_bytes){"", 0};
}

bool flm_multipart_next(struct flm_multipart *m, struct flm_part *part)
{
    if (m->failed)
        return false;
    m->rest = flm_bytes_from(m->rest, m->boundary.size + 2);
    if (m->rest.size >= 2 && memcmp(m->rest.at, "--", 2) == 0)
        return false;
    if (m->rest.size < 2 || memcmp(m->rest.at, "\r\n", 2) != 0)
        return fail(m, "there is no line end behind the boundary");
    m->rest = flm_bytes_from(m->rest, 2);
    struct flm_bytes near = m->rest;
    near.size = near.size < LONGEST_HEADS ? near.size : LONGEST_HEADS;
    /* A part without headers begins with the empty line. */
    size_t heads = near.size >= 2 && memcmp(near.at, "\r\n", 2) == 0
                       ? 0
                       : find(near, flm_bytes_of("\r\n\r\n"));
    if (heads == near.size)
        return fail(m, "the headers of a part have no end");
    struct flm_bytes what = header_of((struct flm_bytes){m->rest.at, heads}, "content-disposition");
    m->rest = flm_bytes_from(m->rest, heads + (heads ? 4 : 2));
    char end[LONGEST_BOUNDARY + 4];
    memcpy(end, "\r\n--", 4);
    memcpy(end + 4, m->boundary.at, m->boundary.size);
    size_t size = find(m->rest, (struct flm_bytes){end, m->boundary.size + 4});
    if (size == m->rest.size)
        return fail(m, "a part has no end: the body was cut off");
    *part =
        (struct flm_part){parameter(what, "name"), parameter(what, "filename"), {m->rest.at, size}};
    m->rest = flm_bytes_from(m->rest, size + 2);
    return true;
}
