/* table_export.c - tables for other programs: Markdown and CSV, in full. */
#include "draw/text/internal.h"

#include <assert.h>

#include "base/text/utf.h"
#include "draw/text/visible.h"

/* Adds a code span, in which only '|' has a meaning in a table. With a backtick inside, it needs
 * more backticks around it. */
static void add_code(struct flm_text *out, struct flm_bytes text)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.size; i++) {
        run = text.at[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    if (text.size == 0)
        return;
    flm_text_repeat(out, '`', longest + 1);
    flm_text_puts(out, longest > 0 ? " " : "");
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '|')
            flm_text_putc(out, '\\');
        flm_text_putc(out, text.at[i]);
    }
    flm_text_puts(out, longest > 0 ? " " : "");
    flm_text_repeat(out, '`', longest + 1);
}

/* Adds text in which what would end the cell, or begin a tag or a code span, is escaped: titles
 * have the name of a metric, numbers its unit. '<' of "<0.1 %" begins nothing. */
static void add_cell_text(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.at[i], next = i + 1 < text.size ? text.at[i + 1] : ' ';
        bool is_letter = (next | 0x20) >= 'a' && (next | 0x20) <= 'z';
        if (byte == '<' && (is_letter || flm_is_one_of(next, "/!?"))) {
            flm_text_puts(out, "&lt;");
            continue;
        }
        if (flm_is_one_of(byte, "|`\\"))
            flm_text_putc(out, '\\');
        flm_text_putc(out, byte);
    }
}

/* Blanks in front of a code span are shown by no reader; these are, by all. */
static void add_line_of_code(struct flm_text *out, struct flm_bytes text)
{
    size_t at = 0;
    for (; at < text.size && text.at[at] == ' '; at++)
        flm_text_puts(out, "&nbsp;");
    add_code(out, flm_bytes_from(text, at));
}

void flm_table_markdown(const struct flm_table *table, struct flm_text *out)
{
    assert(table->column_count > 0);
    struct flm_text scratch = {0};
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].kind != FLM_COLUMN_BAR) {
            flm_text_puts(out, "| ");
            add_cell_text(out, flm_showable(flm_bytes_of(table->columns[i].title),
                                            FLM_CHARSET_PLAIN, &scratch));
            flm_text_putc(out, ' ');
        }
    flm_text_puts(out, "|\n");
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].kind != FLM_COLUMN_BAR)
            flm_text_puts(out, table->columns[i].kind == FLM_COLUMN_NUMBER ? "|---:" : "|---");
    flm_text_puts(out, "|\n");
    for (size_t i = 0; i < table->cells.count; i++) {
        const struct flm_column *column = &table->columns[i % table->column_count];
        if (column->kind != FLM_COLUMN_BAR) {
            struct flm_bytes text = flm_table_cell_text(table, &table->cells.at[i]);
            text = flm_showable(text, FLM_CHARSET_PLAIN, &scratch);
            flm_text_puts(out, "| ");
            if (flm_column_is_name(column->kind) || column->kind == FLM_COLUMN_PATH)
                add_code(out, text);
            else if (column->kind == FLM_COLUMN_CODE)
                add_line_of_code(out, text);
            else
                add_cell_text(out, text);
            flm_text_putc(out, ' ');
        }
        if ((i + 1) % table->column_count == 0)
            flm_text_puts(out, "|\n");
    }
    out->failed = out->failed || table->failed || table->text.failed || scratch.failed;
    flm_text_clear(&scratch);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* -5, 0.25, 1e-7: what flm_number_print writes. */
static bool is_number(struct flm_bytes text)
{
    size_t at = text.size > 0 && text.at[0] == '-', digits = 0;
    for (; at < text.size && (is_digit(text.at[at]) || text.at[at] == '.'); at++)
        digits += text.at[at] != '.';
    if (digits > 0 && at < text.size && text.at[at] == 'e') {
        at++;
        at += at < text.size && flm_is_one_of(text.at[at], "+-");
        for (digits = 0; at < text.size && is_digit(text.at[at]); at++)
            digits++;
    }
    return digits > 0 && at == text.size;
}

/* Whether a spreadsheet would take the text for a formula: by its first character, which may be
 * one of East Asian width. */
static bool is_formula(struct flm_bytes text)
{
    static const uint32_t marks[] = {'=', '+', '-', '@', 0xFF1D, 0xFF0B, 0xFF0D, 0xFF20};
    uint32_t code = 0;
    if (flm_utf8_sequence(text, &code) == 0 || is_number(text))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (code == marks[i])
            return true;
    return false;
}

/* RFC 4180: text with a comma or a quote is quoted, and quotes in it are doubled. There are no line
 * breaks in it, nor other control characters: each is shown as its picture. */
static void add_csv(struct flm_text *out, struct flm_bytes cell, struct flm_text *scratch)
{
    scratch->size = 0;
    if (is_formula(cell))
        flm_text_putc(scratch, '\'');
    flm_plain_add(scratch, cell);
    struct flm_bytes text = {scratch->at, scratch->size};
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++)
        quoted = quoted || flm_is_one_of(text.at[i], ",\"");
    if (!quoted) {
        flm_text_add(out, text);
        return;
    }
    flm_text_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '"')
            flm_text_putc(out, '"');
        flm_text_putc(out, text.at[i]);
    }
    flm_text_putc(out, '"');
}

void flm_table_csv(const struct flm_table *table, struct flm_text *out)
{
    struct flm_text scratch = {0};
    assert(table->column_count > 0);
    for (size_t i = 0; i < table->column_count; i++) {
        flm_text_puts(out, i > 0 ? "," : "");
        add_csv(out, flm_bytes_of(table->columns[i].title), &scratch);
    }
    flm_text_puts(out, "\n");
    for (size_t i = 0; i < table->cells.count; i++) {
        flm_text_puts(out, i % table->column_count > 0 ? "," : "");
        add_csv(out, flm_table_cell_text(table, &table->cells.at[i]), &scratch);
        flm_text_puts(out, (i + 1) % table->column_count == 0 ? "\n" : "");
    }
    out->failed = out->failed || table->failed || table->text.failed || scratch.failed;
    flm_text_clear(&scratch);
}
