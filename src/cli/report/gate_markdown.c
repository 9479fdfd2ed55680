/* gate_markdown.c - the verdict as a comment on a change.
 *
 * A comment holds 65,536 characters, and nobody reads that: stacks are shortened to their innermost
 * functions, and stand in full below, as many as there is room for. Bytes are counted, of which
 * there are never fewer than characters. */
#include "cli/report/gate_more.h"
#include "cli/report/gate_report.h"
#include "cli/report/gate_words.h"
#include "draw/text/cells.h"
#include "profile/columns.h"

enum { STACK_CELLS = 100, MOST_ROWS = 100, MOST_BYTES = 60000 };

/* Sentences may hold names of functions: what Markdown or HTML would take for its own is escaped.
 */
static void add_escaped(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.at[i];
        if (byte == '<')
            flm_text_puts(out, "&lt;");
        else if (byte == '>')
            flm_text_puts(out, "&gt;");
        else if (byte == '&')
            flm_text_puts(out, "&amp;");
        else if (byte == '@') /* somebody would be told */
            flm_text_puts(out, "&#64;");
        else if (memchr("\\`*_[]|~#$", byte, 10))
            flm_text_format(out, "\\%c", byte);
        else
            flm_text_putc(out, byte);
    }
}

static void add_words(const struct flm_gate_report *r,
                      void (*add)(struct flm_text *out, const struct flm_gate_report *report))
{
    struct flm_text words = {0};
    add(&words, r);
    add_escaped(r->out, (struct flm_bytes){words.at, words.size});
    r->out->failed = r->out->failed || words.failed;
    flm_text_clear(&words);
}

static void add_means(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_gate_add_total(out, r, r->gate->total.base_mean, r->gate->total.new_mean);
}

/* The showable stack of a node in `room` cells; 0: all of it. */
static void add_stack(struct flm_text *out, const struct flm_gate_report *r, uint32_t node,
                      size_t room)
{
    struct flm_text stack = {0}, scratch = {0};
    flm_words_stack(&stack, r->runs->tree, node);
    struct flm_bytes showable =
        flm_showable((struct flm_bytes){stack.at, stack.size}, FLM_CHARSET_UTF8, &scratch);
    if (room > 0)
        flm_cells_add_stack(out, showable, room, FLM_CHARSET_UTF8);
    else
        flm_text_add(out, showable);
    out->failed = out->failed || stack.failed || scratch.failed;
    flm_text_clear(&stack);
    flm_text_clear(&scratch);
}

/* ---- What changed ---------------------------------------------------------------------------- */

static uint32_t rows_of(const struct flm_gate_report *r)
{
    uint32_t shown = flm_gate_shown(r);
    return shown < MOST_ROWS ? shown : MOST_ROWS;
}

static void add_items(const struct flm_gate_report *r)
{
    static const struct flm_column columns[] = {
        {"change", FLM_COLUMN_NUMBER, 0}, {"of base", FLM_COLUMN_NUMBER, 0},
        {"between", FLM_COLUMN_TEXT, 0},  {"p", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_TEXT, 0},         {"", FLM_COLUMN_TEXT, 0},
        {"where", FLM_COLUMN_STACK, 0}};
    const struct flm_gate *gate = r->gate;
    uint32_t shown = rows_of(r);
    struct flm_table table;
    if (shown == 0)
        return;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < shown; i++) {
        const struct flm_item *item = &gate->found.item[i];
        flm_words_signed(flm_table_cell(&table), r->runs, item->change);
        flm_words_share(flm_table_cell(&table), item->change, gate->total.base_mean);
        flm_gate_add_interval(flm_table_cell(&table), r, item);
        struct flm_text *p = flm_table_cell(&table);
        if (!r->options->exact)
            flm_words_rounded(p, gate->column[item->column].p, 2);
        flm_text_puts(flm_table_cell(&table), item->is_failing ? "**fails**" : "");
        flm_gate_add_kind(flm_table_cell(&table), r, item);
        add_stack(flm_table_cell(&table), r, item->node, STACK_CELLS);
    }
    flm_text_putc(r->out, '\n');
    flm_table_markdown(&table, r->out);
    flm_table_clear(&table);
    if (shown < gate->found.count)
        flm_text_format(r->out, "\nand %u smaller change%s\n", gate->found.count - shown,
                        gate->found.count - shown == 1 ? "" : "s");
}

static void add_more(const struct flm_gate_report *r)
{
    struct flm_text words = {0};
    flm_gate_add_more(&words, r);
    if (words.size > 0) {
        flm_text_putc(r->out, '\n');
        add_escaped(r->out, (struct flm_bytes){words.at, words.size});
    }
    r->out->failed = r->out->failed || words.failed;
    flm_text_clear(&words);
}

static bool has_long_stacks(const struct flm_gate_report *r)
{
    bool has = false;
    struct flm_text stack = {0};
    for (uint32_t i = 0; i < rows_of(r) && !has; i++) {
        stack.size = 0;
        add_stack(&stack, r, r->gate->found.item[i].node, 0);
        has = flm_cells((struct flm_bytes){stack.at, stack.size}) > STACK_CELLS;
    }
    r->out->failed = r->out->failed || stack.failed;
    flm_text_clear(&stack);
    return has;
}

/* Indented by four: what is in such a block cannot end it. */
static void add_stacks(const struct flm_gate_report *r, size_t start)
{
    uint32_t told = 0, shown = rows_of(r);
    struct flm_text stack = {0};
    flm_text_puts(r->out, "\n<details><summary>Stacks in full</summary>\n\n");
    for (uint32_t i = 0; i < shown; i++) {
        stack.size = 0;
        add_stack(&stack, r, r->gate->found.item[i].node, 0);
        if (r->out->handed_on + r->out->size - start + stack.size > MOST_BYTES)
            continue;
        flm_text_puts(r->out, "    ");
        flm_text_add(r->out, (struct flm_bytes){stack.at, stack.size});
        flm_text_putc(r->out, '\n');
        told++;
    }
    if (told < shown)
        flm_text_format(r->out, "\n%u are too long for a comment.\n", shown - told);
    flm_text_puts(r->out, "\n</details>\n");
    r->out->failed = r->out->failed || stack.failed;
    flm_text_clear(&stack);
}

/* ---- What could have been found -------------------------------------------------------------- */

static void add_noise(const struct flm_gate_report *r)
{
    static const struct flm_column columns[] = {{"between runs", FLM_COLUMN_NUMBER, 0},
                                                {"sampling", FLM_COLUMN_NUMBER, 0},
                                                {"found from", FLM_COLUMN_NUMBER, 0},
                                                {"where", FLM_COLUMN_STACK, 0}};
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < flm_gate_noise_rows(r); i++) {
        const struct flm_noise_row *row = flm_gate_noise_row(r, i);
        flm_gate_add_noise_cells(&table, row);
        struct flm_text *where = flm_table_cell(&table);
        if (row->column == FLM_NONE)
            flm_text_puts(where, "total");
        else
            add_stack(where, r, r->gate->columns.key[row->column].node, STACK_CELLS);
    }
    flm_text_puts(r->out, "\n<details><summary>Noise and method</summary>\n\n");
    if (flm_gate_noise_rows(r) > 0)
        flm_table_markdown(&table, r->out);
    flm_table_clear(&table);
    flm_text_putc(r->out, '\n');
    add_words(r, flm_gate_add_detectable);
    flm_text_puts(r->out, "\n\n");
    add_words(r, flm_gate_add_method);
    flm_text_puts(r->out, "\n\n</details>\n");
}

void flm_gate_markdown(const struct flm_gate_report *r)
{
    size_t start = r->out->handed_on + r->out->size;
    flm_text_format(r->out, "### flamel gate: %s\n\n**", flm_verdict_name(r->gate->verdict));
    add_words(r, flm_gate_add_verdict);
    flm_text_puts(r->out, "**\n\nTotal: ");
    add_words(r, add_means);
    if (!r->options->absolute_only && !r->options->exact) {
        flm_text_puts(r->out, ", p ");
        flm_words_rounded(r->out, r->gate->total.p, 2);
        flm_text_puts(r->out, r->gate->total.is_failing ? ", **fails**" : "");
    }
    flm_text_putc(r->out, '\n');
    add_items(r);
    add_more(r);
    add_noise(r);
    if (has_long_stacks(r))
        add_stacks(r, start);
}
