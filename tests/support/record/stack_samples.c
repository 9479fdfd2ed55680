#include "support/record/stack_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbol/unwind/unwind_table.h"

bool compile_program(const char *compiler, const char *flags, const char *source,
                     const char *program)
{
    char command[2048];
    snprintf(command, sizeof command, "%s %s '%s' -o '%s' -pthread > /dev/null 2>&1", compiler,
             flags, source, program);
    return system(command) == 0;
}

/* ---- Rings ----------------------------------------------------------------------------------- */

enum { RINGS_MOST = 64, RING_PAGES = 256 };

struct ring {
    int file;
    struct perf_event_mmap_page *control;
    const char *bytes;
    size_t size;
};

#if defined(__x86_64__)
#define USER_REGISTERS 0xFF0FFFu
#else
#define USER_REGISTERS ((UINT64_C(1) << 33) - 1)
#endif

static bool open_ring(struct ring *ring, pid_t process, int cpu, unsigned frequency,
                      unsigned stack_size)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = frequency,
        .freq = 1,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
        .sample_regs_user = USER_REGISTERS,
        .sample_stack_user = stack_size,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .watermark = 1,
        .wakeup_watermark = 65536,
    };
    ring->file =
        (int)syscall(SYS_perf_event_open, &attributes, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (ring->file < 0)
        return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ring->size = RING_PAGES * page;
    void *mapped = mmap(NULL, ring->size + page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file, 0);
    if (mapped == MAP_FAILED) {
        close(ring->file);
        return false;
    }
    ring->control = mapped;
    ring->bytes = (const char *)mapped + page;
    return true;
}

static void close_ring(struct ring *ring)
{
    munmap(ring->control, ring->size + (size_t)sysconf(_SC_PAGESIZE));
    close(ring->file);
}

/* Appends what is in the ring. */
static void drain(struct stack_samples *samples, struct ring *ring)
{
    uint64_t head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->control->data_tail;
    size_t size = (size_t)(head - tail);
    assert_true(flm_grow((void **)&samples->bytes, &samples->capacity, samples->size + size, 1));
    for (size_t done = 0; done < size;) {
        size_t at = (size_t)((tail + done) % ring->size);
        size_t part = ring->size - at < size - done ? ring->size - at : size - done;
        memcpy(samples->bytes + samples->size + done, ring->bytes + at, part);
        done += part;
    }
    samples->size += size;
    __atomic_store_n(&ring->control->data_tail, head, __ATOMIC_RELEASE);
}

/* ---- Records --------------------------------------------------------------------------------- */

static void add_mapping(struct stack_samples *samples, const char *record)
{
    struct {
        uint32_t pid, tid;
        uint64_t start, size, offset;
    } m;
    memcpy(&m, record + sizeof(struct perf_event_header), sizeof m);
    struct stack_mapping mapping = {m.start, m.start + m.size, m.offset, ""};
    snprintf(mapping.path, sizeof mapping.path, "%s",
             record + sizeof(struct perf_event_header) + 64);
    size_t at = 0;
    for (; at < samples->mapping_count && samples->mappings[at].start < mapping.start; at++)
        ;
    if (at < samples->mapping_count && samples->mappings[at].start < mapping.end)
        return; /* told by several CPUs */
    assert_true(flm_grow((void **)&samples->mappings, &samples->mapping_capacity,
                         samples->mapping_count + 1, sizeof mapping));
    memmove(samples->mappings + at + 1, samples->mappings + at,
            (samples->mapping_count - at) * sizeof mapping);
    samples->mappings[at] = mapping;
    samples->mapping_count++;
}

static void add_sample(struct stack_samples *samples, const char *record)
{
    struct flm_event_sample sample = {.layout = &samples->layout, .privilege = FLM_IN_USER};
    const uint64_t *word =
        (const uint64_t *)(const void *)(record + sizeof(struct perf_event_header));
    sample.ip = *word++;
    sample.register_abi = *word++;
    if (sample.register_abi == PERF_SAMPLE_REGS_ABI_NONE)
        return;
    sample.registers = word;
    word += __builtin_popcountll(samples->layout.user_registers);
    uint64_t size = *word++;
    sample.stack.at = (const char *)word;
    if (size > 0) {
        memcpy(&sample.stack.size, (const char *)word + size, sizeof sample.stack.size);
        sample.stack_is_cut = sample.stack.size == size;
    }
    assert_true(flm_grow((void **)&samples->samples, &samples->sample_capacity,
                         samples->sample_count + 1, sizeof sample));
    samples->samples[samples->sample_count++] = sample;
}

static void take_records(struct stack_samples *samples)
{
    for (size_t at = 0; at < samples->size;) {
        struct perf_event_header header;
        memcpy(&header, samples->bytes + at, sizeof header);
        assert_true(header.size >= sizeof header && header.size <= samples->size - at);
        if (header.type == PERF_RECORD_MMAP2)
            add_mapping(samples, samples->bytes + at);
        else if (header.type == PERF_RECORD_SAMPLE)
            add_sample(samples, samples->bytes + at);
        at += header.size;
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

static pid_t start(char *const *command, int *go)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        char byte;
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            execv(command[0], command);
        _exit(127);
    }
    close(ends[0]);
    *go = ends[1];
    return process;
}

bool stack_samples_take(struct stack_samples *samples, char *const *command, unsigned frequency,
                        unsigned stack_size, const char **sentence)
{
    *samples = (struct stack_samples){0};
    samples->layout = (struct flm_event_layout){
        .name = "cpu-clock", .user_registers = USER_REGISTERS, .machine = flm_machine_here()};
    int go;
    pid_t process = start(command, &go);
    struct ring rings[RINGS_MOST];
    struct pollfd polled[RINGS_MOST];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0;
    for (int cpu = 0; cpu < cpus && count < RINGS_MOST; cpu++)
        count += open_ring(&rings[count], process, cpu, frequency, stack_size);
    if (count == 0) {
        *sentence = "perf events are not allowed here";
        kill(process, SIGKILL);
        close(go);
        waitpid(process, NULL, 0);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = rings[i].file, .events = POLLIN};
    assert_int_equal(write(go, "", 1), 1);
    close(go);

    int status = 0;
    for (bool runs = true; runs;) {
        runs = waitpid(process, &status, WNOHANG) == 0;
        if (runs)
            poll(polled, count, 5);
        for (size_t i = 0; i < count; i++)
            drain(samples, &rings[i]);
    }
    for (size_t i = 0; i < count; i++)
        close_ring(&rings[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    take_records(samples);
    return true;
}

void stack_samples_clear(struct stack_samples *samples)
{
    free(samples->samples);
    free(samples->mappings);
    free(samples->bytes);
    *samples = (struct stack_samples){0};
}

struct flm_bytes vdso_image(void)
{
    const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
    FILE *maps = fopen("/proc/self/maps", "r");
    struct flm_bytes image = {NULL, 0};
    unsigned long from, to;
    char line[512];
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from == (unsigned long)at)
            image = (struct flm_bytes){at, to - from};
    if (maps)
        fclose(maps);
    return image;
}
