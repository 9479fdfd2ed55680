#include "record/symbols/unwinder.h"

#include <linux/perf_event.h>

#include "record/symbols/call_scan.h"

/* ---- Registers and the stack ----------------------------------------------------------------- */

/* perf's register numbers on x86-64 to those of DWARF; -1: not needed. The kernel's header has only
 * the numbers of its own architecture, and files come from others too. */
static const int8_t x86_numbers[] = {
    0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
};

static int dwarf_number(enum flm_machine machine, unsigned number)
{
    if (machine == FLM_MACHINE_ARM64)
        return number < FLM_REGISTER_COUNT ? (int)number : -1;
    return number < sizeof x86_numbers ? x86_numbers[number] : -1;
}

/* False without pc and sp. 32-bit programs are not supported: their words have four bytes. */
static bool read_registers(const struct flm_event_sample *sample, struct flm_registers *registers)
{
    enum flm_machine machine = (enum flm_machine)sample->layout->machine;
    *registers = (struct flm_registers){.machine = machine};
    if (sample->register_abi != PERF_SAMPLE_REGS_ABI_64 || !sample->registers ||
        (machine != FLM_MACHINE_X86_64 && machine != FLM_MACHINE_ARM64))
        return false;
    uint64_t left = sample->layout->user_registers;
    for (const uint64_t *value = sample->registers; left; left &= left - 1, value++) {
        int number = dwarf_number(machine, (unsigned)__builtin_ctzll(left));
        if (number < 0)
            continue;
        registers->value[number] = *value;
        registers->known |= UINT64_C(1) << number;
    }
    uint64_t needed = machine == FLM_MACHINE_X86_64 ? UINT64_C(1) << 16 | UINT64_C(1) << 7
                                                    : UINT64_C(1) << 32 | UINT64_C(1) << 31;
    return (registers->known & needed) == needed;
}

struct stack_dump {
    const char *at;
    uint64_t address, size;
    uint64_t fetched; /* prefetched up to here */
    uint64_t missed;  /* the first address that the current step did not find in it; 0: none */
};

/* Stack dumps are not in the cache: each frame is in another line, and cache misses took two thirds
 * of a walk through clang's 40 frames. Prefetching saves a third. */
static void fetch_ahead(struct stack_dump *dump, uint64_t offset)
{
    enum { AHEAD = 1024, LINE = 64 };
    uint64_t from = dump->fetched > offset ? dump->fetched : offset;
    uint64_t to = dump->size - offset > AHEAD ? offset + AHEAD : dump->size;
    for (; from < to; from += LINE)
        __builtin_prefetch(dump->at + from);
    dump->fetched = to;
}

static bool read_stack(void *context, uint64_t address, uint64_t *word)
{
    struct stack_dump *dump = context;
    uint64_t offset = address - dump->address;
    if (offset < dump->size && dump->size - offset >= sizeof *word) {
        if (offset + 512 > dump->fetched && dump->fetched < dump->size)
            fetch_ahead(dump, offset);
        memcpy(word, dump->at + offset, sizeof *word);
        return true;
    }
    if (dump->missed == 0)
        dump->missed = address;
    return false;
}

/* Whether the missed address is above the start of the dump. */
static bool is_above_start(const struct stack_dump *dump)
{
    return dump->missed >= dump->address && dump->missed > 0;
}

/* ---- Mappings -------------------------------------------------------------------------------- */

/* A stack goes through few modules, again and again: the last ones are cached during the walk. */
enum { CACHED_LOCATIONS = 4 };

struct location {
    const struct flm_mapping *mapping;
    uint64_t start, end; /* of the mapping; end 0: none */
    uint64_t shift;      /* added to an address in it: the module's address */
    const struct flm_unwind_table *table;
    struct flm_module *module; /* NULL: none */
};

struct walk {
    const struct flm_process *process;
    struct flm_registers registers;
    struct stack_dump stack;
    bool is_cut;  /* the stack dump was filled: there may be more of the stack */
    bool crossed; /* from the stack of a signal handler to the interrupted one */
    struct location locations[CACHED_LOCATIONS];
    unsigned next_location;
    unsigned scan_budget; /* for flm_step_by_call */
};

static struct location make_location(const struct flm_mapping *mapping, uint64_t pc)
{
    struct location location = {.mapping = mapping, .start = mapping->start, .end = mapping->end};
    uint64_t address;
    if (!mapping->module)
        return location;
    location.module = mapping->module;
    if (flm_module_address(mapping->module, pc - mapping->start + mapping->file_offset, &address)) {
        location.shift = address - pc;
        location.table = flm_module_unwind_table(mapping->module);
    }
    return location;
}

/* The mapping of the pc; NULL: none. */
static const struct location *find_location(struct walk *walk, uint64_t pc)
{
    for (unsigned i = 0; i < CACHED_LOCATIONS; i++) {
        const struct location *location = &walk->locations[i];
        if (pc - location->start < location->end - location->start)
            return location;
    }
    const struct flm_mapping *mapping = flm_process_find(walk->process, pc);
    if (!mapping)
        return NULL;
    struct location *location = &walk->locations[walk->next_location++ % CACHED_LOCATIONS];
    *location = make_location(mapping, pc);
    return location;
}

/* ---- Code without unwind tables -------------------------------------------------------------- */

static unsigned pc_register(const struct flm_registers *registers)
{
    return registers->machine == FLM_MACHINE_ARM64 ? 32 : 16;
}

/* Whether a word looks like a return address: one in code that has an unwind table. */
static bool is_return_address(struct walk *walk, uint64_t pc)
{
    const struct location *location = pc ? find_location(walk, pc - 1) : NULL;
    if (!location || !location->table)
        return false;
    struct flm_registers tried = walk->registers;
    struct stack_dump stack = walk->stack;
    enum flm_step step =
        flm_unwind_step(location->table, pc - 1 + location->shift, &tried, read_stack, &stack);
    return step != FLM_STEP_NONE;
}

/* A leaf that has not pushed anything yet: its return address is at the stack pointer, or in
 * x30. */
static bool step_as_called(struct walk *walk)
{
    struct flm_registers *registers = &walk->registers;
    uint64_t pc, sp = flm_registers_sp(registers);
    if (registers->machine == FLM_MACHINE_ARM64) {
        if (!(registers->known >> 30 & 1))
            return false;
        pc = registers->value[30] & ((UINT64_C(1) << 48) - 1);
        if (!is_return_address(walk, pc))
            return false;
        registers->known &= ~(UINT64_C(1) << 30);
    } else {
        if (!read_stack(&walk->stack, sp, &pc) || !is_return_address(walk, pc))
            return false;
        registers->value[7] = sp + 8;
    }
    registers->value[pc_register(registers)] = pc;
    return true;
}

static enum flm_step step_by_pointer(struct walk *walk)
{
    struct flm_registers before = walk->registers;
    enum flm_step step = flm_unwind_step_by_pointer(&walk->registers, read_stack, &walk->stack);
    if (step == FLM_STEP_CALLER && !find_location(walk, flm_registers_pc(&walk->registers) - 1))
        step = FLM_STEP_FAILED;
    if (step != FLM_STEP_CALLER)
        walk->registers = before;
    return step;
}

static bool step_by_call(struct walk *walk, const struct location *location, uint64_t address)
{
    return location->module && flm_step_by_call(location->mapping, address, &walk->registers,
                                                read_stack, &walk->stack, &walk->scan_budget);
}

/* A leaf in a file is hand-written assembly or musl's, mostly without a frame of its own: the frame
 * pointer is its caller's, and a step by it would skip that caller. JIT-compiled code keeps frame
 * pointers, so a frame beyond the stack dump means that the stack is truncated. A leaf without a
 * frame pointer may be anything. */
static enum flm_step step_from_leaf(struct walk *walk, const struct location *location,
                                    uint64_t address)
{
    if (location->module && (step_as_called(walk) || step_by_call(walk, location, address)))
        return FLM_STEP_CALLER;
    enum flm_step step = step_by_pointer(walk);
    if (step == FLM_STEP_CALLER || location->module)
        return step == FLM_STEP_CALLER ? step : FLM_STEP_NONE;
    bool was_cut = is_above_start(&walk->stack);
    if (step_as_called(walk))
        return FLM_STEP_CALLER;
    return was_cut ? FLM_STEP_FAILED : FLM_STEP_NONE;
}

/* Whether the next return address on the stack is one of the start of a program: then this is the
 * outermost function but for that. Stripped, static programs of musl have neither a rule nor a name
 * for what calls main(). */
static bool is_called_by_start(struct walk *walk)
{
    enum { MOST = 256 }; /* it keeps but a few registers */
    struct stack_dump stack = walk->stack;
    uint64_t sp = flm_registers_sp(&walk->registers), word;
    if (walk->registers.machine != FLM_MACHINE_X86_64)
        return false;
    for (uint64_t at = sp; at - sp < MOST && read_stack(&stack, at, &word); at += sizeof word) {
        const struct location *location = word ? find_location(walk, word - 1) : NULL;
        uint64_t address = location ? word + location->shift : 0;
        if (location && location->module && flm_is_after_call(location->module, address))
            return flm_module_ends_stack(location->module, address - 1);
    }
    return false;
}

/* Code without a rule. A caller without a frame pointer is the outermost frame. */
static enum flm_step step_without_rule(struct walk *walk, const struct location *location,
                                       uint64_t address, bool is_leaf)
{
    if (is_leaf)
        return step_from_leaf(walk, location, address);
    enum flm_step step = step_by_pointer(walk);
    if (step == FLM_STEP_CALLER || step_by_call(walk, location, address))
        return FLM_STEP_CALLER;
    bool was_cut = is_above_start(&walk->stack) && !location->module;
    if (location->module && is_called_by_start(walk))
        return FLM_STEP_END;
    return step == FLM_STEP_END ? FLM_STEP_END : was_cut ? FLM_STEP_FAILED : FLM_STEP_NONE;
}

/* ---- Why it ends ----------------------------------------------------------------------------- */

enum { MOST_COPIED = 65528 };

/* Whether a larger stack dump could reach the address. For a dump of the largest size, as if there
 * were a larger one: else every deep stack would count as one that continues on another stack. */
static bool is_in_reach(const struct walk *walk, uint64_t address)
{
    uint64_t size = walk->stack.size, reach = size < MOST_COPIED ? MOST_COPIED : size + MOST_COPIED;
    return address - walk->stack.address < reach;
}

static enum flm_unwind_end why_failed(const struct walk *walk, enum flm_unwind_end otherwise)
{
    if (walk->stack.missed == 0)
        return otherwise;
    if (walk->crossed)
        return FLM_UNWIND_BELOW_SIGNAL;
    if (!is_above_start(&walk->stack))
        return otherwise;
    if (!is_in_reach(walk, walk->stack.missed))
        return FLM_UNWIND_OTHER_STACK;
    return walk->is_cut ? FLM_UNWIND_BEYOND_DUMP : FLM_UNWIND_UNREADABLE;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static void mark(uint64_t *exact, size_t frame)
{
    exact[frame / 64] |= UINT64_C(1) << frame % 64;
}

/* Go's runtime makes frames whose address no call has pushed: that of an instruction which was
 * preempted or has faulted, and, where a goroutine's stack is left for that of C, the first byte of
 * runtime.systemstack_switch. Such an address is looked up as it is. */
static bool is_made_by_go(const struct location *location, uint64_t pc)
{
    uint64_t address = pc + location->shift;
    return location->module && flm_module_machine(location->module) == FLM_MACHINE_X86_64 &&
           flm_module_keeps_frame_pointers(location->module, address) &&
           !flm_is_after_call(location->module, address);
}

static struct flm_unwound walk_frames(struct walk *walk, uint64_t *addresses, uint64_t *exact,
                                      size_t capacity)
{
    bool is_exact = true; /* the pc is the instruction's own address, not a return address */
    for (size_t count = 0;; count++) {
        uint64_t pc = flm_registers_pc(&walk->registers);
        const struct location *location = find_location(walk, is_exact ? pc : pc - 1);
        /* A return address without a mapping is not one. A leaf may be in no mapping, after a call
         * through a wrong pointer. */
        if (!location && !is_exact)
            return (struct flm_unwound){count, FLM_UNWIND_NO_MODULE, 0};
        if (count == capacity)
            return (struct flm_unwound){count, FLM_UNWIND_TOO_DEEP, 0};
        addresses[count] = pc;
        bool is_leaf = is_exact;
        if (!is_exact && location->table && is_made_by_go(location, pc))
            is_exact = true;
        if (is_exact)
            mark(exact, count);

        walk->stack.missed = 0;
        enum flm_step step = FLM_STEP_NONE;
        if (location && location->table)
            step = flm_unwind_step(location->table, pc - !is_exact + location->shift,
                                   &walk->registers, read_stack, &walk->stack);
        if (!location) {
            if (!step_as_called(walk))
                return (struct flm_unwound){count + 1, FLM_UNWIND_NO_MODULE, 0};
            step = FLM_STEP_CALLER;
        } else if (step == FLM_STEP_NONE) {
            uint64_t address = pc - !is_exact + location->shift;
            if (location->module && flm_module_ends_stack(location->module, address))
                return (struct flm_unwound){count + 1, FLM_UNWIND_WHOLE, 0};
            step = step_without_rule(walk, location, address, is_leaf);
        }
        switch (step) {
        case FLM_STEP_CALLER:
            is_exact = false;
            break;
        case FLM_STEP_SIGNAL:
            /* The kernel made the trampoline the handler's caller: it has not called it. */
            mark(exact, count);
            is_exact = true;
            walk->crossed = !is_in_reach(walk, flm_registers_sp(&walk->registers));
            break;
        case FLM_STEP_BOTTOM:
            mark(exact, count); /* its first byte, not the address after a call */
            return (struct flm_unwound){count + 1, FLM_UNWIND_WHOLE, 0};
        case FLM_STEP_END:
            return (struct flm_unwound){count + 1, FLM_UNWIND_WHOLE, 0};
        case FLM_STEP_FAILED:
            return (struct flm_unwound){count + 1, why_failed(walk, FLM_UNWIND_CORRUPT), 0};
        default:
            return (struct flm_unwound){
                count + 1,
                walk->crossed ? why_failed(walk, FLM_UNWIND_NO_TABLE) : FLM_UNWIND_NO_TABLE, 0};
        }
    }
}

/* How much of the dump the walk went through: up to the stack pointer of the last caller that it
 * found. 0: it went to another stack. */
static size_t measure(const struct walk *walk)
{
    uint64_t size = flm_registers_sp(&walk->registers) - walk->stack.address;
    return size <= walk->stack.size ? (size_t)size : 0;
}

static bool begin(struct walk *walk, const struct flm_process *process,
                  const struct flm_event_sample *sample)
{
    memset(walk->locations, 0, sizeof walk->locations);
    walk->process = process;
    walk->next_location = 0;
    walk->scan_budget = FLM_CALL_SCAN_BUDGET;
    if (!read_registers(sample, &walk->registers))
        return false;
    walk->stack = (struct stack_dump){sample->stack.at, flm_registers_sp(&walk->registers),
                                      sample->stack.size, 0, 0};
    walk->is_cut = sample->stack_is_cut;
    walk->crossed = false;
    return true;
}

struct flm_unwound flm_unwind(const struct flm_process *process,
                              const struct flm_event_sample *sample, uint64_t *addresses,
                              uint64_t *exact, size_t capacity)
{
    struct walk walk;
    memset(exact, 0, (capacity + 63) / 64 * sizeof *exact);
    if (!begin(&walk, process, sample))
        return (struct flm_unwound){0, FLM_UNWIND_NO_REGISTERS, 0};
    struct flm_unwound unwound = walk_frames(&walk, addresses, exact, capacity);
    unwound.size = measure(&walk);
    return unwound;
}

bool flm_unwind_registers(const struct flm_process *process, const struct flm_event_sample *sample,
                          size_t frame, struct flm_registers *registers)
{
    enum { MOST = 1024 };
    struct walk walk;
    uint64_t addresses[MOST], exact[MOST / 64] = {0};
    if (frame >= MOST || !begin(&walk, process, sample))
        return false;
    struct flm_unwound unwound = walk_frames(&walk, addresses, exact, frame);
    *registers = walk.registers;
    return unwound.end == FLM_UNWIND_TOO_DEEP;
}
