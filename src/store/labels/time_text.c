#include "store/labels/time_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Days from 1970-01-01 to a date of the Gregorian calendar: Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. Years begin in March, so that the leap day is the last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct reader {
    struct flm_bytes text;
    size_t at;
};

static char peek(const struct reader *r)
{
    return r->at < r->text.size ? r->text.at[r->at] : 0;
}

static bool take(struct reader *r, char byte)
{
    bool there = peek(r) == byte;
    r->at += there;
    return there;
}

/* From `least` to `most` digits; false, where there are none, or more than that. */
static bool number(struct reader *r, int least, int most, int64_t *value)
{
    int digits = 0;
    *value = 0;
    for (; peek(r) >= '0' && peek(r) <= '9'; r->at++)
        if (++digits <= 18)
            *value = *value * 10 + (peek(r) - '0');
    return digits >= least && digits <= most;
}

static bool clock_time(struct reader *r, int64_t *ms)
{
    int64_t hour, minute, second = 0, fraction = 0;
    if (!number(r, 2, 2, &hour) || hour > 23 || !take(r, ':') || !number(r, 2, 2, &minute) ||
        minute > 59)
        return false;
    if (take(r, ':')) {
        if (!number(r, 2, 2, &second) || second > 60)
            return false;
        if (take(r, '.') && !number(r, 3, 3, &fraction))
            return false;
    }
    *ms += ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
    return true;
}

static bool date(struct reader *r, int64_t *ms)
{
    int64_t year, month, day;
    if (!number(r, 4, 4, &year) || !take(r, '-') || !number(r, 2, 2, &month) || month < 1 ||
        month > 12 || !take(r, '-') || !number(r, 2, 2, &day) || day < 1 || day > 31)
        return false;
    /* The 30th of February is no day: it would be one in March. */
    if (days_of(year, month, day) >= days_of(year + (month == 12), month % 12 + 1, 1))
        return false;
    *ms = days_of(year, month, day) * 86400000;
    if ((take(r, 'T') || take(r, ' ')) && !clock_time(r, ms))
        return false;
    take(r, 'Z');
    return r->at == r->text.size;
}

/* "-1h30m" before now. */
static bool before_now(struct reader *r, int64_t now_ms, int64_t *ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},
                 {"h", 3600000}, {"d", 86400000}, {"w", 604800000}};
    *ms = now_ms;
    if (!take(r, '-') || r->at == r->text.size)
        return false;
    while (r->at < r->text.size) {
        int64_t value;
        size_t unit = 0;
        if (!number(r, 1, 9, &value))
            return false;
        while (unit < sizeof units / sizeof *units &&
               !flm_bytes_start_with(flm_bytes_from(r->text, r->at), units[unit].unit))
            unit++;
        if (unit == sizeof units / sizeof *units)
            return false;
        r->at += strlen(units[unit].unit);
        *ms -= value * units[unit].ms;
    }
    return true;
}

static bool parse(struct flm_bytes text, int64_t now_ms, int64_t *time_ms)
{
    struct reader r = {.text = text};
    if (flm_bytes_start_with(text, "now")) {
        r.at = 3;
        *time_ms = now_ms;
        return r.at == text.size || before_now(&r, now_ms, time_ms);
    }
    if (peek(&r) == '-')
        return before_now(&r, now_ms, time_ms);
    int64_t value;
    if (number(&r, 1, 16, &value) && r.at == text.size) {
        *time_ms = value < 100000000000 ? value * 1000 : value;
        return true;
    }
    r.at = 0;
    return date(&r, time_ms);
}

bool flm_time_parse(struct flm_bytes text, int64_t now_ms, int64_t *time_ms, struct flm_error *why)
{
    if (parse(text, now_ms, time_ms))
        return true;
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "'%.*s' is no time: now, -1h30m, 2026-11-28T10:30 (UTC) or seconds since "
                         "1970",
                         (int)(text.size < 60 ? text.size : 60), text.at);
}

void flm_time_print(int64_t time_ms, char out[FLM_TIME_TEXT])
{
    int64_t days = time_ms / 86400000, rest = time_ms % 86400000;
    days -= rest < 0;
    rest += rest < 0 ? 86400000 : 0;
    /* civil_from_days of the same paper. */
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100),
            shifted = (5 * of_year + 2) / 153;
    int month = (int)(shifted + (shifted < 10 ? 3 : -9)),
        day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    int fraction = (int)(rest % 1000);
    int size = snprintf(out, FLM_TIME_TEXT, "%04lld-%02d-%02dT%02d:%02d:%02d",
                        (long long)(year + era * 400 + (month <= 2)), month, day,
                        (int)(rest / 3600000), (int)(rest / 60000 % 60), (int)(rest / 1000 % 60));
    if (fraction > 0)
        size += snprintf(out + size, FLM_TIME_TEXT - (size_t)size, ".%03d", fraction);
    snprintf(out + size, FLM_TIME_TEXT - (size_t)size, "Z");
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

bool flm_times_check(struct flm_times range, struct flm_error *why)
{
    return range.from_ms < range.until_ms ||
           flm_error_set(why, FLM_ERROR_USAGE, "the range of time ends before it begins");
}

bool flm_times_parse(struct flm_bytes from, struct flm_bytes until, int64_t now_ms,
                     struct flm_times *range, struct flm_error *why)
{
    *range = (struct flm_times){0, INT64_MAX};
    return (from.size == 0 || flm_time_parse(from, now_ms, &range->from_ms, why)) &&
           (until.size == 0 || flm_time_parse(until, now_ms, &range->until_ms, why)) &&
           flm_times_check(*range, why);
}

bool flm_times_parse_pair(struct flm_bytes text, const char *name, int64_t now_ms,
                          struct flm_times *range, struct flm_error *why)
{
    size_t dots = 0;
    while (dots + 1 < text.size && memcmp(text.at + dots, "..", 2) != 0)
        dots++;
    if (dots + 1 >= text.size)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%s is FROM..UNTIL, such as -25h..-24h, not '%.*s'", name,
                             (int)(text.size < 60 ? text.size : 60), text.at);
    return flm_times_parse((struct flm_bytes){text.at, dots}, flm_bytes_from(text, dots + 2),
                           now_ms, range, why);
}

bool flm_times_check_lengths(struct flm_times one, struct flm_times other, struct flm_error *why)
{
    int64_t a = one.until_ms - one.from_ms, b = other.until_ms - other.from_ms;
    return llabs(a - b) <= 1000 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "the time before is %lld s long, and the time after %lld s: to be judged "
                         "both have to be equally long",
                         (long long)(b / 1000), (long long)(a / 1000));
}
