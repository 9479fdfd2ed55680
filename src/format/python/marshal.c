#include "format/python/marshal.h"

#include "base/core/scan.h"
#include "base/number/number.h"
#include "flamel/profile.h"

enum { DEEPEST = 100, REFERRED_TO = 0x80 };

static bool refuse(const struct flm_marshal *m, const char *reason)
{
    return flm_error_byte(m->why, FLM_ERROR_FORMAT, (uint64_t)(m->at - m->begin), "%s", reason);
}

static bool take(struct flm_marshal *m, size_t size, struct flm_bytes *taken)
{
    if ((size_t)(m->end - m->at) < size)
        return refuse(m, "the file ends in the middle of a value");
    *taken = (struct flm_bytes){m->at, size};
    m->at += size;
    return true;
}

static bool take_uint(struct flm_marshal *m, size_t size, uint64_t *value)
{
    const char *at = m->at;
    struct flm_bytes bytes;
    if (!take(m, size, &bytes))
        return false;
    *value = 0;
    for (size_t i = size; i-- > 0;)
        *value = *value << 8 | (unsigned char)at[i];
    return true;
}

/* An integer of any size: digits of 15 bits, the lowest first; how many there are has its sign. */
static bool read_long(struct flm_marshal *m, double *number)
{
    uint64_t size, digit;
    if (!take_uint(m, 4, &size))
        return false;
    bool is_negative = size >> 31;
    double unit = 1;
    for (uint32_t count = is_negative ? (uint32_t)-size : (uint32_t)size; count > 0; count--) {
        if (!take_uint(m, 2, &digit))
            return false;
        *number += (double)digit * unit;
        unit *= 32768;
    }
    if (is_negative)
        *number = -*number;
    return true;
}

static bool read_number(struct flm_marshal *m, char type, double *number)
{
    uint64_t bits = 0;
    struct flm_bytes text;
    if (type == 'l')
        return read_long(m, number);
    if (type == 'f')
        return take_uint(m, 1, &bits) && take(m, (size_t)bits, &text) &&
               (flm_number_parse(text, number) != FLM_NUMBER_NONE ||
                refuse(m, "a number is malformed"));
    if (!take_uint(m, type == 'i' ? 4 : 8, &bits) || (type == 'y' && !take(m, 8, &text)))
        return false;
    if (type == 'g' || type == 'y')
        memcpy(number, &bits, sizeof bits);
    else
        *number = type == 'i' ? (double)(int32_t)bits : (double)(int64_t)bits;
    return true;
}

static bool read_string(struct flm_marshal *m, uint32_t index, char type)
{
    uint64_t size;
    if (!take_uint(m, type == 'z' || type == 'Z' ? 1 : 4, &size) ||
        !take(m, (size_t)size, &m->values.at[index].string))
        return false;
    return type != 't' || FLM_ARRAY_ADD(&m->strings, index) || flm_error_memory(m->why);
}

static bool copy_earlier(struct flm_marshal *m, uint32_t index, char type)
{
    uint64_t number;
    if (!take_uint(m, 4, &number))
        return false;
    size_t count = type == 'r' ? m->references.count : m->strings.count;
    const uint32_t *table = type == 'r' ? m->references.at : m->strings.at;
    if (number >= count || m->values.at[table[number]].kind == FLM_MARSHAL_OTHER)
        return refuse(m, "it refers to a value that is not there");
    m->values.at[index] = m->values.at[table[number]];
    m->values.at[index].next = FLM_NONE;
    return true;
}

static bool read_value(struct flm_marshal *m, unsigned depth, uint32_t *index);

/* The members of a value: as many as are left, or those before the end of a dict. */
static bool read_members(struct flm_marshal *m, uint32_t index, unsigned depth, uint64_t left,
                         bool is_dict)
{
    uint32_t last = FLM_NONE, count = 0, member = FLM_NONE;
    for (; is_dict || left > 0; left--, count++, last = member) {
        if (is_dict && count % 2 == 0 && m->at < m->end && *m->at == '0') {
            m->at++;
            break;
        }
        if (!read_value(m, depth + 1, &member))
            return false;
        uint32_t *link = last == FLM_NONE ? &m->values.at[index].first : &m->values.at[last].next;
        *link = member;
    }
    m->values.at[index].count = count;
    return true;
}

/* A code object becomes a string, its name: `profile` names what it runs by its code. The numbers
 * at its beginning and the members differ from version to version:
 *
 *     2.3   4 numbers, code, constants, names, variables, free, cells, file, name, line, lines
 *     3.0   5 numbers, the same
 *     3.8   6 numbers, the same
 *     3.11  5 numbers, code, constants, names, variables, kinds, file, name, name with its class,
 *           line, lines, exceptions */
static bool read_code(struct flm_marshal *m, uint32_t index, unsigned depth)
{
    enum { MOST_NUMBERS = 6, FREE = 4, NAME = 6 };
    struct flm_bytes skipped;
    size_t numbers = 4;
    while (numbers < MOST_NUMBERS && (size_t)(m->end - m->at) > 4 * numbers &&
           (m->at[4 * numbers] & 0x7f) != 's')
        numbers++;
    if (!take(m, 4 * numbers, &skipped) || !read_members(m, index, depth, 8, false) ||
        !take(m, 4, &skipped))
        return false;
    uint32_t name = m->values.at[index].first;
    bool has_kinds = false;
    for (int i = 0; i < NAME + !has_kinds; i++, name = m->values.at[name].next)
        has_kinds = has_kinds || (i == FREE && m->values.at[name].kind == FLM_MARSHAL_STRING);
    if (!read_members(m, index, depth, has_kinds ? 2 : 1, false))
        return false;
    m->values.at[index].string = m->values.at[name].string;
    return true;
}

static const char number_types[] = "ilIfgy", string_types[] = "stuaAzZ",
                  tuple_types[] = "([<>):", other_types[] = "NF.ST";

static bool read_value(struct flm_marshal *m, unsigned depth, uint32_t *index)
{
    uint64_t type_and_flag, count;
    struct flm_marshal_value value = {.first = FLM_NONE, .next = FLM_NONE};
    if (depth > DEEPEST)
        return refuse(m, "values are nested too deeply");
    if (!take_uint(m, 1, &type_and_flag))
        return false;
    *index = (uint32_t)m->values.count;
    if (*index == FLM_NONE || !FLM_ARRAY_ADD(&m->values, value))
        return flm_error_memory(m->why);
    char type = (char)(type_and_flag & ~(unsigned)REFERRED_TO);
    if (type == 'r' || type == 'R')
        return copy_earlier(m, *index, type);
    if (type_and_flag & REFERRED_TO && !FLM_ARRAY_ADD(&m->references, *index))
        return flm_error_memory(m->why);

    enum flm_marshal_kind kind = FLM_MARSHAL_OTHER;
    if (flm_is_one_of(type, number_types)) {
        double number = 0;
        if (!read_number(m, type, &number))
            return false;
        m->values.at[*index].number = number;
        kind = FLM_MARSHAL_NUMBER;
    } else if (flm_is_one_of(type, string_types)) {
        if (!read_string(m, *index, type))
            return false;
        kind = FLM_MARSHAL_STRING;
    } else if (flm_is_one_of(type, tuple_types)) {
        count = 3;
        if ((type != ':' && !take_uint(m, type == ')' ? 1 : 4, &count)) ||
            !read_members(m, *index, depth, count, false))
            return false;
        kind = FLM_MARSHAL_TUPLE;
    } else if (type == 'c') {
        if (!read_code(m, *index, depth))
            return false;
        kind = FLM_MARSHAL_STRING;
    } else if (type == '{') {
        if (!read_members(m, *index, depth, 0, true))
            return false;
        kind = FLM_MARSHAL_DICT;
    } else if (!flm_is_one_of(type, other_types)) {
        return refuse(m, "this is no value that a profile has");
    }
    m->values.at[*index].kind = kind;
    return true;
}

bool flm_marshal_read(struct flm_marshal *marshal, struct flm_bytes all, struct flm_error *why)
{
    *marshal = (struct flm_marshal){all.at, all.at, all.at + all.size, .why = why};
    uint32_t index;
    return read_value(marshal, 0, &index);
}

void flm_marshal_clear(struct flm_marshal *marshal)
{
    FLM_ARRAY_CLEAR(&marshal->values);
    FLM_ARRAY_CLEAR(&marshal->references);
    FLM_ARRAY_CLEAR(&marshal->strings);
}
