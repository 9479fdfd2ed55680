/* formats.c - `flamel formats`: the table of formats. */
#include <string.h>

#include "base/text/json_write.h"
#include "cli/common/commands.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "flamel/file.h"
#include "os/output.h"

struct fields {
    bool json;
};

static const struct flm_option options[] = {
    {"json", 0, NULL, "as JSON", FLM_OPTION_FLAG, offsetof(struct fields, json)},
};

static bool format_at(size_t i, struct flm_format_info *info)
{
    *info = (struct flm_format_info){.size = sizeof *info};
    return flm_format_at(i, info);
}

static void write_json(struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    struct flm_format_info f;
    flm_json_begin(&json, NULL, FLM_JSON_ARRAY);
    for (size_t i = 0; format_at(i, &f); i++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&json, "name", flm_bytes_of(f.name));
        flm_json_add_text(&json, "title", flm_bytes_of(f.title));
        flm_json_add_bool(&json, "reads", f.reads);
        flm_json_add_bool(&json, "writes", f.writes);
        flm_json_begin(&json, "extensions", FLM_JSON_ARRAY_LINE);
        for (const char *at = f.extensions; *at;) {
            size_t size = strcspn(at, " ");
            flm_json_add_text(&json, NULL, (struct flm_bytes){at, size});
            at += size + strspn(at + size, " ");
        }
        flm_json_end(&json);
        flm_json_add_text(&json, "description", flm_bytes_of(f.description));
        flm_json_add_bool(&json, "picture", f.is_picture);
        flm_json_add_bool(&json, "times", f.has_times);
        flm_json_add_bool(&json, "labels", f.keeps_labels);
        flm_json_add_bool(&json, "several_metrics", f.metrics == FLM_METRICS_ALL);
        flm_json_add_bool(&json, "symbols", f.needs_symbols);
        if (f.writes)
            flm_json_add_text(&json, "loses", flm_bytes_of(f.loses ? f.loses : ""));
        flm_json_end(&json);
    }
    flm_json_end(&json);
}

static void write_text(struct flm_text *out)
{
    static const struct flm_column columns[] = {
        {"format", FLM_COLUMN_TEXT, 0},
        {"", FLM_COLUMN_TEXT, 0},
        {"", FLM_COLUMN_TEXT, 0},
        {"written to", FLM_COLUMN_TEXT, 1},
        {"description", FLM_COLUMN_TEXT, 0},
    };
    struct flm_table_style style = flm_look_of_output();
    struct flm_table table;
    struct flm_format_info f;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; format_at(i, &f); i++) {
        flm_text_puts(flm_table_cell(&table), f.name);
        flm_text_puts(flm_table_cell(&table), f.reads ? "read" : "");
        flm_text_puts(flm_table_cell(&table), f.writes ? "write" : "");
        flm_text_puts(flm_table_cell(&table), f.writes ? f.extensions : "");
        flm_text_puts(flm_table_cell(&table), f.description);
    }
    flm_table_print(&table, &style, out);
    flm_table_clear(&table);
}

static int run(const struct flm_command *command, int count, char **argv)
{
    struct fields f = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, argv, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands > 0)
        flm_error_set(&why, FLM_ERROR_USAGE,
                      "formats takes no file (info says what format a file has)");
    struct flm_output output;
    if (operands != 0 || !flm_output_open(&output, "-", &why))
        return flm_message_error(&why);
    if (f.json)
        write_json(&output.text);
    else
        write_text(&output.text);
    return flm_output_close(&output, true, &why) ? FLM_EXIT_DONE : flm_message_error(&why);
}

const struct flm_command flm_command_formats = {
    .name = "formats",
    .synopsis = "[OPTION]...",
    .summary = "the formats that can be read and written",
    .description =
        "Lists the formats that flamel reads and writes. A file to read is recognized by its\n"
        "content, also when it is compressed with gzip or zstd; a file to write gets the format\n"
        "of its extension. --json also says what each format keeps and what it loses.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
