#include "record/go/goroutine.h"

#include <stdio.h>
#include <stdlib.h>

#include "os/clock.h"
#include "record/runtime/lasting_texts.h"
#include "record/runtime/process_memory.h"
#include "record/runtime/runtime.h"
#include "symbol/identity/machine.h"

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

/* ---- The entry ------------------------------------------------------------------------------- */

struct goroutines {
    struct flm_process_memory memory;
    struct flm_lasting_texts numbers;
    uint64_t samples, labeled, stale;
    int64_t read_ns;
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

static void label(struct goroutines *all, struct flm_runtime_sample *sample)
{
    static const char key[] = "goroutine";
    uint64_t goroutine, sp, words[FLM_GOROUTINE_WORDS];
    char text[24];
    if (!find_registers(&sample->event->sample, &goroutine, &sp) || goroutine % 8 != 0 ||
        !flm_process_memory_read_now(&all->memory, goroutine, words, sizeof words))
        return;
    uint64_t number = flm_goroutine_number(words, sp);
    if (number == 0)
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    struct flm_bytes kept = flm_lasting_text(&all->numbers, flm_bytes_of(text));
    if (kept.size > 0)
        sample->labels[0] = (struct flm_runtime_label){key, kept};
    all->labeled += kept.size > 0;
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
    if (event->time_ns != FLM_NO_TIME && now_ns - event->time_ns <= OLDEST_NS)
        label(all, sample);
    else
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
    char text[160];
    snprintf(text, sizeof text,
             "%llu of %llu samples are in one, %llu were read too late, %.1f us each",
             (unsigned long long)all->labeled, (unsigned long long)all->samples,
             (unsigned long long)all->stale,
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
