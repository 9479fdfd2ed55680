#include "format/core/units.h"

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
