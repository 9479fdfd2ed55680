#include "report/probe/sums.h"

struct flm_bytes flm_section_base(const char *column)
{
    static const char *const units[] = {"_ns", "_bytes"};
    struct flm_bytes name = flm_bytes_of(column);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i]);
        if (name.size > size && memcmp(name.at + name.size - size, units[i], size) == 0)
            return (struct flm_bytes){name.at, name.size - size};
    }
    return name;
}

bool flm_section_is_sum(const char *column)
{
    static const char *const sums[] = {"calls",
                                       "total",
                                       "self",
                                       "allocations",
                                       "allocated",
                                       "freed",
                                       "ended",
                                       "polls",
                                       "running",
                                       "suspended",
                                       "acquired",
                                       "contended",
                                       "waited",
                                       "held_sum",
                                       "operations",
                                       "bytes",
                                       "errors",
                                       "items",
                                       "blocked",
                                       "count",
                                       "frames",
                                       "user",
                                       "system",
                                       "run_queue",
                                       "voluntary_switches",
                                       "begun",
                                       "canceled",
                                       "sum",
                                       "rows",
                                       "not_timed",
                                       "faults",
                                       "wall",
                                       "tasks",
                                       "frees",
                                       "allocated_total",
                                       "involuntary_switches"};
    struct flm_bytes base = flm_section_base(column);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (flm_bytes_are(base, sums[i]))
            return true;
    return false;
}
