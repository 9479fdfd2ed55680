/* listing_assembly.c - the rows of machine code: instructions with their costs, the source lines
 * that they are of, and folds for blocks that cost nothing. */
#include <math.h>

#include "base/core/hash.h"
#include "code/internal.h"

/* Of a block that is longer than this, only what is near a cost is shown. */
enum { LONG_BLOCK = 48, NEAR = 8, CONTEXT = 2 };

struct arranging {
    struct flm_listing *listing;
    const struct flm_listing_options *options;
    struct flm_listing_column *column;
    unsigned char *is_shown; /* by instruction */
};

/* ---- Costs at instructions ------------------------------------------------------------------- */

/* Stacks may have several of these addresses, and count once in what the function costs. */
static double capped(double total, double whole)
{
    return fabs(total) > fabs(whole) ? whole : total;
}

static void add_unplaced(struct flm_listing *l, const struct flm_code_item *item)
{
    l->has_unplaced = true;
    l->unplaced.self += item->cost.self;
    l->unplaced.total = capped(l->unplaced.total + item->cost.total, l->costs.sum.total);
    l->unplaced_before.self += item->before.self;
    l->unplaced_before.total =
        capped(l->unplaced_before.total + item->before.total, l->costs.sum_before.total);
}

/* Both ascend by address. An address may be inside of an instruction: that of a call is. */
static void place_costs(struct flm_listing *l)
{
    const struct flm_code_function *f = l->code;
    size_t at = 0;
    for (size_t i = l->costs.address_first; i < l->costs.items.count; i++) {
        uint32_t number = l->costs.order[i];
        struct flm_code_item *item = &l->costs.items.at[number];
        while (at < f->instruction_count &&
               f->instructions[at].address + f->instructions[at].size <= item->address)
            at++;
        bool is_there = at < f->instruction_count && item->address != 0 &&
                        f->instructions[at].address <= item->address;
        if (!is_there) {
            add_unplaced(l, item);
        } else if (l->item_of[at] == FLM_NONE) {
            l->item_of[at] = number;
        } else { /* two addresses of one instruction are one row */
            struct flm_code_item *first = &l->costs.items.at[l->item_of[at]];
            first->cost.self += item->cost.self;
            bool is_nested = first->nested_in == item->address;
            first->cost.total += item->cost.total - (is_nested ? first->nested : 0);
            first->before.self += item->before.self;
            first->before.total += item->before.total - (is_nested ? first->nested_before : 0);
            item->cost = item->before = (struct flm_listing_cost){0, 0};
        }
    }
}

/* The files of the code that lines with a cost are of. */
static void match_files(struct flm_listing *l)
{
    const struct flm_profile *p = l->subject.profile;
    for (size_t k = 0; k < l->code->file_count; k++)
        for (size_t i = 0; i < l->costs.items.count && l->file_of[k] == 0; i++) {
            uint32_t file = l->costs.items.at[i].file;
            if (file && flm_bytes_equal(flm_string_bytes(p, file), l->code->files[k]))
                l->file_of[k] = file;
        }
}

static void clear_code(struct flm_listing *l)
{
    free(l->item_of);
    free(l->self_up_to);
    free(l->file_of);
    free(l->is_again);
    l->is_again = NULL;
    l->item_of = NULL;
    l->self_up_to = NULL;
    l->file_of = NULL;
    flm_jumps_clear(&l->jumps);
    l->has_unplaced = false;
    l->unplaced = l->unplaced_before = (struct flm_listing_cost){0, 0};
}

/* Runs of instructions of one line: of optimized code, a line has many. False when memory ran
 * out. */
static bool count_runs(struct flm_listing *l)
{
    const struct flm_code_function *f = l->code;
    struct flm_index seen = {0};
    uint32_t file = FLM_CODE_NONE, line = 0;
    bool good = true;
    l->lines = l->line_runs = 0;
    for (uint32_t i = 0; good && i < f->instruction_count; i++) {
        const struct flm_code_instruction *at = &f->instructions[i];
        if (!at->line || (at->file == file && at->line == line))
            continue;
        file = at->file;
        line = at->line;
        const uint32_t key[2] = {file, line};
        uint32_t hash = (uint32_t)(flm_hash(key, sizeof key) >> 32);
        for (struct flm_probe probe = flm_index_probe(&seen, hash);
             flm_index_next(&seen, &probe);) {
            const struct flm_code_instruction *before = &f->instructions[probe.found];
            if (before->file == file && before->line == line)
                l->is_again[i] = 1;
        }
        l->line_runs++;
        l->lines += !l->is_again[i];
        good = l->is_again[i] || flm_index_add(&seen, hash, i);
    }
    flm_index_clear(&seen);
    return good;
}

static bool take_code(struct flm_listing *l)
{
    const struct flm_code_function *f = l->code;
    size_t count = f->instruction_count;
    l->item_of = malloc((count + 1) * sizeof *l->item_of);
    l->self_up_to = malloc((count + 1) * sizeof *l->self_up_to);
    l->file_of = calloc(f->file_count + 1, sizeof *l->file_of);
    l->is_again = calloc(count + 1, 1);
    if (!l->item_of || !l->self_up_to || !l->file_of || !l->is_again || !count_runs(l) ||
        !flm_jumps_init(&l->jumps, f->instructions, count))
        return false;
    for (size_t i = 0; i < count; i++)
        l->item_of[i] = FLM_NONE;
    place_costs(l);
    l->self_up_to[0] = 0;
    for (size_t i = 0; i < count; i++)
        l->self_up_to[i + 1] =
            l->self_up_to[i] +
            (l->item_of[i] == FLM_NONE ? 0 : l->costs.items.at[l->item_of[i]].cost.self);
    match_files(l);
    return true;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static void show(struct arranging *a, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        a->is_shown[i] = 1;
}

static void show_near(struct arranging *a, uint32_t at, uint32_t near)
{
    uint32_t count = a->listing->jumps.count;
    show(a, at > near ? at - near : 0, at + near < count ? at + near + 1 : count);
}

/* Blocks with a cost, and a little around them. */
static void choose(struct arranging *a)
{
    const struct flm_listing *l = a->listing;
    uint32_t count = l->jumps.count;
    for (uint32_t first = 0; first < count;) {
        uint32_t end = first + 1;
        while (end < count && !l->jumps.is_block[end])
            end++;
        bool is_hot = false;
        for (uint32_t i = first; i < end; i++) {
            if (l->item_of[i] == FLM_NONE)
                continue;
            is_hot = true;
            show_near(a, i, end - first > LONG_BLOCK ? NEAR : CONTEXT);
        }
        if (is_hot && end - first <= LONG_BLOCK)
            show(a, first, end);
        a->listing->figures.blocks++;
        a->listing->figures.hot_blocks += is_hot;
        first = end;
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void flm_listing_fill_instruction(const struct flm_listing *l, uint32_t i,
                                  struct flm_listing_row *row)
{
    const struct flm_code_instruction *at = &l->code->instructions[i];
    const struct flm_code_item *item =
        l->item_of[i] == FLM_NONE ? NULL : &l->costs.items.at[l->item_of[i]];
    row->instruction = i;
    row->address = at->address;
    row->is_block = l->jumps.is_block[i] & 1;
    row->is_loop = l->jumps.is_block[i] & 2;
    row->code_file = at->file;
    row->line = at->line;
    if (at->line && at->file < l->code->file_count)
        row->file = l->file_of[at->file];
    uint32_t inlined = at->inlined;
    while (inlined != FLM_CODE_NONE && l->code->inlined[inlined].caller != FLM_CODE_NONE)
        inlined = l->code->inlined[inlined].caller;
    if (inlined == FLM_CODE_NONE) {
        row->site_file = row->file;
        row->site_line = row->line;
    } else if (l->code->inlined[inlined].file < l->code->file_count) {
        row->site_file = l->file_of[l->code->inlined[inlined].file];
        row->site_line = l->code->inlined[inlined].line;
    }
    if (item) {
        row->has_cost = true;
        row->cost = item->cost;
        row->before = item->before;
        row->site_file = item->site_file;
        row->site_line = item->site_line;
        if (!at->line) {
            row->file = item->file;
            row->line = item->line;
        }
    }
    const struct flm_jump *jump = row->is_loop ? flm_jumps_to(&l->jumps, i) : NULL;
    if (jump)
        row->loop_self = l->self_up_to[jump->last + 1] - l->self_up_to[i];
}

static bool add_instructions(struct arranging *a, uint32_t first, uint32_t end)
{
    const struct flm_code_function *f = a->listing->code;
    while (first < end) {
        uint32_t to = first + 1;
        const struct flm_code_instruction *at = &f->instructions[first];
        while (to < end && f->instructions[to].line == at->line &&
               f->instructions[to].file == at->file)
            to++;
        struct flm_listing_run heading = {
            .item = FLM_NONE, .kind = FLM_LISTING_SOURCE_LINE, .line = first};
        struct flm_listing_run run = {
            .item = FLM_NONE, .kind = FLM_LISTING_INSTRUCTION, .line = first};
        if ((at->line && !flm_listing_add(a->column, &heading, 1)) ||
            !flm_listing_add(a->column, &run, to - first))
            return false;
        first = to;
    }
    return true;
}

static bool add_fold(struct arranging *a, uint32_t first, uint32_t end)
{
    struct flm_listing_run fold = {
        .item = FLM_NONE,
        .kind = FLM_LISTING_FOLD,
        .line = first,
        .count = end - first,
        .can_open = true,
        .key = flm_listing_key(1, FLM_LISTING_FOLD, (struct flm_bytes){"", 0},
                               a->listing->code->instructions[first].address)};
    fold.is_open = flm_listing_is_open(a->options, fold.key, false);
    return flm_listing_add(a->column, &fold, 1) &&
           (!fold.is_open || add_instructions(a, first, end));
}

static bool add_code(struct arranging *a)
{
    uint32_t count = a->listing->jumps.count;
    a->is_shown = calloc((size_t)count + 1, 1);
    if (!a->is_shown)
        return false;
    choose(a);
    bool good = true;
    for (uint32_t first = 0; good && first < count;) {
        uint32_t end = first + 1;
        while (end < count && a->is_shown[end] == a->is_shown[first])
            end++;
        bool is_folded =
            !a->is_shown[first] && end - first > 1 && !a->options->whole[FLM_LISTING_ASSEMBLY];
        good = is_folded ? add_fold(a, first, end) : add_instructions(a, first, end);
        first = end;
    }
    free(a->is_shown);
    return good;
}

/* Without the code: the addresses that have a cost. */
static bool add_addresses(struct arranging *a)
{
    struct flm_listing *l = a->listing;
    uint32_t file = 0, line = 0;
    for (size_t i = l->costs.address_first; i < l->costs.items.count; i++) {
        uint32_t number = l->costs.order[i];
        const struct flm_code_item *item = &l->costs.items.at[number];
        if (item->address == 0 || item->address == FLM_CODE_ELSEWHERE) {
            add_unplaced(l, item);
            continue;
        }
        struct flm_listing_run run = {.item = number,
                                      .kind = FLM_LISTING_SOURCE_LINE,
                                      .file = item->file,
                                      .line = item->line};
        bool is_other = item->line && (item->file != file || item->line != line);
        if (is_other && !flm_listing_add(a->column, &run, 1))
            return false;
        file = item->file;
        line = item->line;
        run.kind = FLM_LISTING_INSTRUCTION;
        if (!flm_listing_add(a->column, &run, 1))
            return false;
    }
    return true;
}

bool flm_listing_arrange_assembly(struct flm_listing *l, const struct flm_code_store *store,
                                  const struct flm_listing_options *options)
{
    const struct flm_profile *p = l->subject.profile;
    const struct flm_code_function *code =
        store && !l->subject.file
            ? flm_code_store_function(store, flm_string_bytes(p, l->subject.function),
                                      flm_string_bytes(p, l->subject.module))
            : NULL;
    if (code && code->instruction_count == 0)
        code = NULL;
    struct arranging a = {l, options, &l->column[FLM_LISTING_ASSEMBLY], NULL};
    l->figures = (struct flm_listing_figures){0};
    if (code != l->code || !code)
        clear_code(l);
    bool is_new = code && code != l->code;
    l->code = code;
    if (is_new && !take_code(l)) {
        clear_code(l);
        l->code = NULL;
        return false;
    }
    if (code ? !add_code(&a) : !add_addresses(&a))
        return false;
    l->figures.jumps_hidden = l->jumps.hidden;
    l->figures.lines = code ? l->lines : 0;
    l->figures.line_runs = code ? l->line_runs : 0;
    const struct flm_listing_run unknown = {.item = FLM_NONE, .kind = FLM_LISTING_UNKNOWN};
    return !l->has_unplaced || flm_listing_add(a.column, &unknown, 1);
}
