/* go_frames.c - call frame information for a Go program without any.
 *
 * A table of each function gives, by address, how far the stack pointer is below where it was when
 * the function was called. That is what Go's linker makes .debug_frame of, which `-ldflags=-w` and
 * `strip` leave out; this is the same section again, made of the same numbers:
 *
 *     CIE   x86-64: the return address is on the stack; arm64: in x30, saved at the frame's end
 *     FDE   for each function: at each change, how far the CFA is above the stack pointer
 *
 * Outermost functions (runtime.goexit) are marked in the table; their return address is
 * undefined. */
#include <elf.h>

#include "base/text/text.h"
#include "symbol/elf/go_table.h"

enum { STACK_FIELD = 12, IS_OUTERMOST = 1, DATA_UNIT = 8 };
enum { X86_STACK = 7, X86_RETURN = 16, ARM64_LINK = 30, ARM64_STACK = 31 };

enum { /* DWARF's operations */
       NOP = 0x00,
       ADVANCE_4 = 0x04,
       UNDEFINED = 0x07,
       SAME_VALUE = 0x08,
       DEFINE_CFA = 0x0c,
       DEFINE_CFA_OFFSET = 0x0e,
       OFFSET = 0x80
};

/* In the order of this machine, which is the file's. */
static void put_number(struct flm_text *out, uint64_t number, size_t size)
{
    char bytes[8];
    uint32_t low = (uint32_t)number;
    memcpy(bytes, size == 4 ? (const void *)&low : (const void *)&number, size);
    flm_text_add(out, (struct flm_bytes){bytes, size});
}

static void put_uleb(struct flm_text *out, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        flm_text_putc(out, (char)(number | 128));
    flm_text_putc(out, (char)number);
}

/* An entry is padded, and has its length before it. */
static size_t begin_entry(struct flm_text *out, uint32_t identifier)
{
    put_number(out, 0, 4);
    put_number(out, identifier, 4);
    return out->size;
}

static void end_entry(struct flm_text *out, size_t start)
{
    while (out->size % 8 != 0)
        flm_text_putc(out, NOP);
    uint32_t length = (uint32_t)(out->size - start + 4);
    if (!out->failed)
        memcpy(out->at + start - 8, &length, 4);
}

static void put_common(struct flm_text *out, bool is_x86)
{
    const char head[] = {3, 0, 1, 0x80 - DATA_UNIT}; /* version, no augmentation, units 1 and -8 */
    size_t start = begin_entry(out, UINT32_MAX);
    flm_text_add(out, (struct flm_bytes){head, sizeof head});
    put_uleb(out, is_x86 ? X86_RETURN : ARM64_LINK);
    flm_text_putc(out, DEFINE_CFA);
    put_uleb(out, is_x86 ? X86_STACK : ARM64_STACK);
    put_uleb(out, is_x86 ? 8 : 0);
    flm_text_putc(out, is_x86 ? (char)(OFFSET | X86_RETURN) : SAME_VALUE);
    put_uleb(out, is_x86 ? 1 : ARM64_LINK);
    end_entry(out, start);
}

static void put_depth(struct flm_text *out, bool is_x86, uint64_t depth)
{
    flm_text_putc(out, DEFINE_CFA_OFFSET);
    put_uleb(out, depth + (is_x86 ? 8 : 0));
    if (is_x86)
        return;
    flm_text_putc(out, depth > 0 ? (char)(OFFSET | ARM64_LINK) : SAME_VALUE);
    put_uleb(out, depth > 0 ? depth / DATA_UNIT : ARM64_LINK);
}

static void put_function(const struct flm_go_table *t, const struct flm_go_function *function,
                         bool is_x86, struct flm_text *out)
{
    struct flm_go_values depths =
        flm_go_values(t, function, flm_go_field(t, function, STACK_FIELD));
    size_t start = begin_entry(out, 0);
    put_number(out, function->start, 8);
    put_number(out, function->end - function->start, 8);
    if (flm_go_flags(t, function) & IS_OUTERMOST) {
        flm_text_putc(out, UNDEFINED);
        put_uleb(out, is_x86 ? X86_RETURN : ARM64_LINK);
    }
    for (uint64_t at = function->start; at < function->end && depths.value >= 0;) {
        put_depth(out, is_x86, (uint64_t)depths.value);
        if (depths.end >= function->end)
            break;
        flm_text_putc(out, ADVANCE_4);
        put_number(out, depths.end - at, 4);
        at = depths.end;
        flm_go_values_next(&depths);
    }
    end_entry(out, start);
}

bool flm_elf_add_go_frames(const struct flm_elf_file *file, struct flm_text *out)
{
    struct flm_go_table table;
    struct flm_go_function function;
    bool is_x86 = file->machine == EM_X86_64;
    uint64_t end = 0;
    if (file->swapped || !file->is_wide || (!is_x86 && file->machine != EM_AARCH64) ||
        !flm_go_table_open(&table, file) || table.version == FLM_GO_1_2)
        return false;
    flm_go_find_module(&table);
    put_common(out, is_x86);
    for (uint64_t i = 0; i < table.count; i++) {
        if (!flm_go_function_at(&table, i, &function) || function.start < end)
            continue;
        end = function.end;
        put_function(&table, &function, is_x86, out);
    }
    return !out->failed && end > 0;
}
