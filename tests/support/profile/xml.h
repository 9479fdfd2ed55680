/* xml.h - whether a text is well-formed XML: characters, tags, attributes, entities, comments,
 * CDATA. A strict reader of what we write, not of all that XML allows: no document types. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_XML_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_XML_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/text/utf.h"

static inline bool xml_is_character(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0xD800) ||
           (code >= 0xE000 && code < 0xFFFE) || (code >= 0x10000 && code < 0x110000);
}

static inline bool xml_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':';
}

static inline bool xml_begins(struct flm_bytes text, size_t at, const char *what)
{
    size_t size = strlen(what);
    return text.size - at >= size && memcmp(text.at + at, what, size) == 0;
}

/* Past the end of `what`; 0 where it does not come. */
static inline size_t xml_past(struct flm_bytes text, size_t at, const char *what)
{
    for (; at < text.size; at++)
        if (xml_begins(text, at, what))
            return at + strlen(what);
    return 0;
}

static inline bool xml_is_entity(struct flm_bytes text, size_t at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (xml_begins(text, at, entities[i]))
            return true;
    return false;
}

/* Reads `<name a="b">`; past it, or 0 with a complaint. *name receives its name, *is_empty whether
 * it ends in "/>". */
static inline size_t xml_tag(struct flm_bytes text, size_t at, struct flm_bytes *name,
                             bool *is_empty, const char **wrong)
{
    size_t i = at + 1;
    while (i < text.size && xml_is_name(text.at[i]))
        i++;
    *name = (struct flm_bytes){text.at + at + 1, i - at - 1};
    *wrong = "a tag without a name";
    if (name->size == 0)
        return 0;
    struct flm_bytes attributes[32];
    size_t count = 0;
    for (;;) {
        size_t start = i;
        while (i < text.size && (text.at[i] == ' ' || text.at[i] == '\n'))
            i++;
        *is_empty = xml_begins(text, i, "/>");
        if (*is_empty || xml_begins(text, i, ">"))
            return i + 1 + *is_empty;
        *wrong = "attributes that touch";
        if (start == i)
            return 0;
        struct flm_bytes attribute = {text.at + i, 0};
        while (i < text.size && xml_is_name(text.at[i]))
            i++;
        attribute.size = (size_t)(text.at + i - attribute.at);
        for (size_t a = 0; a < count; a++) {
            *wrong = "an attribute that comes twice";
            if (flm_bytes_equal(attributes[a], attribute))
                return 0;
        }
        attributes[count++ % 32] = attribute;
        *wrong = "an attribute without a value";
        if (attribute.size == 0 || !xml_begins(text, i, "=\""))
            return 0;
        for (i += 2; i < text.size && text.at[i] != '"'; i++) {
            *wrong = "a '<' or '&' in an attribute";
            if (text.at[i] == '<' || (text.at[i] == '&' && !xml_is_entity(text, i)))
                return 0;
        }
        i++;
    }
}

/* NULL, or the first error; *where receives the offset. */
static inline const char *xml_complaint(struct flm_bytes text, size_t *where)
{
    struct flm_bytes open[64];
    size_t depth = 0;
    const char *wrong = NULL;
    for (*where = 0; *where < text.size;) {
        uint32_t code;
        struct flm_bytes rest = {text.at + *where, text.size - *where};
        size_t size = flm_utf8_sequence(rest, &code);
        if (size == 0 || !xml_is_character(code))
            return "a byte or character that XML does not allow";
        *where += size;
    }
    size_t roots = 0;
    for (size_t at = 0; at < text.size;) {
        *where = at;
        if (text.at[at] == '&') {
            if (!xml_is_entity(text, at))
                return "an unknown entity";
            at++;
        } else if (xml_begins(text, at, "]]>")) {
            return "']]>' outside of CDATA";
        } else if (text.at[at] != '<') {
            at++;
        } else if (xml_begins(text, at, "<!--")) {
            size_t dashes = xml_past(text, at + 4, "--");
            if (dashes == 0 || !xml_begins(text, dashes, ">"))
                return "'--' inside a comment, or one without end";
            at = dashes + 1;
        } else if (xml_begins(text, at, "<![CDATA[")) {
            at = xml_past(text, at, "]]>");
            if (at == 0)
                return "CDATA without end";
        } else if (xml_begins(text, at, "<?")) {
            at = xml_past(text, at, "?>");
            if (at == 0)
                return "a processing instruction without end";
        } else if (xml_begins(text, at, "</")) {
            size_t end = xml_past(text, at, ">");
            struct flm_bytes name = {text.at + at + 2, end ? end - at - 3 : 0};
            if (depth == 0 || !flm_bytes_equal(open[depth - 1], name))
                return "an end tag that closes nothing";
            depth--;
            at = end;
        } else {
            struct flm_bytes name;
            bool is_empty;
            at = xml_tag(text, at, &name, &is_empty, &wrong);
            if (at == 0)
                return wrong;
            if (depth == 0 && roots++ > 0)
                return "a second root";
            if (!is_empty && depth == 64)
                return "deeper than this reader goes";
            if (!is_empty)
                open[depth++] = name;
        }
    }
    return depth > 0 ? "a tag that is not closed" : roots == 0 ? "no root" : NULL;
}

static inline void assert_xml(struct flm_bytes text)
{
    size_t where;
    const char *complaint = xml_complaint(text, &where);
    if (complaint) {
        size_t from = where > 100 ? where - 100 : 0;
        size_t size = text.size - from < 200 ? text.size - from : 200;
        fail_msg("byte %zu: %s: %.*s", where, complaint, (int)size, text.at + from);
    }
}

#endif
