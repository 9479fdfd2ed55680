#include "format/perf/lines.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/scan.h"
#include "format/perf/internal.h"
#include "profile/internal.h"

enum { MOST_LINES = 1 << 30 };

/* The column of the symbol: after a tab, an address of 16 columns, and a blank. */
enum { ADDRESS_COLUMNS = 16, SYMBOL_COLUMN = 1 + ADDRESS_COLUMNS + 1 };

bool flm_perf_lines_init(struct flm_perf_lines *lines, struct flm_builder *builder)
{
    *lines = (struct flm_perf_lines){.builder = builder};
    return FLM_ARRAY_ADD(&lines->list, (struct flm_perf_line){0});
}

void flm_perf_lines_clear(struct flm_perf_lines *lines)
{
    FLM_ARRAY_CLEAR(&lines->list);
    flm_index_clear(&lines->index);
    FLM_ARRAY_CLEAR(&lines->texts);
    FLM_ARRAY_CLEAR(&lines->frames);
    *lines = (struct flm_perf_lines){0};
}

/* ---- Text to numbers ------------------------------------------------------------------------- */

/* A line without the parts that change: `head`, and after the offset `tail`. Of the address only
 * matters whether it is the kernel's. */
struct parts {
    struct flm_bytes head, tail;
    bool is_upper;
    bool address_only;
};

static bool is_upper(const char *address)
{
    return memcmp(address, "ffff", 4) == 0;
}

/* The end of the hexadecimal digits at `at`. */
static const char *skip_hex(const char *at, const char *end)
{
    while (at < end && flm_is_hex(*at))
        at++;
    return at;
}

enum { MOST_OFFSET = 3 + 16 };

/* The size of the "+0x1a4" at `at`, if the symbol ends there; else 0. */
static size_t offset_size(const char *at, const char *end)
{
    if (end - at < 4 || at[0] != '+' || at[1] != '0' || at[2] != 'x')
        return 0;
    const char *behind = skip_hex(at + 3, end);
    if (behind == at + 3 || behind - at > MOST_OFFSET || (behind < end && !flm_is_blank(*behind)))
        return 0;
    return (size_t)(behind - at);
}

/* False for a line that does not begin with an address. */
static bool split_frame(struct flm_bytes text, struct parts *parts)
{
    const char *at = text.at, *end = text.at + text.size;
    while (at < end && flm_is_blank(*at))
        at++;
    const char *address = at;
    at = skip_hex(at, end);
    ptrdiff_t digits = at - address;
    bool has_name = flm_perf_is_address_end(text, at);
    while (at < end && flm_is_blank(*at))
        at++;
    if (digits == 0 || digits > ADDRESS_COLUMNS || (at < end && !has_name))
        return false;
    *parts = (struct parts){.head = flm_between(at < end ? at : address, end),
                            .tail = flm_between(end, end),
                            .is_upper = digits == ADDRESS_COLUMNS && is_upper(address),
                            .address_only = at == end};
    for (const char *plus = at; (plus = flm_find(plus, end, '+')) < end; plus++) {
        size_t size = offset_size(plus, end);
        if (size > 0) {
            parts->head = flm_between(at, plus);
            parts->tail = flm_between(plus + size, end);
            break;
        }
    }
    return true;
}

/* An unknown location is printed as an address: all of them are one. */
static void split_location(struct flm_bytes text, struct parts *parts)
{
    static const char unknown_location[] = "?", unknown_inlined[] = "? (inlined)";
    struct flm_perf_location location = flm_perf_location_parse(text);
    if (location.file.size == 0)
        text = flm_bytes_of(location.inlined ? unknown_inlined : unknown_location);
    *parts = (struct parts){.head = text, .tail = {text.at + text.size, 0}};
}

static bool has_text(const struct flm_perf_lines *lines, const struct flm_perf_line *line,
                     const struct parts *parts)
{
    const char *text = lines->texts.at + line->text;
    return line->head == parts->head.size && line->tail == parts->tail.size &&
           flm_common_prefix(text, parts->head.at, line->head) == line->head &&
           flm_common_prefix(text + line->head, parts->tail.at, line->tail) == line->tail;
}

static struct flm_bytes kept(const struct flm_perf_lines *lines, const struct flm_perf_line *line,
                             uint32_t start, uint32_t size)
{
    return (struct flm_bytes){lines->texts.at + line->text + start, size};
}

/* Finds the symbol and the module in the kept text. */
static bool describe(const struct flm_perf_lines *lines, struct flm_perf_line *line)
{
    struct flm_bytes text = kept(lines, line, 0, line->head + line->tail);
    if (line->kind == FLM_PERF_LINE_LOCATION) {
        line->inlined = flm_perf_location_parse(text).inlined;
        return true;
    }
    struct flm_perf_frame frame;
    if (!flm_perf_frame_parse_name(text, &frame))
        return false;
    line->inlined = frame.inlined;
    line->symbol_size = (uint32_t)frame.symbol.size;
    line->module_size = (uint32_t)frame.module.size;
    line->symbol = frame.symbol.size ? (uint32_t)(frame.symbol.at - text.at) : 0;
    line->module = frame.module.size ? (uint32_t)(frame.module.at - text.at) : 0;
    return true;
}

/* Room for the line as perf prints it, whatever its offset. */
static size_t seen_room(const struct flm_perf_line *line)
{
    return SYMBOL_COLUMN + (size_t)line->head + MOST_OFFSET + line->tail;
}

/* Remembers the line as it is now. */
static void see(struct flm_perf_lines *lines, uint32_t number, struct flm_bytes text)
{
    struct flm_perf_line *line = &lines->list.at[number];
    line->seen = 0;
    if (text.size > seen_room(line) || !flm_bytes_end_with(text, "\n"))
        return;
    memcpy(lines->texts.at + line->text + line->head + line->tail, text.at, text.size);
    line->seen = (uint32_t)text.size;
}

static uint32_t add_line(struct flm_perf_lines *lines, struct flm_perf_line line,
                         const struct parts *parts, uint32_t hash)
{
    size_t size = (size_t)line.head + line.tail + seen_room(&line);
    if (!FLM_ARRAY_RESERVE(&lines->list, 1) || !FLM_ARRAY_RESERVE(&lines->texts, size)) {
        flm_builder_fail_memory(lines->builder);
        return 0;
    }
    line.text = lines->texts.count;
    memcpy(lines->texts.at + line.text, parts->head.at, line.head);
    memcpy(lines->texts.at + line.text + line.head, parts->tail.at, line.tail);
    if (!describe(lines, &line))
        return 0;
    if (!flm_index_add(&lines->index, hash, (uint32_t)lines->list.count)) {
        flm_builder_fail_memory(lines->builder);
        return 0;
    }
    lines->texts.count += size;
    lines->list.at[lines->list.count] = line;
    return (uint32_t)lines->list.count++;
}

uint32_t flm_perf_lines_find(struct flm_perf_lines *lines, struct flm_bytes text,
                             enum flm_perf_line_kind kind)
{
    struct parts parts;
    if (kind == FLM_PERF_LINE_LOCATION)
        split_location(text, &parts);
    else if (!split_frame(text, &parts))
        return 0;
    uint64_t seed = (uint64_t)kind << 1 | parts.is_upper;
    uint32_t hash = (uint32_t)(flm_mix(flm_hash(parts.head.at, parts.head.size) + seed,
                                       flm_hash(parts.tail.at, parts.tail.size)) >>
                               32);
    for (struct flm_probe at = flm_index_probe(&lines->index, hash);
         flm_index_next(&lines->index, &at);) {
        const struct flm_perf_line *line = &lines->list.at[at.found];
        if (line->kind == kind && line->is_upper == parts.is_upper &&
            has_text(lines, line, &parts)) {
            see(lines, at.found, text);
            return at.found;
        }
    }

    if (text.size > UINT32_MAX || lines->list.count >= MOST_LINES)
        return 0;
    struct flm_perf_line line = {
        .head = (uint32_t)parts.head.size,
        .tail = (uint32_t)parts.tail.size,
        .outer = UINT32_MAX, /* its frames are still to be made */
        .kind = (unsigned char)kind,
        .is_upper = parts.is_upper,
        .address_only = parts.address_only,
    };
    uint32_t number = add_line(lines, line, &parts, hash);
    if (number)
        see(lines, number, text);
    return number;
}

/* Whether [at, at + 16) are blanks and then hexadecimal digits, at least one. Without branches,
 * which could not be predicted: the number of digits varies. */
static bool is_address(const char *at)
{
    unsigned digits = 0, wrong = 0;
    for (int i = 0; i < ADDRESS_COLUMNS; i++) {
        unsigned is_digit = flm_is_hex(at[i]);
        wrong |= (is_digit | (at[i] == ' ')) ^ 1;
        wrong |= digits & (is_digit ^ 1);
        digits |= is_digit;
    }
    return digits && !wrong;
}

/* The size of the line at `at`, if it is this one except for its address and offset; else 0. */
static size_t same_size(const struct flm_perf_lines *lines, const struct flm_perf_line *line,
                        const char *at, const char *end)
{
    const char *start = at, *text = lines->texts.at + line->text;
    if (line->kind != FLM_PERF_LINE_FRAME || end - at < SYMBOL_COLUMN + (ptrdiff_t)line->head ||
        at[0] != '\t' || at[SYMBOL_COLUMN - 1] != ' ' || is_upper(at + 1) != line->is_upper)
        return 0;
    at += SYMBOL_COLUMN;
    if (flm_common_prefix(text, at, line->head) < line->head)
        return 0;
    at += line->head;
    if (line->tail > 0) {
        size_t offset = offset_size(at, end);
        at += offset;
        if (offset == 0 || end - at < (ptrdiff_t)line->tail ||
            flm_common_prefix(text + line->head, at, line->tail) < line->tail)
            return 0;
        at += line->tail;
    }
    return is_address(start + 1) ? (size_t)(at - start) : 0;
}

uint32_t flm_perf_lines_expect(struct flm_perf_lines *lines, uint32_t line, const char *at,
                               const char *end, size_t *size)
{
    uint32_t number = lines->list.at[line].next;
    const struct flm_perf_line *expected = &lines->list.at[number];
    if (expected->seen == 0)
        return 0;
    const char *seen = lines->texts.at + expected->text + expected->head + expected->tail;
    *size = expected->seen;
    if ((size_t)(end - at) >= *size && flm_common_prefix(seen, at, *size) == *size)
        return number;
    *size = same_size(lines, expected, at, end);
    if (*size == 0)
        return 0;
    see(lines, number, (struct flm_bytes){at, *size});
    return number;
}

/* ---- Numbers to frames ----------------------------------------------------------------------- */

/* The frames of a line, given the frame that it is inlined into, and its location; 0: none. */
static bool make_frames(struct flm_perf_lines *lines, uint32_t number, uint32_t outer,
                        uint32_t location_number)
{
    struct flm_perf_line *line = &lines->list.at[number];
    const struct flm_perf_line *physical = &lines->list.at[outer ? outer : number];
    struct flm_perf_frame frame = {
        .symbol = kept(lines, line, line->symbol, line->symbol_size),
        .module = kept(lines, physical, physical->module, physical->module_size),
        .address = line->is_upper ? FLM_PERF_KERNEL_HALF : 0,
        .inlined = line->inlined,
    };
    if (line->address_only)
        flm_perf_frame_parse(kept(lines, line, 0, line->head), &frame);
    struct flm_perf_location location = {0};
    if (location_number)
        location = flm_perf_location_parse(
            kept(lines, &lines->list.at[location_number], 0, lines->list.at[location_number].head));

    struct flm_perf_frames *all = &lines->frames;
    size_t first = all->count;
    if (!flm_perf_frame_make(lines->builder, &frame, &location, all)) {
        flm_builder_fail_memory(lines->builder);
        return false;
    }
    /* Made again for other neighboring lines: the old frames are overwritten. */
    size_t count = all->count - first;
    if (line->frame_count >= count && count > 0) {
        memcpy(all->at + line->frames, all->at + first, count * sizeof *all->at);
        all->count = first;
        first = line->frames;
    }
    line->frames = (uint32_t)first;
    line->frame_count = (uint32_t)count;
    line->outer = outer;
    line->location = location_number;
    return true;
}

static uint32_t line_of(uint32_t marked)
{
    return marked & ~FLM_PERF_SAME_ADDRESS;
}

static bool is_location(const struct flm_perf_lines *lines, uint32_t marked)
{
    return lines->list.at[line_of(marked)].kind == FLM_PERF_LINE_LOCATION;
}

/* The number of frames of a line depends on its text only, not on its neighbors. */
size_t flm_perf_lines_count(const struct flm_perf_lines *lines, const uint32_t *stack, size_t count)
{
    size_t frames = 0;
    for (size_t i = 0; i < count; i++)
        frames += lines->list.at[line_of(stack[i])].frame_count;
    return frames;
}

/* Walking a stack from the root to the leaf: what the outer lines mean for the next one. */
struct surroundings {
    uint32_t location; /* of the next frame; 0: none */
    uint32_t physical; /* the frame that the next one is inlined into, if it is inlined; 0: none */
};

static bool is_inlined(const struct flm_perf_lines *lines, uint32_t marked, uint32_t location)
{
    return lines->list.at[line_of(marked)].inlined || lines->list.at[location].inlined;
}

static void pass(const struct flm_perf_lines *lines, uint32_t marked, struct surroundings *around)
{
    if (is_location(lines, marked)) {
        around->location = line_of(marked);
        return;
    }
    if (!is_inlined(lines, marked, around->location))
        around->physical = line_of(marked);
    if (!(marked & FLM_PERF_SAME_ADDRESS))
        around->physical = 0;
    around->location = 0;
}

/* The same for `count` outer lines: only those matter that follow the innermost physical frame. */
static struct surroundings look_outside(const struct flm_perf_lines *lines, const uint32_t *stack,
                                        size_t count)
{
    size_t from = 0;
    while (from < count &&
           (is_location(lines, stack[from]) || (stack[from] & FLM_PERF_SAME_ADDRESS)))
        from++;
    struct surroundings around = {0};
    while (from-- > 0)
        pass(lines, stack[from], &around);
    return around;
}

static bool grow(struct flm_perf_lines *lines, struct flm_perf_frames *out, size_t more)
{
    bool room = FLM_ARRAY_RESERVE(out, more);
    if (!room)
        flm_builder_fail_memory(lines->builder);
    return room;
}

bool flm_perf_lines_frames(struct flm_perf_lines *lines, const uint32_t *stack, size_t count,
                           size_t known, struct flm_perf_frames *out)
{
    struct surroundings around = look_outside(lines, stack + count, known);
    for (size_t i = count; i-- > 0; pass(lines, stack[i], &around)) {
        if (is_location(lines, stack[i]))
            continue;
        uint32_t number = line_of(stack[i]);
        struct flm_perf_line *line = &lines->list.at[number];
        uint32_t outer = is_inlined(lines, stack[i], around.location) ? around.physical : 0;
        if ((line->outer != outer || line->location != around.location) &&
            !make_frames(lines, number, outer, around.location))
            return false;
        if (!grow(lines, out, line->frame_count))
            return false;
        for (uint32_t f = 0; f < line->frame_count; f++)
            out->at[out->count++] = lines->frames.at[line->frames + f];
    }
    return true;
}
