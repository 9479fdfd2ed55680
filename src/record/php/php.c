#include "record/php/php.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record/php/php_function.h"
#include "record/script/script_threads.h"

enum {
    DEEPEST = FLM_SCRIPT_DEEPEST,
    /* registers by their DWARF numbers */
    R14 = 14,
    R15 = 15,
    /* a frame's call */
    IS_TOP = 1 << 17 /* the loop ends when it returns */
};

struct php {
    struct flm_php_symbols symbols;
    const struct flm_php_layout *layout;
    struct flm_process_memory memory;
    struct flm_php_functions functions;
    struct flm_script_threads threads;
    struct flm_script_frame frames[DEEPEST];
    uint32_t function_of[DEEPEST];
    uint64_t opcode[DEEPEST];
    bool in_other_fiber; /* the frames from here on are those of who resumed this fiber */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void close_php(void *opened)
{
    struct php *p = opened;
    if (!p)
        return;
    flm_php_functions_clear(&p->functions);
    flm_script_threads_clear(&p->threads);
    free(p);
}

static bool find_layout(struct php *p, struct flm_error *why)
{
    const struct flm_php_symbols *s = &p->symbols;
#if !defined(__x86_64__)
    return flm_error_set(why, FLM_ERROR_FORMAT, "PHP is only read on x86-64");
#endif
    if (s->major == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "PHP of unknown version");
    p->layout = flm_php_layout_of(s->major, s->minor);
    return p->layout ||
           flm_error_set(why, FLM_ERROR_FORMAT, "PHP %d.%d is not supported: 8.0 to 8.4 are",
                         s->major, s->minor);
}

void *flm_php_open(int32_t process, const struct flm_php_symbols *symbols, struct flm_error *why)
{
    struct php *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->symbols = *symbols;
    p->memory.process = process;
    if (!find_layout(p, why)) {
        close_php(p);
        return NULL;
    }
    p->functions.layout = p->layout;
    p->functions.memory = &p->memory;
    p->functions.code = symbols->code;
    return p;
}

static void *open_php(const struct flm_process *process, struct flm_error *why)
{
    assert(process);
    struct flm_php_symbols symbols;
    if (!flm_php_symbols_find(process, &symbols))
        return NULL;
    return flm_php_open(process->id, &symbols, why);
}

static bool is_in(const struct flm_elf_range *range, uint64_t address)
{
    return address >= range->start && address < range->end;
}

static bool is_loop(const void *opened, uint64_t address)
{
    const struct php *p = opened;
    return is_in(&p->symbols.loop, address) || is_in(&p->symbols.cold, address);
}

static bool is_own(const void *opened, uint64_t address)
{
    return is_in(&((const struct php *)opened)->symbols.code, address);
}

static bool is_split(const void *opened)
{
    (void)opened;
    return false;
}

static uint64_t calls_of(const void *opened)
{
    return ((const struct php *)opened)->memory.calls;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

struct execute_data {
    uint64_t opcode, function, info, previous;
};

static uint64_t word_at(const char *bytes, size_t offset)
{
    uint64_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static bool read_data(struct php *p, uint64_t address, struct execute_data *data, bool now)
{
    char bytes[FLM_PHP_DATA_PREVIOUS + 8];
    if (address % 8 != 0 || !(now ? flm_process_memory_read_now : flm_process_memory_read)(
                                &p->memory, address, bytes, sizeof bytes))
        return false;
    *data = (struct execute_data){
        word_at(bytes, FLM_PHP_DATA_OPCODE), word_at(bytes, FLM_PHP_DATA_FUNCTION),
        word_at(bytes, FLM_PHP_DATA_INFO) & UINT32_MAX, word_at(bytes, FLM_PHP_DATA_PREVIOUS)};
    return true;
}

/* Whether it is a function without a name: a fiber begins with one, and what it was resumed from
 * comes before it. */
static bool is_start_of_fiber(struct php *p, uint64_t function)
{
    uint64_t words[2];
    return flm_process_memory_read(&p->memory, function, words, sizeof words) &&
           (words[0] & 0xFF) == FLM_PHP_INTERNAL && words[1] == 0;
}

/* Reads a frame; false when it is malformed. Frames without a function are placeholders. */
static bool read_frame(struct php *p, uint64_t address, size_t *count, uint64_t *previous,
                       int64_t now_ns)
{
    struct execute_data data;
    if (!read_data(p, address, &data, false))
        return false;
    *previous = data.previous;
    if (!data.function)
        return true;
    if (is_start_of_fiber(p, data.function)) {
        p->in_other_fiber = true;
        return true;
    }
    uint32_t function = flm_php_functions_find(&p->functions, data.function, now_ns);
    if (function == UINT32_MAX)
        return false;
    bool is_script = p->functions.items.at[function].kind != FLM_PHP_INTERNAL;
    p->function_of[*count] = function;
    p->opcode[*count] = data.opcode;
    p->frames[(*count)++] = (struct flm_script_frame){.is_entry = is_script && data.info & IS_TOP &&
                                                                  !p->in_other_fiber};
    return true;
}

/* After all functions were read: reading may move their texts. */
static void name_frames(struct php *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct flm_php_function *f = &p->functions.items.at[p->function_of[i]];
        uint32_t line =
            f->kind == FLM_PHP_INTERNAL ? 0 : flm_php_line(&p->functions, f, p->opcode[i]);
        flm_script_frame_name(&p->frames[i], &f->shown, line);
    }
}

/* ---- The innermost frame --------------------------------------------------------------------- */

static bool has_opcode(const struct flm_php_function *f, uint64_t opcode)
{
    return f->kind != FLM_PHP_INTERNAL &&
           (opcode - f->opcodes) / FLM_PHP_OPCODE_SIZE < f->opcode_count;
}

/* The innermost frame as of now. 0: none, or not known. */
static uint64_t current_of(struct php *p)
{
    uint64_t current = 0;
    if (p->symbols.globals)
        flm_process_memory_read_now(&p->memory, p->symbols.globals + p->layout->globals_current,
                                    &current, sizeof current);
    return current;
}

/* The interpreter's own functions that were called from a frame: those in front of it, if there is
 * nothing else. */
static void read_called(struct php *p, uint64_t frame, size_t *count, int64_t now_ns)
{
    enum { MOST_CALLED = 32 };
    uint64_t at = current_of(p);
    for (int i = 0; at != frame; i++) {
        size_t before = *count;
        if (at == 0 || i == MOST_CALLED || !read_frame(p, at, count, &at, now_ns) ||
            (*count > before &&
             p->functions.items.at[p->function_of[before]].kind != FLM_PHP_INTERNAL)) {
            *count = 0;
            break;
        }
    }
    p->in_other_fiber = false;
}

/* The function of an opcode, among those that were seen. */
static bool take_returned(struct php *p, uint64_t opcode, size_t *count)
{
    for (size_t i = 0; i < p->functions.items.count; i++) {
        const struct flm_php_function *f = &p->functions.items.at[i];
        if (f->shown.text.size == 0 || !has_opcode(f, opcode))
            continue;
        p->function_of[*count] = (uint32_t)i;
        p->opcode[*count] = opcode;
        p->frames[(*count)++] = (struct flm_script_frame){.is_guess = true};
        return true;
    }
    return false;
}

static enum flm_script_result failed(const struct php *p)
{
    return flm_process_memory_is_gone(&p->memory) ? FLM_SCRIPT_GONE : FLM_SCRIPT_TORN;
}

/* While an exception is thrown, the opcode is one of the interpreter's own, in its globals. */
static bool is_own_opcode(const struct php *p, uint64_t opcode)
{
    enum { SIZE = 2048 };
    return p->symbols.globals && opcode - p->symbols.globals < SIZE;
}

/* The innermost frame of a script, from the registers. While the loop is entered they are not set
 * yet: then it is the current one. */
static enum flm_script_result read_first(struct php *p, const struct flm_script_place *place,
                                         size_t *count, uint64_t *first, uint64_t *previous)
{
    uint64_t opcode = place->registers.value[R15];
    struct execute_data data;
    *first = place->registers.value[R14];
    if ((place->registers.known >> R14 & 3) != 3)
        return FLM_SCRIPT_NONE;
    uint32_t function = UINT32_MAX;
    if (read_data(p, *first, &data, false) && data.function)
        function = flm_php_functions_find(&p->functions, data.function, place->now_ns);
    if (function == UINT32_MAX ||
        !(has_opcode(&p->functions.items.at[function], opcode) || is_own_opcode(p, opcode))) {
        if (function != UINT32_MAX && take_returned(p, opcode, count)) {
            *previous = data.previous;
            return FLM_SCRIPT_FRAMES;
        }
        *first = *previous = current_of(p);
        if (*first)
            return FLM_SCRIPT_FRAMES;
        return flm_process_memory_is_gone(&p->memory) ? FLM_SCRIPT_GONE
               : function == UINT32_MAX               ? FLM_SCRIPT_NONE
                                                      : FLM_SCRIPT_MOVED_ON;
    }
    if (!place->is_leaf)
        read_called(p, *first, count, place->now_ns);
    size_t at = *count;
    if (!read_frame(p, *first, count, previous, place->now_ns) || *count != at + 1)
        return failed(p);
    if (!is_own_opcode(p, opcode))
        p->opcode[at] = opcode;
    return FLM_SCRIPT_FRAMES;
}

static enum flm_script_result read_frames(void *opened, const struct flm_script_place *place,
                                          struct flm_script_thread *thread, size_t *count)
{
    struct php *p = opened;
    uint64_t at = 0, first;
    struct execute_data before, after;
    (void)thread;
    p->in_other_fiber = false;
    enum flm_script_result result = read_first(p, place, count, &first, &at);
    if (result != FLM_SCRIPT_FRAMES)
        return result;
    for (int steps = 0; at && *count < DEEPEST && steps < 2 * DEEPEST; steps++)
        if (!read_frame(p, at, count, &at, place->now_ns))
            return failed(p);
    if (!read_data(p, first, &before, false) || !read_data(p, first, &after, true))
        return failed(p);
    return before.function == after.function && before.previous == after.previous
               ? FLM_SCRIPT_FRAMES
               : FLM_SCRIPT_TORN;
}

static enum flm_script_result read_php(void *opened, struct flm_script_place *place,
                                       struct flm_script_frame **frames, size_t *count)
{
    struct php *p = opened;
    enum flm_script_result result =
        flm_script_threads_read(&p->threads, &p->memory, place, read_frames, p, count);
    *frames = p->frames;
    name_frames(p, *count);
    return result;
}

const struct flm_script_interpreter flm_php_interpreter = {
    .name = "PHP",
    .note = "php",
    .note_refused = "php (not read)",
    .losses = FLM_SCRIPT_LOSSES_OF("PHP"),
    .opened = {.open = open_php, .close = close_php, .calls = calls_of},
    .is_loop = is_loop,
    .is_own = is_own,
    .is_split = is_split,
    .read = read_php};

/* ---- The entry ------------------------------------------------------------------------------- */

extern const struct flm_runtime flm_runtime_php;
const struct flm_runtime flm_runtime_php = {.name = "PHP",
                                            .is_interpreter = flm_php_is_named,
                                            .symbol = "execute_ex",
                                            .script = &flm_php_interpreter,
                                            .attach = flm_scripts_attach,
                                            .mix = flm_scripts_mix,
                                            .report = flm_scripts_report,
                                            .close = flm_scripts_free};
