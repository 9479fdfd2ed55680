#include "record/runtime/cold_part.h"

#include <elf.h>
#include <string.h>

#include "symbol/unwind/cfi.h"
#include "symbol/unwind/unwind_table.h"

static struct flm_bytes code_of(const struct flm_elf_file *file, struct flm_elf_range function)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *s = &file->segments[i];
        if (s->type != PT_LOAD || !(s->flags & PF_X) || function.start < s->address ||
            function.end < function.start || function.end - s->address > s->file_size ||
            s->offset > file->image.size || s->file_size > file->image.size - s->offset)
            continue;
        return (struct flm_bytes){file->image.at + s->offset + (function.start - s->address),
                                  function.end - function.start};
    }
    return (struct flm_bytes){"", 0};
}

/* Some bits of a word, as a signed number. */
static int64_t field(uint32_t word, unsigned low, unsigned bits)
{
    return (int64_t)((uint64_t)word << (64 - low - bits)) >> (64 - bits);
}

/* The target of b, b.cond, cbz or cbnz; 0: it is none of them. */
static uint64_t arm64_target(struct flm_bytes code, size_t at, uint64_t address)
{
    uint32_t word;
    if (at % sizeof word != 0 || code.size - at < sizeof word)
        return 0;
    memcpy(&word, code.at + at, sizeof word);
    if (word >> 26 == 0x05)
        return address + (uint64_t)(4 * field(word, 0, 26));
    if (word >> 24 == 0x54 || (word >> 25 & 0x3F) == 0x1A)
        return address + (uint64_t)(4 * field(word, 5, 19));
    return 0;
}

/* The target of jmp, je and other conditional jumps; 0: it is none of them. */
static uint64_t x86_target(struct flm_bytes code, size_t at, uint64_t address)
{
    const unsigned char *bytes = (const unsigned char *)code.at + at;
    int32_t relative;
    size_t left = code.size - at, size = 0;
    if (bytes[0] == 0xE9)
        size = 1;
    else if (left > 1 && bytes[0] == 0x0F && (bytes[1] & 0xF0) == 0x80)
        size = 2;
    if (size == 0 || left < size + sizeof relative)
        return 0;
    memcpy(&relative, bytes + size, sizeof relative);
    return address + size + sizeof relative + (uint64_t)(int64_t)relative;
}

/* The function that has the address in its middle; NULL: none. Functions are sorted. */
static const struct flm_cfi_function *around(const struct flm_cfi *cfi, uint64_t address)
{
    size_t low = 0, high = cfi->functions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cfi->functions.at[middle].from <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct flm_cfi_function *found = low > 0 ? &cfi->functions.at[low - 1] : NULL;
    return found && address > found->start && address < found->end ? found : NULL;
}

/* Finds the function that most jumps lead into. */
static bool find_most(const struct flm_cfi *cfi, const struct flm_elf_file *file,
                      struct flm_elf_range function, struct flm_elf_range *part)
{
    enum { MOST = 16, LEAST_JUMPS = 3 };
    struct {
        const struct flm_cfi_function *function;
        size_t jumps;
    } found[MOST];
    size_t count = 0, best = 0;
    bool is_arm64 = flm_elf_machine(file) == FLM_MACHINE_ARM64;
    struct flm_bytes code = code_of(file, function);
    for (size_t at = 0; at < code.size; at++) {
        /* At each byte, also within instructions: few of those look like a jump into a function. */
        uint64_t target = is_arm64 ? arm64_target(code, at, function.start + at)
                                   : x86_target(code, at, function.start + at);
        if (target - function.start < code.size)
            continue;
        const struct flm_cfi_function *into = target ? around(cfi, target) : NULL;
        size_t i = 0;
        while (i < count && found[i].function != into)
            i++;
        if (!into || i == MOST)
            continue;
        if (i == count) {
            found[count].function = into;
            found[count++].jumps = 0;
        }
        found[i].jumps++;
        best = found[i].jumps > found[best].jumps ? i : best;
    }
    if (count == 0 || found[best].jumps < LEAST_JUMPS)
        return false;
    *part = (struct flm_elf_range){found[best].function->start, found[best].function->end};
    return true;
}

bool flm_cold_part_find(const struct flm_elf_file *file, struct flm_elf_range function,
                        struct flm_elf_range *part)
{
    struct flm_elf_section *section = flm_elf_section(file, ".eh_frame");
    struct flm_unwind_sections sections = {.machine = flm_elf_machine(file),
                                           .swapped = file->swapped};
    struct flm_cfi cfi = {0};
    bool found = false;
    if (section) {
        sections.eh_frame = flm_elf_bytes(file, section);
        sections.eh_frame_address = section->address;
    }
    if (sections.eh_frame.size > 0 && flm_cfi_read(&cfi, &sections, NULL))
        found = find_most(&cfi, file, function, part);
    flm_cfi_clear(&cfi);
    return found;
}
