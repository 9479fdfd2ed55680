/* print.c - the public functions for lines that are no part of a report: values, tones, lines that
 * are broken where the terminal ends. */
#include <assert.h>
#include <string.h>

#include "draw/text/quantity.h"
#include "draw/text/wrap.h"
#include "report/core/blocks.h"

static struct flm_bytes bytes_of(struct flm_name name)
{
    return (struct flm_bytes){name.at, name.size};
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* What of the text fits, terminated. */
static size_t put(struct flm_text *text, char *to, size_t room)
{
    assert(to && room > 0);
    size_t size = text->size < room ? text->size : room - 1;
    memcpy(to, text->at, size);
    to[size] = 0;
    return size;
}

enum { MOST_DIGITS = 128 };

size_t flm_print_quantity(double value, struct flm_name unit, char *to, size_t room)
{
    char buffer[MOST_DIGITS];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_quantity_add(&text, value, bytes_of(unit));
    return put(&text, to, room);
}

size_t flm_print_exact(double value, struct flm_name unit, char *to, size_t room)
{
    char buffer[MOST_DIGITS];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_quantity_add_exact(&text, value, bytes_of(unit));
    return put(&text, to, room);
}

size_t flm_print_percent(double value, double whole, char *to, size_t room)
{
    char buffer[MOST_DIGITS];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_percent_add(&text, value, whole);
    return put(&text, to, room);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

const char *flm_report_tone(enum flm_report_tone tone, const struct flm_report_style *style)
{
    struct flm_table_style s;
    return flm_report_table_style(style, &s, NULL)
               ? flm_tone_sequence((enum flm_table_tone)tone, &s)
               : "";
}

/* Hands the text on, and clears it. */
static bool hand_on(struct flm_text *text, flm_profile_sink sink, void *context,
                    struct flm_error *why)
{
    bool good = !text->failed || flm_error_memory(why);
    if (good && text->size > 0 && !sink(context, text->at, text->size))
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "the lines could not be written");
    flm_text_clear(text);
    return good;
}

bool flm_report_write_lines(struct flm_name lines, const struct flm_report_style *style,
                            size_t indent, flm_profile_sink sink, void *context,
                            struct flm_error *why)
{
    assert(sink);
    struct flm_table_style s;
    if (!flm_report_table_style(style, &s, why))
        return false;
    struct flm_text text = {0};
    flm_lines_add(&text, bytes_of(lines), &s, indent);
    return hand_on(&text, sink, context, why);
}

bool flm_report_write_name(struct flm_name name, const struct flm_report_style *style,
                           flm_profile_sink sink, void *context, struct flm_error *why)
{
    assert(sink);
    struct flm_table_style s;
    if (!flm_report_table_style(style, &s, why))
        return false;
    struct flm_text text = {0}, scratch = {0};
    flm_text_add(&text, flm_showable(bytes_of(name), s.charset, &scratch));
    text.failed |= scratch.failed;
    flm_text_clear(&scratch);
    return hand_on(&text, sink, context, why);
}
