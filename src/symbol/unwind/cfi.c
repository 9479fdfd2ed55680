#include "symbol/unwind/cfi.h"

#include <stdlib.h>

#include "base/core/sort.h"
#include "symbol/elf/section_read.h"

static const struct flm_machine_abi x86_64_abi = {
    .slot_register = {3, 6, 12, 13, 14, 15, 16, 7},
    .register_slot = {-1, -1, -1, 0,  -1, -1, 1,  7,  -1, -1, -1, -1, 2,  3,  4,  5, 6,
                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
    .return_register = 16,
    .stack_register = 7,
    .frame_register = 6,
    .register_count = 17,
    .address_mask = ~UINT64_C(0),
};

/* x19 to x28 are callee-saved too, but no compiler computes a CFA from one of them. User addresses
 * have 48 bits by default; the bits above may be a signature or a tag. */
static const struct flm_machine_abi arm64_abi = {
    .slot_register = {FLM_REGISTER_COUNT, 29, FLM_REGISTER_COUNT, FLM_REGISTER_COUNT,
                      FLM_REGISTER_COUNT, FLM_REGISTER_COUNT, 30, 31},
    .register_slot = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1,  6,  7,  -1},
    .return_register = 30,
    .stack_register = 31,
    .frame_register = 29,
    .register_count = 32,
    .address_mask = (UINT64_C(1) << 48) - 1,
};

const struct flm_machine_abi *flm_machine_abi(enum flm_machine machine)
{
    switch (machine) {
    case FLM_MACHINE_X86_64:
        return &x86_64_abi;
    case FLM_MACHINE_ARM64:
        return &arm64_abi;
    default:
        return NULL;
    }
}

/* ---- Pointers -------------------------------------------------------------------------------- */

enum {
    POINTER_OMITTED = 0xFF,
    POINTER_FORMAT = 0x0F,
    POINTER_SIGNED = 0x08,
    POINTER_BASE = 0x70,
    POINTER_ABSOLUTE = 0x00,
    POINTER_PC = 0x10,
    POINTER_TEXT = 0x20,
    POINTER_DATA = 0x30,
    POINTER_FUNCTION = 0x40,
    POINTER_ALIGNED = 0x50,
    POINTER_INDIRECT = 0x80
};

struct section {
    struct flm_bytes bytes;
    uint64_t address; /* of its first byte */
    bool is_debug_frame;
    const struct flm_unwind_sections *all;
};

static uint64_t address_of(const struct section *section, const uint8_t *at)
{
    return section->address + (uint64_t)(at - (const uint8_t *)section->bytes.at);
}

/* The number in a pointer's encoding, without its base. */
static uint64_t read_number(struct flm_section_reader *in, uint8_t encoding)
{
    switch (encoding & POINTER_FORMAT) {
    case 0x00:
    case 0x04:
    case 0x08:
    case 0x0C:
        return flm_section_fixed(in, 8);
    case 0x01:
        return flm_section_uleb(in);
    case 0x09:
        return (uint64_t)flm_section_sleb(in);
    case 0x02:
        return flm_section_fixed(in, 2);
    case 0x0A:
        return (uint64_t)(int64_t)(int16_t)flm_section_fixed(in, 2);
    case 0x03:
        return flm_section_fixed(in, 4);
    case 0x0B:
        return (uint64_t)(int64_t)(int32_t)flm_section_fixed(in, 4);
    default:
        in->failed = true;
        return 0;
    }
}

static uint64_t read_pointer(const struct section *section, struct flm_section_reader *in,
                             uint8_t encoding)
{
    if ((encoding & POINTER_BASE) == POINTER_ALIGNED) {
        uint64_t past = address_of(section, in->at) & 7;
        if (past)
            flm_section_bytes(in, 8 - past);
        return flm_section_fixed(in, 8);
    }
    uint64_t base = 0;
    switch (encoding & POINTER_BASE) {
    case POINTER_ABSOLUTE:
        break;
    case POINTER_PC:
        base = address_of(section, in->at);
        break;
    case POINTER_TEXT:
        base = section->all->text_base;
        break;
    case POINTER_DATA:
        base = section->all->data_base;
        break;
    default:
        in->failed = true;
        return 0;
    }
    return base + read_number(in, encoding);
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* The start of an entry, which CIE and FDE have in common. */
struct entry {
    size_t offset;
    struct flm_section_reader in; /* what follows the identifier */
    uint64_t identifier;
    size_t identifier_offset;
    bool is_common;
};

/* The next entry; false at the end of the section. A length of zero ends .eh_frame, which has no
 * other end in a file without section headers. In .debug_frame it is padding. */
static bool next_entry(const struct section *section, struct flm_section_reader *in,
                       struct entry *entry)
{
    while (flm_section_left(in) >= 4) {
        entry->offset = (size_t)(in->at - (const uint8_t *)section->bytes.at);
        uint64_t length = flm_section_fixed(in, 4);
        bool is_wide = length == UINT32_MAX;
        if (is_wide)
            length = flm_section_fixed(in, 8);
        if (length == 0 && !section->is_debug_frame)
            return false;
        if (length == 0)
            continue;
        entry->in = flm_section_reader(flm_section_bytes(in, length), in->swapped);
        if (in->failed)
            return false;
        /* The LSB says that .eh_frame always has four bytes here, but LLVM, which writes 64-bit
         * lengths, writes 64 bits, and so other readers read them. */
        entry->identifier_offset = (size_t)(entry->in.at - (const uint8_t *)section->bytes.at);
        entry->identifier = flm_section_fixed(&entry->in, is_wide ? 8 : 4);
        entry->is_common = section->is_debug_frame
                               ? entry->identifier == (is_wide ? UINT64_MAX : UINT32_MAX)
                               : entry->identifier == 0;
        if (!entry->in.failed)
            return true;
    }
    return false;
}

/* The letters of an augmentation describe its data. An unknown letter ends the reading: the data
 * before it, and the size of all of it, are known. */
static bool read_augmentation(const struct section *section, struct flm_section_reader *in,
                              const char *letters, struct flm_cfi_common *common)
{
    common->has_augmentation_data = letters[0] == 'z';
    if (letters[0] == 0)
        return true;
    if (!common->has_augmentation_data)
        return false;
    uint64_t size = flm_section_uleb(in);
    struct flm_section_reader data = flm_section_reader(flm_section_bytes(in, size), in->swapped);
    for (letters++; *letters && !data.failed; letters++) {
        switch (*letters) {
        case 'R':
            common->pointer_encoding = flm_section_u8(&data);
            break;
        case 'L':
            flm_section_u8(&data);
            break;
        case 'P': {
            uint8_t encoding = flm_section_u8(&data);
            if (encoding != POINTER_OMITTED)
                read_pointer(section, &data, encoding & (uint8_t)~POINTER_INDIRECT);
            break;
        }
        case 'S':
            common->is_signal = true;
            break;
        case 'B': /* return addresses are signed with key B */
        case 'G': /* tagged memory */
            break;
        default:
            return !data.failed;
        }
    }
    return !data.failed && !in->failed;
}

static void read_common(const struct flm_cfi *cfi, const struct section *section,
                        struct entry *entry, struct flm_cfi_common *common)
{
    struct flm_section_reader *in = &entry->in;
    *common =
        (struct flm_cfi_common){.offset = entry->offset, .in_debug_frame = section->is_debug_frame};
    uint8_t version = flm_section_u8(in);
    if (version != 1 && version != 3 && version != 4)
        return;
    const char *letters = (const char *)in->at;
    while (flm_section_u8(in) != 0)
        ;
    if (in->failed)
        return;
    /* GCC 2: a pointer follows. */
    if (letters[0] == 'e' && letters[1] == 'h') {
        flm_section_fixed(in, 8);
        letters += 2;
    }
    if (version == 4) {
        uint8_t address_size = flm_section_u8(in), segment_size = flm_section_u8(in);
        if (address_size != 8 || segment_size != 0)
            return;
    }
    common->code_unit = flm_section_uleb(in);
    common->data_unit = flm_section_sleb(in);
    uint64_t return_register = version == 1 ? flm_section_u8(in) : flm_section_uleb(in);
    if (!read_augmentation(section, in, letters, common) || in->failed ||
        return_register >= cfi->abi->register_count)
        return;
    common->program = (struct flm_bytes){(const char *)in->at, flm_section_left(in)};
    common->usable = flm_cfi_run_common(cfi, common);
    /* Hand-written functions may keep the return address in another register (rawmemchr of glibc on
     * arm64). */
    if (return_register != cfi->abi->return_register)
        flm_rule_set(&common->rule, FLM_SLOT_RETURN, FLM_ELSEWHERE, (int32_t)return_register);
}

static bool read_commons(struct flm_cfi *cfi, const struct section *section)
{
    struct flm_section_reader in = flm_section_reader(section->bytes, cfi->swapped);
    for (struct entry entry; next_entry(section, &in, &entry);) {
        if (!entry.is_common)
            continue;
        if (!FLM_ARRAY_RESERVE(&cfi->commons, 1))
            return false;
        read_common(cfi, section, &entry, &cfi->commons.at[cfi->commons.count++]);
    }
    return true;
}

/* From `first` on they are sorted by offset. `last` is tried first: functions mostly follow their
 * CIE. */
static uint32_t find_common(const struct flm_cfi *cfi, size_t first, uint64_t offset, uint32_t last)
{
    if (last < cfi->commons.count && last >= first && cfi->commons.at[last].offset == offset)
        return last;
    size_t low = first, high = cfi->commons.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cfi->commons.at[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cfi->commons.count && cfi->commons.at[low].offset == offset ? (uint32_t)low
                                                                             : UINT32_MAX;
}

/* False when it cannot be read. */
static bool read_function(const struct flm_cfi *cfi, const struct section *section,
                          struct entry *entry, size_t first_common,
                          struct flm_cfi_function *function)
{
    struct flm_section_reader *in = &entry->in;
    uint64_t offset =
        section->is_debug_frame ? entry->identifier : entry->identifier_offset - entry->identifier;
    function->common = find_common(cfi, first_common, offset, function->common);
    if (function->common == UINT32_MAX || !cfi->commons.at[function->common].usable)
        return false;
    const struct flm_cfi_common *common = &cfi->commons.at[function->common];
    if (common->pointer_encoding & POINTER_INDIRECT)
        return false;
    function->start = read_pointer(section, in, common->pointer_encoding);
    uint64_t size = read_number(in, common->pointer_encoding & POINTER_FORMAT);
    if (common->has_augmentation_data)
        flm_section_bytes(in, flm_section_uleb(in));
    if (in->failed || size > UINT64_MAX - function->start)
        return false;
    function->end = function->start + size;
    function->in_debug_frame = section->is_debug_frame;
    function->program = (struct flm_bytes){(const char *)in->at, flm_section_left(in)};
    return true;
}

static bool read_functions(struct flm_cfi *cfi, const struct section *section, size_t first_common)
{
    struct flm_section_reader in = flm_section_reader(section->bytes, cfi->swapped);
    struct flm_cfi_function function = {0};
    for (struct entry entry; next_entry(section, &in, &entry);) {
        if (entry.is_common)
            continue;
        if (!read_function(cfi, section, &entry, first_common, &function)) {
            cfi->unreadable++;
            continue;
        }
        /* Functions that the linker dropped stay in the table: at 0, or with size 0. */
        if (function.start == 0 || function.end == function.start)
            continue;
        if (!FLM_ARRAY_ADD(&cfi->functions, function))
            return false;
    }
    return true;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

static int by_start(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_cfi_function *functions = context;
    const struct flm_cfi_function *x = &functions[a], *y = &functions[b];
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (int)x->in_debug_frame - (int)y->in_debug_frame;
}

static bool sort_functions(struct flm_cfi *cfi)
{
    size_t count = cfi->functions.count, sorted = 1;
    while (sorted < count &&
           by_start(cfi->functions.at, (uint32_t)sorted - 1, (uint32_t)sorted) <= 0)
        sorted++;
    if (sorted >= count)
        return true;
    uint32_t *order = malloc(count * sizeof *order), *scratch = malloc(count * sizeof *scratch);
    struct flm_cfi_function *in_order = malloc(count * sizeof *in_order);
    bool have = order && scratch && in_order;
    if (have) {
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        flm_sort(order, count, scratch, by_start, cfi->functions.at);
        for (size_t i = 0; i < count; i++)
            in_order[i] = cfi->functions.at[order[i]];
        free(cfi->functions.at);
        cfi->functions.at = in_order;
        cfi->functions.capacity = count;
    } else {
        free(in_order);
    }
    free(order);
    free(scratch);
    return have;
}

/* Removes overlaps. A function ends at the latest where the next one of its section starts; one of
 * .debug_frame ends where any other starts, and gets only what .eh_frame leaves. */
static void separate_functions(struct flm_cfi *cfi)
{
    struct flm_cfi_function *functions = cfi->functions.at;
    uint64_t next_any = UINT64_MAX, next_eh = UINT64_MAX, start_any = UINT64_MAX;
    for (size_t i = cfi->functions.count; i-- > 0;) {
        struct flm_cfi_function *f = &functions[i];
        if (f->start != start_any) {
            next_any = start_any;
            start_any = f->start;
        }
        uint64_t limit = f->in_debug_frame ? next_any : next_eh;
        if (f->end > limit)
            f->end = limit;
        /* Of several that start at one address the first is kept whole; the others start at its
         * end. */
        if (!f->in_debug_frame && (i == 0 || functions[i - 1].start != f->start))
            next_eh = f->start;
    }
    size_t kept = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < cfi->functions.count; i++) {
        struct flm_cfi_function f = functions[i];
        f.from = f.start > end ? f.start : end;
        if (f.from >= f.end)
            continue;
        end = f.end;
        functions[kept++] = f;
    }
    cfi->functions.count = kept;
}

bool flm_cfi_read(struct flm_cfi *cfi, const struct flm_unwind_sections *sections,
                  struct flm_error *why)
{
    *cfi = (struct flm_cfi){.machine = sections->machine,
                            .swapped = sections->swapped,
                            .abi = flm_machine_abi(sections->machine)};
    if (!cfi->abi)
        return flm_error_set(why, FLM_ERROR_FORMAT, "no unwinding on this architecture");
    const struct section both[] = {
        {sections->eh_frame, sections->eh_frame_address, false, sections},
        {sections->debug_frame, 0, true, sections},
    };
    for (size_t i = 0; i < 2; i++) {
        size_t first_common = cfi->commons.count;
        if (!read_commons(cfi, &both[i]) || !read_functions(cfi, &both[i], first_common)) {
            flm_cfi_clear(cfi);
            return flm_error_memory(why);
        }
    }
    if (cfi->functions.count > UINT32_MAX || !sort_functions(cfi)) {
        flm_cfi_clear(cfi);
        return flm_error_memory(why);
    }
    separate_functions(cfi);
    return true;
}

void flm_cfi_clear(struct flm_cfi *cfi)
{
    FLM_ARRAY_CLEAR(&cfi->commons);
    FLM_ARRAY_CLEAR(&cfi->functions);
    *cfi = (struct flm_cfi){0};
}
