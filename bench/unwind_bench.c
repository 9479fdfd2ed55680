/* unwind_bench.c - what src/symbol/unwind/unwind_table.h claims: unwind_bench PROGRAM [ARGUMENT...]
 *
 * Runs the program, takes samples with 32 KB of its stack, and unwinds them all: ns for a frame by
 * flm_unwind, and by libdwfl on the same samples in the same run, its own tables read before. Says
 * how long our tables took to make and to open, and how large they are. Of ours each figure is the
 * fastest of several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/symbols/unwinder.h"
#include "support/record/stack_samples.h"

enum { FRAMES_MOST = 512, ROUNDS = 7, SAMPLES_A_SECOND = 2000, MAPPINGS_MOST = 1000 };

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

struct subject {
    struct stack_samples samples;
    struct flm_modules *modules;
    struct flm_mapping mappings[MAPPINGS_MOST];
    struct flm_process process;
};

static void map(struct subject *subject)
{
    static const struct flm_modules_options options = {0};
    subject->modules = flm_modules_new(&options, NULL);
    size_t count = subject->samples.mapping_count;
    if (!subject->modules || count > MAPPINGS_MOST) {
        fprintf(stderr, "unwind_bench: too much is mapped\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        const struct stack_mapping *from = &subject->samples.mappings[i];
        struct flm_module_request request = {.path = flm_bytes_of(from->path)};
        if (strcmp(from->path, "[vdso]") == 0)
            request.image = vdso_image();
        subject->mappings[i] = (struct flm_mapping){
            .start = from->start, .end = from->end, .file_offset = from->file_offset};
        if (from->path[0] == '/' && from->path[1] != '/')
            subject->mappings[i].module = flm_modules_get(subject->modules, &request);
    }
    subject->process = (struct flm_process){.mappings = subject->mappings, .mapping_count = count};
}

static void make_tables(const struct subject *subject)
{
    struct flm_text bytes = {0};
    size_t rows = 0, functions = 0, unsupported = 0, made = 0;
    double start = now_us();
    for (size_t i = 0; i < subject->process.mapping_count; i++)
        if (subject->mappings[i].module)
            flm_module_unwind_table(subject->mappings[i].module);
    double making = now_us() - start;
    for (size_t i = 0; i < subject->process.mapping_count; i++) {
        struct flm_module *module = subject->mappings[i].module;
        bool is_first = module != NULL;
        for (size_t k = 0; k < i; k++)
            is_first &= subject->mappings[k].module != module;
        const struct flm_unwind_table *table = is_first ? flm_module_unwind_table(module) : NULL;
        if (!table)
            continue;
        struct flm_unwind_counts counts = flm_unwind_table_counts(table);
        made++;
        rows += counts.rows;
        functions += counts.functions;
        unsupported += counts.unsupported;
        flm_unwind_table_write(table, &bytes);
    }
    printf(
        "  %zu tables, %zu functions (%zu with rules of no kind that we know), %zu rows, %.1f MB "
        "in %.1f ms: %.0f ns a row\n",
        made, functions, unsupported, rows, (double)bytes.size / 1e6, making / 1e3,
        rows ? making * 1e3 / (double)rows : 0);
    flm_text_clear(&bytes);
}

static void unwind_ours(const struct subject *subject)
{
    static uint64_t addresses[FRAMES_MOST], exact[FRAMES_MOST / 64];
    size_t frames = 0, ends[FLM_UNWIND_ENDS] = {0};
    double fastest = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        frames = 0;
        memset(ends, 0, sizeof ends);
        double start = now_us();
        for (size_t i = 0; i < subject->samples.sample_count; i++) {
            struct flm_unwound unwound = flm_unwind(&subject->process, &subject->samples.samples[i],
                                                    addresses, exact, FRAMES_MOST);
            frames += unwound.count;
            ends[unwound.end]++;
        }
        double time = now_us() - start;
        if (time < fastest)
            fastest = time;
    }
    size_t count = subject->samples.sample_count;
    printf("  flamel   %7.1f ns/frame, %.1f frames a sample, %.2f %% whole, %zu cut\n",
           fastest * 1e3 / (double)frames, (double)frames / (double)count,
           100.0 * (double)ends[FLM_UNWIND_WHOLE] / (double)count, ends[FLM_UNWIND_BEYOND_DUMP]);
}

static void unwind_theirs(const struct subject *subject)
{
    static uint64_t addresses[FRAMES_MOST], exact[FRAMES_MOST / 64];
    struct oracle *oracle = oracle_new(&subject->samples);
    double time = 0;
    size_t frames = 0;
    for (int round = 0; round < 2; round++) {
        frames = 0;
        double start = now_us();
        for (size_t i = 0; i < subject->samples.sample_count; i++) {
            bool whole;
            frames += oracle_unwind(oracle, &subject->samples.samples[i], addresses, exact,
                                    FRAMES_MOST, &whole);
        }
        time = now_us() - start;
    }
    printf("  libdwfl  %7.1f ns/frame, %.1f frames a sample\n", time * 1e3 / (double)frames,
           (double)frames / (double)subject->samples.sample_count);
    oracle_free(oracle);
}

int main(int count, char **arguments)
{
    static struct subject subject;
    const char *sentence;
    if (count < 2) {
        fprintf(stderr, "unwind_bench PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (!stack_samples_take(&subject.samples, arguments + 1, SAMPLES_A_SECOND, 32768, &sentence)) {
        printf("  %s\n", sentence);
        return 0;
    }
    map(&subject);
    printf("  %zu samples\n", subject.samples.sample_count);
    make_tables(&subject);
    unwind_ours(&subject);
    unwind_theirs(&subject);
    flm_modules_free(subject.modules);
    stack_samples_clear(&subject.samples);
    return 0;
}
