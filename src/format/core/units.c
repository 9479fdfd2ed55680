#include "format/core/units.h"

#include "base/number/number.h"
#include "format/core/date.h"
#include "profile/internal.h"

struct flm_bytes flm_unit_named(struct flm_bytes name)
{
    static const char *const same[][2] = {
        {"nanoseconds", "ns"}, {"nanosecond", "ns"}, {"nsec", "ns"},      {"microseconds", "us"},
        {"microsecond", "us"}, {"usec", "us"},       {"\xC2\xB5s", "us"}, {"milliseconds", "ms"},
        {"millisecond", "ms"}, {"\xCE\xBCs", "us"},  {"msec", "ms"},      {"seconds", "s"},
        {"second", "s"},       {"sec", "s"},         {"byte", "bytes"},   {"B", "bytes"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (flm_bytes_are(name, same[i][0]))
            return flm_bytes_of(same[i][1]);
    return name;
}

void flm_unit_append(struct flm_text *text, struct flm_bytes unit)
{
    if (unit.size > 0)
        flm_text_putc(text, ' ');
    flm_text_add(text, unit);
}

void flm_unit_note(struct flm_builder *b, const char *key, int64_t number, struct flm_bytes unit)
{
    struct flm_text text = {0};
    flm_text_format(&text, "%lld", (long long)number);
    flm_unit_append(&text, unit);
    if (text.failed)
        flm_builder_fail_memory(b);
    else if (number != 0)
        flm_builder_note(b, key, text.at, text.size);
    flm_text_clear(&text);
}

struct flm_bytes flm_unit_long(struct flm_bytes unit)
{
    static const char *const names[][2] = {
        {"ns", "nanoseconds"}, {"us", "microseconds"}, {"ms", "milliseconds"}, {"s", "seconds"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flm_bytes_are(unit, names[i][0]))
            return flm_bytes_of(names[i][1]);
    return unit;
}

bool flm_unit_parse(struct flm_bytes text, int64_t *number, struct flm_bytes *unit)
{
    bool negative = text.size > 1 && text.at[0] == '-';
    uint64_t digits;
    size_t size = negative;
    while (size < text.size && text.at[size] >= '0' && text.at[size] <= '9')
        size++;
    if (!flm_number_parse_uint((struct flm_bytes){text.at + negative, size - negative}, &digits) ||
        digits > (uint64_t)INT64_MAX + negative || (size < text.size && text.at[size] != ' '))
        return false;
    *number = (int64_t)(negative ? 0 - digits : digits);
    *unit = size < text.size ? flm_bytes_from(text, size + 1) : (struct flm_bytes){"", 0};
    return true;
}

void flm_recorded_note(struct flm_builder *b, int64_t time_ns)
{
    struct flm_text date = {0};
    int64_t again;
    flm_date_add(&date, time_ns);
    if (date.failed)
        flm_builder_fail_memory(b);
    else if (time_ns == 0 || !flm_date_parse((struct flm_bytes){date.at, date.size}, &again) ||
             again != time_ns)
        flm_unit_note(b, FLM_NOTE_TIME, time_ns, (struct flm_bytes){"", 0});
    else
        flm_builder_note(b, FLM_NOTE_RECORDED, date.at, date.size);
    flm_text_clear(&date);
}

int64_t flm_recorded_time(const struct flm_profile *p)
{
    struct flm_name date = flm_profile_note_named(p, FLM_NOTE_RECORDED);
    struct flm_name raw = flm_profile_note_named(p, FLM_NOTE_TIME);
    struct flm_bytes unit;
    int64_t time_ns = 0;
    if (date.at && flm_date_parse((struct flm_bytes){date.at, date.size}, &time_ns))
        return time_ns;
    if (raw.at && flm_unit_parse((struct flm_bytes){raw.at, raw.size}, &time_ns, &unit))
        return time_ns;
    return 0;
}

bool flm_list_has(struct flm_bytes list, struct flm_bytes item)
{
    while (list.size > 0) {
        size_t end = 0;
        while (end < list.size && !flm_bytes_start_with(flm_bytes_from(list, end), ", "))
            end++;
        if (flm_bytes_equal((struct flm_bytes){list.at, end}, item))
            return true;
        list = flm_bytes_from(list, end + 2 < list.size ? end + 2 : list.size);
    }
    return false;
}
