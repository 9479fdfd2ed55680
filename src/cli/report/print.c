#include "cli/report/print.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "os/output.h"

enum flm_report_form flm_form_of(const struct flm_form_fields *fields)
{
    return fields->json       ? FLM_REPORT_JSON
           : fields->csv      ? FLM_REPORT_CSV
           : fields->markdown ? FLM_REPORT_MARKDOWN
                              : FLM_REPORT_TEXT;
}

bool flm_form_of_file(const char *path, enum flm_report_form *form)
{
    static const struct {
        const char *end;
        enum flm_report_form form;
    } forms[] = {{".txt", FLM_REPORT_TEXT},
                 {".md", FLM_REPORT_MARKDOWN},
                 {".json", FLM_REPORT_JSON},
                 {".csv", FLM_REPORT_CSV}};
    size_t i = 0, count = sizeof forms / sizeof forms[0];
    while (i < count && !flm_bytes_end_with(flm_bytes_of(path), forms[i].end))
        i++;
    if (i < count)
        *form = forms[i].form;
    return i < count;
}

bool flm_form_check(const struct flm_form_fields *fields, struct flm_error *why)
{
    return fields->json + fields->csv + fields->markdown <= 1 ||
           flm_error_set(why, FLM_ERROR_USAGE, "one of --json, --csv and --markdown is enough");
}

bool flm_percentiles_parse(const char *list, double *percentiles, uint32_t *count,
                           struct flm_error *why)
{
    for (*count = 0; *list; list += *list == ',') {
        char *end;
        double percentile = strtod(list, &end);
        if (end == list || (*end && *end != ',') || !(percentile > 0 && percentile <= 100) ||
            *count == FLM_MOST_PERCENTILES)
            return flm_error_set(
                why, FLM_ERROR_USAGE,
                "--percentiles are up to %d numbers above 0 and up to 100: 50,95,99.9",
                FLM_MOST_PERCENTILES);
        percentiles[(*count)++] = percentile;
        list = end;
    }
    return *count > 0 || flm_error_set(why, FLM_ERROR_USAGE, "--percentiles: none are given");
}

bool flm_report_into_text(void *text, const void *bytes, size_t size)
{
    struct flm_text *to = text;
    flm_text_add(to, (struct flm_bytes){bytes, size});
    return !to->failed;
}

bool flm_report_print(const struct flm_report *report, enum flm_report_form form, const char *path,
                      struct flm_error *why)
{
    struct flm_output output;
    struct flm_report_style style = {.size = sizeof style};
    if (!flm_output_open(&output, path, why))
        return false;
    if (strcmp(path, "-") == 0)
        style = flm_style_of_output();
    bool good = flm_report_write(report, form, &style, flm_report_into_text, &output.text, why);
    return flm_output_close(&output, good, why) && good;
}

static void add_text(struct flm_json_writer *json, const char *key, struct flm_name text)
{
    flm_json_add_text(json, key, (struct flm_bytes){text.at, text.size});
}

void flm_report_add_functions(const struct flm_report *report, struct flm_json_writer *json,
                              enum flm_json_shape shape)
{
    enum { FUNCTION, MODULE, FILE_NAME, SELF, TOTAL, COLUMNS };
    static const char *const keys[COLUMNS] = {"function", "module", "file", "self", "total"};
    const struct flm_report_table *table = flm_report_table_named(report, "functions");
    size_t column[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++)
        column[i] = flm_report_column_named(table, keys[i]);
    flm_json_begin(json, "functions", shape);
    for (size_t row = 0; row < flm_report_row_count(table); row++) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        for (size_t i = 0; i < SELF; i++)
            add_text(json, keys[i], flm_report_string(table, row, column[i]));
        for (size_t i = SELF; i < COLUMNS; i++)
            flm_json_add_number(json, keys[i], flm_report_number(table, row, column[i]));
        flm_json_end(json);
    }
    flm_json_end(json);
}

/* ---- Lines of our own ------------------------------------------------------------------------ */

enum { MOST_DIGITS = 128 };

static struct flm_name name_of(struct flm_bytes text)
{
    return (struct flm_name){text.at, text.size};
}

void flm_add_quantity(struct flm_text *out, double value, const char *unit)
{
    char text[MOST_DIGITS];
    flm_print_quantity(value, name_of(flm_bytes_of(unit)), text, sizeof text);
    flm_text_puts(out, text);
}

void flm_add_exact(struct flm_text *out, double value, const char *unit)
{
    char text[MOST_DIGITS];
    flm_print_exact(value, name_of(flm_bytes_of(unit)), text, sizeof text);
    flm_text_puts(out, text);
}

void flm_add_count(struct flm_text *out, uint64_t count)
{
    flm_add_exact(out, (double)count, "");
}

void flm_add_percent(struct flm_text *out, double value, double whole)
{
    char text[MOST_DIGITS];
    flm_print_percent(value, whole, text, sizeof text);
    flm_text_puts(out, text);
}

void flm_add_tone(struct flm_text *out, enum flm_report_tone tone,
                  const struct flm_report_style *style)
{
    flm_text_puts(out, flm_report_tone(tone, style));
}

void flm_add_name(struct flm_text *out, const char *name, const struct flm_report_style *style)
{
    if (!flm_report_write_name(name_of(flm_bytes_of(name)), style, flm_report_into_text, out, NULL))
        out->failed = true;
}

void flm_add_caption(struct flm_text *out, const char *caption,
                     const struct flm_report_style *style)
{
    size_t width = strlen(caption);
    flm_add_tone(out, FLM_REPORT_TONE_MUTED, style);
    flm_text_puts(out, caption);
    flm_add_tone(out, FLM_REPORT_TONE_PLAIN, style);
    flm_text_repeat(out, ' ', width < FLM_CAPTION_WIDTH ? FLM_CAPTION_WIDTH - width : 1);
}

void flm_add_seconds(struct flm_text *out, double seconds)
{
    flm_add_quantity(out, seconds * 1e9, "ns");
}

void flm_add_lines(struct flm_text *out, const struct flm_text *lines,
                   const struct flm_report_style *style, size_t indent)
{
    if (lines->failed || !flm_report_write_lines((struct flm_name){lines->at, lines->size}, style,
                                                 indent, flm_report_into_text, out, NULL))
        out->failed = true;
}
