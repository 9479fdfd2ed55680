/* stack_samples.h - real samples of user stacks, and their stacks by elfutils.
 *
 * A program runs under perf events; each sample has its registers and a copy of its stack. The
 * same samples are then unwound by libdwfl, which is slow and known to be right. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_STACK_SAMPLES_H
#define FLAMEL_TESTS_SUPPORT_RECORD_STACK_SAMPLES_H

#include "record/perf/event.h"

struct stack_mapping {
    uint64_t start, end, file_offset;
    char path[512];
};

struct stack_samples {
    struct flm_event_layout layout;
    struct flm_event_sample *samples; /* they point into `bytes` */
    size_t sample_count, sample_capacity;
    struct stack_mapping *mappings; /* sorted, apart, of code */
    size_t mapping_count, mapping_capacity;
    char *bytes;
    size_t size, capacity;
};

/* Runs the command, at so many samples for a second of its time, each with `stack_size` bytes of
 * stack. False where the system does not allow it: the sentence says why. The test fails when the
 * command does. */
bool stack_samples_take(struct stack_samples *samples, char *const *command, unsigned frequency,
                        unsigned stack_size, const char **sentence);
void stack_samples_clear(struct stack_samples *samples);

/* A compiler that makes `program` of a source: `flags` are for a shell. False where there is no
 * such compiler, or it has not what these flags ask for. */
bool compile_program(const char *compiler, const char *flags, const char *source,
                     const char *program);

/* Our own vdso, which every process of this kernel has; size 0: there is none. */
struct flm_bytes vdso_image(void);

/* The stack by libdwfl, as flm_unwind gives it. `whole`: it found the outermost frame. */
struct oracle;
struct oracle *oracle_new(const struct stack_samples *samples);
void oracle_free(struct oracle *oracle);
size_t oracle_unwind(struct oracle *oracle, const struct flm_event_sample *sample,
                     uint64_t *addresses, uint64_t *exact, size_t capacity, bool *whole);

/* Whether a file's .eh_frame or .debug_frame has a row for the address, by libdw. */
bool oracle_has_row(const struct oracle *oracle, uint64_t address);

#endif
