/* stacks.c - what allocations refer to: strings, addresses with their frames, stacks, kinds.
 *
 * Each is a table of its own, whose entries are numbered in the order of their lines. When the
 * recording ends, the stacks that have allocations become nodes of the builder; those that no
 * allocation needs never do. */
#include "format/heaptrack/internal.h"
#include "profile/internal.h"

/* The most inlined frames that an address may have. */
enum { MOST_INLINED = 4095 };

/* The most inlined frames that all stacks may have together, in addition to 16 for each line. */
enum { MOST_IN_STACKS = 1 << 20 };

static uint32_t string_at(struct flm_heaptrack *r, uint64_t index)
{
    if (index == 0)
        return 0;
    if (index <= r->strings.count)
        return r->strings.at[index - 1];
    flm_heaptrack_lose_reference(r);
    return 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The longest string that may have line ends in it, as names of macros and lambdas do. A larger
 * size is a damaged one: reading that many bytes would swallow the lines that follow. */
enum { MOST_SIZED = 1 << 16 };

/* The text of a string with a size. If it has line ends in it, further lines are read. */
static bool read_sized(struct flm_heaptrack *r, struct flm_bytes *text)
{
    struct flm_heaptrack_words w = {text->at, text->at + text->size};
    uint64_t size;
    if (!flm_heaptrack_next_number(&w, &size)) {
        text->size = 0;
        return flm_heaptrack_lose_line(r);
    }
    w.at += w.at < w.end;
    *text = (struct flm_bytes){w.at, (size_t)(w.end - w.at)};
    if (text->size >= size) {
        text->size = (size_t)size;
        return true;
    }
    if (size > MOST_SIZED) { /* the string is only this line */
        flm_heaptrack_lose_line(r);
        return true;
    }
    r->sized.size = 0;
    flm_text_add(&r->sized, *text);
    struct flm_bytes line;
    while (r->sized.size < size && !r->sized.failed && flm_line_next(&r->lines, &line)) {
        flm_text_putc(&r->sized, '\n');
        flm_text_add(&r->sized, line);
    }
    if (r->sized.size != size)
        flm_heaptrack_lose_line(r); /* the string ends within a line, or the file ends before it */
    *text = (struct flm_bytes){r->sized.at, r->sized.size < size ? r->sized.size : (size_t)size};
    return !r->sized.failed || flm_error_memory(r->why);
}

bool flm_heaptrack_read_string(struct flm_heaptrack *r, struct flm_bytes rest)
{
    if (r->version >= 3 && !read_sized(r, &rest))
        return false;
    uint32_t string = flm_builder_string(r->builder, rest.at, rest.size).index;
    return FLM_ARRAY_ADD(&r->strings, string) || flm_error_memory(r->why);
}

static bool add_frame(struct flm_heaptrack *r, uint32_t function, uint64_t file, uint64_t line,
                      uint32_t module)
{
    struct flm_frame_record record = {.function = function,
                                      .module = module,
                                      .file = string_at(r, file),
                                      .kind = FLM_KIND_INLINED};
    struct flm_frame frame =
        flm_builder_located(r->builder, &record, (struct flm_location){.line = (uint32_t)line});
    return FLM_ARRAY_ADD(&r->frames, frame) || flm_error_memory(r->why);
}

/* Whether the string is one of `count` names. */
static bool is_one_of(const struct flm_heaptrack *r, uint32_t string, const char *const *names,
                      size_t count)
{
    struct flm_bytes text = flm_interner_text(&r->builder->interner, string);
    for (size_t i = 0; i < count; i++)
        if (flm_bytes_are(text, names[i]))
            return true;
    return false;
}

/* A frame for an address without a function: its name is the address, as heaptrack shows it. */
static bool add_unknown_frame(struct flm_heaptrack *r, uint64_t ip, uint32_t module, uint64_t file)
{
    struct flm_text name = {0};
    flm_text_format(&name, "0x%llx", (unsigned long long)ip);
    struct flm_frame_record record = {.function =
                                          flm_builder_string(r->builder, name.at, name.size).index,
                                      .module = module,
                                      .file = string_at(r, file),
                                      .address = ip,
                                      .kind = FLM_KIND_NATIVE,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    bool good = !name.failed;
    flm_text_clear(&name);
    struct flm_frame frame = flm_builder_frame(r->builder, &record);
    return (good && FLM_ARRAY_ADD(&r->frames, frame)) || flm_error_memory(r->why);
}

bool flm_heaptrack_read_address(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t ip, module, function = 0, file = 0, line = 0;
    if (!flm_heaptrack_next_number(&w, &ip) || !flm_heaptrack_next_number(&w, &module)) {
        flm_heaptrack_lose_line(r);
        ip = module = 0;
    }
    uint32_t module_string = string_at(r, module);
    struct flm_heaptrack_address address = {.first = r->frames.count};
    /* An exported function has neither file nor line. */
    bool has_function = flm_heaptrack_next_number(&w, &function) && function != 0;
    if (flm_heaptrack_next_number(&w, &file))
        flm_heaptrack_next_number(&w, &line);
    if (!has_function && !add_unknown_frame(r, ip, module_string, file))
        return false;
    if (has_function) {
        static const char *const starts[] = {"main", "__libc_start_main",
                                             "__static_initialization_and_destruction_0"};
        static const char *const news[] = {
            "operator new(unsigned long)", "operator new[](unsigned long)",
            "operator new(unsigned int)", "operator new[](unsigned int)"};
        uint32_t name = string_at(r, function);
        address.is_start = is_one_of(r, name, starts, sizeof starts / sizeof *starts);
        address.is_new = is_one_of(r, name, news, sizeof news / sizeof *news);
        if (!add_frame(r, name, file, line, module_string))
            return false;
        while (flm_heaptrack_next_number(&w, &function) && flm_heaptrack_next_number(&w, &file) &&
               flm_heaptrack_next_number(&w, &line)) {
            /* The last frame is kept: it is the function that has the code. */
            if (r->frames.count - address.first > MOST_INLINED) {
                flm_heaptrack_lose(r, "inlined frames of addresses with more than 4095");
                r->frames.count--;
            }
            if (!add_frame(r, string_at(r, function), file, line, module_string))
                return false;
        }
        /* The last one is the function that has the code; the others are inlined into it. */
        struct flm_frame *last = &r->frames.at[r->frames.count - 1];
        struct flm_frame_record record = r->builder->interner.frames[last->index];
        record.kind = FLM_KIND_NATIVE;
        *last = flm_builder_frame(r->builder, &record);
    }
    address.count = r->frames.count - address.first;
    for (size_t i = 0; i < address.count / 2; i++) {
        struct flm_frame *a = &r->frames.at[address.first + i];
        struct flm_frame *b = &r->frames.at[r->frames.count - 1 - i], swapped = *a;
        *a = *b;
        *b = swapped;
    }
    return FLM_ARRAY_ADD(&r->addresses, address) || flm_error_memory(r->why);
}

bool flm_heaptrack_read_stack(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t address, parent;
    if (!flm_heaptrack_next_number(&w, &address) || !flm_heaptrack_next_number(&w, &parent)) {
        flm_heaptrack_lose_line(r);
        address = parent = 0;
    }
    if (address > r->addresses.count || parent >= r->stacks.count) {
        flm_heaptrack_lose_reference(r);
        address = parent = 0;
    }
    struct flm_heaptrack_stack stack = {.address = (uint32_t)address, .parent = (uint32_t)parent};
    if (address > 0 && r->addresses.at[address - 1].is_new) {
        stack.address = r->stacks.at[parent].address;
        stack.parent = r->stacks.at[parent].parent;
    }
    return FLM_ARRAY_ADD(&r->stacks, stack) || flm_error_memory(r->why);
}

bool flm_heaptrack_read_kind(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t size, stack;
    if (!flm_heaptrack_next_number(&w, &size) || !flm_heaptrack_next_number(&w, &stack)) {
        flm_heaptrack_lose_line(r);
        size = stack = 0;
    }
    if (stack >= r->stacks.count) {
        flm_heaptrack_lose_reference(r);
        stack = 0;
    }
    struct flm_heaptrack_kind kind = {size, (uint32_t)stack};
    return FLM_ARRAY_ADD(&r->kinds, kind) || flm_error_memory(r->why);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A stack comes after its caller in the file, so nothing here needs recursion. */
void flm_heaptrack_add_nodes(struct flm_heaptrack *r)
{
    for (size_t i = r->stacks.count; i-- > 1;) {
        struct flm_heaptrack_stack *stack = &r->stacks.at[i];
        stack->is_needed |= stack->allocations > 0;
        if (stack->is_needed && stack->address && !r->addresses.at[stack->address - 1].is_start)
            r->stacks.at[stack->parent].is_needed = true;
    }
    struct flm_node root = flm_builder_root(r->builder);
    uint64_t inlined = 0, most = MOST_IN_STACKS + 16 * (uint64_t)r->lines.number;
    r->stacks.at[0].node = root;
    for (size_t i = 1; i < r->stacks.count; i++) {
        struct flm_heaptrack_stack *stack = &r->stacks.at[i];
        stack->node = root;
        if (!stack->is_needed || !stack->address)
            continue;
        const struct flm_heaptrack_address *address = &r->addresses.at[stack->address - 1];
        struct flm_node parent = address->is_start ? root : r->stacks.at[stack->parent].node;
        size_t count = address->count;
        inlined += count - 1;
        if (count > 1 && inlined > most) {
            flm_builder_lost(r->builder, "inlined frames, of which there are too many", "", 0,
                             (double)(count - 1));
            inlined -= count - 1;
            count = 1;
        }
        stack->node = flm_builder_descend(r->builder, parent, r->frames.at + address->first, count);
    }
}
