/* text.c - a report for people: lines, sections and tables for a terminal or a file, and the same
 * as Markdown for a comment or a wiki. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/quantity.h"
#include "draw/text/wrap.h"
#include "report/core/blocks.h"
#include "report/core/text_tree.h"

struct writer {
    const struct flm_report *report;
    const struct flm_table_style *style;
    unsigned form; /* FLM_IN_TEXT or FLM_IN_MARKDOWN */
    struct flm_text *out;
    uint64_t start; /* of the report in the output, in bytes */
    struct flm_text scratch, line;
};

static bool is_markdown(const struct writer *w)
{
    return w->form == FLM_IN_MARKDOWN;
}

/* ---- Room ------------------------------------------------------------------------------------ */

/* A comment holds 65,536 characters, and nobody reads that: stacks in its tables are shortened, and
 * stand in full below, as many as there is room for. Lines end before that, so that what is behind
 * them has room too. Bytes are counted, of which there are never fewer than characters. */
enum { MOST_BYTES = 60000, MOST_BYTES_WITH_LINES = 40000 };

/* Of a character: "&#64;". */
enum { MOST_ESCAPED = 5 };

/* Whether the report is for comments: only those shorten their stacks. */
static bool is_comment(const struct flm_report *report)
{
    bool is_short = false;
    for (size_t i = 0; i < report->tables.count; i++)
        is_short |= report->tables.at[i]->most_cells > 0;
    return is_short;
}

static bool has_room(const struct writer *w, uint64_t size, uint64_t most)
{
    return w->out->handed_on + w->out->size - w->start + size <= most;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Names of functions may hold characters that mean something in Markdown or HTML. */
static void add_escaped_row(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.at[i];
        if (byte == '<')
            flm_text_puts(out, "&lt;");
        else if (byte == '>')
            flm_text_puts(out, "&gt;");
        else if (byte == '&')
            flm_text_puts(out, "&amp;");
        else if (byte == '@') /* would notify somebody of that name */
            flm_text_puts(out, "&#64;");
        else if (memchr("\\`*_[]|~#$", byte, 10))
            flm_text_format(out, "\\%c", byte);
        else
            flm_text_putc(out, byte);
    }
}

/* Harmless for a terminal, row by row. */
static void add_showable(struct writer *w, struct flm_text *to, struct flm_bytes text)
{
    for (size_t at = 0; at < text.size;) {
        const char *newline = memchr(text.at + at, '\n', text.size - at);
        size_t end = newline ? (size_t)(newline - text.at) : text.size;
        struct flm_bytes row = {text.at + at, end - at};
        flm_text_add(to, flm_showable(row, w->style->charset, &w->scratch));
        if (newline)
            flm_text_putc(to, '\n');
        at = end + (newline != NULL);
    }
}

/* For Markdown, row by row, as long as there is room for the tables behind them. */
static void add_escaped(struct writer *w, struct flm_bytes text)
{
    uint32_t left_out = 0;
    bool limited = is_comment(w->report);
    for (size_t at = 0; at < text.size;) {
        const char *newline = memchr(text.at + at, '\n', text.size - at);
        size_t end = newline ? (size_t)(newline - text.at) : text.size;
        struct flm_bytes row = {text.at + at, end - at};
        at = end + (newline != NULL);
        if (limited && !has_room(w, MOST_ESCAPED * row.size, MOST_BYTES_WITH_LINES)) {
            left_out++;
            continue;
        }
        add_escaped_row(w->out, flm_showable(row, FLM_CHARSET_PLAIN, &w->scratch));
        if (newline)
            flm_text_putc(w->out, '\n');
    }
    if (left_out > 0)
        flm_text_format(w->out, "(%u more line%s: too long for a comment.)", left_out,
                        left_out == 1 ? "" : "s");
}

/* The line with its path shortened, so that it fits. */
static void add_path_line(struct writer *w, struct flm_bytes text, size_t path_size)
{
    enum { LEAST = 16 };
    struct flm_bytes path = {text.at, path_size},
                     rest = {text.at + path_size, text.size - path_size};
    size_t width = w->style->width;
    size_t behind = flm_cells(flm_showable(rest, w->style->charset, &w->scratch)).cells;
    size_t room = width == 0 ? SIZE_MAX : width > behind + LEAST ? width - behind : LEAST;
    flm_cells_add_path(&w->line, flm_showable(path, w->style->charset, &w->scratch),
                       (struct flm_width){room}, w->style->charset);
    add_showable(w, &w->line, rest);
}

/* The bytes of a line that are not strong, and those that are. */
static void split_strong(const struct flm_report_block *block, struct flm_bytes text,
                         struct flm_bytes *plain, struct flm_bytes *strong)
{
    size_t size = block->strong > 0 ? block->strong - 1 : text.size;
    *plain = (struct flm_bytes){text.at, size};
    *strong = (struct flm_bytes){text.at + size, text.size - size};
}

static void write_line(struct writer *w, const struct flm_report_block *block)
{
    struct flm_bytes text = flm_report_value_text(w->report, &block->value, NULL), plain, strong;
    split_strong(block, text, &plain, &strong);
    if (is_markdown(w)) {
        add_escaped(w, plain);
        if (strong.size > 0) {
            flm_text_puts(w->out, "**");
            add_escaped(w, strong);
            flm_text_puts(w->out, "**");
        }
        flm_text_putc(w->out, '\n');
        return;
    }
    bool has_tone = block->value.tone != FLM_TONE_PLAIN;
    w->line.size = 0;
    if (has_tone)
        flm_tone_add(&w->line, block->value.tone, w->style);
    if (block->path_size > 0)
        add_path_line(w, text, block->path_size);
    else
        add_showable(w, &w->line, plain);
    if (strong.size > 0) {
        flm_tone_add(&w->line, FLM_TONE_STRONG, w->style);
        add_showable(w, &w->line, strong);
        flm_tone_add(&w->line, FLM_TONE_PLAIN, w->style);
    }
    if (has_tone)
        flm_tone_add(&w->line, FLM_TONE_PLAIN, w->style);
    flm_text_putc(&w->line, '\n');
    flm_lines_add(w->out, (struct flm_bytes){w->line.at, w->line.size}, w->style, block->indent);
}

static void write_heading(struct writer *w, const struct flm_report_block *block)
{
    struct flm_bytes text = flm_report_value_text(w->report, &block->value, NULL);
    if (is_markdown(w)) {
        flm_text_format(w->out, "### %s: %s", block->key, block->detail ? block->detail : "");
        flm_text_puts(w->out, block->detail ? "\n\n**" : "");
        add_escaped(w, text);
        flm_text_puts(w->out, block->detail ? "**\n" : "\n\n");
        return;
    }
    w->line.size = 0;
    flm_tone_add(&w->line, FLM_TONE_STRONG, w->style);
    flm_text_format(&w->line, "%s: ", block->detail);
    add_showable(w, &w->line, text);
    flm_tone_add(&w->line, FLM_TONE_PLAIN, w->style);
    flm_text_putc(&w->line, '\n');
    flm_lines_add(w->out, (struct flm_bytes){w->line.at, w->line.size}, w->style, 2);
}

static void write_section(struct writer *w, const struct flm_report_block *block)
{
    if (is_markdown(w)) {
        flm_text_format(w->out, "\n<details%s><summary>%s%s</summary>\n\n",
                        block->is_open ? " open" : "", block->key, block->detail);
        return;
    }
    flm_text_putc(w->out, '\n');
    flm_tone_add(w->out, FLM_TONE_STRONG, w->style);
    flm_text_puts(w->out, block->key);
    flm_tone_add(w->out, FLM_TONE_PLAIN, w->style);
    flm_tone_add(w->out, FLM_TONE_MUTED, w->style);
    flm_text_puts(w->out, block->detail);
    flm_tone_add(w->out, FLM_TONE_PLAIN, w->style);
    flm_text_putc(w->out, '\n');
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The digits behind the point of a mean of counts say nothing: whole, or three digits. */
static double rounded(double value)
{
    double scale = 1;
    if (value == 0)
        return 0;
    while (fabs(value) * scale < 100)
        scale *= 10;
    return floor(value * scale + 0.5) / scale;
}

static double shown_number(const struct flm_report_view *view, const struct flm_report_value *value)
{
    return view->is_mean ? rounded(value->number) : value->number;
}

static bool is_quantity(const struct flm_report_view *view)
{
    return view->format == FLM_VIEW_AS_QUANTITY || view->format == FLM_VIEW_AS_CHANGE;
}

/* The scale that fits all numbers of a column which people see. */
static struct flm_scale scale_of(const struct writer *w, const struct flm_report_table *table,
                                 const struct flm_report_view *view)
{
    struct flm_scale scale;
    double largest = 0;
    bool is_larger = true, more = true;
    for (int pass = 0; pass < 2 && more; pass++) {
        for (size_t row = 0; row < table->rows.count && more; row++) {
            const struct flm_report_value *value = &flm_report_row_values(table, row)[view->column];
            if (!(table->rows.at[row].forms & w->form) || value->kind != FLM_VALUE_NUMBER)
                continue;
            double number = shown_number(view, value);
            if (is_larger)
                largest = fmax(largest, fabs(number));
            else
                more = flm_scale_add(&scale, number);
        }
        if (is_larger)
            flm_scale_init(&scale, largest, FLM_DIGITS_OF_REPORTS, view->unit);
        is_larger = false;
    }
    return scale;
}

static void add_quantity(const struct writer *w, struct flm_table *to,
                         const struct flm_report_view *view, const struct flm_report_value *value,
                         const struct flm_scale *scale)
{
    const char *prefix = value->prefix ? value->prefix : "";
    double number = shown_number(view, value);
    if (view->has_unit && is_markdown(w)) {
        struct flm_text *cell = flm_table_cell(to);
        flm_text_puts(cell, prefix);
        flm_text_puts(cell, view->format == FLM_VIEW_AS_CHANGE && number > 0 ? "+" : "");
        flm_scale_add_number(scale, number, cell);
        flm_text_putc(cell, ' ');
        flm_scale_add_unit(scale, number, cell);
    } else if (view->format == FLM_VIEW_AS_QUANTITY && !value->prefix) {
        flm_table_quantity(to, number, scale);
    } else {
        flm_table_change(to, prefix, number, scale);
    }
}

static void add_number(struct flm_table *to, const struct flm_report_view *view,
                       const struct flm_report_value *value)
{
    const char *prefix = value->prefix ? value->prefix : "";
    double number = shown_number(view, value);
    if (view->format == FLM_VIEW_AS_PERCENT) {
        flm_table_percent(to, number, view->whole);
        return;
    }
    if (view->format == FLM_VIEW_AS_BAR) {
        flm_table_bar(to, view->whole > 0 ? fabs(number) / view->whole : 0);
        return;
    }
    struct flm_text *cell = flm_table_cell(to);
    char digits[FLM_NUMBER_SIZE];
    flm_text_puts(cell, prefix);
    switch (view->format) {
    case FLM_VIEW_AS_COUNT:
        flm_count_add(cell, (uint64_t)number);
        break;
    case FLM_VIEW_AS_ANY_QUANTITY:
        flm_quantity_add(cell, number, view->unit);
        break;
    case FLM_VIEW_AS_CHANGE_SHARE:
        flm_text_puts(cell, number > 0 ? "+" : "");
        if (view->whole > 0)
            flm_percent_add(cell, number, view->whole);
        else
            flm_text_puts(cell, "of 0");
        break;
    case FLM_VIEW_AS_SHARE:
        flm_percent_add(cell, number, view->whole);
        break;
    case FLM_VIEW_AS_SIMILARITY:
        flm_similarity_add(cell, number);
        break;
    default:
        flm_text_add(cell, (struct flm_bytes){digits, flm_number_print_rounded(number, 2, digits)});
        break;
    }
}

/* The innermost functions of a stack, as many as fit in a table of a comment. */
static void add_short_stack(struct writer *w, struct flm_text *cell, struct flm_bytes stack,
                            struct flm_width room)
{
    flm_cells_add_stack(cell, flm_showable(stack, FLM_CHARSET_UTF8, &w->scratch), room,
                        FLM_CHARSET_UTF8);
}

static void add_cell(struct writer *w, struct flm_table *to, const struct flm_report_table *table,
                     size_t column, const struct flm_report_value *value,
                     const struct flm_scale *scales)
{
    const struct flm_report_view *view = &table->views.at[column];
    if (value->kind == FLM_VALUE_NUMBER && is_quantity(view)) {
        add_quantity(w, to, view, value, &scales[column]);
    } else if (value->kind == FLM_VALUE_NUMBER) {
        add_number(to, view, value);
    } else if (value->kind == FLM_VALUE_BOOL) {
        flm_text_puts(flm_table_cell(to), value->number != 0 ? "yes" : "");
    } else {
        struct flm_bytes text = flm_report_value_text(w->report, value, &w->line);
        struct flm_text *cell = flm_table_cell(to);
        if (value->kind == FLM_VALUE_STACK && text.size == 0)
            flm_text_puts(cell, "[empty]");
        else if (value->kind == FLM_VALUE_STACK && is_markdown(w) && table->most_cells > 0)
            add_short_stack(w, cell, text, (struct flm_width){table->most_cells});
        else if (value->tone == FLM_TONE_STRONG && is_markdown(w) && text.size > 0)
            flm_text_format(cell, "**%.*s**", (int)text.size, text.at);
        else
            flm_text_add(cell, text);
    }
    if (value->tone != FLM_TONE_PLAIN)
        flm_table_tone(to, value->tone);
}

static bool fill(struct writer *w, const struct flm_report_table *table,
                 const struct flm_scale *scales, struct flm_table *to)
{
    struct flm_tree_lines tree = {0};
    bool is_utf8 = w->style->charset == FLM_CHARSET_UTF8;
    bool good = !table->is_tree || flm_tree_lines_init(&tree, table);
    for (size_t row = 0; good && row < table->rows.count; row++) {
        const struct flm_report_value *values = flm_report_row_values(table, row);
        if (!(table->rows.at[row].forms & w->form))
            continue;
        for (size_t i = 0; good && i < table->views.count; i++) {
            const struct flm_report_view *view = &table->views.at[i];
            const struct flm_report_value *value = &values[view->column];
            if (table->is_tree && i + 1 == table->views.count) {
                struct flm_text *cell = flm_table_cell(to);
                good = flm_tree_lines_add(&tree, cell, table, row, is_utf8);
                flm_table_end_prefix(to);
                flm_text_add(cell, flm_report_value_text(w->report, value, &w->line));
                if (value->tone != FLM_TONE_PLAIN)
                    flm_table_tone(to, value->tone);
            } else {
                add_cell(w, to, table, i, value, scales);
            }
        }
    }
    flm_tree_lines_clear(&tree);
    return good;
}

static void write_table(struct writer *w, const struct flm_report_table *table)
{
    struct flm_column *columns = calloc(table->views.count, sizeof *columns);
    struct flm_scale *scales = calloc(table->views.count, sizeof *scales);
    struct flm_table to;
    if (!columns || !scales) {
        w->out->failed = true;
        free(columns);
        free(scales);
        return;
    }
    for (size_t i = 0; i < table->views.count; i++) {
        const struct flm_report_view *view = &table->views.at[i];
        columns[i] = (struct flm_column){view->heading, view->kind, view->leave_out};
        if (is_quantity(view))
            scales[i] = scale_of(w, table, view);
    }
    flm_table_init(&to, columns, table->views.count);
    w->out->failed |= !fill(w, table, scales, &to);
    if (is_markdown(w) && !table->is_tree) {
        flm_table_markdown(&to, w->out);
    } else {
        flm_text_puts(w->out, is_markdown(w) ? "~~~text\n" : "");
        flm_table_print(&to, w->style, w->out);
        flm_text_puts(w->out, is_markdown(w) ? "~~~\n" : "");
    }
    flm_table_clear(&to);
    free(columns);
    free(scales);
}

/* ---- Stacks in full -------------------------------------------------------------------------- */

static const struct flm_report_value *stack_of(const struct flm_report_table *table, size_t row)
{
    const struct flm_report_value *values = flm_report_row_values(table, row);
    for (size_t i = 0; i < table->columns.count; i++)
        if (values[i].kind == FLM_VALUE_STACK)
            return &values[i];
    return NULL;
}

/* The stack, showable, in w->line; NULL for a row that has none. */
static struct flm_bytes full_stack(struct writer *w, const struct flm_report_table *table,
                                   size_t row)
{
    const struct flm_report_value *value = stack_of(table, row);
    if (!value || !(table->rows.at[row].forms & FLM_IN_MARKDOWN))
        return (struct flm_bytes){NULL, 0};
    return flm_showable(flm_report_value_text(w->report, value, &w->line), FLM_CHARSET_UTF8,
                        &w->scratch);
}

static bool has_long_stacks(struct writer *w, const struct flm_report_table *table)
{
    if (table->most_cells == 0 || !(table->forms & FLM_IN_MARKDOWN))
        return false;
    for (size_t row = 0; row < table->rows.count; row++)
        if (flm_cells(full_stack(w, table, row)).cells > table->most_cells)
            return true;
    return false;
}

/* Indented by four: such a block cannot be ended by its contents. */
static void write_full_stacks(struct writer *w, const struct flm_report_table *table)
{
    uint32_t left_out = 0;
    flm_text_puts(w->out, "\n<details><summary>Stacks in full</summary>\n\n");
    for (size_t row = 0; row < table->rows.count; row++) {
        struct flm_bytes stack = full_stack(w, table, row);
        if (stack.size > 0 && !has_room(w, stack.size, MOST_BYTES)) {
            left_out++;
        } else if (stack.size > 0) {
            flm_text_puts(w->out, "    ");
            flm_text_add(w->out, stack);
            flm_text_putc(w->out, '\n');
        }
    }
    if (left_out > 0)
        flm_text_format(w->out, "\n%u are too long for a comment.\n", left_out);
    flm_text_puts(w->out, "\n</details>\n");
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void write_block(struct writer *w, const struct flm_report_block *block)
{
    switch (block->kind) {
    case FLM_BLOCK_LINE:
        write_line(w, block);
        break;
    case FLM_BLOCK_HEADING:
        write_heading(w, block);
        break;
    case FLM_BLOCK_SECTION:
        write_section(w, block);
        break;
    case FLM_BLOCK_SECTION_END:
        flm_text_puts(w->out, is_markdown(w) ? "\n</details>\n" : "");
        break;
    case FLM_BLOCK_TABLE:
        write_table(w, w->report->tables.at[block->table]);
        break;
    case FLM_BLOCK_FACT:
    case FLM_BLOCK_BEGIN:
    case FLM_BLOCK_END:
        break;
    }
}

/* In text as wide as it is. */
static bool has_width(const struct writer *w, const struct flm_report_block *block)
{
    size_t width = w->style->width > 0 ? w->style->width : SIZE_MAX;
    return is_markdown(w) || block->width == FLM_WIDTH_ANY ||
           (width >= block->least_width) == (block->width == FLM_WIDTH_LEAST);
}

static void write_blocks(struct writer *w)
{
    bool is_behind_table = false;
    for (size_t i = 0; i < w->report->blocks.count; i++) {
        const struct flm_report_block *block = &w->report->blocks.at[i];
        if (!(block->forms & w->form) || !has_width(w, block))
            continue;
        /* In Markdown a line behind a table would be a row of it. */
        bool is_line = block->kind == FLM_BLOCK_LINE;
        if (block->has_gap || (is_markdown(w) && is_behind_table && is_line))
            flm_text_putc(w->out, '\n');
        write_block(w, block);
        is_behind_table = block->kind == FLM_BLOCK_TABLE;
    }
    for (size_t i = 0; is_markdown(w) && i < w->report->tables.count; i++)
        if (has_long_stacks(w, w->report->tables.at[i]))
            write_full_stacks(w, w->report->tables.at[i]);
    w->out->failed = w->out->failed || w->scratch.failed || w->line.failed;
    flm_text_clear(&w->scratch);
    flm_text_clear(&w->line);
}

void flm_report_to_text(const struct flm_report *report, const struct flm_table_style *style,
                        struct flm_text *out)
{
    struct writer w = {.report = report, .style = style, .form = FLM_IN_TEXT, .out = out};
    write_blocks(&w);
}

/* Without colors and widths, wherever it goes. */
void flm_report_to_markdown(const struct flm_report *report, struct flm_text *out)
{
    const struct flm_table_style style = {0};
    struct writer w = {.report = report,
                       .style = &style,
                       .form = FLM_IN_MARKDOWN,
                       .out = out,
                       .start = out->handed_on + out->size};
    write_blocks(&w);
}
