#include "base/xml/xml.h"

#include <assert.h>

#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/utf.h"

enum {
    REPORT_EVERY = 4 << 20,
    LONGEST_ENTITY = 16,    /* "&#x0010FFFF;" */
    LONGEST_TEXT = 64 << 10 /* a longer one comes in parts */
};

void flm_xml_init(struct flm_xml *xml, struct flm_source *source, struct flm_error *why)
{
    assert(source);
    *xml = (struct flm_xml){.source = source, .why = why, .line = 1};
}

bool flm_xml_finish(struct flm_xml *xml)
{
    FLM_ARRAY_CLEAR(&xml->attributes);
    FLM_ARRAY_CLEAR(&xml->open);
    flm_text_clear(&xml->names);
    flm_text_clear(&xml->decoded);
    return !xml->failed;
}

bool flm_xml_fail(struct flm_xml *xml, const char *reason)
{
    if (!xml->failed)
        flm_error_line(xml->why, FLM_ERROR_FORMAT, xml->line, "%s", reason);
    xml->failed = true;
    return false;
}

static bool fail_memory(struct flm_xml *xml)
{
    if (!xml->failed)
        flm_error_memory(xml->why);
    xml->failed = true;
    return false;
}

static struct flm_bytes name_of(const struct flm_xml *xml, size_t element)
{
    size_t start = element > 0 ? xml->open.at[element - 1].name_end : 0;
    return (struct flm_bytes){xml->names.at + start, xml->open.at[element].name_end - start};
}

static bool fail_cut(struct flm_xml *xml)
{
    size_t depth = xml->open.count;
    if (xml->failed || depth == 0)
        return flm_xml_fail(xml, "the XML ends too early");
    struct flm_bytes name = name_of(xml, depth - 1);
    flm_error_line(xml->why, FLM_ERROR_FORMAT, xml->line,
                   "the XML ends too early: <%.*s> of line %llu is not closed", (int)name.size,
                   name.at, (unsigned long long)xml->open.at[depth - 1].line);
    xml->failed = true;
    return false;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static size_t window_size(const struct flm_xml *xml)
{
    return (size_t)(xml->source->end - xml->source->at);
}

/* Extends the window until it has `size` bytes. False at the end of the input, and when it
 * failed. */
static bool has(struct flm_xml *xml, size_t size)
{
    if (window_size(xml) >= size)
        return true;
    if (!xml->failed && !flm_source_fill(xml->source, size, xml->why))
        xml->failed = true;
    return !xml->failed && window_size(xml) >= size;
}

static void advance(struct flm_xml *xml, size_t size)
{
    const char *at = xml->source->at, *end = at + size;
    while ((at = flm_find(at, end, '\n')) < end) {
        xml->line++;
        at++;
    }
    xml->source->at = end;
    xml->unreported += size;
    if (xml->unreported < REPORT_EVERY)
        return;
    if (!flm_source_progress(xml->source, xml->unreported, xml->why))
        xml->failed = true;
    xml->unreported = 0;
}

/* Whether these bytes are next: they are not passed. */
static bool is_next(struct flm_xml *xml, const char *bytes)
{
    size_t size = strlen(bytes);
    return has(xml, size) && memcmp(xml->source->at, bytes, size) == 0;
}

/* Passes everything until behind `mark`, without keeping it. */
static bool skip_past(struct flm_xml *xml, const char *mark)
{
    size_t size = strlen(mark);
    for (;;) {
        const char *at = xml->source->at, *end = xml->source->end;
        while ((at = flm_find(at, end, mark[0])) < end) {
            if ((size_t)(end - at) < size)
                break;
            if (memcmp(at, mark, size) == 0) {
                advance(xml, (size_t)(at - xml->source->at) + size);
                return !xml->failed;
            }
            at++;
        }
        advance(xml, (size_t)(at - xml->source->at));
        if (!has(xml, window_size(xml) + 1))
            return fail_cut(xml);
    }
}

/* <!DOCTYPE a [ <!ENTITY b "]>"> ]>: in quotes and in comments, brackets are none. */
static bool skip_doctype(struct flm_xml *xml)
{
    size_t depth = 0;
    for (;;) {
        if (!has(xml, 1))
            return fail_cut(xml);
        if (is_next(xml, "<!--")) {
            if (!skip_past(xml, "-->"))
                return false;
            continue;
        }
        char byte = *xml->source->at;
        advance(xml, 1);
        if ((byte == '"' || byte == '\'') && !skip_past(xml, byte == '"' ? "\"" : "'"))
            return false;
        depth += byte == '<' || byte == '[';
        if ((byte == '>' || byte == ']') && --depth == 0)
            return true;
    }
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static bool is_blank(char byte)
{
    return flm_is_space(byte) || byte == '\r';
}

static bool skip_blanks(struct flm_bytes *rest)
{
    size_t blanks = 0;
    while (blanks < rest->size && is_blank(rest->at[blanks]))
        blanks++;
    *rest = flm_bytes_from(*rest, blanks);
    return blanks > 0;
}

/* The character that an entity, between '&' and ';', stands for. */
static bool character_of(struct flm_bytes entity, uint32_t *code)
{
    static const struct {
        const char *name;
        char byte;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    uint64_t number;
    if (entity.size > 1 && entity.at[0] == '#') {
        bool is_hex = entity.at[1] == 'x';
        entity = flm_bytes_from(entity, is_hex ? 2 : 1);
        if (!(is_hex ? flm_number_parse_hex(entity, &number)
                     : flm_number_parse_uint(entity, &number)) ||
            number == 0 || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000))
            return false;
        *code = (uint32_t)number;
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (flm_bytes_are(entity, known[i].name)) {
            *code = (unsigned char)known[i].byte;
            return true;
        }
    }
    return false;
}

/* Replaces "&lt;" and the like by their characters. If there are any, `text` then points into
 * `decoded`; as many bytes are enough, since an entity is never shorter than its character. */
static bool decode(struct flm_xml *xml, struct flm_bytes *text)
{
    const char *at = text->at, *end = at + text->size, *entity = flm_find(at, end, '&');
    if (entity == end)
        return true;
    char *to = flm_text_reserve(&xml->decoded, text->size), *start = to;
    if (!to)
        return fail_memory(xml);
    while (at < end) {
        memcpy(to, at, (size_t)(entity - at));
        to += entity - at;
        if (entity == end)
            break;
        const char *mark =
            flm_find(entity, end - entity > LONGEST_ENTITY ? entity + LONGEST_ENTITY : end, ';');
        uint32_t code;
        if (mark == end || *mark != ';' ||
            !character_of((struct flm_bytes){entity + 1, (size_t)(mark - entity) - 1}, &code))
            return flm_xml_fail(xml, "'&' is not the beginning of a known entity (&amp; is '&')");
        to += flm_utf8_put(code, to);
        at = mark + 1;
        entity = flm_find(at, end, '&');
    }
    *text = (struct flm_bytes){start, (size_t)(to - start)};
    xml->decoded.size += text->size;
    return true;
}

/* A text until the next '<', or a part of it, which does not end in an entity. */
static bool take_text(struct flm_xml *xml)
{
    size_t size = 0;
    for (;;) {
        const char *at = xml->source->at;
        size = (size_t)(flm_find(at + size, xml->source->end, '<') - at);
        if (size < window_size(xml) || size >= LONGEST_TEXT || !has(xml, size + 1))
            break;
    }
    if (xml->failed)
        return false;
    if (size > LONGEST_TEXT)
        size = LONGEST_TEXT;
    xml->pending = size;
    xml->text = (struct flm_bytes){xml->source->at, size};
    if (size == LONGEST_TEXT) {
        for (size_t back = 1; back <= LONGEST_ENTITY; back++)
            if (xml->text.at[size - back] == '&')
                xml->text.size = xml->pending = size - back;
    }
    if (xml->open.count == 0) {
        struct flm_bytes rest = xml->text;
        skip_blanks(&rest);
        return rest.size == 0 ||
               flm_xml_fail(xml, "a text outside of all elements: this is not XML");
    }
    xml->decoded.size = 0;
    return decode(xml, &xml->text);
}

static bool take_cdata(struct flm_xml *xml)
{
    size_t size = 0;
    for (;;) {
        const char *at = xml->source->at;
        size = (size_t)(flm_find(at + size, xml->source->end, ']') - at);
        if (size >= LONGEST_TEXT) {
            size = LONGEST_TEXT;
            break;
        }
        if (!has(xml, size + 3))
            return fail_cut(xml);
        at = xml->source->at;
        if (memcmp(at + size, "]]>", 3) == 0) {
            xml->in_cdata = false;
            break;
        }
        size += at[size] == ']';
    }
    xml->text = (struct flm_bytes){xml->source->at, size};
    xml->pending = size + (xml->in_cdata ? 0 : 3);
    return true;
}

/* ---- Tags ------------------------------------------------------------------------------------ */

/* The size of the tag at source->at, with its brackets: quotes may hold a '>'. 0: it failed. */
static size_t tag_size(struct flm_xml *xml)
{
    char quote = 0;
    for (size_t i = 0;; i++) {
        if (i >= window_size(xml) && !has(xml, i + 1)) {
            fail_cut(xml);
            return 0;
        }
        char byte = xml->source->at[i];
        if (quote)
            quote = byte == quote ? 0 : quote;
        else if (byte == '"' || byte == '\'')
            quote = byte;
        else if (byte == '>')
            return i + 1;
        if ((byte == '<' && i > 0) || i >= FLM_XML_LONGEST_TAG) {
            flm_xml_fail(xml, byte == '<' ? "'<' in a tag (in a value it is &lt;)"
                                          : "a tag of more than 16 MiB");
            return 0;
        }
    }
}

static struct flm_bytes take_name(struct flm_bytes *rest)
{
    struct flm_bytes name = {rest->at, 0};
    while (name.size < rest->size && !is_blank(rest->at[name.size]) &&
           !flm_is_one_of(rest->at[name.size], "=\"'/"))
        name.size++;
    *rest = flm_bytes_from(*rest, name.size);
    return name;
}

/*  name = "value", or with the other quotes */
static bool take_attribute(struct flm_xml *xml, struct flm_bytes *rest)
{
    struct flm_xml_attribute attribute = {.name = take_name(rest)};
    skip_blanks(rest);
    if (attribute.name.size == 0 || rest->size == 0 || rest->at[0] != '=')
        return flm_xml_fail(xml, "an attribute (name=\"value\") is expected in this tag");
    *rest = flm_bytes_from(*rest, 1);
    skip_blanks(rest);
    if (rest->size == 0 || (rest->at[0] != '"' && rest->at[0] != '\''))
        return flm_xml_fail(xml, "the value of an attribute is not in quotes");
    const char *start = rest->at + 1, *end = rest->at + rest->size;
    const char *quote = flm_find(start, end, rest->at[0]);
    assert(quote < end); /* tag_size has seen it */
    attribute.value = (struct flm_bytes){start, (size_t)(quote - start)};
    *rest = flm_bytes_from(*rest, (size_t)(quote + 1 - rest->at));
    if (!decode(xml, &attribute.value))
        return false;
    return FLM_ARRAY_ADD(&xml->attributes, attribute) || fail_memory(xml);
}

static bool push(struct flm_xml *xml)
{
    if (xml->open.count == FLM_XML_MOST_DEPTH)
        return flm_xml_fail(xml, "more than 4096 elements inside each other");
    if (xml->open.count == 0 && xml->has_root)
        return flm_xml_fail(xml, "a second element follows the first: XML has one");
    xml->has_root = true;
    flm_text_add(&xml->names, xml->name);
    return (!xml->names.failed &&
            FLM_ARRAY_ADD(&xml->open, (struct flm_xml_element){xml->names.size, xml->line})) ||
           fail_memory(xml);
}

static bool take_open(struct flm_xml *xml)
{
    xml->pending = tag_size(xml);
    if (xml->pending == 0)
        return false;
    struct flm_bytes rest = {xml->source->at + 1, xml->pending - 2};
    xml->closes = rest.size > 0 && rest.at[rest.size - 1] == '/';
    rest.size -= xml->closes;
    xml->name = take_name(&rest);
    if (xml->name.size == 0)
        return flm_xml_fail(xml, "'<' without the name of an element");
    xml->attributes.count = xml->decoded.size = 0;
    /* All values together are not longer than the tag, so that none of them moves. */
    if (!flm_text_reserve(&xml->decoded, rest.size))
        return fail_memory(xml);
    while (skip_blanks(&rest) && rest.size > 0)
        if (!take_attribute(xml, &rest))
            return false;
    if (rest.size > 0)
        return flm_xml_fail(xml, "blanks are missing between the parts of this tag");
    return push(xml);
}

static bool take_close(struct flm_xml *xml)
{
    xml->pending = tag_size(xml);
    if (xml->pending == 0)
        return false;
    struct flm_bytes rest = {xml->source->at + 2, xml->pending - 3};
    struct flm_bytes name = take_name(&rest), open = {"", 0};
    size_t depth = xml->open.count;
    if (depth > 0)
        open = name_of(xml, depth - 1);
    skip_blanks(&rest);
    if (depth > 0 && rest.size == 0 && flm_bytes_equal(name, open)) {
        xml->name = open;
        return true;
    }
    if (depth > 0)
        flm_error_line(xml->why, FLM_ERROR_FORMAT, xml->line,
                       "</%.*s> where <%.*s> of line %llu is open", (int)name.size, name.at,
                       (int)open.size, open.at, (unsigned long long)xml->open.at[depth - 1].line);
    else
        flm_error_line(xml->why, FLM_ERROR_FORMAT, xml->line, "</%.*s> where nothing is open",
                       (int)name.size, name.at);
    xml->failed = true;
    return false;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void pop(struct flm_xml *xml)
{
    xml->open.count--;
    xml->names.size = xml->open.count > 0 ? xml->open.at[xml->open.count - 1].name_end : 0;
    xml->has_closed = false;
}

static enum flm_xml_event closing(struct flm_xml *xml)
{
    xml->has_closed = true;
    return FLM_XML_CLOSE;
}

enum flm_xml_event flm_xml_next(struct flm_xml *xml)
{
    if (xml->has_closed)
        pop(xml);
    if (xml->closes && !xml->failed) {
        xml->closes = false;
        xml->name = name_of(xml, xml->open.count - 1);
        return closing(xml);
    }
    while (!xml->failed) {
        advance(xml, xml->pending);
        xml->pending = 0;
        if (xml->failed)
            break;
        if (xml->in_cdata) {
            if (!take_cdata(xml))
                break;
            if (xml->text.size > 0)
                return FLM_XML_TEXT;
        } else if (!has(xml, 1)) {
            if (!xml->failed && (xml->open.count > 0 || !xml->has_root))
                fail_cut(xml);
            break;
        } else if (*xml->source->at != '<') {
            if (!take_text(xml))
                break;
            if (xml->open.count > 0)
                return FLM_XML_TEXT;
        } else if (is_next(xml, "<!--")) {
            skip_past(xml, "-->");
        } else if (is_next(xml, "<?")) {
            skip_past(xml, "?>");
        } else if (is_next(xml, "<![CDATA[") && xml->open.count > 0) {
            advance(xml, 9);
            xml->in_cdata = true;
        } else if (is_next(xml, "<!")) {
            if (xml->has_root)
                flm_xml_fail(xml, "'<!' inside of an element");
            else
                skip_doctype(xml);
        } else if (is_next(xml, "</")) {
            return take_close(xml) ? closing(xml) : FLM_XML_END;
        } else {
            return take_open(xml) ? FLM_XML_OPEN : FLM_XML_END;
        }
    }
    if (!xml->failed && xml->unreported > 0 &&
        !flm_source_progress(xml->source, xml->unreported, xml->why))
        xml->failed = true;
    xml->unreported = 0;
    return FLM_XML_END;
}

struct flm_bytes flm_xml_attribute(const struct flm_xml *xml, const char *name)
{
    for (size_t i = 0; i < xml->attributes.count; i++)
        if (flm_bytes_are(xml->attributes.at[i].name, name))
            return xml->attributes.at[i].value;
    return (struct flm_bytes){"", 0};
}
