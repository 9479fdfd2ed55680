/* event.h - the records of the kernel, decoded into events.
 *
 * The same records are in a live ring buffer and in a perf.data file, so both are decoded here, and
 * a session (session.h) does not know where events came from. The layout of a record depends on the
 * event that it belongs to: a `struct flm_event_layout` for each, made from its attributes.
 *
 * Only the form of records is checked here. A record that is too short is refused with its offset;
 * one of an unknown type is FLM_EVENT_OTHER, and is counted. */
#ifndef FLAMEL_RECORD_PERF_EVENT_H
#define FLAMEL_RECORD_PERF_EVENT_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"
#include "symbol/identity/module_request.h"

/* Where the fields of a scheduler's tracepoint lie in its raw data: record/sched/sched_event.h. */
struct flm_sched_fields {
    uint16_t thread, next, state; /* `thread` leaves, or is woken */
    uint16_t state_size;          /* 4 or 8 bytes */
    bool is_known;
};

/* A requested event, and the layout of its samples. */
struct flm_event_layout {
    const char *name;     /* "cpu-clock", "sched:sched_switch"; owned by the caller */
    uint64_t sample_type; /* PERF_SAMPLE_... */
    uint64_t read_format;
    uint64_t user_registers; /* a bit for each, by the kernel's numbers */
    uint64_t interrupt_registers;
    uint64_t branch_type;
    bool sample_id_all; /* other records have a time and a thread too */
    bool has_period;    /* a sample counts its period, not 1 */
    uint64_t period;    /* of samples without one; 0: unknown */
    uint32_t type;      /* PERF_TYPE_... */
    uint64_t config;
    bool is_dummy;      /* has only records other than samples */
    bool has_switches;  /* with it came SWITCH records */
    uint64_t frequency; /* samples a second that the kernel aims at; 0: it has a period */
    int machine;        /* enum flm_machine: the architecture of the registers */
    uint32_t number;    /* its index in flm_event_layouts */
    bool only_marks;    /* its samples mark where threads leave the CPU, and are not counted */
    bool is_elsewhere;  /* its samples are not of code that runs: they do not say so */
    bool lasts;         /* a sample is of the time from its own on, as long as its period */
    struct flm_sched_fields sched;
    uint32_t deepest_chain; /* the limit of chains: one with so many frames may be truncated;
                               0: no known limit */
};

/* From `size` bytes of attributes, in memory or from a file; missing fields are 0. The name is left
 * NULL, and the machine is the one that this runs on. False, and `why`, for an unknown sample type,
 * whose samples cannot be read. */
bool flm_event_layout_init(struct flm_event_layout *layout, const void *attributes, size_t size,
                           bool swapped, struct flm_error *why);

/* Whether an event counts nanoseconds: then a sample's period is one of time. */
bool flm_event_is_clock(uint32_t type, uint64_t config);

enum flm_event_kind {
    FLM_EVENT_SAMPLE,
    FLM_EVENT_MAP,  /* a file, or executable memory, was mapped */
    FLM_EVENT_NAME, /* the name of a thread; exec removes all mappings of its process */
    FLM_EVENT_FORK, /* a process or a thread started */
    FLM_EVENT_EXIT, /* a process or a thread ended */
    FLM_EVENT_LOST, /* the ring was full: so many records are missing */
    FLM_EVENT_LOST_SAMPLES,
    FLM_EVENT_THROTTLE, /* the kernel pauses sampling */
    FLM_EVENT_UNTHROTTLE,
    FLM_EVENT_SWITCH,        /* a thread left the CPU, or came back */
    FLM_EVENT_KERNEL_SYMBOL, /* code appeared in the kernel (BPF, ftrace) */
    FLM_EVENT_CODE,          /* of flamel: code without an address */
    FLM_EVENT_NOTE,          /* of flamel: a note about the recording */
    FLM_EVENT_ROUND,         /* later events are not older than those before the previous round */
    FLM_EVENT_OTHER          /* not needed for a profile */
};

/* Records that perf itself adds to a file. */
enum flm_record_type {
    FLM_RECORD_ATTRIBUTES = 64, /* an event, with its ids */
    FLM_RECORD_TRACING_DATA = 66,
    FLM_RECORD_BUILD_ID = 67,
    FLM_RECORD_ROUND = 68,
    FLM_RECORD_AUXTRACE_INFO = 70,
    FLM_RECORD_AUXTRACE = 71,
    FLM_RECORD_OWN = 75, /* of flamel; skipped by perf, see below */
    FLM_RECORD_EVENT_UPDATE = 78,
    FLM_RECORD_FEATURE = 80,
    FLM_RECORD_COMPRESSED = 81,
    FLM_RECORD_COMPRESSED2 = 83
};

/* flamel's own records have perf's type for the configuration of `perf stat`, with no entries: perf
 * skips them, whereas it refuses unknown types. Numbers are in the byte order of the file.
 *
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_code, function, file, module   zeros
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_note, key, value               zeros
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_marks
 *
 * The last one sets `only_marks` of the layout of an event, before its samples. Attributes have no
 * such flag, and perf counts these samples. */
#define FLM_OWN_MAGIC UINT64_C(0x6C656D616C66) /* "flamel" */
enum flm_own_kind { FLM_OWN_CODE = 1, FLM_OWN_NOTE = 2, FLM_OWN_MARKS = 3 };

struct flm_own_code {
    uint32_t kind, line, frame_kind;
    uint32_t function_size, file_size, module_size;
    uint64_t address;
};

struct flm_own_note {
    uint32_t kind, key_size, value_size, unused;
};

struct flm_own_marks {
    uint32_t kind, unused;
    uint64_t id; /* of the samples */
};

/* Markers in a call chain, for the frames after them; and the lowest value of a marker. */
#define FLM_CONTEXT_KERNEL ((uint64_t)-128)
#define FLM_CONTEXT_USER ((uint64_t)-512)
#define FLM_CONTEXT_HV ((uint64_t)-32)
#define FLM_CONTEXT_GUEST ((uint64_t)-2048)
#define FLM_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define FLM_CONTEXT_GUEST_USER ((uint64_t)-2560)
#define FLM_CONTEXT_LEAST ((uint64_t)-4095)

enum flm_privilege { FLM_IN_UNKNOWN, FLM_IN_KERNEL, FLM_IN_USER, FLM_IN_HYPERVISOR, FLM_IN_GUEST };

/* A label that a runtime sets, as "GIL", "held". The key is a constant, or NULL: no label. Equal
 * values have the same address, and outlive the session. A name that is learned later replaces
 * the value when the session is finished. */
enum { FLM_RUNTIME_LABELS = 2 };
struct flm_runtime_label {
    const char *key;
    struct flm_bytes value;
    const struct flm_bytes *name; /* NULL, or empty: none */
};

/* Pointers are into the record. Words of a call chain are in our byte order (converted in place),
 * bytes of the stack in that of the file. */
struct flm_event_sample {
    const struct flm_event_layout *layout;
    enum flm_privilege privilege;
    uint64_t ip, period, address;
    const uint64_t *chain; /* leaf first, with markers */
    size_t chain_count;
    uint64_t register_abi;     /* 0: no registers (a kernel thread) */
    const uint64_t *registers; /* for each bit of layout->user_registers */
    struct flm_bytes stack;    /* the stack dump, from the stack pointer up */
    bool stack_is_cut;         /* the dump is full: the stack may be deeper */
    const uint64_t *branches;  /* from, to, flags; newest first */
    size_t branch_count;
    struct flm_bytes raw;                    /* of a tracepoint */
    const uint64_t *counts;                  /* of a group: value, id, and maybe more */
    size_t count_count;                      /* how many values; 0: the value is the period */
    size_t count_stride;                     /* words from one value to the next */
    const struct flm_event_layouts *layouts; /* of the ids */

    /* What a runtime knows; equal texts have the same address, and outlive the session. */
    struct flm_bytes thread_name, state;
    struct flm_runtime_label labels[FLM_RUNTIME_LABELS];
};

struct flm_event_map {
    uint64_t start, size, file_offset;
    struct flm_bytes path; /* "//anon", "[vdso]", "[kernel.kallsyms]_text" ... */
    struct flm_build_id build_id;
    struct flm_mapped_file file; /* unknown where the record has a build id instead */
    bool is_code;                /* executable */
    bool in_kernel;
};

/* Numbers of code without an address; each is defined by an FLM_EVENT_CODE before it is used. They
 * are valid addresses on no architecture: they lie between the two halves of the address space. */
#define FLM_CODE_FIRST UINT64_C(0xF1A0000000000000)
#define FLM_CODE_LAST UINT64_C(0xF1AFFFFFFFFFFFFF)

/* The last one needs no definition: it stands for the missing outer frames of a truncated stack,
 * and becomes the frame FLM_TRUNCATED_STACK between the command and the known frames. Without it
 * the command would seem to have called the outermost known frame.
 *
 * It is a label, not "unsymbolized": it is not code, so `--symbols` must not be recommended for
 * it. */
#define FLM_CODE_TRUNCATED FLM_CODE_LAST
#define FLM_TRUNCATED_STACK "[truncated stack]"

/* Code without an address: a function of an interpreter. */
struct flm_event_code {
    uint64_t address; /* FLM_CODE_FIRST and up: stands for it in call chains */
    struct flm_bytes function, file, module;
    uint32_t line;
    uint32_t frame_kind; /* enum flm_kind */
};

struct flm_event {
    enum flm_event_kind kind;
    int32_t process, thread; /* -1: unknown, or all (the kernel's mappings) */
    int64_t time_ns;         /* FLM_NO_TIME: unknown */
    uint32_t cpu;            /* UINT32_MAX: unknown */
    uint64_t offset;         /* in the file, for messages */
    union {
        struct flm_event_sample sample;
        struct flm_event_map map;
        struct {
            struct flm_bytes text;
            bool is_exec;
        } name;
        struct {
            int32_t parent_process, parent_thread;
        } fork;
        struct {
            uint64_t count;
        } lost;
        struct {
            bool out;       /* left the CPU; else came back */
            bool preempted; /* runnable when it left; else blocked */
        } change;
        struct {
            uint64_t start, size;
            struct flm_bytes name;
            bool gone;
        } kernel_symbol;
        struct flm_event_code code;
        struct {
            struct flm_bytes key, value;
        } note;
        uint32_t type; /* of FLM_EVENT_OTHER */
    };
};

/* All events of a recording. An id in each record selects its event. */
struct flm_event_layouts {
    struct FLM_ARRAY(struct flm_event_layout) items;
    struct FLM_ARRAY(struct flm_event_id) ids; /* sorted by id */
    bool swapped;                              /* the recording has the other byte order */
};

struct flm_event_id {
    uint64_t id;
    uint32_t layout;
};

/* An id belongs to the first event that has it. False, and `why`, for more than 65,536 events, or
 * when memory ran out. */
bool flm_event_layouts_add(struct flm_event_layouts *layouts, const struct flm_event_layout *layout,
                           const uint64_t *ids, size_t id_count, struct flm_error *why);
void flm_event_layouts_clear(struct flm_event_layouts *layouts);

/* More ids of a layout, by its index, while records are read; and without some of them again. False
 * when memory ran out. */
bool flm_event_layouts_add_ids(struct flm_event_layouts *layouts, uint32_t layout,
                               const uint64_t *ids, size_t count);
void flm_event_layouts_remove_ids(struct flm_event_layouts *layouts, const uint64_t *ids,
                                  size_t count);

/* The event with an id; NULL: none. */
const struct flm_event_layout *flm_event_layouts_find(const struct flm_event_layouts *layouts,
                                                      uint64_t id);

struct flm_record_header {
    uint32_t type;
    uint16_t misc, size;
};

/* The header of a record, in our byte order. */
struct flm_record_header flm_record_header(const char *record, bool swapped);

/* The time of a record; FLM_NO_TIME when it has none. */
int64_t flm_event_time(const struct flm_event_layouts *layouts, const char *record, size_t size);

/* `record` is one complete record with its header, aligned to 8; its byte order may be changed in
 * place. False, and `why`, when it is too short. */
bool flm_event_decode(const struct flm_event_layouts *layouts, char *record, size_t size,
                      uint64_t offset, struct flm_event *event, struct flm_error *why);

/* Receives events. False, and `why`, stops the caller. */
typedef bool (*flm_event_sink)(void *context, struct flm_event *event, struct flm_error *why);

#endif
