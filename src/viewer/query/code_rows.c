/* code_rows.c - "code-rows": the rows of the view of code, with their text, costs and jumps. Only
 * those that are asked for are made. */
#include <math.h>
#include <string.h>

#include "code/kept_code.h"
#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "viewer/query/internal.h"

/* A longer line is cut: one that a machine wrote may have millions of letters. */
enum { MOST_LETTERS = 2000, MOST_SPANS = 200 };

struct flm_bytes flm_query_take_word(struct flm_bytes *text)
{
    size_t size = 0;
    while (size < text->size && text->at[size] != ' ')
        size++;
    struct flm_bytes word = {text->at, size};
    size += size < text->size;
    *text = (struct flm_bytes){text->at + size, text->size - size};
    return word;
}

struct flm_bytes flm_query_code_place(struct flm_query *q, uint32_t function, uint32_t module,
                                      uint32_t file, uint32_t line)
{
    struct flm_text *out = flm_query_scratch(q);
    struct flm_bytes of_module = flm_string_bytes(q->profile, module),
                     of_file = flm_string_bytes(q->profile, file);
    flm_code_add_function(out, flm_string_bytes(q->profile, function), of_module, of_file);
    /* The line of no file is none. */
    if (line > 0 && of_file.size > 0 && of_module.size > 0) {
        flm_text_putc(out, '\n');
        flm_text_add(out, of_file);
    }
    if (line > 0 && of_file.size > 0)
        flm_text_format(out, "\n%u", line);
    return flm_query_scratch_copy(q);
}

struct making_rows {
    struct flm_query *q;
    struct flm_code_rows *code;
    enum flm_listing_side side;
    double of, most;
    uint32_t selected, file, line; /* what is selected, as a row, or as a line */
    uint64_t address;
};

static const char *const kind_names[FLM_LISTING_KINDS] = {
    "function", "file", "line", "fold", "inlined", "unknown", "instruction", "source"};
static const char *const syntax_names[FLM_SYNTAX_COUNT] = {
    NULL, "keyword", "type", "string", "number", "comment", "preprocessor"};

static void add_piece(struct making_rows *m, struct flm_response_code_row *row,
                      struct flm_bytes text, enum flm_syntax_kind kind)
{
    if (text.size == 0)
        return;
    struct flm_response_code_piece *piece = &row->pieces.at[row->pieces.count++];
    piece->text = flm_query_copy(m->q, text);
    piece->kind = flm_query_text(m->q, syntax_names[kind]);
    piece->color = (unsigned char)kind;
}

static void add_pieces(struct making_rows *m, struct flm_response_code_row *row,
                       struct flm_bytes text, const struct flm_syntax_span *spans, size_t count)
{
    static const char cut[] = " \xE2\x80\xA6";
    size_t end = text.size;
    if (end > MOST_LETTERS)
        for (end = MOST_LETTERS; end > 0 && ((unsigned char)text.at[end] & 0xC0) == 0x80;)
            end--;
    row->pieces.at = flm_query_take(m->q, 2 * count + 3, sizeof *row->pieces.at);
    if (!row->pieces.at)
        return;
    size_t at = 0;
    for (size_t i = 0; i < count && spans[i].start < end; i++) {
        size_t to = spans[i].end < end ? spans[i].end : end;
        add_piece(m, row, (struct flm_bytes){text.at + at, spans[i].start - at}, FLM_SYNTAX_PLAIN);
        add_piece(m, row, (struct flm_bytes){text.at + spans[i].start, to - spans[i].start},
                  spans[i].kind);
        at = to;
    }
    add_piece(m, row, (struct flm_bytes){text.at + at, end - at}, FLM_SYNTAX_PLAIN);
    if (end < text.size)
        add_piece(m, row, flm_bytes_of(cut), FLM_SYNTAX_COMMENT);
}

static void add_words(struct making_rows *m, struct flm_response_code_row *row)
{
    add_pieces(m, row, (struct flm_bytes){m->q->scratch.at, m->q->scratch.size}, NULL, 0);
}

static void add_line_text(struct making_rows *m, struct flm_response_code_row *row, uint32_t file,
                          uint32_t line, bool is_again)
{
    struct flm_syntax_span spans[MOST_SPANS];
    size_t count;
    struct flm_bytes text =
        flm_code_rows_line(&m->q->viewer->model, m->code, file, line, spans, MOST_SPANS, &count);
    if (text.at)
        add_pieces(m, row, text, spans, count);
    if (!is_again || row->pieces.count == 0)
        return;
    memmove(row->pieces.at + 1, row->pieces.at, row->pieces.count++ * sizeof *row->pieces.at);
    row->pieces.at[0] = (struct flm_response_code_piece){
        .text = flm_query_text(m->q, "again  "),
        .kind = flm_query_text(m->q, syntax_names[FLM_SYNTAX_COMMENT]),
        .color = FLM_SYNTAX_COMMENT};
}

/* A function of the profile by its name; "@plt" is how a call leaves a module. */
static uint32_t frame_named(struct making_rows *m, struct flm_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] == '@')
            name.size = i;
    return name.size > 0 ? flm_code_rows_frame_named(&m->q->viewer->model, m->code, name) : 0;
}

static void add_instruction(struct making_rows *m, struct flm_response_code_row *row,
                            const struct flm_listing_row *from)
{
    const struct flm_code_function *code = flm_listing_code(m->code->listing);
    flm_text_format(flm_query_scratch(m->q), "%llx",
                    (unsigned long long)flm_kept_code_address(from->address));
    row->number = flm_query_scratch_copy(m->q);
    if (!code || from->instruction == FLM_NONE)
        return;
    const struct flm_code_instruction *at = &code->instructions[from->instruction];
    /* The mnemonic as a keyword, the name of what is called as a type. */
    size_t size = 0;
    while (size < at->text.size && at->text.at[size] != ' ' && at->text.at[size] != '\t')
        size++;
    struct flm_text *out = flm_query_scratch(m->q);
    flm_text_add(out, at->text);
    size_t text = out->size;
    if (at->target.size > 0) {
        flm_text_puts(out, "  ");
        flm_text_add(out, at->target);
    }
    struct flm_syntax_span spans[2] = {
        {0, (uint32_t)size,
         at->kind == FLM_INSTRUCTION_PLAIN ? FLM_SYNTAX_PLAIN : FLM_SYNTAX_KEYWORD},
        {(uint32_t)text, (uint32_t)out->size, FLM_SYNTAX_TYPE}};
    struct flm_bytes all = {out->at, out->size};
    add_pieces(m, row, all, spans, at->target.size > 0 ? 2 : 1);
    uint32_t frame = at->kind == FLM_INSTRUCTION_CALL || at->kind == FLM_INSTRUCTION_JUMP
                         ? frame_named(m, at->target)
                         : 0;
    if (frame) {
        const struct flm_frame_record *f = &m->q->profile->frames[frame];
        row->go = flm_query_code_place(m->q, f->function, f->module, f->file, 0);
    }
}

static void add_lanes(struct making_rows *m, struct flm_response_code_row *row,
                      const struct flm_listing_row *from)
{
    char digits[FLM_LISTING_LANES];
    bool any = false;
    for (int i = 0; i < FLM_LISTING_LANES; i++) {
        digits[i] = "0123456789abcdef"[from->lane[i] & 15];
        any |= from->lane[i] != 0;
    }
    if (any)
        row->lanes = flm_query_copy(m->q, (struct flm_bytes){digits, sizeof digits});
}

static void add_cost(struct making_rows *m, struct flm_response_code_row *row,
                     const struct flm_listing_row *from)
{
    struct flm_query *q = m->q;
    const struct flm_compared *compared = q->viewer->scene.compared;
    const struct flm_listing_cost *cost = &from->cost;
    if (cost->self != 0)
        row->self = flm_query_share(q, cost->self, m->of);
    if (cost->total != 0)
        row->total = flm_query_share(q, cost->total, m->of);
    row->heat = m->most > 0 ? fmax(fabs(cost->self), fabs(from->before.self)) / m->most : 0;
    struct flm_text *out = flm_query_scratch(q);
    if (from->kind == FLM_LISTING_INLINED) { /* its row may have a part of the name */
        flm_text_add(out, flm_string_bytes(q->profile, from->function));
        flm_text_puts(out, ": ");
    }
    flm_quantity_add(out, cost->self, q->unit);
    flm_text_puts(out, " self, ");
    flm_quantity_add(out, cost->total, q->unit);
    flm_text_puts(out, " total");
    if (q->all != 0) {
        flm_text_puts(out, "; ");
        flm_percent_add(out, cost->self, q->all);
        flm_text_puts(out, " and ");
        flm_percent_add(out, cost->total, q->all);
        flm_text_puts(out, " of total");
    }
    row->exact = flm_query_scratch_copy(q);
    if (!compared)
        return;
    double scale = compared->comparison.how.scale;
    double difference = cost->self - from->before.self * scale;
    row->self = cost->self != 0 ? flm_query_quantity(q, cost->self) : row->self;
    if (from->before.self != 0)
        row->before = flm_query_quantity(q, from->before.self);
    if (difference == 0)
        return;
    out = flm_query_scratch(q);
    flm_text_puts(out, difference > 0 ? "+" : "");
    flm_quantity_add(out, difference, q->unit);
    row->change = flm_query_scratch_copy(q);
}

/* "3:101": a string and a line, the same on both sides. */
static struct flm_bytes mark_of(struct flm_query *q, uint32_t file, uint32_t line)
{
    if (!line || !file)
        return (struct flm_bytes){NULL, 0};
    flm_text_format(flm_query_scratch(q), "%u:%u", file, line);
    return flm_query_scratch_copy(q);
}

static void add_link(struct making_rows *m, struct flm_response_code_row *row, uint32_t file,
                     uint32_t line)
{
    struct flm_bytes name = flm_string_bytes(m->q->profile, file);
    const struct flm_code_file *found =
        m->code->store && file ? flm_code_store_file(m->code->store, name) : NULL;
    struct flm_bytes path = found && found->path.size > 0 ? found->path : name;
    if (!line || path.size == 0 || path.at[0] != '/')
        return;
    struct flm_text *out = flm_query_scratch(m->q);
    flm_text_add(out, path);
    flm_text_format(out, ":%u", line);
    row->link = flm_query_scratch_copy(m->q);
}

static void add_heading(struct making_rows *m, struct flm_response_code_row *row,
                        const struct flm_listing_row *from)
{
    struct flm_query *q = m->q;
    struct flm_text *out = flm_query_scratch(q);
    if (from->kind == FLM_LISTING_FOLD) {
        flm_count_add(out, from->count);
        flm_text_puts(out, m->side == FLM_LISTING_SOURCE ? " line" : " instruction");
        flm_text_puts(out, from->count == 1 ? " without a cost" : "s without a cost");
    } else if (from->kind == FLM_LISTING_UNKNOWN) {
        flm_text_puts(out, m->side == FLM_LISTING_SOURCE ? "no line is known"
                                                         : "at no instruction of this code");
    } else if (from->kind == FLM_LISTING_FILE) {
        flm_text_add(out, flm_string_bytes(q->profile, from->file));
    } else {
        struct flm_bytes name = flm_string_bytes(q->profile, from->function);
        if (from->kind == FLM_LISTING_FUNCTION) {
            flm_text_add(out, name);
        } else {
            flm_label_add_letters(out, name, FLM_LETTERS_IN_SENTENCE);
            flm_text_puts(out, ", inlined from ");
            flm_text_add(out, flm_path_end(flm_string_bytes(q->profile, from->file)));
            if (from->line)
                flm_text_format(out, ":%u", from->line);
        }
    }
    add_words(m, row);
    if (from->kind == FLM_LISTING_INLINED || from->kind == FLM_LISTING_FUNCTION)
        row->go = flm_query_code_place(q, from->function, from->module, from->file, 0);
}

/* Matches of the searches are in the text that is shown. */
static bool is_match(const struct flm_query *q, const struct flm_response_code_row *row)
{
    const struct flm_searches *searches = &q->viewer->model.searches;
    size_t from, to;
    bool found = false;
    if (!flm_searches_any(searches) || row->pieces.count == 0)
        return false;
    struct flm_text text = {0};
    for (size_t i = 0; i < row->pieces.count; i++)
        flm_text_add(&text, row->pieces.at[i].text);
    for (unsigned i = 0; i < searches->count && !found; i++)
        found =
            searches->at[i].on &&
            flm_search_part(&searches->at[i], (struct flm_bytes){text.at, text.size}, &from, &to);
    flm_text_clear(&text);
    return found;
}

static void add_row(struct making_rows *m, struct flm_response_code_row *row,
                    const struct flm_listing_row *from, uint32_t index)
{
    struct flm_query *q = m->q;
    bool is_code = from->kind == FLM_LISTING_INSTRUCTION;
    *row = (struct flm_response_code_row){
        .kind = flm_query_text(q, kind_names[from->kind]), .depth = from->depth, .heat = 0};
    if (from->can_open) {
        row->open = from->is_open ? FLM_TRISTATE_TRUE : FLM_TRISTATE_FALSE;
        flm_text_format(flm_query_scratch(q), "%llx", (unsigned long long)from->key);
        row->key = flm_query_scratch_copy(q);
    }
    if (is_code) {
        add_instruction(m, row, from);
    } else if (from->kind == FLM_LISTING_LINE || from->kind == FLM_LISTING_SOURCE_LINE) {
        if (from->line) {
            flm_text_format(flm_query_scratch(q), "%u", from->line);
            row->number = flm_query_scratch_copy(q);
        }
        add_line_text(m, row, from->file, from->line, from->is_again);
        add_link(m, row, from->file, from->line);
    } else {
        add_heading(m, row, from);
    }
    if (from->has_cost)
        add_cost(m, row, from);
    if (is_code || from->kind == FLM_LISTING_LINE || from->kind == FLM_LISTING_SOURCE_LINE)
        row->at = mark_of(q, from->file, from->line);
    if (is_code)
        row->site = mark_of(q, from->site_file, from->site_line);
    if (m->side == FLM_LISTING_ASSEMBLY)
        add_lanes(m, row, from);
    if (from->loop_self != 0 && m->of != 0) {
        struct flm_text *out = flm_query_scratch(q);
        flm_text_puts(out, "a loop, ");
        flm_percent_add(out, from->loop_self, m->of);
        flm_text_puts(out, " of the function");
        row->loop = flm_query_scratch_copy(q);
    }
    row->on = m->selected == index;
    row->match = is_match(q, row);
}

static bool make_rows(struct flm_query *q, enum flm_listing_side side, struct flm_row_range range)
{
    struct flm_viewer *v = q->viewer;
    const struct flm_listing *l = v->scene.code.listing;
    struct flm_response_code_rows *rows = q->response->code_rows;
    enum flm_listing_side selected;
    struct making_rows m = {.q = q, .code = &v->scene.code, .side = side};
    struct flm_listing_cost sum = flm_listing_sum(l, false), before = flm_listing_sum(l, true);
    m.of = fabs(sum.total) > 0 ? sum.total : before.total;
    m.most = flm_listing_most(l, side);
    m.selected = flm_code_selected_row(v, &selected);
    if (selected != side)
        m.selected = FLM_NONE;
    struct flm_listing_row *listed = flm_query_take(q, range.count, sizeof *listed);
    rows->rows.at = flm_query_take(q, range.count, sizeof *rows->rows.at);
    if (!listed || !rows->rows.at)
        return false;
    rows->rows.count = flm_listing_rows(l, side, range.from, range.count, listed);
    for (size_t i = 0; i < rows->rows.count; i++)
        add_row(&m, &rows->rows.at[i], &listed[i], range.from + (uint32_t)i);
    return true;
}

bool flm_query_code_rows(struct flm_viewer *v, struct flm_bytes argument,
                         struct flm_response *response, struct flm_error *why)
{
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    response->code_rows = flm_query_take(&q, 1, sizeof *response->code_rows);
    enum flm_listing_side side = flm_bytes_are(flm_query_take_word(&argument), "assembly")
                                     ? FLM_LISTING_ASSEMBLY
                                     : FLM_LISTING_SOURCE;
    if (!flm_viewer_make_code(v, why))
        return flm_query_fail(&q);
    if (response->code_rows && q.profile && v->scene.code.listing)
        make_rows(&q, side, flm_row_range_of(argument));
    return flm_query_end(&q, why);
}
