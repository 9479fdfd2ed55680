#include "record/capture/request.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/number/number.h"
#include "os/thread/processors.h"

enum { USUAL_HZ = 999, USUAL_STACK = 16384 };

/* All general registers, by the kernel's numbers; segment registers are not available. */
#if defined(__x86_64__)
#define USER_REGISTERS UINT64_C(0xff0fff)
#elif defined(__aarch64__)
#define USER_REGISTERS ((UINT64_C(1) << 33) - 1)
#else
#define USER_REGISTERS UINT64_C(0)
#endif

static int open_here(void *context, const struct perf_event_attr *attr, int32_t task, int cpu)
{
    (void)context;
    return (int)syscall(SYS_perf_event_open, attr, task, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

const struct flm_kernel flm_kernel_here = {open_here, NULL, ""};

/* ---- The best attributes --------------------------------------------------------------------- */

static void set_stacks(struct perf_event_attr *attr, const struct flm_request *request,
                       uint32_t stack_size)
{
    switch (request->stacks) {
    case FLM_STACK_AUTO:
    case FLM_STACK_DUMP:
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = USER_REGISTERS;
        attr->sample_stack_user = stack_size;
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
        break;
    case FLM_STACK_POINTER:
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
        break;
    case FLM_STACK_BRANCHES:
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
        attr->exclude_callchain_user = 1;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                                   PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
        break;
    case FLM_STACK_NONE:
        break;
    }
}

/* For clocks the period of a frequency is known; for others the kernel adjusts it. */
static void set_rate(struct perf_event_attr *attr, const struct flm_request *request)
{
    if (request->period > 0)
        attr->sample_period = request->period;
    else if (flm_event_is_clock(attr->type, attr->config))
        attr->sample_period = (uint64_t)llround(1e9 / request->hz);
    else if (flm_event_is_rare(attr->type, attr->config))
        attr->sample_period = 1;
    else {
        attr->freq = 1;
        attr->sample_freq = (uint64_t)fmax(1, round(request->hz));
    }
}

static void set_attributes(struct flm_request_event *event, const struct flm_event_name *name,
                           const struct flm_request *request,
                           const struct flm_record_options *options)
{
    struct perf_event_attr *attr = &event->attr;
    *attr = (struct perf_event_attr){
        .type = name->type,
        .size = sizeof *attr,
        .config = name->config,
        .config1 = name->config1,
        .config2 = name->config2,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                       PERF_FORMAT_ID | PERF_FORMAT_LOST,
        .disabled = 1,
        .inherit = !options->machine && !options->no_inherit,
        .sample_id_all = 1,
        .exclude_user = name->exclude_user,
        .exclude_kernel = name->exclude_kernel || (options->no_kernel && !name->says_where),
        .exclude_hv = name->exclude_hypervisor || options->no_kernel,
        .exclude_host = name->exclude_host,
        .exclude_guest =
            name->exclude_guest || (!name->exclude_host && name->type != PERF_TYPE_SOFTWARE &&
                                    name->type != PERF_TYPE_TRACEPOINT),
        /* Idle CPUs are not sampled. */
        .exclude_idle = options->machine && flm_event_is_clock(name->type, name->config),
        .precise_ip = (unsigned)(name->precise_as_can_be ? 3 : name->precise) & 3,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
    };
    snprintf(event->name, sizeof event->name, "%s", name->text);
    set_stacks(attr, request, options->stack_size ? options->stack_size : USUAL_STACK);
    set_rate(attr, request);
}

/* Only one event has the records about processes; others would repeat them. */
static void set_records(struct perf_event_attr *attr, const struct flm_record_options *options)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
    attr->build_id = 1;
    attr->ksymbol = attr->bpf_event = 1;
    attr->context_switch = options->off_cpu;
}

/* ---- Attributes that this kernel accepts ----------------------------------------------------- */

enum feature {
    FEATURE_LOST,
    FEATURE_BUILD_ID,
    FEATURE_KERNEL_CODE,
    FEATURE_GUESTS,
    FEATURE_PRECISE,
    FEATURE_COUNT
};

/* Gives up a feature. False if the attributes do not have it. */
static bool give_up(struct perf_event_attr *attr, enum feature feature, bool may_lose_precision)
{
    struct perf_event_attr before = *attr;
    switch (feature) {
    case FEATURE_LOST:
        attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
        break;
    case FEATURE_BUILD_ID:
        attr->build_id = 0;
        break;
    case FEATURE_KERNEL_CODE:
        attr->ksymbol = attr->bpf_event = 0;
        break;
    case FEATURE_GUESTS:
        attr->exclude_guest = 0;
        break;
    case FEATURE_PRECISE:
        if (may_lose_precision && attr->precise_ip > 0)
            attr->precise_ip--;
        break;
    case FEATURE_COUNT:
        break;
    }
    return memcmp(&before, attr, sizeof before) != 0;
}

static void take_back(struct perf_event_attr *attr, const struct perf_event_attr *from,
                      enum feature feature)
{
    switch (feature) {
    case FEATURE_LOST:
        attr->read_format = from->read_format;
        break;
    case FEATURE_BUILD_ID:
        attr->build_id = from->build_id;
        break;
    case FEATURE_KERNEL_CODE:
        attr->ksymbol = from->ksymbol;
        attr->bpf_event = from->bpf_event;
        break;
    case FEATURE_GUESTS:
        attr->exclude_guest = from->exclude_guest;
        break;
    case FEATURE_PRECISE:
    case FEATURE_COUNT:
        break;
    }
}

struct trial {
    const struct flm_kernel *kernel;
    const struct flm_record_options *options;
    const struct flm_limits *limits;
    int processor; /* -1: any */
};

/* On ourselves, or for the whole machine on the first CPU. */
static bool opens(const struct trial *trial, const struct perf_event_attr *attr)
{
    int32_t task = trial->options->machine ? -1 : 0;
    int file = trial->kernel->open(trial->kernel->context, attr, task, trial->processor);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool is_about_rights(int error)
{
    return error == EACCES || error == EPERM;
}

/* Reduces the attributes to what can be opened. False: nothing can, and errno says why. */
static bool negotiate(const struct trial *trial, const struct flm_event_name *name,
                      struct perf_event_attr *attr)
{
    if (opens(trial, attr))
        return true;
    int first = errno;
    if (is_about_rights(first) && !attr->exclude_kernel && !name->says_where) {
        attr->exclude_kernel = 1;
        if (opens(trial, attr))
            return true;
        first = errno;
    }
    if (first != EINVAL && first != EOPNOTSUPP && first != ENOTSUP)
        return false;
    struct perf_event_attr wanted = *attr;
    bool without[FEATURE_COUNT] = {false}, done = false;
    for (enum feature feature = 0; feature < FEATURE_COUNT && !done; feature++)
        while (!done && give_up(attr, feature, name->precise_as_can_be)) {
            without[feature] = true;
            done = opens(trial, attr);
            /* The kernel checks permissions last: they may be missing too. */
            if (!done && is_about_rights(errno) && !attr->exclude_kernel && !name->says_where) {
                attr->exclude_kernel = wanted.exclude_kernel = 1;
                done = opens(trial, attr);
            }
        }
    if (!done) {
        errno = is_about_rights(errno) ? errno : first;
        return false;
    }
    for (enum feature feature = 0; feature < FEATURE_COUNT; feature++) {
        struct perf_event_attr more = *attr;
        take_back(&more, &wanted, feature);
        if (without[feature] && opens(trial, &more))
            *attr = more;
    }
    return true;
}

static bool refuse(const struct trial *trial, const struct flm_request_event *event,
                   struct flm_error *why)
{
    struct flm_refusal refusal = {.error = errno,
                                  .event = event->name,
                                  .attr = &event->attr,
                                  .whole_machine = trial->options->machine,
                                  .own_task = !trial->options->machine};
    return flm_limits_refuse(trial->limits, &refusal, why);
}

/* An event that can be opened, but never occurs. */
static bool refuse_silence(const struct trial *trial, const struct flm_event_name *name,
                           struct flm_error *why)
{
    if (name->exclude_kernel || trial->options->no_kernel)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%s: happens in the kernel only, which :u and --no-kernel exclude",
                             name->text);
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "%s: happens in the kernel only, which you may not record: "
                         "kernel.perf_event_paranoid is %d (sysctl kernel.perf_event_paranoid=1 or "
                         "%s allows it)",
                         name->text, trial->limits->paranoid, flm_limits_capability(trial->limits));
}

/* What samples of an event have. */
enum use { COUNTS, LEAVES, WAKES };

static bool add_used(struct flm_request *request, const struct trial *trial,
                     const struct flm_event_name *name, enum use use, struct flm_error *why)
{
    if (request->count == FLM_REQUEST_MOST_EVENTS)
        return flm_error_set(why, FLM_ERROR_USAGE, "at most %d events at once",
                             FLM_REQUEST_MOST_EVENTS);
    struct flm_request_event *event = &request->event[request->count];
    set_attributes(event, name, request, trial->options);
    if (request->count == 0)
        set_records(&event->attr, trial->options);
    if (use != COUNTS && name->type == PERF_TYPE_TRACEPOINT)
        event->attr.sample_type |= PERF_SAMPLE_RAW;
    if (use == WAKES) { /* the stack is that of who wakes */
        event->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                                               PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK);
        event->attr.sample_regs_user = event->attr.branch_sample_type = 0;
        event->attr.sample_stack_user = 0;
        event->attr.exclude_callchain_user = 0;
    }
    if (!negotiate(trial, name, &event->attr))
        return refuse(trial, event, why);
    if (event->attr.exclude_kernel && flm_event_is_in_kernel(name->type, name->config))
        return refuse_silence(trial, name, why);
    /* Without kernel frames the call chain would be empty. */
    if (event->attr.exclude_kernel && event->attr.exclude_callchain_user)
        event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
    request->count++;
    return true;
}

static bool add(struct flm_request *request, const struct trial *trial,
                const struct flm_event_name *name, struct flm_error *why)
{
    return add_used(request, trial, name, COUNTS, why);
}

/* Cycles follow the CPU's frequency and have precise addresses; but virtual machines often have no
 * hardware counters. */
static bool add_best(struct flm_request *request, const struct trial *trial, struct flm_error *why)
{
    struct flm_event_name cycles = {.text = "cycles",
                                    .type = PERF_TYPE_HARDWARE,
                                    .config = PERF_COUNT_HW_CPU_CYCLES,
                                    .precise_as_can_be = true};
    struct flm_event_name clock = {
        .text = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
    request->chose_event = true;
    request->found_cycles = add(request, trial, &cycles, NULL);
    return request->found_cycles || add(request, trial, &clock, why);
}

static bool add_named(struct flm_request *request, const struct trial *trial, struct flm_error *why)
{
    for (size_t i = 0; i < trial->options->event_count; i++) {
        struct flm_bytes list = flm_bytes_of(trial->options->events[i]);
        do {
            struct flm_event_name name;
            if (!flm_event_name_next(&list, trial->kernel->root, &name, why) ||
                !add(request, trial, &name, why))
                return false;
        } while (list.size > 0);
    }
    return true;
}

/* An event of which every occurrence is sampled: its index, or SIZE_MAX. */
static size_t add_every(struct flm_request *request, const struct trial *trial,
                        const struct flm_event_name *name, enum use use)
{
    size_t index = request->count;
    uint64_t period = request->period;
    request->period = 1;
    bool added = add_used(request, trial, name, use, NULL);
    request->period = period;
    return added ? index : SIZE_MAX;
}

/* As it is in tracefs, which root may read. */
static size_t add_tracepoint(struct flm_request *request, const struct trial *trial,
                             const char *tracepoint, enum use use)
{
    struct flm_event_name name;
    struct flm_bytes text = flm_bytes_of(tracepoint);
    if (!flm_event_name_next(&text, trial->kernel->root, &name, NULL))
        return SIZE_MAX;
    name.says_where = true;
    return add_every(request, trial, &name, use);
}

/* Threads leave the CPU in the kernel: with permission to record it, each switch is sampled. As a
 * tracepoint that tells the state of the thread too; and with that of wake-ups, since when it could
 * go on. Both are samples of a hundred bytes, where one of a stack has thousands. */
static void add_switch_event(struct flm_request *request, const struct trial *trial)
{
    const struct flm_event_name switches = {.text = "context-switches",
                                            .type = PERF_TYPE_SOFTWARE,
                                            .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
                                            .says_where = true};
    if (!request->kernel || trial->options->no_kernel)
        return;
    request->switch_event = add_tracepoint(request, trial, "sched:sched_switch", LEAVES);
    if (request->switch_event != SIZE_MAX)
        request->wake_event = add_tracepoint(request, trial, "sched:sched_waking", WAKES);
    else
        request->switch_event = add_every(request, trial, &switches, LEAVES);
}

static bool check(const struct flm_request *request, const struct flm_record_options *options,
                  const struct flm_limits *limits, struct flm_error *why)
{
    if (options->frequency_hz > 0 && options->period > 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "either a frequency or a period, not both");
    if (options->frequency_hz < 0 || (options->frequency_hz > 0 && options->frequency_hz < 0.1))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the frequency must be at least 0.1 Hz: one sample in ten seconds");
    if (limits->most_hz > 0 && request->hz > (double)limits->most_hz)
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "the kernel allows at most %llu samples a second (sysctl "
                             "kernel.perf_event_max_sample_rate=N allows more)",
                             (unsigned long long)limits->most_hz);
    if ((unsigned)options->stacks > FLM_STACK_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE, "unknown stack mode %d", (int)options->stacks);
    if (options->stack_size % 8 != 0 || options->stack_size > FLM_MOST_STACK)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the size of a stack dump is a multiple of 8 bytes, and at most %d",
                             FLM_MOST_STACK);
    return true;
}

/* The default of kernel.perf_event_max_sample_rate, where it cannot be read. */
enum { USUAL_MOST_HZ = 100000 };

static double find_rate(const struct flm_record_options *options, const struct flm_limits *limits)
{
    if (options->period > 0)
        return 0;
    if (isinf(options->frequency_hz))
        return limits->most_hz > 0 ? (double)limits->most_hz : USUAL_MOST_HZ;
    return options->frequency_hz > 0 ? options->frequency_hz : USUAL_HZ;
}

bool flm_request_make(struct flm_request *request, const struct flm_record_options *options,
                      const struct flm_limits *limits, const struct flm_kernel *kernel,
                      struct flm_error *why)
{
    assert(options && limits && kernel && kernel->root);
    struct trial trial = {kernel, options, limits, -1};
    if (options->machine && options->processor_count > 0)
        trial.processor = options->processors[0];
    else if (options->machine && flm_processors_find(kernel->root, &trial.processor, 1) == 0)
        trial.processor = 0;
    *request = (struct flm_request){
        .hz = find_rate(options, limits),
        .period = options->period,
        .processors = options->processors,
        .processor_count = options->processor_count,
        .stacks = options->stacks == FLM_STACK_AUTO
                      ? (USER_REGISTERS != 0 ? FLM_STACK_DUMP : FLM_STACK_POINTER)
                      : options->stacks,
    };
    if (!check(request, options, limits, why))
        return false;
    if (request->stacks == FLM_STACK_DUMP && USER_REGISTERS == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "no DWARF unwinding on this architecture: use --call-graph=fp");
    if (!(options->event_count > 0 ? add_named(request, &trial, why)
                                   : add_best(request, &trial, why)))
        return false;
    for (size_t i = 0; i < request->count; i++)
        request->kernel = request->kernel || !request->event[i].attr.exclude_kernel;
    request->switch_event = request->wake_event = SIZE_MAX;
    if (options->off_cpu)
        add_switch_event(request, &trial);
    return true;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void explain_event(const struct flm_request *request, struct flm_text *out)
{
    for (size_t i = 0; i < request->count; i++) {
        if (flm_request_only_marks(request, i))
            continue;
        flm_text_puts(out, i > 0 ? ", " : "");
        flm_text_puts(out, request->event[i].name);
    }
    if (request->chose_event && !request->found_cycles)
        flm_text_puts(out, " (no hardware counters here)");
}

void flm_request_explain(const struct flm_request *request,
                         const struct flm_record_options *options, const struct flm_limits *limits,
                         struct flm_text *out)
{
    static const char *const stacks[] = {
        [FLM_STACK_AUTO] = "", /* resolved */
        [FLM_STACK_DUMP] = "DWARF unwinding",
        [FLM_STACK_POINTER] = "frame pointers",
        [FLM_STACK_BRANCHES] = "last branch records",
        [FLM_STACK_NONE] = "no stacks",
    };
    char digits[FLM_NUMBER_SIZE];
    explain_event(request, out);
    if (request->hz > 0)
        flm_text_format(out, ", %.*s Hz", (int)flm_number_print_rounded(request->hz, 6, digits),
                        digits);
    else
        flm_text_format(out, ", a sample every %llu", (unsigned long long)request->period);
    flm_text_format(out, ", %s", stacks[request->stacks]);
    flm_text_puts(out, request->kernel ? ", kernel and user space\n" : ", user space\n");
    if (!request->kernel && !options->no_kernel && !request->event[0].attr.exclude_user) {
        bool was_said = options->event_count > 0 && strchr(request->event[0].name, ':');
        if (!was_said) {
            flm_limits_explain_kernel(limits, out);
            flm_text_putc(out, '\n');
        }
    }
    if (options->off_cpu && request->switch_event == SIZE_MAX)
        flm_text_puts(out, "off-CPU time is recorded without stacks: threads leave the CPU in the "
                           "kernel, which may not be recorded\n");
}
