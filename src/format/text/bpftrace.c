/* bpftrace.c - maps with stacks, as bpftrace prints them.
 *
 *     Attaching 2 probes...
 *
 *     @samples[
 *         read_zero+156                       a stack, leaf first
 *         ksys_read+102
 *     ,                                       the next part of the key
 *         __libc_read+76
 *         main+170
 *     , work]: 41                             a part that is no stack, and the value
 *     @samples[, , work]: 2                   two stacks that could not be had
 *     @samples[
 *     	ffffffff816b97 read_zero+156 (/lib/libc.so.6)        with perf's or raw addresses
 *     ]: 3
 *
 * A key may have several stacks: that of the kernel runs on top of that of the user. Each map is a
 * metric, under its own name ("samples" for @). Entries without any stack in their key, and values
 * that are no numbers (histograms), are counted as losses. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

enum { MOST_STACKS = 4 };

struct reading {
    struct flm_text_reading base;
    bool in_key;
    struct flm_text name;                      /* of the map */
    struct FLM_ARRAY(struct flm_frame) frames; /* of all stacks of the key */
    size_t ends[MOST_STACKS];                  /* of each in `frames` */
    bool is_kernel[MOST_STACKS];
    size_t stack_count;
    size_t part;       /* of the key, from 1 */
    bool is_stack;     /* the part has lines, or is empty: a stack */
    bool has_text;     /* it is no stack */
    bool is_multiline; /* the key */
};

/* Functions of Linux in which the kernel is entered, or a thread of it begins. */
static bool enters_kernel(struct flm_bytes name)
{
    static const char *const entries[] = {"entry_SYSCALL", "do_syscall_64", "ret_from_fork",
                                          "asm_sysvec",    "asm_exc_",      "el0t_",
                                          "el0_sync",      "kthread",       "secondary_startup",
                                          "cpu_startup",   "x64_sys_call",  "do_idle"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (flm_bytes_start_with(name, entries[i]))
            return true;
    return false;
}

static void end_part(struct reading *r)
{
    size_t start = r->stack_count ? r->ends[r->stack_count - 1] : 0;
    bool has_frames = r->frames.count > start;
    if ((has_frames || !r->has_text) && r->stack_count < MOST_STACKS) {
        r->ends[r->stack_count++] = r->frames.count;
        r->is_stack = true;
    }
    r->part++;
    r->has_text = false;
}

static void add_text(struct reading *r, struct flm_bytes text)
{
    static const char *const keys[] = {"key 1", "key 2", "key 3", "key 4",
                                       "key 5", "key 6", "key 7", "key 8"};
    if (text.size == 0)
        return;
    r->has_text = true;
    if (r->part < sizeof keys / sizeof *keys) {
        flm_stack_label(&r->base.stack, keys[r->part], text);
        flm_stack_thread(&r->base.stack, text);
    }
}

/* Text of the key that is not in a line of a frame: parts between ", ". */
static void read_parts(struct reading *r, struct flm_bytes text)
{
    struct flm_bytes part;
    while (flm_text_take_until(&text, ", ", &part)) {
        add_text(r, part);
        end_part(r);
    }
    if (flm_bytes_are(text, ",")) /* its blank at the end of the line was lost */
        end_part(r);
    else
        add_text(r, text);
}

static void read_frame(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes text = flm_bytes_trimmed(line), address, module = {NULL, 0};
    uint64_t number;
    if (text.size == 0)
        return;
    struct flm_bytes rest = text;
    if (line.at[0] == '\t' && flm_text_take_until(&rest, " ", &address) &&
        flm_number_parse_hex(address, &number)) {
        text = rest;
        if (flm_bytes_end_with(rest, ")") && flm_text_split_last(rest, " (", &text, &module))
            module.size--;
    }
    struct flm_stack_frame frame = flm_text_symbol(text);
    if (module.size > 0)
        frame.module = module;
    if (r->stack_count < MOST_STACKS && enters_kernel(frame.function))
        r->is_kernel[r->stack_count] = true;
    flm_stack_frame(&r->base.stack, &frame);
    struct flm_stack_buffer *stack = &r->base.stack;
    if (stack->frames.count == 0)
        return;
    if (!FLM_ARRAY_ADD(&r->frames, stack->frames.at[--stack->frames.count]))
        flm_builder_fail_memory(stack->builder);
}

/* Stacks of the user, then those of the kernel, each root first. Of several the first is the
 * kernel's where none says it. */
static void join_stacks(struct reading *r)
{
    bool is_known = false;
    for (size_t i = 0; i < r->stack_count; i++)
        is_known |= r->is_kernel[i];
    if (!is_known && r->stack_count > 1)
        r->is_kernel[0] = true;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->stack_count; i++) {
            if (r->is_kernel[i] != pass)
                continue;
            size_t start = i ? r->ends[i - 1] : 0;
            for (size_t k = r->ends[i]; k > start; k--)
                if (!FLM_ARRAY_ADD(&r->base.stack.frames, r->frames.at[k - 1]))
                    flm_builder_fail_memory(r->base.stack.builder);
        }
    }
}

static void begin_key(struct reading *r, struct flm_bytes name)
{
    flm_stack_begin(&r->base.stack);
    r->frames.count = r->stack_count = r->part = 0;
    memset(r->is_kernel, 0, sizeof r->is_kernel);
    r->in_key = true;
    r->is_stack = r->has_text = r->is_multiline = false;
    r->name.size = 0;
    flm_text_add(&r->name, name);
    flm_text_putc(&r->name, 0);
    if (r->name.failed)
        flm_builder_fail_memory(r->base.stack.builder);
}

static void end_key(struct reading *r, struct flm_bytes value)
{
    struct flm_text_reading *base = &r->base;
    struct flm_builder *b = base->stack.builder;
    double number;
    end_part(r);
    r->in_key = false;
    value = flm_bytes_trimmed(value);
    if (flm_builder_failed(b))
        return;
    enum flm_number_kind kind = flm_number_parse(value, &number);
    if (kind != FLM_NUMBER_INTEGER && kind != FLM_NUMBER_DECIMAL) {
        flm_builder_lost(b, "values that are no numbers", "line", base->lines.number, 1);
    } else if (number < 0 || number > FLM_SUM_LIMIT) {
        flm_builder_lost(b, "values that cannot be used", "line", base->lines.number, 1);
    } else if (!r->is_stack && !r->is_multiline) {
        flm_builder_lost(b, "entries without a stack", "line", base->lines.number, 1);
    } else {
        bool is_named = r->name.size > 1;
        base->metric = flm_builder_metric(b, is_named ? r->name.at : "samples",
                                          is_named ? "count" : "samples");
        join_stacks(r);
        flm_text_add_stack(base, FLM_ROOT_FIRST, number);
    }
    flm_stack_begin(&base->stack);
}

/* "...]: 12": the end of the key, and the value. A key of a name with "]: " is not thought of. */
static void read_key(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes text = line, value;
    if (flm_text_split_last(line, "]: ", &text, &value) ||
        (flm_bytes_end_with(line, "]:") && flm_text_split_last(line, "]:", &text, &value))) {
        read_parts(r, text);
        end_key(r, value);
    } else {
        r->is_multiline = true;
        read_parts(r, text);
    }
}

/* "@name[": the name of a map is of letters. */
static bool is_map(struct flm_bytes line, struct flm_bytes *name, struct flm_bytes *rest)
{
    *rest = line;
    if (!flm_text_skip(rest, "@") || !flm_text_take_until(rest, "[", name))
        return false;
    for (size_t i = 0; i < name->size; i++)
        if (flm_is_one_of(name->at[i], " \t:;=]"))
            return false;
    return true;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes name, rest;
    bool is_indented = line.size > 0 && (line.at[0] == '\t' || flm_text_indent(line) >= 4);
    if (r->in_key && is_indented) {
        r->is_multiline = true;
        read_frame(r, line);
    } else if (is_map(line, &name, &rest)) {
        begin_key(r, name);
        read_key(r, rest);
    } else if (r->in_key) {
        r->is_multiline = true;
        read_key(r, line);
    }
}

static bool read_bpftrace(struct flm_source *source, const struct flm_read_options *options,
                          struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {0};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, NULL);
    if (good && r.in_key)
        flm_builder_lost(builder, "incomplete entries at the end", "line", r.base.lines.number, 1);
    flm_text_clear(&r.name);
    FLM_ARRAY_CLEAR(&r.frames);
    return good;
}

static int sniff_bpftrace(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_source source = flm_source_of(head);
    struct flm_line_reader lines = {.source = &source};
    struct flm_bytes line, name, rest;
    bool has_map = false, has_frame = false, was_map = false;
    while (flm_line_next(&lines, &line)) {
        bool is_frame = line.size > 4 && (line.at[0] == '\t' || flm_text_indent(line) == 4);
        has_frame |= was_map && is_frame;
        was_map = is_map(line, &name, &rest);
        has_map |= was_map && (rest.size == 0 || flm_bytes_contain(rest, ", "));
    }
    return has_map && has_frame ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_bpftrace = {
    .name = "bpftrace",
    .title = "bpftrace",
    .extensions = ".bt.txt",
    .description = "maps with stacks as bpftrace prints them: @[kstack, ustack, comm]: 12",
    .keeps_labels = true,
    .sniff = sniff_bpftrace,
    .read = read_bpftrace,
};
