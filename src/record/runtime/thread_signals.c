#include "record/runtime/thread_signals.h"

#include <assert.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "record/runtime/runtime.h"

enum { MOST_PROCESSES = 1024, LEAST_PROCESSES = 64 };

struct flm_thread_signals {
    int processes; /* a map of the kernel */
    bool is_first; /* our PID namespace is the first one */
};

static int bpf(int command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

static uint64_t address_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

/* ---- The program ----------------------------------------------------------------------------- */

enum { R0, R1, R2, R3, R4, FRAME = 10 };
#define MOVE(to, number)                                                                           \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number)                      \
    }
#define COPY(to, from)                                                                             \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from)                    \
    }
#define ADD(to, number)                                                                            \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (number)                      \
    }
#define CALL(function)                                                                             \
    {                                                                                              \
        .code = BPF_JMP | BPF_CALL, .imm = (function)                                              \
    }
#define EXIT                                                                                       \
    {                                                                                              \
        .code = BPF_JMP | BPF_EXIT                                                                 \
    }
/* Of 64 bits, two instructions. */
#define LOAD(to, kind, number)                                                                     \
    {.code = BPF_LD | BPF_DW | BPF_IMM,                                                            \
     .dst_reg = (to),                                                                              \
     .src_reg = (kind),                                                                            \
     .imm = (int32_t)(number)},                                                                    \
    {                                                                                              \
        .imm = (int32_t)((uint64_t)(number) >> 32)                                                 \
    }
/* Over the next `count` instructions, if R0 is (not) 0. */
#define SKIP_IF_0(count)                                                                           \
    {                                                                                              \
        .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = R0, .off = (count)                           \
    }
#define SKIP_IF_NOT_0(count)                                                                       \
    {                                                                                              \
        .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = R0, .off = (count)                           \
    }

static int load(const struct bpf_insn *instructions, size_t count)
{
    static const char license[] = "Apache-2.0";
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
    attr.insns = address_of(instructions);
    attr.insn_cnt = (uint32_t)count;
    attr.license = address_of(license);
    return bpf(BPF_PROG_LOAD, &attr);
}

/* Both return 1: the sample is written. The process of the current thread as the first PID
 * namespace numbers it. */
static int load_for_first(int processes)
{
    const struct bpf_insn program[] = {
        CALL(BPF_FUNC_get_current_pid_tgid),
        {.code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = R0, .imm = 32},
        {.code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = FRAME, .src_reg = R0, .off = -4},
        LOAD(R1, BPF_PSEUDO_MAP_FD, processes),
        COPY(R2, FRAME),
        ADD(R2, -4),
        CALL(BPF_FUNC_map_lookup_elem),
        SKIP_IF_0(2),
        MOVE(R1, FLM_THREAD_SIGNAL),
        CALL(BPF_FUNC_send_signal_thread),
        MOVE(R0, 1),
        EXIT,
    };
    return load(program, sizeof program / sizeof *program);
}

/* And as ours does: threads of others are passed over. Linux 5.7. */
static int load_for(int processes, const struct stat *namespace)
{
    uint64_t device = (uint64_t)major(namespace->st_dev) << 20 | minor(namespace->st_dev);
    const struct bpf_insn program[] = {
        LOAD(R1, 0, device),
        LOAD(R2, 0, namespace->st_ino),
        COPY(R3, FRAME),
        ADD(R3, -(int)sizeof(struct bpf_pidns_info)),
        MOVE(R4, (int)sizeof(struct bpf_pidns_info)),
        CALL(BPF_FUNC_get_ns_current_pid_tgid),
        SKIP_IF_NOT_0(8),
        LOAD(R1, BPF_PSEUDO_MAP_FD, processes),
        COPY(R2, FRAME),
        ADD(R2, -4), /* tgid */
        CALL(BPF_FUNC_map_lookup_elem),
        SKIP_IF_0(2),
        MOVE(R1, FLM_THREAD_SIGNAL),
        CALL(BPF_FUNC_send_signal_thread),
        MOVE(R0, 1),
        EXIT,
    };
    _Static_assert(offsetof(struct bpf_pidns_info, tgid) == 4, "the last four bytes of the frame");
    return load(program, sizeof program / sizeof *program);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Before Linux 5.11 its memory counts as locked, of which a process may often have 64 KiB: then it
 * is smaller. */
static int make_map(void)
{
    union bpf_attr attr;
    int map = -1;
    for (uint32_t most = MOST_PROCESSES; map < 0 && most >= LEAST_PROCESSES; most /= 2) {
        memset(&attr, 0, sizeof attr);
        attr.map_type = BPF_MAP_TYPE_HASH;
        attr.key_size = attr.value_size = 4;
        attr.max_entries = most;
        map = bpf(BPF_MAP_CREATE, &attr);
        if (map < 0 && errno != EPERM && errno != ENOMEM)
            break;
    }
    return map;
}

static bool put_to_events(int program, const int *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ioctl(events[i], PERF_EVENT_IOC_SET_BPF, program) != 0)
            return false;
    return true;
}

struct flm_thread_signals *flm_thread_signals_open(const int *events, size_t count)
{
    const ino_t first_pid_namespace = 0xEFFFFFFC; /* PROC_PID_INIT_INO */
    struct stat namespace;
    assert(events && count > 0);
    struct flm_thread_signals *s = calloc(1, sizeof *s);
    if (!s || stat("/proc/self/ns/pid", &namespace) != 0) {
        free(s);
        return NULL;
    }
    s->is_first = namespace.st_ino == first_pid_namespace;
    s->processes = make_map();
    int program = s->processes < 0 ? -1
                  : s->is_first    ? load_for_first(s->processes)
                                   : load_for(s->processes, &namespace);
    bool good = program >= 0 && put_to_events(program, events, count);
    if (program >= 0)
        close(program); /* the events have it */
    if (good)
        return s;
    flm_thread_signals_close(s);
    return NULL;
}

void flm_thread_signals_close(struct flm_thread_signals *signals)
{
    if (signals && signals->processes >= 0)
        close(signals->processes);
    free(signals);
}

/* What it does with the signal is its own. */
static bool handles_signal(int32_t process)
{
    char path[32], line[256];
    unsigned long long handled = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "SigCgt: %llx", &handled) == 1)
            break;
    if (file)
        fclose(file);
    return handled >> (FLM_THREAD_SIGNAL - 1) & 1;
}

bool flm_thread_signals_add(struct flm_thread_signals *signals, int32_t process)
{
    const uint32_t key = (uint32_t)process, value = 1;
    union bpf_attr attr;
    if (handles_signal(process))
        return false;
    if (!signals->is_first && flm_namespace_number(process, process) != process)
        return false;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)signals->processes;
    attr.key = address_of(&key);
    attr.value = address_of(&value);
    return bpf(BPF_MAP_UPDATE_ELEM, &attr) == 0;
}

void flm_thread_signals_remove(struct flm_thread_signals *signals, int32_t process)
{
    const uint32_t key = (uint32_t)process;
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)signals->processes;
    attr.key = address_of(&key);
    bpf(BPF_MAP_DELETE_ELEM, &attr);
}
