#include "record/go/goroutine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "record/runtime/lasting_texts.h"
#include "record/runtime/process_memory.h"
#include "record/runtime/runtime.h"
#include "record/runtime/stack_dump.h"
#include "symbol/identity/machine.h"
#include "symbol/unwind/unwind_table.h"

uint64_t flm_goroutine_number(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t sp)
{
    enum { LOW = 0, HIGH = 1, FIRST_STATE = 18, LAST_STATE = 19, RUNNING = 2, IN_CALL = 3 };
    if (sp < words[LOW] || sp >= words[HIGH])
        return 0;
    for (int state = FIRST_STATE; state <= LAST_STATE; state++)
        if (words[state] == RUNNING || words[state] == IN_CALL) /* of a system call */
            return words[state + 1];
    return 0;
}

uint64_t flm_goroutine_frame(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t depth,
                             uint64_t *frame_pointer)
{
    enum { LOW = 0, HIGH = 1, SP = 7, POINTER = 12, LATER_POINTER = 13 };
    uint64_t sp = words[SP];
    if (sp < words[LOW] || sp >= words[HIGH] || words[HIGH] - sp != depth || sp % 8 != 0)
        return 0;
    bool is_later = words[POINTER] == 0; /* the link register of others, 0 on x86-64 */
    *frame_pointer = words[is_later ? LATER_POINTER : POINTER];
    return sp;
}

bool flm_goroutine_callers(const uint64_t *stack, size_t count, uint64_t address,
                           uint64_t frame_pointer, uint64_t *callers, size_t capacity,
                           size_t *found)
{
    *found = 0;
    if (count == 0 || capacity == 0)
        return false;
    if (frame_pointer != address) /* else asmcgocall has a frame of its own, from Go 1.21 on */
        callers[(*found)++] = stack[0];
    while (frame_pointer != 0) {
        uint64_t at = (frame_pointer - address) / 8;
        if (frame_pointer < address || frame_pointer % 8 != 0 || at + 1 >= count ||
            *found == capacity)
            return false;
        callers[(*found)++] = stack[at + 1];
        if (stack[at] != 0 && stack[at] <= frame_pointer)
            return false;
        frame_pointer = stack[at];
    }
    return true;
}

/* ---- The entry ------------------------------------------------------------------------------- */

enum { STACK_WORDS = 4096, MOST_CALLERS = 512 };

struct goroutines {
    struct flm_process_memory memory;
    struct flm_lasting_texts numbers;
    uint64_t samples, labeled, joined, stale;
    int64_t read_ns;
    uint64_t stack[STACK_WORDS], callers[MOST_CALLERS];
};

/* The address of the goroutine, and the stack pointer, by perf's numbers of registers. */
static bool find_registers(const struct flm_event_sample *sample, uint64_t *goroutine, uint64_t *sp)
{
    enum { R14 = 22, RSP = 7, X28 = 28, ARM64_SP = 31 };
    if (!sample->registers || !sample->register_abi)
        return false;
    bool is_arm64 = sample->layout->machine == FLM_MACHINE_ARM64;
    const unsigned numbers[] = {is_arm64 ? X28 : R14, is_arm64 ? ARM64_SP : RSP};
    uint64_t all = sample->layout->user_registers, values[2];
    for (int i = 0; i < 2; i++) {
        if (!(all >> numbers[i] & 1))
            return false;
        uint64_t before = all & ((UINT64_C(1) << numbers[i]) - 1);
        values[i] = sample->registers[__builtin_popcountll(before)];
    }
    *goroutine = values[0];
    *sp = values[1];
    return true;
}

static void put_label(struct goroutines *all, struct flm_runtime_sample *sample, uint64_t number)
{
    static const char key[] = "goroutine";
    char text[24];
    if (number == 0)
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    struct flm_bytes kept = flm_lasting_text(&all->numbers, flm_bytes_of(text));
    if (kept.size > 0)
        sample->labels[0] = (struct flm_runtime_label){key, kept};
    all->labeled += kept.size > 0;
}

static void label(struct goroutines *all, struct flm_runtime_sample *sample)
{
    uint64_t goroutine, sp, words[FLM_GOROUTINE_WORDS];
    if (find_registers(&sample->event->sample, &goroutine, &sp) && goroutine % 8 == 0 &&
        flm_process_memory_read_now(&all->memory, goroutine, words, sizeof words))
        put_label(all, sample, flm_goroutine_number(words, sp));
}

/* ---- From C to the goroutine that called it -------------------------------------------------- */

/* How many frames the user's part of the chain has, and where the one of a number is. */
static size_t count_frames(const struct flm_runtime_sample *sample, size_t number, size_t *at)
{
    bool in_user = false;
    size_t count = 0;
    for (size_t i = 0; i < sample->count && sample->chain[i] != FLM_CODE_TRUNCATED; i++) {
        if (sample->chain[i] >= FLM_CONTEXT_LEAST) {
            in_user = sample->chain[i] == FLM_CONTEXT_USER;
            continue;
        }
        if (in_user && count == number)
            *at = i;
        count += in_user;
    }
    return count;
}

/* Where the goroutine's own stack goes on, if the frame is that of runtime.asmcgocall: it keeps, on
 * the thread's stack, how deep the goroutine's own is, and the goroutine; at the stack pointer, or,
 * up to Go 1.20, 40 bytes above it. 0: it is another function. */
static uint64_t find_stack(struct goroutines *all, const struct flm_runtime_sample *sample,
                           size_t frame, uint64_t words[FLM_GOROUTINE_WORDS], uint64_t *pointer)
{
    static const uint64_t places[] = {0, 40};
    const struct flm_stack_dump dump = flm_stack_dump_of(&sample->event->sample);
    struct flm_registers registers;
    if (!sample->registers(sample, frame, &registers) || registers.machine != FLM_MACHINE_X86_64)
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint64_t offset = flm_registers_sp(&registers) + places[i] - dump.address, kept[2], sp;
        if (offset >= dump.bytes.size || dump.bytes.size - offset < sizeof kept)
            return 0;
        memcpy(kept, dump.bytes.at + offset, sizeof kept);
        if (kept[1] != 0 && kept[1] % 8 == 0 &&
            flm_process_memory_read_now(&all->memory, kept[1], words,
                                        FLM_GOROUTINE_WORDS * sizeof *words) &&
            (sp = flm_goroutine_frame(words, kept[0], pointer)) != 0)
            return sp;
    }
    return 0;
}

static bool join_at(struct goroutines *all, struct flm_runtime_sample *sample, size_t frame)
{
    enum { HIGH = 1 };
    uint64_t words[FLM_GOROUTINE_WORDS], pointer;
    size_t at = 0, count;
    uint64_t sp = find_stack(all, sample, frame, words, &pointer);
    uint64_t depth = sp ? (words[HIGH] - sp) / 8 : 0;
    size_t size = depth < STACK_WORDS ? depth : STACK_WORDS;
    if (!sp || !flm_process_memory_read_now(&all->memory, sp, all->stack, 8 * size))
        return false;
    bool is_whole =
        flm_goroutine_callers(all->stack, size, sp, pointer, all->callers, MOST_CALLERS, &count);
    count_frames(sample, frame, &at);
    sample->count = at + 1;
    for (size_t i = 0; i < count && sample->count + 1 < sample->capacity; i++)
        sample->chain[sample->count++] = all->callers[i];
    if (!is_whole)
        sample->chain[sample->count++] = FLM_CODE_TRUNCATED;
    put_label(all, sample, flm_goroutine_number(words, sp));
    return true;
}

/* Behind asmcgocall there may be a few words that look like return addresses. */
static void join(struct goroutines *all, struct flm_runtime_sample *sample)
{
    enum { MOST_TRIED = 3 };
    size_t ignored;
    if (!sample->registers || sample->count < 2 ||
        sample->chain[sample->count - 1] != FLM_CODE_TRUNCATED)
        return;
    size_t count = count_frames(sample, SIZE_MAX, &ignored);
    for (size_t i = 1; i <= MOST_TRIED && i < count; i++)
        if (join_at(all, sample, count - i)) {
            all->joined++;
            return;
        }
}

static bool mix(void *attached, struct flm_runtime_sample *sample, int64_t now_ns,
                flm_event_sink define, void *context, struct flm_error *why)
{
    (void)define, (void)context, (void)why;
    enum { OLDEST_NS = 3000000 };
    struct goroutines *all = attached;
    const struct flm_event *event = sample->event;
    if (event->process <= 0)
        return true;
    all->samples++;
    all->memory.process = event->process;
    if (event->time_ns != FLM_NO_TIME && now_ns - event->time_ns <= OLDEST_NS) {
        label(all, sample);
        join(all, sample);
    } else
        all->stale++;
    all->read_ns += flm_now_ns() - now_ns;
    return true;
}

static void *attach(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why)
{
    (void)runtime, (void)options;
    struct goroutines *all = calloc(1, sizeof *all);
    if (!all)
        flm_error_memory(why);
    return all;
}

/* A sample without a label has lost none: threads run the scheduler, the collector, and C. */
static void report_all(const void *attached, const struct flm_runtime_report *report)
{
    const struct goroutines *all = attached;
    char text[240];
    snprintf(text, sizeof text,
             "%llu of %llu samples are in one, %llu of them in C that it called; %llu were read "
             "too late, %.1f us each",
             (unsigned long long)all->labeled, (unsigned long long)all->samples,
             (unsigned long long)all->joined, (unsigned long long)all->stale,
             all->samples ? (double)all->read_ns / 1e3 / (double)all->samples : 0);
    if (all->samples > 0)
        report->note(report->session, "goroutines", flm_bytes_of(text));
}

static void close_attached(void *attached)
{
    struct goroutines *all = attached;
    if (all)
        flm_lasting_texts_clear(&all->numbers);
    free(all);
}

extern const struct flm_runtime flm_runtime_go;
const struct flm_runtime flm_runtime_go = {.name = "Go",
                                           .section = ".go.buildinfo",
                                           .not_off_cpu = true,
                                           .attach = attach,
                                           .mix = mix,
                                           .report = report_all,
                                           .close = close_attached};
