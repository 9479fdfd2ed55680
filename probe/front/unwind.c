/* unwind.c - the stack of the caller. Runs inside malloc.
 *
 * On x86-64 by what compilers write into .eh_frame for exceptions, which nearly all code has, and
 * without it by frame pointers, as code of runtimes that compile often has them. Elsewhere by frame
 * pointers. How to leave a function at an address is computed once and kept.
 *
 * Nothing is locked, and no memory is needed: _dl_find_object (glibc 2.35) says which file is at an
 * address. What is not of the stack is not read, whatever the registers were. */
#include "mappings.h"
#include "memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct registers {
    uintptr_t pc, sp, fp;
};

/* ---- What may be read ------------------------------------------------------------------------ */

/* The thread's own stack, as far as it is known to be readable. Others (of coroutines, of signal
 * handlers) are asked for by page. */
struct readable {
    uintptr_t low, end, page;
};

enum { PAGE = 4096 };

static bool page_is_there(struct readable *readable, uintptr_t address)
{
    uintptr_t page = address / PAGE * PAGE;
    if (page == readable->page)
        return true;
    if (!flm_is_readable(page))
        return false;
    readable->page = page;
    return true;
}

static bool read_word(struct readable *readable, uintptr_t address, uintptr_t *word)
{
    if (address % sizeof *word != 0)
        return false;
    if ((address < readable->low || address >= readable->end) && !page_is_there(readable, address))
        return false;
    *word = *(const uintptr_t *)address; // NOLINT(performance-no-int-to-ptr)
    return true;
}

/* ---- Frame pointers -------------------------------------------------------------------------- */

static bool step_by_pointer(struct readable *readable, struct registers *at)
{
    enum { MOST_FRAME = 1 << 20 };
    uintptr_t fp, pc;
    if (at->fp < at->sp || at->fp - at->sp > MOST_FRAME || !read_word(readable, at->fp, &fp) ||
        !read_word(readable, at->fp + sizeof fp, &pc) || pc < 4096)
        return false;
    *at = (struct registers){.pc = pc, .sp = at->fp + 2 * sizeof fp, .fp = fp};
    return true;
}

#if defined __x86_64__ && defined DLFO_EH_SEGMENT_TYPE

/* ---- Rules: how to leave a function from an address ------------------------------------------ */

enum rule_kind {
    BY_POINTER, /* nothing is known */
    FROM_SP,    /* the frame ends at this register + offset */
    FROM_FP,
    AT_FP, /* at what is stored there */
    OUTERMOST
};

struct rule {
    int32_t offset;
    int16_t fp_at; /* in words from the end; 0: the register is as it was */
    uint16_t kind;
};

/* Two words that are written one after the other: the first one has the second one in it, so that a
 * pair of different rules is seen. */
enum { CACHE_BITS = 13 };
static struct {
    uint64_t key, rule;
} cache[1 << CACHE_BITS];
static uint32_t age;

void flm_unwind_forget(void)
{
    __atomic_fetch_add(&age, 1, __ATOMIC_RELAXED);
}

static uint64_t key_of(uintptr_t pc)
{
    const int age_shift = 48;
    return pc ^ (uint64_t)__atomic_load_n(&age, __ATOMIC_RELAXED) << age_shift;
}

/* ---- .eh_frame ------------------------------------------------------------------------------- */

struct bytes {
    const unsigned char *at, *end;
};

static uint64_t fixed(struct bytes *in, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(in->end - in->at) < size) {
        in->at = in->end;
        return 0;
    }
    memcpy(&value, in->at, size);
    in->at += size;
    return value;
}

static uint64_t uleb(struct bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; in->at < in->end; shift += 7) {
        unsigned char byte = *in->at++;
        value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            break;
    }
    return value;
}

static int64_t sleb(struct bytes *in)
{
    uint64_t value = 0;
    unsigned shift = 0;
    while (in->at < in->end) {
        unsigned char byte = *in->at++;
        value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        shift += 7;
        if (byte < 128) {
            if (shift < 64 && (byte & 64))
                value |= ~(uint64_t)0 << shift;
            break;
        }
    }
    return (int64_t)value;
}

/* Addresses in the one form that compilers use on x86-64: 4 bytes, from here on; or 8. */
enum { RELATIVE_4 = 0x1B, RELATIVE_TO_TABLE_4 = 0x3B, ABSOLUTE_8 = 0, OMITTED = 0xFF };
static uintptr_t address(struct bytes *in, unsigned encoding)
{
    uintptr_t here = (uintptr_t)in->at;
    if (encoding == RELATIVE_4)
        return here + (uintptr_t)(int64_t)(int32_t)fixed(in, 4);
    return encoding == ABSOLUTE_8 ? fixed(in, 8) : (in->at = in->end, 0);
}

/* The entry of the function that has `pc`, by the sorted table; NULL: there is none. */
static const unsigned char *find_entry(const unsigned char *table, uintptr_t pc)
{
    enum { HEAD = 12, ROW = 8 };
    if (table[0] != 1 || table[1] != RELATIVE_4 || table[2] != 3 || table[3] != RELATIVE_TO_TABLE_4)
        return NULL;
    uint32_t count, first = 0;
    memcpy(&count, table + 8, sizeof count);
    int64_t wanted = (int64_t)(pc - (uintptr_t)table);
    int32_t row[2];
    while (count > 0) { /* how many may begin at pc or before */
        uint32_t half = count / 2;
        memcpy(row, table + HEAD + (size_t)(first + half) * ROW, sizeof row);
        if (row[0] <= wanted) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    if (first == 0)
        return NULL;
    memcpy(row, table + HEAD + (size_t)(first - 1) * ROW, sizeof row);
    return table + row[1];
}

enum { SP = 7, FP = 6, RETURN = 16 };

struct state {
    int64_t cfa_offset, fp_offset; /* 0: it is where it was */
    unsigned cfa_register;
    bool is_expression, is_outermost, is_unknown;
};

struct unwind_table {
    uint64_t code_step;
    int64_t data_step;
    unsigned encoding;
    bool is_signal, is_good;
    struct bytes initial;
};

static struct bytes part_at(const unsigned char *at)
{
    uint32_t size;
    memcpy(&size, at, sizeof size);
    return (struct bytes){at + sizeof size, at + sizeof size + size};
}

static struct unwind_table read_common(const unsigned char *at)
{
    struct unwind_table table = {.encoding = ABSOLUTE_8};
    struct bytes in = part_at(at);
    fixed(&in, 4);
    unsigned version = (unsigned)fixed(&in, 1);
    const char *letters = (const char *)in.at;
    while (in.at < in.end && *in.at)
        in.at++;
    in.at++;
    table.code_step = uleb(&in);
    table.data_step = sleb(&in);
    uint64_t column = version == 1 ? fixed(&in, 1) : uleb(&in);
    table.is_good = column == RETURN && (letters[0] == 'z' || letters[0] == 0);
    if (letters[0] == 'z') {
        uint64_t size = uleb(&in);
        struct bytes more = {in.at, in.at + size};
        for (const char *letter = letters + 1; *letter; letter++) {
            unsigned pointer;
            if (*letter == 'R') {
                table.encoding = (unsigned)fixed(&more, 1);
            } else if (*letter == 'L') {
                fixed(&more, 1);
            } else if (*letter == 'P') {
                pointer = (unsigned)fixed(&more, 1) & 15;
                fixed(&more, pointer == 0 || pointer == 4 || pointer == 12 ? 8 : 4);
            } else if (*letter == 'S') {
                table.is_signal = true;
            }
        }
        in.at += size;
    }
    table.initial = in;
    return table;
}

/* DW_CFA_def_cfa_expression: of main with a stack that is aligned: what is at fp + offset. */
static void read_expression(struct bytes *in, struct state *state)
{
    enum { BASE_OF_FP = 0x76, LOAD = 0x06 };
    uint64_t size = uleb(in);
    struct bytes code = {in->at, in->at + size};
    state->is_expression = true;
    state->is_unknown = fixed(&code, 1) != BASE_OF_FP;
    state->cfa_offset = sleb(&code);
    state->is_unknown = state->is_unknown || fixed(&code, 1) != LOAD || code.at != code.end;
    in->at += size;
}

static void set_register(struct state *state, uint64_t number, int64_t offset, bool is_known)
{
    if (number == FP) {
        state->fp_offset = offset;
        state->is_unknown = state->is_unknown || !is_known;
    }
    if (number == RETURN && offset == 0)
        state->is_outermost = true;
}

/* Instructions until `location` is behind `pc`. */
static void run(struct bytes in, const struct unwind_table *table, uintptr_t location, uintptr_t pc,
                struct state *state, const struct state *initial)
{
    enum { DEPTH = 8, LOW = 63, ADVANCE = 1, OFFSET = 2, RESTORE = 3 };
    struct state saved[DEPTH];
    unsigned depth = 0;
    while (in.at < in.end && location <= pc) {
        unsigned char code = *in.at++;
        unsigned low = code & LOW;
        uint64_t number;
        switch (code >> 6) {
        case ADVANCE:
            location += low * table->code_step;
            continue;
        case OFFSET:
            set_register(state, low, (int64_t)uleb(&in) * table->data_step, true);
            continue;
        case RESTORE:
            set_register(state, low, low == FP ? initial->fp_offset : 1, true);
            continue;
        default:
            break;
        }
        switch (low) {
        case 0x00: /* nop */
            break;
        case 0x01: /* set_loc */
            location = address(&in, table->encoding);
            break;
        case 0x02: /* advance_loc1, 2, 4 */
            location += fixed(&in, 1) * table->code_step;
            break;
        case 0x03:
            location += fixed(&in, 2) * table->code_step;
            break;
        case 0x04:
            location += fixed(&in, 4) * table->code_step;
            break;
        case 0x05: /* offset_extended */
            number = uleb(&in);
            set_register(state, number, (int64_t)uleb(&in) * table->data_step, true);
            break;
        case 0x06: /* restore_extended */
            number = uleb(&in);
            set_register(state, number, number == FP ? initial->fp_offset : 1, true);
            break;
        case 0x07: /* undefined */
            number = uleb(&in);
            set_register(state, number, 0, number != FP);
            break;
        case 0x08: /* same_value */
            number = uleb(&in);
            set_register(state, number, number == FP ? 0 : 1, true);
            break;
        case 0x09: /* register: in another one */
            number = uleb(&in);
            uleb(&in);
            set_register(state, number, 1, number != FP);
            break;
        case 0x0A: /* remember_state */
            if (depth < DEPTH)
                saved[depth] = *state;
            depth++;
            break;
        case 0x0B: /* restore_state */
            if (depth > 0 && --depth < DEPTH)
                *state = saved[depth];
            break;
        case 0x0C: /* def_cfa */
            state->cfa_register = (unsigned)uleb(&in);
            state->cfa_offset = (int64_t)uleb(&in);
            state->is_expression = false;
            break;
        case 0x0D: /* def_cfa_register */
            state->cfa_register = (unsigned)uleb(&in);
            state->is_expression = false;
            break;
        case 0x0E: /* def_cfa_offset */
            state->cfa_offset = (int64_t)uleb(&in);
            break;
        case 0x0F:
            read_expression(&in, state);
            break;
        case 0x10: /* expression: fp + offset, in code that aligns its stack */
        case 0x16: {
            number = uleb(&in);
            uint64_t size = uleb(&in);
            in.at += size;
            if (number == FP)
                state->fp_offset = INT64_MIN; /* stored where fp points to */
            break;
        }
        case 0x11: /* offset_extended_sf */
            number = uleb(&in);
            set_register(state, number, sleb(&in) * table->data_step, true);
            break;
        case 0x12: /* def_cfa_sf */
            state->cfa_register = (unsigned)uleb(&in);
            state->cfa_offset = sleb(&in) * table->data_step;
            state->is_expression = false;
            break;
        case 0x13: /* def_cfa_offset_sf */
            state->cfa_offset = sleb(&in) * table->data_step;
            break;
        case 0x14: /* val_offset */
            uleb(&in);
            uleb(&in);
            break;
        case 0x2E: /* GNU_args_size */
            uleb(&in);
            break;
        default:
            state->is_unknown = true;
            return;
        }
    }
}

static struct rule rule_of(const struct state *state)
{
    enum { WORD = 8, MOST = INT16_MAX * WORD };
    struct rule rule = {.kind = BY_POINTER, .offset = (int32_t)state->cfa_offset};
    bool at_fp = state->fp_offset == INT64_MIN;
    if (state->is_outermost)
        rule.kind = OUTERMOST;
    else if (state->is_unknown || state->cfa_offset != rule.offset)
        return rule;
    else if (state->is_expression)
        rule.kind = AT_FP;
    else if (!at_fp && (state->cfa_register == SP || state->cfa_register == FP))
        rule.kind = state->cfa_register == SP ? FROM_SP : FROM_FP;
    if (!at_fp && (state->fp_offset > MOST || state->fp_offset < -MOST))
        rule.kind = BY_POINTER;
    else if (!at_fp)
        rule.fp_at = (int16_t)(state->fp_offset / WORD);
    return rule;
}

static struct rule compute(uintptr_t pc)
{
    struct dl_find_object object;
    struct rule unknown = {.kind = BY_POINTER};
    if (_dl_find_object((void *)pc, &object) != 0) // NOLINT(performance-no-int-to-ptr)
        return unknown;
    flm_mapping_of(object.dlfo_map_start, object.dlfo_link_map->l_name);
    const unsigned char *entry = object.dlfo_eh_frame ? find_entry(object.dlfo_eh_frame, pc) : NULL;
    if (!entry)
        return unknown;
    struct bytes in = part_at(entry);
    const unsigned char *here = in.at;
    struct unwind_table table = read_common(here - (uint32_t)fixed(&in, 4));
    if (!table.is_good)
        return unknown;
    uintptr_t start = address(&in, table.encoding);
    uintptr_t size = table.encoding == ABSOLUTE_8 ? fixed(&in, 8) : fixed(&in, 4);
    if (start == 0 || pc - start >= size || table.is_signal)
        return unknown;
    in.at += uleb(&in);
    struct state state = {.cfa_register = SP, .cfa_offset = 8}, initial;
    run(table.initial, &table, 0, 0, &state, &state);
    initial = state;
    run(in, &table, start, pc, &state, &initial);
    return rule_of(&state);
}

static struct rule find_rule(uintptr_t pc)
{
    const int shift = 64 - CACHE_BITS;
    uint64_t key = key_of(pc), bits;
    size_t slot = (size_t)((uint64_t)pc * 0x9E3779B97F4A7C15u >> shift);
    struct rule rule;
    bits = __atomic_load_n(&cache[slot].rule, __ATOMIC_RELAXED);
    if ((__atomic_load_n(&cache[slot].key, __ATOMIC_RELAXED) ^ bits) == key) {
        memcpy(&rule, &bits, sizeof rule);
        return rule;
    }
    rule = compute(pc);
    memcpy(&bits, &rule, sizeof bits);
    __atomic_store_n(&cache[slot].key, key ^ bits, __ATOMIC_RELAXED);
    __atomic_store_n(&cache[slot].rule, bits, __ATOMIC_RELAXED);
    return rule;
}

/* ---- Leaving --------------------------------------------------------------------------------- */

/* False: it is the outermost one. `is_exact`: pc is of an instruction, not where a call returns. */
static bool step(struct readable *readable, struct registers *at, bool is_exact)
{
    struct rule rule = find_rule(at->pc - (is_exact ? 0 : 1));
    uintptr_t end = 0, fp = at->fp, pc;
    if (rule.kind == OUTERMOST)
        return false;
    if (rule.kind == BY_POINTER)
        return step_by_pointer(readable, at);
    if (rule.kind == AT_FP) {
        if (!read_word(readable, at->fp + (uintptr_t)(intptr_t)rule.offset, &end) ||
            !read_word(readable, at->fp, &fp))
            return false;
    } else {
        end = (rule.kind == FROM_SP ? at->sp : at->fp) + (uintptr_t)(intptr_t)rule.offset;
        if (rule.fp_at != 0 &&
            !read_word(readable, end + (uintptr_t)((intptr_t)rule.fp_at * (intptr_t)sizeof fp),
                       &fp))
            return false;
    }
    if (end <= at->sp || !read_word(readable, end - sizeof pc, &pc) || pc == 0)
        return false;
    *at = (struct registers){.pc = pc, .sp = end, .fp = fp};
    return true;
}

static inline __attribute__((always_inline)) struct registers here(void)
{
    struct registers at;
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=&r"(at.pc), "=&r"(at.sp), "=&r"(at.fp));
    return at;
}
#define HERE() here()

#else

void flm_unwind_forget(void)
{
}

static bool step(struct readable *readable, struct registers *at, bool is_exact)
{
    (void)is_exact;
    return step_by_pointer(readable, at);
}
#define HERE()                                                                                     \
    ((struct registers){.pc = (uintptr_t)flm_unwind,                                               \
                        .sp = (uintptr_t)__builtin_frame_address(0),                               \
                        .fp = (uintptr_t)__builtin_frame_address(0)})
#endif

/* Of the library: its frames are left out. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own(uintptr_t pc)
{
    return pc - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

uint32_t flm_unwind(struct flm_local *local, uint64_t *frame, uint32_t most)
{
    struct registers at = HERE();
    flm_stack_reach(local, at.sp);
    struct readable readable = {local->stack_low, local->stack_end, 0};
    uint32_t count = 0;
    bool is_exact = true;
    while (count < most && step(&readable, &at, is_exact)) {
        is_exact = false;
        if (count > 0 || !is_own(at.pc))
            frame[count++] = at.pc;
    }
    return count;
}
