#include "code/listing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/core/hash.h"
#include "code/internal.h"

const char flm_other_build_sentence[] =
    "before, it was another build: costs of then are at none of these instructions";

const char flm_no_lines_sentence[] =
    "No line is known. Of a recording: compile with -g; or open it with --debuginfod and "
    "DEBUGINFOD_URLS=https://debuginfod.elfutils.org, or with --symbols /usr/lib/debug when its "
    "-dbgsym package is installed";

struct flm_listing *flm_listing_new(const struct flm_listing_subject *subject,
                                    struct flm_error *why)
{
    assert(subject && subject->profile &&
           subject->metric.index < subject->profile->sizes.metric_count);
    struct flm_listing *l = calloc(1, sizeof *l);
    if (!l) {
        flm_error_memory(why);
        return NULL;
    }
    l->subject = *subject;
    if (flm_code_costs_init(&l->costs, subject, why))
        return l;
    free(l);
    return NULL;
}

static void clear_rows(struct flm_listing *l)
{
    for (int side = 0; side < FLM_LISTING_SIDES; side++) {
        FLM_ARRAY_CLEAR(&l->column[side].runs);
        l->column[side].row_count = 0;
    }
}

void flm_listing_free(struct flm_listing *l)
{
    if (!l)
        return;
    clear_rows(l);
    flm_code_costs_clear(&l->costs);
    flm_jumps_clear(&l->jumps);
    free(l->item_of);
    free(l->self_up_to);
    free(l->file_of);
    free(l->is_again);
    free(l);
}

/* ---- Making rows ----------------------------------------------------------------------------- */

bool flm_listing_add(struct flm_listing_column *column, const struct flm_listing_run *run,
                     uint32_t rows)
{
    struct flm_listing_run added = *run;
    added.row = column->row_count;
    column->row_count += rows;
    return FLM_ARRAY_ADD(&column->runs, added);
}

uint64_t flm_listing_key(uint64_t parent, uint32_t kind, struct flm_bytes name, uint64_t number)
{
    const uint64_t key[4] = {parent, kind, flm_hash(name.at, name.size), number};
    return flm_hash(key, sizeof key);
}

bool flm_listing_is_open(const struct flm_listing_options *options, uint64_t key, bool is_inlined)
{
    bool is_named = false;
    for (size_t i = 0; i < options->open.count && !is_named; i++)
        is_named = options->open.key[i] == key;
    return is_named != (is_inlined && options->inlined);
}

bool flm_listing_arrange(struct flm_listing *l, const struct flm_code_store *store,
                         const struct flm_listing_options *options, struct flm_error *why)
{
    clear_rows(l);
    if (!flm_listing_arrange_source(l, store, options) ||
        !flm_listing_arrange_assembly(l, store, options)) {
        clear_rows(l);
        return flm_error_memory(why);
    }
    for (int side = 0; side < FLM_LISTING_SIDES; side++)
        l->column[side].most = 0;
    for (size_t i = 0; i < l->costs.items.count; i++) {
        const struct flm_code_item *item = &l->costs.items.at[i];
        bool is_address = item->kind == FLM_CODE_ADDRESS;
        double *most = &l->column[is_address ? FLM_LISTING_ASSEMBLY : FLM_LISTING_SOURCE].most;
        double self = fmax(fabs(item->cost.self), fabs(item->before.self));
        bool is_row =
            item->kind != FLM_CODE_INLINED && !(is_address && item->address == FLM_CODE_ELSEWHERE);
        if (is_row && self > *most)
            *most = self;
    }
    return true;
}

/* ---- Asking for rows ------------------------------------------------------------------------- */

uint32_t flm_listing_count(const struct flm_listing *l, enum flm_listing_side side)
{
    return l->column[side].row_count;
}

/* The run that has a row. */
static size_t run_of(const struct flm_listing_column *column, uint32_t row)
{
    size_t low = 0, high = column->runs.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (column->runs.at[middle].row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fill_from_item(const struct flm_listing *l, const struct flm_listing_run *run,
                           struct flm_listing_row *row)
{
    const struct flm_code_item *item = &l->costs.items.at[run->item];
    row->function = item->function;
    row->module = item->module;
    row->address = item->address;
    row->site_file = item->site_file;
    row->site_line = item->site_line;
    if (run->kind == FLM_LISTING_FUNCTION || run->kind == FLM_LISTING_SOURCE_LINE)
        return;
    row->has_cost = true;
    row->cost = item->cost;
    row->before = item->before;
}

static void fill_assembly(const struct flm_listing *l, const struct flm_listing_run *run,
                          uint32_t at, struct flm_listing_row *row)
{
    if (run->kind == FLM_LISTING_UNKNOWN) {
        row->has_cost = true;
        row->cost = l->unplaced;
        row->before = l->unplaced_before;
        return;
    }
    if (!l->code)
        return;
    uint32_t first = run->line + at, end = first;
    row->file = row->line = 0;
    if (run->kind == FLM_LISTING_INSTRUCTION) {
        flm_listing_fill_instruction(l, first, row);
        end = first + 1;
    } else if (run->kind == FLM_LISTING_SOURCE_LINE) {
        struct flm_listing_row next = *row;
        flm_listing_fill_instruction(l, first, &next);
        row->file = next.file;
        row->line = next.line;
        row->code_file = next.code_file;
        row->is_again = l->is_again[first];
    } else {
        row->instruction = first;
        row->address = l->code->instructions[first].address;
        end = first + (run->is_open ? 0 : run->count);
    }
    flm_jumps_lanes(&l->jumps, first, end, row->lane);
}

static struct flm_listing_row row_of(const struct flm_listing *l, enum flm_listing_side side,
                                     const struct flm_listing_run *run, uint32_t at)
{
    struct flm_listing_row row = {
        .kind = (enum flm_listing_kind)run->kind,
        .can_open = run->can_open,
        .is_open = run->is_open,
        .depth = run->depth,
        .file = run->file,
        .code_file = FLM_NONE,
        .line = run->line,
        .count = run->count,
        .instruction = FLM_NONE,
        .key = run->key,
    };
    if (run->item != FLM_NONE)
        fill_from_item(l, run, &row);
    if (side == FLM_LISTING_ASSEMBLY)
        fill_assembly(l, run, at, &row);
    else
        row.line += at;
    return row;
}

uint32_t flm_listing_rows(const struct flm_listing *l, enum flm_listing_side side, uint32_t from,
                          uint32_t count, struct flm_listing_row *rows)
{
    const struct flm_listing_column *column = &l->column[side];
    uint32_t end = from < column->row_count ? column->row_count : from;
    end = count < end - from ? from + count : end;
    size_t run = run_of(column, from);
    for (uint32_t row = from; row < end; row++) {
        while (run + 1 < column->runs.count && column->runs.at[run + 1].row <= row)
            run++;
        rows[row - from] = row_of(l, side, &column->runs.at[run], row - column->runs.at[run].row);
    }
    return end - from;
}

const struct flm_code_function *flm_listing_code(const struct flm_listing *l)
{
    return l->code;
}

struct flm_listing_cost flm_listing_sum(const struct flm_listing *l, bool before)
{
    return before ? l->costs.sum_before : l->costs.sum;
}

double flm_listing_most(const struct flm_listing *l, enum flm_listing_side side)
{
    return l->column[side].most;
}

const uint32_t *flm_listing_files(const struct flm_listing *l, size_t *count)
{
    *count = l->costs.file_count;
    return l->costs.files;
}

struct flm_listing_figures flm_listing_figures(const struct flm_listing *l)
{
    return l->figures;
}

/* ---- Going through all rows ------------------------------------------------------------------ */

/* The |self| of a row of a run; -1: it has none. */
static double self_of(const struct flm_listing *l, const struct flm_listing_run *run, uint32_t at)
{
    uint32_t item = run->item;
    if (run->kind == FLM_LISTING_INSTRUCTION && l->code)
        item = l->item_of[run->line + at];
    else if (run->kind != FLM_LISTING_LINE && run->kind != FLM_LISTING_INSTRUCTION)
        return -1;
    if (item == FLM_NONE)
        return -1;
    return fmax(fabs(l->costs.items.at[item].cost.self), fabs(l->costs.items.at[item].before.self));
}

static uint32_t rows_in(const struct flm_listing_column *column, size_t run)
{
    uint32_t end = run + 1 < column->runs.count ? column->runs.at[run + 1].row : column->row_count;
    return end - column->runs.at[run].row;
}

void flm_listing_overview(const struct flm_listing *l, enum flm_listing_side side, double *self,
                          uint32_t count)
{
    const struct flm_listing_column *column = &l->column[side];
    memset(self, 0, count * sizeof *self);
    for (size_t r = 0; r < column->runs.count && count > 0; r++) {
        const struct flm_listing_run *run = &column->runs.at[r];
        bool has_costs = run->item != FLM_NONE || (run->kind == FLM_LISTING_INSTRUCTION && l->code);
        uint32_t rows = has_costs ? rows_in(column, r) : 0;
        for (uint32_t i = 0; i < rows; i++) {
            double value = self_of(l, run, i);
            uint32_t at = (uint32_t)((uint64_t)(run->row + i) * count / column->row_count);
            if (value > self[at])
                self[at] = value;
        }
    }
}

uint32_t flm_listing_hottest(const struct flm_listing *l, enum flm_listing_side side)
{
    const struct flm_listing_column *column = &l->column[side];
    uint32_t best = FLM_NONE;
    double most = 0;
    for (size_t r = 0; r < column->runs.count; r++) {
        uint32_t rows = rows_in(column, r);
        for (uint32_t i = 0; i < rows; i++) {
            double value = self_of(l, &column->runs.at[r], i);
            if (value > most) {
                most = value;
                best = column->runs.at[r].row + i;
            }
            if (column->runs.at[r].kind == FLM_LISTING_LINE && value < 0)
                break; /* lines without a cost */
        }
    }
    return best;
}

uint32_t flm_listing_row_of_line(const struct flm_listing *l, uint32_t file, uint32_t line)
{
    const struct flm_listing_column *column = &l->column[FLM_LISTING_SOURCE];
    uint32_t best = FLM_NONE, distance = UINT32_MAX;
    for (size_t r = 0; r < column->runs.count; r++) {
        const struct flm_listing_run *run = &column->runs.at[r];
        bool is_fold = run->kind == FLM_LISTING_FOLD && !run->is_open;
        if (run->file != file || (run->kind != FLM_LISTING_LINE && !is_fold))
            continue;
        uint32_t rows = rows_in(column, r), lines = is_fold ? run->count : rows;
        uint32_t nearest = line < run->line            ? run->line
                           : line >= run->line + lines ? run->line + lines - 1
                                                       : line;
        uint32_t away = nearest > line ? nearest - line : line - nearest;
        if (away < distance) {
            distance = away;
            best = run->row + (is_fold ? 0 : nearest - run->line);
        }
    }
    return best;
}

static bool is_place(uint32_t file, uint32_t line, const struct flm_code_item *item)
{
    return (item->file == file && item->line == line) ||
           (item->site_file == file && item->site_line == line);
}

/* Whether an instruction is of a line, or of what was inlined there, as its row says it. */
static bool is_of_line(const struct flm_listing *l, uint32_t instruction, uint32_t file,
                       uint32_t line)
{
    const struct flm_code_instruction *at = &l->code->instructions[instruction];
    uint32_t number = l->item_of[instruction], inlined = at->inlined;
    const struct flm_code_item *item = number == FLM_NONE ? NULL : &l->costs.items.at[number];
    if (at->line == line && at->file < l->code->file_count && l->file_of[at->file] == file)
        return true;
    if (item)
        return at->line ? item->site_file == file && item->site_line == line
                        : is_place(file, line, item);
    while (inlined != FLM_CODE_NONE && l->code->inlined[inlined].caller != FLM_CODE_NONE)
        inlined = l->code->inlined[inlined].caller;
    const struct flm_code_inlined *site =
        inlined == FLM_CODE_NONE ? NULL : &l->code->inlined[inlined];
    return site && site->line == line && site->file < l->code->file_count &&
           l->file_of[site->file] == file;
}

/* Searches the instructions, not their rows: making rows, with their jumps, takes many times as
 * long. */
uint32_t flm_listing_row_of_source(const struct flm_listing *l, uint32_t file, uint32_t line)
{
    uint64_t best = 0;
    double most = -1;
    for (uint32_t i = 0; l->code && i < l->code->instruction_count; i++) {
        double self =
            l->item_of[i] == FLM_NONE ? 0 : fabs(l->costs.items.at[l->item_of[i]].cost.self);
        if (self > most && is_of_line(l, i, file, line)) {
            most = self;
            best = l->code->instructions[i].address;
        }
    }
    for (size_t i = l->costs.address_first; !l->code && i < l->costs.items.count; i++) {
        const struct flm_code_item *item = &l->costs.items.at[l->costs.order[i]];
        if (fabs(item->cost.self) > most && is_place(file, line, item)) {
            most = fabs(item->cost.self);
            best = item->address;
        }
    }
    return most < 0 ? FLM_NONE : flm_listing_row_of_address(l, best);
}

uint32_t flm_listing_row_of_address(const struct flm_listing *l, uint64_t address)
{
    const struct flm_listing_column *column = &l->column[FLM_LISTING_ASSEMBLY];
    uint32_t best = FLM_NONE;
    for (size_t r = 0; r < column->runs.count; r++) {
        const struct flm_listing_run *run = &column->runs.at[r];
        if (run->kind != FLM_LISTING_INSTRUCTION && run->kind != FLM_LISTING_FOLD)
            continue;
        uint32_t rows = run->kind == FLM_LISTING_FOLD ? 1 : rows_in(column, r);
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t at = l->code ? l->code->instructions[run->line + i].address
                                  : l->costs.items.at[run->item].address;
            if (at > address)
                return best;
            best = run->row + i;
        }
    }
    return best;
}
