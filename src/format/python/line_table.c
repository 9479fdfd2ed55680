#include "format/python/line_table.h"

static uint32_t as_line(int64_t line)
{
    return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static uint32_t in_pairs(struct flm_bytes table, int64_t line, int64_t offset)
{
    int64_t at = 0;
    for (size_t i = 0; i + 1 < table.size; i += 2) {
        at += (unsigned char)table.at[i];
        if (at > offset)
            break;
        line += (signed char)table.at[i + 1];
    }
    return as_line(line);
}

static uint32_t in_ranges(struct flm_bytes table, int64_t line, int64_t offset)
{
    int64_t end = 0;
    for (size_t i = 0; i + 1 < table.size; i += 2) {
        int forward = (signed char)table.at[i + 1];
        end += (unsigned char)table.at[i];
        if (forward != -128)
            line += forward;
        if (offset < end)
            return forward == -128 ? 0 : as_line(line);
    }
    return 0;
}

/* A number of any size, six bits a byte, the lowest first. */
static bool take_number(const unsigned char **at, const unsigned char *end, int64_t *value)
{
    uint64_t all = 0;
    for (unsigned shift = 0; *at < end && shift < 36; shift += 6) {
        unsigned char byte = *(*at)++;
        all |= (uint64_t)(byte & 63) << shift;
        if (!(byte & 64)) {
            *value = (int64_t)all;
            return true;
        }
    }
    return false;
}

static uint32_t in_locations(struct flm_bytes table, int64_t line, int64_t offset)
{
    enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15, UNIT = 2 };
    const unsigned char *at = (const unsigned char *)table.at, *end = at + table.size;
    int64_t covered = 0;
    while (at < end) {
        unsigned first = *at++, form = first >> 3 & 15;
        if (!(first & 128))
            return 0;
        covered += UNIT * ((first & 7) + 1);
        if (form == NO_COLUMNS || form == LONG) {
            int64_t forward, passed;
            if (!take_number(&at, end, &forward))
                return 0;
            line += forward & 1 ? -(forward >> 1) : forward >> 1;
            for (int i = 0; form == LONG && i < 3; i++)
                if (!take_number(&at, end, &passed))
                    return 0;
        } else if (form != NONE) {
            size_t columns = form >= ONE_LINE ? 2 : 1;
            if ((size_t)(end - at) < columns)
                return 0;
            at += columns;
            line += form >= ONE_LINE ? form - ONE_LINE : 0;
        }
        if (offset < covered)
            return form == NONE ? 0 : as_line(line);
    }
    return 0;
}

uint32_t flm_python_line(enum flm_python_lines kind, struct flm_bytes table, uint32_t first_line,
                         int64_t offset)
{
    if (offset < 0)
        return first_line;
    switch (kind) {
    case FLM_PYTHON_LNOTAB:
        return in_pairs(table, first_line, offset);
    case FLM_PYTHON_LINETABLE:
        return in_ranges(table, first_line, offset);
    default:
        return table.size > 0 ? in_locations(table, first_line, offset) : 0;
    }
}
