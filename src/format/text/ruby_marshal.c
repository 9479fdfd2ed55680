#include "format/text/ruby_marshal.h"

#include "base/core/array.h"
#include "base/number/number.h"

enum { DEEPEST = 64 };

struct marshal {
    struct flm_bytes all;
    size_t at;
    struct FLM_ARRAY(size_t) objects; /* where each begins */
    struct FLM_ARRAY(struct flm_bytes) symbols;
    struct flm_text *out;
    unsigned silent; /* more than 0: what is read is not written */
    struct flm_error *why;
};

static bool refuse(const struct marshal *m, const char *reason)
{
    return flm_error_byte(m->why, FLM_ERROR_FORMAT, m->at, "%s", reason);
}

static bool take(struct marshal *m, size_t size, struct flm_bytes *taken)
{
    if (m->all.size - m->at < size)
        return refuse(m, "the file ends in the middle of a value");
    *taken = (struct flm_bytes){m->all.at + m->at, size};
    m->at += size;
    return true;
}

/* One byte, 5 more or less than the number; or how many bytes follow. */
static bool take_number(struct marshal *m, int64_t *number)
{
    struct flm_bytes first = {"", 0}, bytes = first;
    if (!take(m, 1, &first))
        return false;
    int small = (signed char)first.at[0];
    if (small == 0 || small > 4 || small < -4) {
        *number = small > 0 ? small - 5 : small < 0 ? small + 5 : 0;
        return true;
    }
    size_t size = (size_t)(small < 0 ? -small : small);
    if (!take(m, size, &bytes))
        return false;
    uint64_t value = small < 0 ? UINT64_MAX : 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | (unsigned char)bytes.at[i];
    *number = (int64_t)value;
    return true;
}

static bool take_text(struct marshal *m, struct flm_bytes *text)
{
    int64_t size;
    if (!take_number(m, &size))
        return false;
    return size < 0 ? refuse(m, "a length is negative") : take(m, (size_t)size, text);
}

static void put(struct marshal *m, const char *text)
{
    if (m->silent == 0)
        flm_text_puts(m->out, text);
}

/* A link to an earlier string takes three bytes, however long that is: the output has a bound. */
static bool put_string(struct marshal *m, struct flm_bytes text)
{
    if (m->out->size / 64 > m->all.size + (1 << 14))
        return refuse(m, "it repeats its strings too often");
    put(m, "\"");
    for (size_t i = 0; i < text.size && m->silent == 0; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        if (byte < ' ')
            flm_text_format(m->out, "\\u00%x%x", byte >> 4, byte & 15u);
        else if (byte == '"' || byte == '\\')
            flm_text_format(m->out, "\\%c", byte);
        else
            flm_text_putc(m->out, (char)byte);
    }
    put(m, "\"");
    return true;
}

/* An integer of up to 64 bits, in units of 16. */
static bool read_large(struct marshal *m, bool is_key)
{
    struct flm_bytes sign = {"", 0}, bytes = sign;
    int64_t count;
    if (!take(m, 1, &sign) || !take_number(m, &count))
        return false;
    if (count < 0 || count > 4)
        return refuse(m, "an integer has more than 64 bits");
    if (!take(m, 2 * (size_t)count, &bytes))
        return false;
    uint64_t value = 0;
    for (size_t i = bytes.size; i-- > 0;)
        value = value << 8 | (unsigned char)bytes.at[i];
    put(m, is_key ? "\"" : "");
    put(m, sign.at[0] == '-' ? "-" : "");
    if (m->silent == 0)
        flm_text_uint(m->out, value);
    put(m, is_key ? "\"" : "");
    return true;
}

static bool read_float(struct marshal *m)
{
    struct flm_bytes text;
    double value;
    if (!take_text(m, &text))
        return false;
    enum flm_number_kind kind = flm_number_parse(text, &value);
    if (kind == FLM_NUMBER_NONE || kind == FLM_NUMBER_SPECIAL)
        put(m, "null");
    else if (m->silent == 0)
        flm_text_add(m->out, text);
    return true;
}

static bool read_value(struct marshal *m, unsigned depth, bool is_key);

/* What an earlier object was; only of those that have no members, or reading could take forever. */
static bool read_link(struct marshal *m, bool is_key)
{
    int64_t index;
    struct flm_bytes text;
    if (!take_number(m, &index))
        return false;
    if (index < 0 || (uint64_t)index >= m->objects.count)
        return refuse(m, "it refers to an object that is not there");
    size_t back = m->at;
    m->at = m->objects.at[index];
    char type = m->all.at[m->at++];
    bool good = true;
    if (type == '"')
        good = take_text(m, &text) && put_string(m, text);
    else if (type == 'l')
        good = read_large(m, is_key);
    else if (type == 'f' && !is_key)
        good = read_float(m);
    else if (good)
        good = refuse(m, "it refers to an object that has members");
    m->at = back;
    return good;
}

static bool read_members(struct marshal *m, unsigned depth, bool is_hash)
{
    int64_t count;
    if (!take_number(m, &count))
        return false;
    put(m, is_hash ? "{" : "[");
    for (int64_t i = 0; i < count; i++) {
        put(m, i > 0 ? "," : "");
        if (is_hash && !read_value(m, depth + 1, true))
            return false;
        put(m, is_hash ? ":" : "");
        if (!read_value(m, depth + 1, false))
            return false;
    }
    put(m, is_hash ? "}" : "]");
    return true;
}

/* A string, and its variables, which are not written. */
static bool read_with_variables(struct marshal *m, unsigned depth, bool is_key)
{
    int64_t count;
    if (!read_value(m, depth + 1, is_key) || !take_number(m, &count))
        return false;
    m->silent++;
    for (int64_t i = 0; i < 2 * count && count < INT32_MAX; i++)
        if (!read_value(m, depth + 1, false))
            return false;
    m->silent--;
    return true;
}

static bool read_small(struct marshal *m, bool is_key)
{
    int64_t number;
    if (!take_number(m, &number))
        return false;
    put(m, is_key ? "\"" : "");
    if (m->silent == 0)
        flm_text_format(m->out, "%lld", (long long)number);
    put(m, is_key ? "\"" : "");
    return true;
}

static bool read_symbol(struct marshal *m, bool is_link)
{
    struct flm_bytes text;
    int64_t index;
    if (!is_link) {
        if (!take_text(m, &text))
            return false;
        if (!FLM_ARRAY_ADD(&m->symbols, text))
            return flm_error_memory(m->why);
    } else {
        if (!take_number(m, &index))
            return false;
        if (index < 0 || (uint64_t)index >= m->symbols.count)
            return refuse(m, "it refers to a symbol that is not there");
        text = m->symbols.at[index];
    }
    return put_string(m, text);
}

static bool read_value(struct marshal *m, unsigned depth, bool is_key)
{
    struct flm_bytes type = {"", 0}, text = type;
    size_t start = m->at;
    if (depth > DEEPEST)
        return refuse(m, "values are nested too deeply");
    if (!take(m, 1, &type))
        return false;
    bool is_object = flm_is_one_of(type.at[0], "\"lf[{}");
    if (is_object && !FLM_ARRAY_ADD(&m->objects, start))
        return flm_error_memory(m->why);
    if (is_key && flm_is_one_of(type.at[0], "0TFf[{}"))
        return refuse(m, "a key is no text and no integer");
    switch (type.at[0]) {
    case '0':
        put(m, "null");
        return true;
    case 'T':
    case 'F':
        put(m, type.at[0] == 'T' ? "true" : "false");
        return true;
    case 'i':
        return read_small(m, is_key);
    case 'l':
        return read_large(m, is_key);
    case 'f':
        return read_float(m);
    case ':':
    case ';':
        return read_symbol(m, type.at[0] == ';');
    case '@':
        return read_link(m, is_key);
    case 'I':
        return read_with_variables(m, depth, is_key);
    case '[':
    case '{':
        return read_members(m, depth, type.at[0] == '{');
    case '"':
        if (!take_text(m, &text))
            return false;
        if (!put_string(m, text))
            return false;
        return true;
    case '}':
        if (!read_members(m, depth, true))
            return false;
        m->silent++; /* the value that other keys have */
        if (!read_value(m, depth + 1, false))
            return false;
        m->silent--;
        return true;
    default:
        return refuse(m, "it has an object of a class, which no profile of stackprof has");
    }
}

bool flm_ruby_marshal_to_json(struct flm_bytes in, struct flm_text *json, struct flm_error *why)
{
    struct marshal m = {.all = in, .out = json, .why = why};
    struct flm_bytes magic;
    bool good = take(&m, sizeof FLM_RUBY_MARSHAL_MAGIC - 1, &magic) && read_value(&m, 0, false);
    FLM_ARRAY_CLEAR(&m.objects);
    FLM_ARRAY_CLEAR(&m.symbols);
    return good && (!json->failed || flm_error_memory(why));
}
