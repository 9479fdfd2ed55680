/* oracle.c - libdwfl over a copied stack: stack_samples.h. */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/record/sections.h"
#include "support/record/stack_samples.h"

struct oracle {
    Dwfl *dwfl;
    const struct flm_event_sample *sample;
    uint64_t sp;
    uint64_t *addresses, *exact;
    size_t count, capacity;
};

/* perf's numbers in the order of DWARF's. */
static const uint8_t x86_order[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};

static uint64_t register_of(const struct flm_event_sample *sample, unsigned number)
{
    uint64_t below = sample->layout->user_registers & ((UINT64_C(1) << number) - 1);
    return sample->registers[__builtin_popcountll(below)];
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = context;
    return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    (void)dwfl;
    const struct oracle *oracle = context;
    uint64_t offset = address - oracle->sp, size = oracle->sample->stack.size;
    if (offset >= size || size - offset < sizeof *word)
        return false;
    memcpy(word, oracle->sample->stack.at + offset, sizeof *word);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct oracle *oracle = context;
    Dwarf_Word values[32];
    if (oracle->sample->layout->machine == FLM_MACHINE_X86_64) {
        for (unsigned i = 0; i < 17; i++)
            values[i] = register_of(oracle->sample, x86_order[i]);
        return dwfl_thread_state_registers(thread, 0, 17, values);
    }
    for (unsigned i = 0; i < 32; i++)
        values[i] = register_of(oracle->sample, i);
    dwfl_thread_state_register_pc(thread, register_of(oracle->sample, 32));
    return dwfl_thread_state_registers(thread, 0, 32, values);
}

static const Dwfl_Callbacks dwfl_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .memory_read = read_memory,
    .set_initial_registers = set_registers,
};

/* Each file once: its first mapping says where all of it is. */
static void report(struct oracle *oracle, const struct stack_samples *samples, size_t index)
{
    const struct stack_mapping *mapping = &samples->mappings[index];
    const char *path = mapping->path;
    for (size_t i = 0; i < index; i++)
        if (strcmp(samples->mappings[i].path, path) == 0)
            return;
    if (strcmp(path, "[vdso]") == 0)
        path = write_temporary("vdso", vdso_image());
    struct elf_sections sections;
    uint64_t shift;
    if (!elf_sections_read(&sections, path))
        return;
    if (elf_sections_shift(&sections, mapping->start, mapping->file_offset, &shift))
        assert_non_null(dwfl_report_elf(oracle->dwfl, mapping->path, path, -1, shift, true));
    elf_sections_clear(&sections);
}

struct oracle *oracle_new(const struct stack_samples *samples)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    assert_non_null(oracle);
    oracle->dwfl = dwfl_begin(&dwfl_callbacks);
    assert_non_null(oracle->dwfl);
    dwfl_report_begin(oracle->dwfl);
    for (size_t i = 0; i < samples->mapping_count; i++)
        report(oracle, samples, i);
    dwfl_report_end(oracle->dwfl, NULL, NULL);
    assert_true(dwfl_attach_state(oracle->dwfl, NULL, 1, &thread_callbacks, oracle));
    return oracle;
}

void oracle_free(struct oracle *oracle)
{
    dwfl_end(oracle->dwfl);
    free(oracle);
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct oracle *oracle = context;
    Dwarf_Addr pc;
    bool is_exact;
    if (oracle->count == oracle->capacity || !dwfl_frame_pc(frame, &pc, &is_exact))
        return DWARF_CB_ABORT;
    if (is_exact)
        oracle->exact[oracle->count / 64] |= UINT64_C(1) << oracle->count % 64;
    oracle->addresses[oracle->count++] = pc;
    return DWARF_CB_OK;
}

size_t oracle_unwind(struct oracle *oracle, const struct flm_event_sample *sample,
                     uint64_t *addresses, uint64_t *exact, size_t capacity, bool *whole)
{
    oracle->sample = sample;
    oracle->sp = register_of(sample, sample->layout->machine == FLM_MACHINE_X86_64 ? 7 : 31);
    oracle->addresses = addresses;
    oracle->exact = exact;
    oracle->count = 0;
    oracle->capacity = capacity;
    memset(exact, 0, (capacity + 63) / 64 * sizeof *exact);
    *whole = dwfl_getthread_frames(oracle->dwfl, 1, take_frame, oracle) == 0;
    return oracle->count;
}

static bool has_row(Dwarf_CFI *cfi, uint64_t address)
{
    Dwarf_Frame *frame = NULL;
    bool found = cfi && dwarf_cfi_addrframe(cfi, address, &frame) == 0;
    free(frame);
    return found;
}

bool oracle_has_row(const struct oracle *oracle, uint64_t address)
{
    Dwfl_Module *module = dwfl_addrmodule(oracle->dwfl, address);
    Dwarf_Addr bias;
    if (!module)
        return false;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
    if (has_row(cfi, address - bias))
        return true;
    cfi = dwfl_module_dwarf_cfi(module, &bias);
    return has_row(cfi, address - bias);
}
