#include "format/core/date.h"

#include "base/core/scan.h"

static void add_two_digits(struct flm_text *out, char before, int64_t value)
{
    flm_text_putc(out, before);
    flm_text_putc(out, (char)('0' + value / 10));
    flm_text_putc(out, (char)('0' + value % 10));
}

/* Days since 1970 as a date. */
static void add_days(struct flm_text *out, int64_t days)
{
    /* Years begin on 1 March, so that a leap day is the last day of its year. */
    days += 719468;
    int64_t era = days / 146097, day = days - era * 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    day = of_year - (153 * month + 2) / 5 + 1;
    month += month < 10 ? 3 : -9;
    flm_text_uint(out, (uint64_t)(year + era * 400 + (month <= 2)));
    add_two_digits(out, '-', month);
    add_two_digits(out, '-', day);
}

void flm_date_add(struct flm_text *out, int64_t time_ns)
{
    int64_t seconds = time_ns / 1000000000, fraction = time_ns % 1000000000;
    if (fraction < 0) {
        seconds--;
        fraction += 1000000000;
    }
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int64_t of_day = seconds - days * 86400;
    add_days(out, days);
    add_two_digits(out, 'T', of_day / 3600);
    add_two_digits(out, ':', of_day / 60 % 60);
    add_two_digits(out, ':', of_day % 60);
    if (fraction > 0)
        flm_text_putc(out, '.');
    for (int64_t unit = 100000000; fraction > 0; fraction %= unit, unit /= 10)
        flm_text_putc(out, (char)('0' + fraction / unit));
    flm_text_putc(out, 'Z');
}

/* `count` digits of the text, which moves behind them. */
static bool take_digits(struct flm_bytes *text, size_t count, int64_t *value)
{
    *value = 0;
    if (text->size < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(text->at[i] >= '0' && text->at[i] <= '9'))
            return false;
        *value = *value * 10 + (text->at[i] - '0');
    }
    *text = flm_bytes_from(*text, count);
    return true;
}

static bool take_one_of(struct flm_bytes *text, const char *set)
{
    if (text->size == 0 || !flm_is_one_of(text->at[0], set))
        return false;
    *text = flm_bytes_from(*text, 1);
    return true;
}

/* Days since 1970 in the Gregorian calendar: years begin in March, so that the leap day is the last
 * one, and 400 of them have 146097 days. */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year % 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool flm_date_parse(struct flm_bytes text, int64_t *time_ns)
{
    int64_t year, month, day, hour, minute, second, fraction = 0;
    if (!take_digits(&text, 4, &year) || !take_one_of(&text, "-") ||
        !take_digits(&text, 2, &month) || !take_one_of(&text, "-") ||
        !take_digits(&text, 2, &day) || !take_one_of(&text, "T ") ||
        !take_digits(&text, 2, &hour) || !take_one_of(&text, ":") ||
        !take_digits(&text, 2, &minute))
        return false;
    /* Java leaves out seconds that are 0. */
    if (!take_one_of(&text, ":"))
        second = 0;
    else if (!take_digits(&text, 2, &second))
        return false;
    if (take_one_of(&text, ".,")) {
        int64_t unit = 100000000, digit;
        for (; take_digits(&text, 1, &digit); unit /= 10)
            fraction += digit * unit;
    }
    take_one_of(&text, "Z");
    if (text.size > 0 || year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
        day > 31 || hour > 24 || minute > 59 || second > 60)
        return false;
    int64_t seconds = ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    *time_ns = seconds * 1000000000 + fraction;
    return true;
}
