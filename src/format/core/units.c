#include "format/core/units.h"

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
