/* allocated_stacks.c - the stacks of allocations, as rows. */
#include "report/probe/allocated_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "base/core/sort.h"
#include "draw/text/quantity.h"

/* ---- Names of frames ------------------------------------------------------------------------- */

struct frame {
    uint64_t address;
    size_t start, size; /* of its name */
    bool is_hidden;     /* of the probe: between a function and its caller */
};

/* Many stacks have the same frames: each address is named once. */
struct frames {
    const struct flm_probe_decoded *decoded;
    const struct flm_report_options *options;
    size_t file;
    struct flm_index index;
    struct FLM_ARRAY(struct frame) all;
    struct flm_text texts;
};

/* What is around main, and around the first function of a thread, tells nothing. */
static bool is_start(struct flm_bytes name)
{
    static const char *const starts[] = {
        "_start",  "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3",
        "__clone", "__clone3",          "__clone_internal",       "thread_start"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (flm_bytes_are(name, starts[i]))
            return true;
    return flm_bytes_start_with(name, "__libc_start_");
}

/* The name of the code that calls, at an address to return to; NULL: no memory. */
static const struct frame *frame_at(struct frames *f, uint64_t address)
{
    enum { MOST_SIZE = 160 };
    uint32_t hash = flm_hash_numbers(address, 0);
    for (struct flm_probe at = flm_index_probe(&f->index, hash); flm_index_next(&f->index, &at);)
        if (f->all.at[at.found].address == address)
            return &f->all.at[at.found];
    uint64_t calls = address - (address > 0);
    struct frame frame = {.address = address,
                          .start = f->texts.size,
                          .is_hidden = flm_probe_is_own_code(f->decoded, calls)};
    flm_probe_name_address(f->decoded, f->options, f->file, calls, &f->texts);
    if (f->texts.size - frame.start > MOST_SIZE) {
        f->texts.size = frame.start + MOST_SIZE;
        flm_text_puts(&f->texts, "...");
    }
    frame.size = f->texts.size - frame.start;
    if (f->texts.failed || !FLM_ARRAY_ADD(&f->all, frame) ||
        !flm_index_add(&f->index, hash, (uint32_t)f->all.count - 1))
        return NULL;
    return &f->all.at[f->all.count - 1];
}

/* A part of a library that has no name for it, where it calls the program: "libc.so.6+0x27249". */
static bool is_library(struct flm_bytes name)
{
    return (flm_bytes_start_with(name, "lib") || flm_bytes_start_with(name, "ld-")) &&
           memchr(name.at, '+', name.size) && !memchr(name.at, '(', name.size);
}

static struct flm_bytes name_of(const struct frames *f, const struct frame *frame)
{
    return (struct flm_bytes){f->texts.at + frame->start, frame->size};
}

/* Which frames are shown: not the allocator's own, and not what is around the program's. */
static bool find_shown(struct frames *f, const struct flm_probe_stack *stack, uint32_t *first,
                       uint32_t *end)
{
    uint32_t count = stack->count < FLM_PROBE_MOST_STACK ? stack->count : FLM_PROBE_MOST_STACK;
    *first = *end = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct frame *frame = frame_at(f, stack->frame[i]);
        if (!frame)
            return false;
        struct flm_bytes name = name_of(f, frame);
        *first += *first == i && i + 1 < count && flm_bytes_start_with(name, "operator new");
        if (!is_library(name) && !is_start(name))
            *end = i + 1;
        if (flm_bytes_are(name, "main"))
            break;
    }
    *end = *end > *first ? *end : count;
    return true;
}

/* "get < parse < main". False: no memory. */
static bool add_frames(struct frames *f, const struct flm_probe_stack *stack, struct flm_text *to)
{
    enum { SHOWN = 12 };
    uint32_t first, end;
    if (!find_shown(f, stack, &first, &end))
        return false;
    uint32_t shown = 0;
    for (uint32_t i = first; i < end && shown <= SHOWN; i++) {
        const struct frame *frame = frame_at(f, stack->frame[i]);
        if (!frame || frame->is_hidden) /* each was found before */
            continue;
        flm_text_puts(to, shown > 0 ? " < " : "");
        flm_text_add(to, shown < SHOWN ? name_of(f, frame) : flm_bytes_of("..."));
        shown++;
    }
    if (shown == 0)
        flm_text_puts(to, "(no stack)");
    return !to->failed;
}

static void frames_clear(struct frames *f)
{
    flm_index_clear(&f->index);
    FLM_ARRAY_CLEAR(&f->all);
    flm_text_clear(&f->texts);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static struct flm_bytes text_of(const struct flm_probe_stacks *s, const struct flm_stack_row *row)
{
    return (struct flm_bytes){s->texts.at + row->start, row->size};
}

/* The row of the text that begins at `start`, which it has from then on; NULL: no memory. */
static struct flm_stack_row *row_of(struct flm_probe_stacks *s, size_t start)
{
    struct flm_stack_row fresh = {.start = start, .size = s->texts.size - start};
    struct flm_bytes text = text_of(s, &fresh);
    uint64_t whole = flm_hash(text.at, text.size);
    uint32_t hash = (uint32_t)(whole ^ whole >> 32);
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);)
        if (flm_bytes_equal(text_of(s, &s->rows.at[at.found]), text)) {
            s->texts.size = start;
            return &s->rows.at[at.found];
        }
    if (!FLM_ARRAY_ADD(&s->rows, fresh) ||
        !flm_index_add(&s->index, hash, (uint32_t)s->rows.count - 1))
        return NULL;
    return &s->rows.at[s->rows.count - 1];
}

/* Of a program that runs a block may be freed before it is seen that it was allocated. */
static double positive(uint64_t value)
{
    return value <= INT64_MAX ? (double)value : 0;
}

static bool add_stack(struct flm_probe_stacks *s, struct frames *frames,
                      const struct flm_probe_stack *stack)
{
    size_t start = s->texts.size;
    struct flm_stack_row *row = add_frames(frames, stack, &s->texts) ? row_of(s, start) : NULL;
    if (!row)
        return false;
    row->samples += positive(stack->samples);
    row->live += positive(stack->live_bytes);
    row->blocks += positive(stack->live_allocations) / FLM_PROBE_ALLOCATION_ONE;
    row->allocated += positive(stack->bytes);
    row->allocations += positive(stack->allocations) / FLM_PROBE_ALLOCATION_ONE;
    return true;
}

bool flm_probe_stacks_add(struct flm_probe_stacks *s, const struct flm_probe_decoded *d,
                          const struct flm_report_options *options, size_t file,
                          struct flm_error *why)
{
    struct frames frames = {.decoded = d, .options = options, .file = file};
    uint64_t rate = d->header.activity[FLM_PROBE_MEMORY].rate;
    bool good = true;
    s->rate = d->header.first_stack > 0 && s->rate != 1 ? rate : s->rate;
    s->has_unfreed |= d->header.state == FLM_PROBE_ENDED;
    for (uint32_t place = d->header.first_stack; good && place > 0;) {
        struct flm_probe_stack stack;
        memcpy(&stack, d->all.at + (size_t)place * FLM_PROBE_UNIT, sizeof stack);
        place = stack.next;
        if (rate != 1 || positive(stack.live_bytes) > 0)
            good = add_stack(s, &frames, &stack);
    }
    frames_clear(&frames);
    return good || flm_error_memory(why);
}

void flm_probe_stacks_clear(struct flm_probe_stacks *s)
{
    FLM_ARRAY_CLEAR(&s->rows);
    flm_index_clear(&s->index);
    flm_text_clear(&s->texts);
    *s = (struct flm_probe_stacks){0};
}

/* ---- The section ----------------------------------------------------------------------------- */

enum { LIVE, BLOCKS, ALLOCATED, ALLOCATIONS, SAMPLES, COLUMNS };

static const struct {
    const char *name, *heading, *unit;
} columns[COLUMNS] = {[LIVE] = {"live", "not freed", "bytes"},
                      [BLOCKS] = {"blocks", "blocks", ""},
                      [ALLOCATED] = {"allocated", "allocated", "bytes"},
                      [ALLOCATIONS] = {"allocations", "allocations", ""},
                      [SAMPLES] = {"samples", "samples", ""}};

static void find_values(const struct flm_stack_row *row, double *value)
{
    value[LIVE] = row->live;
    value[BLOCKS] = row->blocks;
    value[ALLOCATED] = row->allocated;
    value[ALLOCATIONS] = row->allocations;
    value[SAMPLES] = row->samples;
}

static bool is_leaks(const struct flm_probe_stacks *s)
{
    return s->rate == 1;
}

static double order_value(const struct flm_probe_stacks *s, uint32_t row)
{
    return is_leaks(s) ? s->rows.at[row].live : s->rows.at[row].allocated;
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
    double x = order_value(context, a), y = order_value(context, b);
    return x > y ? -1 : x < y ? 1 : a < b ? -1 : a > b;
}

/* By what they are about, the largest first, with room for as many behind them; NULL: no memory. */
static uint32_t *make_order(const struct flm_probe_stacks *s)
{
    uint32_t *order = malloc((2 * s->rows.count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < s->rows.count; i++)
        order[i] = i;
    if (order)
        flm_sort(order, s->rows.count, order + s->rows.count, compare, s);
    return order;
}

static size_t shown_of(const struct flm_probe_stacks *s, uint32_t most)
{
    return most > 0 && most < s->rows.count ? most : s->rows.count;
}

static uint64_t all_samples(const struct flm_probe_stacks *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows.count; i++)
        sum += s->rows.at[i].samples;
    return (uint64_t)sum;
}

static void add_view(struct flm_report *report, size_t column, double whole)
{
    struct flm_report_view view = {.heading = columns[column].heading,
                                   .column = 1 + column,
                                   .format = FLM_VIEW_AS_ANY_QUANTITY,
                                   .kind = FLM_COLUMN_NUMBER,
                                   .unit = flm_bytes_of(columns[column].unit)};
    view.leave_out = column == ALLOCATIONS ? 3 : column == BLOCKS ? 2 : 0;
    flm_report_add_view(report, view);
    if (whole > 0)
        flm_report_add_view(report, (struct flm_report_view){.heading = "",
                                                             .column = 1 + column,
                                                             .format = FLM_VIEW_AS_PERCENT,
                                                             .kind = FLM_COLUMN_NUMBER,
                                                             .leave_out = 1,
                                                             .whole = whole});
}

enum { LEAST_OF_SHARES = 10 };

/* Those of what it is sorted by are first. */
static void add_columns(struct flm_report *report, const struct flm_probe_stacks *s)
{
    double live = 0, allocated = 0;
    for (size_t i = 0; i < s->rows.count; i++) {
        live += s->rows.at[i].live;
        allocated += s->rows.at[i].allocated;
    }
    flm_report_add_column(report, "name", FLM_IN_JSON);
    for (size_t i = 0; i < COLUMNS; i++)
        flm_report_add_column(report, columns[i].name, FLM_IN_JSON);
    if (is_leaks(s)) {
        add_view(report, LIVE, live);
        add_view(report, BLOCKS, 0);
    } else {
        /* One sample is 100 %, and says nothing of shares. */
        add_view(report, ALLOCATED, all_samples(s) >= LEAST_OF_SHARES ? allocated : 0);
        add_view(report, ALLOCATIONS, 0);
        add_view(report, SAMPLES, 0);
        if (live > 0)
            add_view(report, LIVE, 0);
    }
    flm_report_add_view(report, (struct flm_report_view){.heading = "innermost < its callers",
                                                         .column = 0,
                                                         .kind = FLM_COLUMN_NAME});
}

static void add_rows(struct flm_report *report, const struct flm_probe_stacks *s,
                     const uint32_t *order, size_t shown)
{
    for (size_t i = 0; i < shown; i++) {
        double value[COLUMNS];
        find_values(&s->rows.at[order[i]], value);
        flm_report_begin_row(report, 0, FLM_IN_PEOPLES | FLM_IN_JSON);
        flm_report_cell_bytes(report, text_of(s, &s->rows.at[order[i]]));
        for (size_t v = 0; v < COLUMNS; v++)
            flm_report_cell_number(report, value[v]);
    }
}

static void add_rest(struct flm_report *report, const struct flm_probe_stacks *s,
                     const uint32_t *order, size_t shown, const struct flm_report_options *options)
{
    double rest = 0;
    for (size_t i = shown; i < s->rows.count; i++)
        rest += order_value(s, order[i]);
    size_t count = s->rows.count - shown;
    if (count == 0)
        return;
    struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_format(line, "%zu more stack%s with ", count, count == 1 ? "" : "s");
    flm_quantity_add(line, rest, flm_bytes_of("bytes"));
    flm_text_format(line, " (%s)", flm_probe_all_rows(options));
}

const char *flm_probe_all_rows(const struct flm_report_options *options)
{
    return options->for_command ? "all with --rows 0" : "all with --rows 0, or FLAMEL=rows:0";
}

/* Of few samples the values are chance. */
static void add_advice(struct flm_report *report, const struct flm_probe_stacks *s,
                       bool for_command)
{
    enum { FEW = 100 };
    struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    if (is_leaks(s)) {
        flm_text_format(line,
                        "whole stacks as a flame graph: write %s, and choose "
                        "the metric \"live by stack\" in flamel view app.flm",
                        for_command ? "-o app.flm" : "FLAMEL=flm:app.flm");
        return;
    }
    uint64_t samples = all_samples(s);
    flm_count_add(line, samples);
    flm_text_puts(line, samples == 1 ? " sample, one of " : " samples, one of ");
    flm_quantity_add(line, (double)s->rate, flm_bytes_of("bytes"));
    flm_text_format(line, "%s; %sleaks has each allocation, and what is not freed",
                    samples < FEW ? ", which are few to compare by" : "",
                    for_command ? "--with " : "FLAMEL=");
}

void flm_report_add_stacks(struct flm_report *report, const struct flm_probe_stacks *s,
                           const struct flm_report_options *options)
{
    uint32_t *order = make_order(s);
    size_t shown = shown_of(s, options->rows);
    report->failed |= !order;
    if (!order || s->rows.count == 0) {
        free(order);
        return;
    }
    const char *name = is_leaks(s) ? "leaks" : "stacks";
    flm_report_begin_section(report, name,
                             !is_leaks(s) ? ": what was allocated, by stacks that were sampled"
                             : s->has_unfreed
                                 ? ": what was not freed, by the stack that allocated it"
                                 : ": what is not freed yet, by the stack that "
                                   "allocated it",
                             true);
    flm_report_begin_table(report, name, FLM_IN_PEOPLES | FLM_IN_JSON, false);
    add_columns(report, s);
    add_rows(report, s, order, shown);
    add_rest(report, s, order, shown, options);
    add_advice(report, s, options->for_command);
    flm_report_end_section(report);
    free(order);
}

void flm_report_add_stacks_csv(struct flm_report *report, const struct flm_probe_stacks *s,
                               const struct flm_report_options *options, const char *command)
{
    uint32_t *order = make_order(s);
    size_t shown = order ? shown_of(s, options->rows) : 0;
    report->failed |= !order;
    for (size_t i = 0; i < shown; i++) {
        double value[COLUMNS];
        const struct flm_stack_row *row = &s->rows.at[order[i]];
        find_values(row, value);
        for (size_t v = 0; v < COLUMNS; v++) {
            flm_report_begin_row(report, 0, FLM_IN_CSV);
            if (command)
                flm_report_cell_bytes(report, flm_bytes_of(command));
            flm_report_cell_bytes(report, flm_bytes_of(is_leaks(s) ? "leaks" : "stacks"));
            flm_report_cell_bytes(report, text_of(s, row));
            flm_report_cell_bytes(report, flm_bytes_of(""));
            flm_report_cell_bytes(report, flm_bytes_of(columns[v].name));
            flm_report_cell_number(report, value[v]);
        }
    }
    free(order);
}
