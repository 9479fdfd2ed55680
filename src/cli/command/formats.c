/* formats.c - `flamel formats`: what can be read and written. */
#include <string.h>

#include "base/text/json_write.h"
#include "cli/common/commands.h"
#include "cli/common/messages.h"
#include "cli/common/terminal.h"
#include "format/core/format.h"
#include "load/pictures.h"
#include "os/output.h"

struct fields {
    bool json;
};

static const struct flm_option options[] = {
    {"json", 0, NULL, "as JSON", FLM_OPTION_FLAG, offsetof(struct fields, json)},
};

struct line {
    const char *name, *extensions, *description;
    bool reads, writes;
};

/* The profiles' formats, and behind them those of pictures, which are drawn. */
static bool line_at(size_t i, struct line *line)
{
    size_t count, picture_count;
    const struct flm_format *const *formats = flm_formats(&count);
    const struct flm_picture_format *pictures = flm_picture_formats(&picture_count);
    if (i >= count + picture_count)
        return false;
    if (i < count) {
        const struct flm_format *f = formats[i];
        *line = (struct line){f->name, f->extensions, f->description, flm_format_can_be_read(f),
                              flm_format_can_be_written(f)};
    } else {
        const struct flm_picture_format *f = &pictures[i - count];
        *line = (struct line){f->name, f->extensions, f->description, false, f->is_built};
    }
    return true;
}

static void write_json(struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    struct line line;
    flm_json_begin(&json, NULL, FLM_JSON_ARRAY);
    for (size_t i = 0; line_at(i, &line); i++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&json, "name", flm_bytes_of(line.name));
        flm_json_add_bool(&json, "reads", line.reads);
        flm_json_add_bool(&json, "writes", line.writes);
        flm_json_begin(&json, "extensions", FLM_JSON_ARRAY_LINE);
        for (const char *at = line.extensions; *at;) {
            size_t size = strcspn(at, " ");
            flm_json_add_text(&json, NULL, (struct flm_bytes){at, size});
            at += size + strspn(at + size, " ");
        }
        flm_json_end(&json);
        flm_json_add_text(&json, "description", flm_bytes_of(line.description));
        flm_json_end(&json);
    }
    flm_json_end(&json);
}

static void write_text(struct flm_text *out)
{
    static const struct flm_column columns[] = {
        {"format", FLM_COLUMN_TEXT, 0},     {"", FLM_COLUMN_TEXT, 0},
        {"", FLM_COLUMN_TEXT, 0},           {"written to", FLM_COLUMN_TEXT, 1},
        {"what it is", FLM_COLUMN_TEXT, 0},
    };
    struct flm_table_style look = flm_look_of_output();
    struct flm_table table;
    struct line line;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; line_at(i, &line); i++) {
        flm_text_puts(flm_table_cell(&table), line.name);
        flm_text_puts(flm_table_cell(&table), line.reads ? "read" : "");
        flm_text_puts(flm_table_cell(&table), line.writes ? "write" : "");
        flm_text_puts(flm_table_cell(&table), line.writes ? line.extensions : "");
        flm_text_puts(flm_table_cell(&table), line.description);
    }
    flm_table_print(&table, &look, out);
    flm_table_clear(&table);
}

static int run(const struct flm_command *command, int count, char **words)
{
    struct fields f = {0};
    struct flm_error why;
    int operands = flm_options_parse(command, &f, count, words, &why);
    if (operands == -2)
        return FLM_EXIT_DONE;
    if (operands > 0)
        flm_error_set(&why, FLM_ERROR_USAGE, "formats takes no file (info says what one is)");
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
    .summary = "what can be read and written",
    .description =
        "Lists the formats of profiles that flamel reads and writes. Reading looks at the\n"
        "content of a file, also through gzip and zstd; writing goes by the end of its\n"
        "name.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
