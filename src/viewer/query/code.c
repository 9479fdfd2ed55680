/* code.c - the view of code: "code", what it shows and what that costs; the same as text; and
 * "code-wanted", the text that is missing. Its rows are in code_rows.c. */
#include <math.h>

#include "base/number/number.h"
#include "base/text/function_name.h"
#include "code/skid.h"
#include "draw/text/quantity.h"
#include "symbol/identity/source_path.h"
#include "viewer/query/internal.h"

enum { MOST_FILES = 40, MOST_LEFT_OUT = 100, MOST_COPIED = 10000 };

bool flm_viewer_make_code(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_metric before = {FLM_NONE};
    double scale = 1;
    if (!flm_viewer_update(v, why))
        return false;
    if (!flm_model_shown(&v->model))
        return true;
    if (v->scene.compared) {
        before = v->scene.compared->pair.before;
        scale = v->scene.compared->comparison.how.scale;
    }
    return flm_code_rows_make(&v->model, &v->scene.code, before, scale, why);
}

/* ---- The selected line ----------------------------------------------------------------------- */

/* "@51f0" */
static bool selected_address(const struct flm_viewer *v, uint64_t *address)
{
    const struct flm_text *at = &v->model.code.at;
    return at->size > 1 && at->at[0] == '@' &&
           flm_number_parse_hex((struct flm_bytes){at->at + 1, at->size - 1}, address);
}

/* The file is a string of the profile; false: it has none of that name. */
static bool selected_line(const struct flm_viewer *v, uint32_t *file, uint32_t *line)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_bytes name = flm_code_part(&v->model.code.at, 0);
    uint64_t number;
    if (!flm_number_parse_uint(flm_code_part(&v->model.code.at, 1), &number))
        return false;
    *line = (uint32_t)number;
    *file = 0;
    for (uint32_t i = 1; i < p->sizes.string_count && *file == 0; i++)
        if (flm_bytes_equal(flm_string_bytes(p, i), name))
            *file = i;
    return *file != 0;
}

uint32_t flm_code_selected_row(const struct flm_viewer *v, enum flm_listing_side *side)
{
    const struct flm_listing *l = v->scene.code.listing;
    uint64_t address;
    uint32_t file, line;
    *side = FLM_LISTING_SOURCE;
    if (!l)
        return FLM_NONE;
    if (selected_address(v, &address)) {
        *side = FLM_LISTING_ASSEMBLY;
        return flm_listing_row_of_address(l, address);
    }
    return selected_line(v, &file, &line) ? flm_listing_row_of_line(l, file, line) : FLM_NONE;
}

/* ---- The head -------------------------------------------------------------------------------- */

/* "Table::find" of "bool ns::Table::find(Key const&)". */
static struct flm_bytes short_name(struct flm_query *q, uint32_t frame)
{
    struct flm_bytes name = flm_frame_title(q->profile, frame);
    struct flm_name_parts parts = flm_name_parts(name);
    return flm_query_copy(
        q, (struct flm_bytes){name.at + parts.qualified, parts.end - parts.qualified});
}

static bool add_stack(struct flm_query *q, struct flm_response_code *code, struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    struct flm_code_rows *rows = &v->scene.code;
    struct flm_node_ref selected = v->model.selected;
    uint32_t node = FLM_NONE;
    if (flm_node_ref_valid(selected) && selected.pane < v->scene.pane_count &&
        v->scene.panes[selected.pane].kind == FLM_PANE_STACKS)
        node = flm_pane_node(&v->scene.panes[selected.pane], selected.number).index;
    if (!flm_code_rows_stack(&v->model, rows, node, why))
        return false;
    code->functions.at = flm_query_take(q, rows->stack_count, sizeof *code->functions.at);
    if (!code->functions.at)
        return true;
    for (uint32_t i = 0; i < rows->stack_count; i++) {
        uint32_t frame = q->profile->node_frame[rows->stack[i]];
        const struct flm_frame_record *f = &q->profile->frames[frame];
        code->functions.at[code->functions.count++] = (struct flm_response_code_place){
            .title = flm_query_title(q, frame),
            .name = short_name(q, frame),
            .value = flm_query_quantity(q, rows->stack_total[i]),
            .of = flm_query_code_place(q, f->function, f->module, f->file, 0),
            .on = flm_code_rows_has(rows, f),
            .inlined = f->kind == FLM_KIND_INLINED};
    }
    return true;
}

/* "app.c:6"; as much of the path as tells the files of the list apart. */
static void name_hottest(struct flm_query *q, struct flm_response_code *code,
                         const struct flm_line_cost *const *line)
{
    size_t count = code->hottest.count;
    struct flm_bytes file[FLM_CODE_MOST_HOTTEST];
    for (size_t i = 0; i < count; i++)
        file[i] = flm_string_bytes(q->profile, line[i]->file);
    bool good = flm_path_shortest_ends(file, count);
    for (size_t i = 0; i < count; i++) {
        struct flm_text *out = flm_query_scratch(q);
        flm_text_add(out, good ? file[i] : flm_path_end(file[i]));
        flm_text_format(out, file[i].size > 0 ? ":%u" : "line %u", line[i]->line);
        code->hottest.at[i].title = flm_query_scratch_copy(q);
    }
}

static bool add_hottest(struct flm_query *q, struct flm_response_code *code, struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    struct flm_code_rows *rows = &v->scene.code;
    const struct flm_line_cost *shown[FLM_CODE_MOST_HOTTEST];
    uint32_t file = 0, line = 0;
    if (!flm_code_rows_hottest(&v->model, rows, why))
        return false;
    selected_line(v, &file, &line);
    code->hottest.at = flm_query_take(q, rows->hottest_count, sizeof *code->hottest.at);
    for (size_t i = 0; code->hottest.at && i < rows->hottest_count; i++) {
        const struct flm_line_cost *cost = shown[i] = &rows->costs.line[rows->hottest[i]];
        code->hottest.at[code->hottest.count++] = (struct flm_response_code_place){
            .value = flm_query_quantity(q, cost->self),
            .of = flm_query_code_place(q, cost->function, cost->module, cost->file, cost->line),
            .on = cost->file == file && cost->line == line && file != 0};
    }
    name_hottest(q, code, shown);
    return true;
}

/* A digit for each part: 9 is the most that a row has. */
static struct flm_bytes heat_of(struct flm_query *q, enum flm_listing_side side, uint32_t parts)
{
    const struct flm_listing *l = q->viewer->scene.code.listing;
    double most = flm_listing_most(l, side), *self = flm_query_take(q, parts, sizeof *self);
    char *text = flm_query_take(q, parts, 1);
    if (!self || !text)
        return (struct flm_bytes){NULL, 0};
    flm_listing_overview(l, side, self, parts);
    for (uint32_t i = 0; i < parts; i++)
        text[i] = (char)('0' + (most > 0 ? (int)ceil(9 * self[i] / most) : 0));
    return (struct flm_bytes){text, parts};
}

static void add_text_status(struct flm_query *q, struct flm_response_code *code)
{
    const struct flm_code_rows *rows = &q->viewer->scene.code;
    size_t count;
    const uint32_t *files = flm_listing_files(rows->listing, &count);
    struct flm_bytes name =
        count > 0 ? flm_string_bytes(q->profile, files[0]) : (struct flm_bytes){"", 0};
    const struct flm_code_file *file = rows->store ? flm_code_store_file(rows->store, name) : NULL;
    if (count > 0)
        code->place = flm_query_copy(q, flm_string_bytes(q->profile, files[0]));
    if (file) {
        code->path = flm_query_copy(q, file->path);
        code->status = flm_query_copy(q, file->status);
        code->doubtful = file->is_doubtful;
    }
    struct flm_listing_row first;
    bool has_lines = flm_listing_rows(rows->listing, FLM_LISTING_SOURCE, 0, 1, &first) == 0 ||
                     first.kind != FLM_LISTING_UNKNOWN;
    if (!has_lines)
        code->status = flm_query_text(q, flm_no_lines_sentence);
    const struct flm_code_function *machine =
        rows->store ? flm_code_store_function(rows->store,
                                              flm_string_bytes(q->profile, rows->subject.function),
                                              flm_string_bytes(q->profile, rows->subject.module))
                    : NULL;
    if (!machine)
        return;
    code->machine = flm_query_copy(q, machine->machine);
    struct flm_text *status = flm_query_scratch(q);
    flm_text_add(status, machine->status);
    code->warns = rows->subject.other_build;
    if (rows->subject.other_build) {
        flm_text_puts(status, machine->status.size > 0 ? "; " : "");
        flm_text_puts(status, flm_other_build_sentence);
    }
    code->assembly_status = flm_query_scratch_copy(q);
    struct flm_listing_figures figures = flm_listing_figures(rows->listing);
    if (figures.blocks > 0) {
        struct flm_text *blocks = flm_query_scratch(q);
        flm_text_format(blocks, "%u of %u blocks hot", figures.hot_blocks, figures.blocks);
        if (flm_listing_jumps_between_lines(&figures))
            flm_text_format(blocks, "; optimized: %u lines are %u runs of instructions",
                            figures.lines, figures.line_runs);
        if (figures.jumps_hidden > 0)
            flm_text_format(blocks, "; %u jumps without an arrow", figures.jumps_hidden);
        code->blocks = flm_query_scratch_copy(q);
    }
}

/* What the lines say, and what they do not. */
static void add_sum(struct flm_query *q, struct flm_response_code *code)
{
    const struct flm_listing *l = q->viewer->scene.code.listing;
    double self = flm_listing_sum(l, false).self, known = 0;
    uint32_t count = flm_listing_count(l, FLM_LISTING_SOURCE);
    struct flm_listing_row row;
    double unknown = 0;
    for (uint32_t i = 0; i < count; i++) {
        flm_listing_rows(l, FLM_LISTING_SOURCE, count - 1 - i, 1, &row);
        if (row.kind != FLM_LISTING_UNKNOWN)
            break;
        unknown += row.cost.self;
    }
    known = self - unknown;
    if (self == 0)
        return;
    struct flm_text *out = flm_query_scratch(q);
    flm_text_puts(out, "lines add up to ");
    flm_quantity_add(out, known, q->unit);
    flm_text_puts(out, " of ");
    flm_quantity_add(out, self, q->unit);
    code->lines_sum = flm_query_scratch_copy(q);
}

/* Files that were looked for, and are not there. */
static void add_left_out(struct flm_query *q, struct flm_response_code *code)
{
    const struct flm_code_store *store = q->viewer->scene.code.store;
    size_t count = store ? flm_code_store_file_count(store) : 0;
    code->left_out.at = flm_query_take(q, MOST_LEFT_OUT, sizeof *code->left_out.at);
    for (size_t i = 0; i < count && code->left_out.at; i++) {
        const struct flm_code_file *file = flm_code_store_file_at(store, i);
        if (file->path.size + file->text.size == 0 && code->left_out.count < MOST_LEFT_OUT)
            code->left_out.at[code->left_out.count++] = (struct flm_response_code_place){
                .title = flm_query_copy(q, file->name), .value = flm_query_copy(q, file->status)};
    }
}

/* The row on the other side that belongs to the selected one: of the instructions of a line, the
 * hottest. */
static uint32_t linked_row(const struct flm_listing *l, enum flm_listing_side side, uint32_t row)
{
    struct flm_listing_row selected;
    if (flm_listing_rows(l, side, row, 1, &selected) == 0 || !selected.line)
        return FLM_NONE;
    if (side == FLM_LISTING_SOURCE)
        return flm_listing_row_of_source(l, selected.file, selected.line);
    return selected.site_line ? flm_listing_row_of_line(l, selected.site_file, selected.site_line)
                              : flm_listing_row_of_line(l, selected.file, selected.line);
}

static void add_listing(struct flm_query *q, struct flm_response_code *code, uint32_t parts)
{
    struct flm_viewer *v = q->viewer;
    const struct flm_listing *l = v->scene.code.listing;
    struct flm_listing_cost sum = flm_listing_sum(l, false);
    enum flm_listing_side side;
    uint32_t row = flm_code_selected_row(v, &side), rows[FLM_LISTING_SIDES];
    code->self = flm_query_quantity(q, sum.self);
    code->self_share = flm_query_share(q, sum.self, q->all);
    code->total = flm_query_quantity(q, sum.total);
    code->total_share = flm_query_share(q, sum.total, q->all);
    code->source_count = flm_listing_count(l, FLM_LISTING_SOURCE);
    code->assembly_count = flm_listing_count(l, FLM_LISTING_ASSEMBLY);
    code->selected = row != FLM_NONE;
    for (int i = 0; i < FLM_LISTING_SIDES; i++) {
        rows[i] = !code->selected                    ? FLM_NONE
                  : side == (enum flm_listing_side)i ? row
                                                     : linked_row(l, side, row);
        if (rows[i] == FLM_NONE)
            rows[i] = flm_listing_hottest(l, (enum flm_listing_side)i);
        rows[i] = rows[i] == FLM_NONE ? 0 : rows[i];
    }
    code->source_row = rows[FLM_LISTING_SOURCE];
    code->assembly_row = rows[FLM_LISTING_ASSEMBLY];
    if (parts > 0) {
        code->source_heat = heat_of(q, FLM_LISTING_SOURCE, parts);
        code->assembly_heat = heat_of(q, FLM_LISTING_ASSEMBLY, parts);
    }
    add_text_status(q, code);
    add_sum(q, code);
    if (code->source_count == 0)
        code->empty = flm_query_text(q, "The function costs nothing in what is shown");
}

bool flm_query_code(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                    struct flm_error *why)
{
    struct flm_query q;
    uint64_t parts = 0;
    enum { MOST_PARTS = 4000 };
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!q.profile || v->model.metric >= q.profile->sizes.metric_count)
        return flm_query_end(&q, why);
    struct flm_response_code *code = flm_query_take(&q, 1, sizeof *code);
    if (!flm_viewer_make_code(v, why))
        return flm_query_fail(&q);
    if (!code)
        return flm_query_end(&q, why);
    flm_number_parse_uint(flm_query_take_word(&argument), &parts);
    unsigned flags = v->model.code.flags;
    code->title = flm_query_copy(&q, flm_code_part(&v->model.code.of, 0));
    code->module = flm_query_copy(&q, flm_code_part(&v->model.code.of, 1));
    code->compared = v->scene.compared != NULL;
    code->assembly = flags & FLM_CODE_ASSEMBLY;
    code->file = flags & FLM_CODE_FILE;
    code->whole = flags & FLM_CODE_WHOLE;
    code->inlined = flags & FLM_CODE_INLINED;
    struct flm_bytes metric = flm_string_bytes(q.profile, q.profile->metrics[q.metric.index].name);
    if (flm_metric_skid(metric)) {
        struct flm_text *out = flm_query_scratch(&q);
        flm_text_add(out, metric);
        flm_text_format(out, ": %s", flm_metric_skid(metric));
        code->event = flm_query_scratch_copy(&q);
    }
    add_left_out(&q, code);
    code->share_of = flm_query_text(&q, code->file ? "the file" : "the function");
    response->code = code;
    bool good = true;
    if (v->scene.code.listing) {
        add_listing(&q, code, parts < MOST_PARTS ? (uint32_t)parts : MOST_PARTS);
        good = add_stack(&q, code, why);
    } else {
        code->empty = flm_query_text(&q, "The function is not in what is shown");
    }
    /* Of a million lines they take longer than all else. */
    bool is_quick = flm_bytes_are(argument, "quick") && !v->scene.code.has_hottest;
    if (!good || (!is_quick && !add_hottest(&q, code, why)))
        return flm_query_fail(&q);
    return flm_query_end(&q, why);
}

/* ---- As text --------------------------------------------------------------------------------- */

static void add_cell(struct flm_text *out, struct flm_bytes text, int width)
{
    for (int i = (int)flm_cells(text).cells; i < width; i++)
        flm_text_putc(out, ' ');
    flm_text_add(out, text);
}

static void add_text_row(struct flm_text *out, const struct flm_response_code_row *row,
                         bool compared)
{
    add_cell(out, row->self, 8);
    add_cell(out, compared ? row->before : row->total, 9);
    if (compared)
        add_cell(out, row->change, 10);
    add_cell(out, row->number, 8);
    flm_text_puts(out, "  ");
    for (double i = 0; i < row->depth; i++)
        flm_text_puts(out, "  ");
    for (size_t i = 0; i < row->pieces.count; i++)
        flm_text_add(out, row->pieces.at[i].text);
    while (out->size > 0 && out->at[out->size - 1] == ' ')
        out->size--;
    flm_text_putc(out, '\n');
}

bool flm_query_code_text(struct flm_viewer *v, bool markdown, struct flm_text *out,
                         struct flm_error *why)
{
    static const char *const sides[] = {"source", "assembly"};
    struct flm_response head = {0}, rows = {0};
    char query[64];
    struct flm_text text;
    bool good = flm_viewer_query(v, flm_bytes_of("code 0"), &head, why);
    const struct flm_response_code *code = head.code;
    for (int side = 0; good && code && side < 1 + code->assembly; side++) {
        flm_text_puts(out, markdown ? "### " : "");
        flm_text_add(out, code->title);
        flm_text_puts(out, ", ");
        flm_text_add(out, side ? code->machine : code->place);
        flm_text_puts(out, ": self ");
        flm_text_add(out, code->self);
        flm_text_puts(out, ", total ");
        flm_text_add(out, code->total);
        if (side && code->warns) {
            flm_text_puts(out, markdown ? "\n\n" : "\n");
            flm_text_add(out, code->assembly_status);
        }
        flm_text_puts(out, markdown ? "\n\n```\n" : "\n");
        add_cell(out, flm_bytes_of("self"), 8);
        add_cell(out, flm_bytes_of(code->compared ? "before" : "total"), 9);
        if (code->compared)
            add_cell(out, flm_bytes_of("change"), 10);
        add_cell(out, flm_bytes_of(side ? "address" : "line"), 8);
        flm_text_putc(out, '\n');
        flm_text_init_fixed(&text, query, sizeof query - 1);
        flm_text_format(&text, "code-rows %s 0 %d", sides[side], MOST_COPIED);
        good = flm_viewer_query(v, (struct flm_bytes){text.at, text.size}, &rows, why);
        for (size_t i = 0; good && rows.code_rows && i < rows.code_rows->rows.count; i++)
            add_text_row(out, &rows.code_rows->rows.at[i], code->compared);
        double count = side ? code->assembly_count : code->source_count;
        if (good && count > MOST_COPIED)
            flm_text_format(out, "%u more rows are left out\n", (uint32_t)count - MOST_COPIED);
        flm_text_puts(out, markdown ? "```\n" : "");
    }
    flm_response_clear(&head);
    flm_response_clear(&rows);
    return good;
}

/* ---- What is missing ------------------------------------------------------------------------- */

static void want_file(struct flm_query *q, struct flm_response_code_wanted *wanted, uint32_t file)
{
    const struct flm_code_store *store = q->viewer->scene.code.store;
    struct flm_bytes name = flm_string_bytes(q->profile, file);
    if (file == 0 || wanted->files.count == MOST_FILES ||
        (store && flm_code_store_file(store, name)))
        return;
    for (size_t i = 0; i < wanted->files.count; i++)
        if (flm_bytes_equal(wanted->files.at[i], name))
            return;
    wanted->files.at[wanted->files.count++] = flm_query_copy(q, name);
}

static const char *side_name(unsigned char known_as)
{
    return known_as == 0 ? "none" : known_as == 1 + FLM_VIEWER_BEFORE ? "before" : "after";
}

/* Whom to ask: the side that still has the function first. False: nobody has the code of what is
 * shown. Machine code is of one build, source files may be those of the other. */
static bool find_sides(struct flm_query *q, struct flm_response_code_wanted *wanted)
{
    const struct flm_viewer *v = q->viewer;
    const unsigned char *known = v->model.known_as;
    bool has_two = v->scene.compared && v->model.opened[FLM_VIEWER_BEFORE];
    bool is_gone = has_two && flm_listing_sum(v->scene.code.listing, false).total == 0;
    unsigned char side = known[is_gone ? FLM_VIEWER_BEFORE : FLM_VIEWER_AFTER],
                  other = has_two ? known[is_gone ? FLM_VIEWER_AFTER : FLM_VIEWER_BEFORE] : 0;
    wanted->assembly = wanted->assembly && side != 0;
    wanted->alone = is_gone || (has_two && flm_listing_sum(v->scene.code.listing, true).total == 0);
    wanted->side = flm_query_text(q, side_name(side));
    wanted->other = flm_query_text(q, side_name(other));
    return side != 0 || other != 0;
}

bool flm_query_code_wanted(struct flm_viewer *v, struct flm_bytes argument,
                           struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!flm_viewer_make_code(v, why))
        return flm_query_fail(&q);
    const struct flm_code_rows *code = &v->scene.code;
    struct flm_response_code_wanted *wanted =
        q.profile && code->listing ? flm_query_take(&q, 1, sizeof *wanted) : NULL;
    struct flm_listing_row *rows =
        wanted ? flm_query_take(&q, MOST_FILES * 10, sizeof *rows) : NULL;
    if (!rows)
        return flm_query_end(&q, why);
    size_t count;
    const uint32_t *files = flm_listing_files(code->listing, &count);
    struct flm_bytes function = flm_string_bytes(q.profile, code->subject.function),
                     module = flm_string_bytes(q.profile, code->subject.module);
    wanted->files.at = flm_query_take(&q, MOST_FILES, sizeof *wanted->files.at);
    for (size_t i = 0; wanted->files.at && i < count; i++)
        want_file(&q, wanted, files[i]);
    /* Inlined code is from other files. */
    uint32_t all = flm_listing_count(code->listing, FLM_LISTING_SOURCE), got = 0;
    for (uint32_t from = 0; wanted->files.at && from < all && from < 4000; from += got) {
        got = flm_listing_rows(code->listing, FLM_LISTING_SOURCE, from, MOST_FILES * 10, rows);
        for (uint32_t i = 0; i < got; i++)
            want_file(&q, wanted, rows[i].file);
    }
    wanted->assembly = v->model.code.flags & FLM_CODE_ASSEMBLY && !code->subject.file &&
                       !(code->store && flm_code_store_function(code->store, function, module));
    wanted->function = flm_query_copy(&q, function);
    wanted->module = flm_query_copy(&q, module);
    wanted->store = code->store_number;
    if (find_sides(&q, wanted) && (wanted->assembly || wanted->files.count > 0))
        response->code_wanted = wanted;
    return flm_query_end(&q, why);
}
