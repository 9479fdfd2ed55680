/* event.h - what the kernel tells while it records: one event, decoded.
 *
 * The same records stand in a live ring and in a perf.data file, so both are decoded here, once,
 * and what follows (session.h) knows nothing of where they came from. What a record's bytes mean
 * depends on the event that it belongs to: a `struct flm_event_layout` for each, made of its
 * attributes.
 *
 * Only shapes are decided here. A record that is shorter than what it must hold is refused with its
 * offset; one of a type that we do not know is FLM_EVENT_OTHER, and is counted. */
#ifndef FLAMEL_RECORD_PERF_EVENT_H
#define FLAMEL_RECORD_PERF_EVENT_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"
#include "symbol/elf/build_id.h"

struct perf_event_attr; /* linux/perf_event.h */

/* An event that was asked for: what its samples hold. */
struct flm_event_layout {
    const char *name;     /* "cpu-clock", "sched:sched_switch"; owned by whoever made the layout */
    uint64_t sample_type; /* PERF_SAMPLE_... */
    uint64_t read_format;
    uint64_t user_registers; /* which ones, by the kernel's numbers */
    uint64_t interrupt_registers;
    uint64_t branch_type;
    bool sample_id_all; /* other records have time and thread too */
    bool has_period;    /* a sample counts its period, not 1 */
    uint64_t period;    /* of samples that hold none; 0: not known */
    uint32_t type;      /* PERF_TYPE_... */
    uint64_t config;
    bool is_dummy;          /* only carries the records that are no samples */
    int machine;            /* enum flm_machine: whose registers they are */
    uint32_t number;        /* its location in flm_event_layouts */
    bool only_marks;        /* its samples say where a thread begins to wait, and count nothing */
    uint32_t deepest_chain; /* frames of a chain, at most: one of so many was perhaps cut there;
                               0: not known to be limited */
};

/* From attributes as they are in memory or in a file, `size` bytes of them; what they lack is 0.
 * The name is left NULL, and the machine is the one that this runs on. False, and `why`, for a
 * sample type that we do not know: its samples could not be read. */
bool flm_event_layout_init(struct flm_event_layout *layout, const void *attributes, size_t size,
                           bool swapped, struct flm_error *why);

enum flm_event_kind {
    FLM_EVENT_SAMPLE,
    FLM_EVENT_MAP,  /* a file, or memory with code, was mapped */
    FLM_EVENT_NAME, /* a thread's name; after exec everything that was mapped is gone */
    FLM_EVENT_FORK, /* a process or a thread began */
    FLM_EVENT_EXIT, /* and ended */
    FLM_EVENT_LOST, /* the ring was full: so many records */
    FLM_EVENT_LOST_SAMPLES,
    FLM_EVENT_THROTTLE, /* the kernel stopped sampling for a while */
    FLM_EVENT_UNTHROTTLE,
    FLM_EVENT_SWITCH,        /* a thread left the processor, or came back to it */
    FLM_EVENT_KERNEL_SYMBOL, /* code appeared in the kernel (BPF, ftrace) */
    FLM_EVENT_CODE,          /* our own: code without an address */
    FLM_EVENT_NOTE,          /* our own: a fact about the recording */
    FLM_EVENT_ROUND,         /* what comes now is later than what came before the last one */
    FLM_EVENT_OTHER          /* nothing that a profile is made of */
};

/* Records that are perf's own, not the kernel's. */
enum flm_record_type {
    FLM_RECORD_ATTRIBUTES = 64, /* an event, with its ids */
    FLM_RECORD_TRACING_DATA = 66,
    FLM_RECORD_BUILD_ID = 67,
    FLM_RECORD_ROUND = 68,
    FLM_RECORD_AUXTRACE_INFO = 70,
    FLM_RECORD_AUXTRACE = 71,
    FLM_RECORD_OWN = 75, /* flamel's: one that perf passes over, see below */
    FLM_RECORD_EVENT_UPDATE = 78,
    FLM_RECORD_FEATURE = 80,
    FLM_RECORD_COMPRESSED = 81,
    FLM_RECORD_COMPRESSED2 = 83
};

/* What flamel itself has to say stands in records of perf's type for the configuration of `perf
 * stat`, with nothing configured: perf passes over them, where it refuses types that it does not
 * know. Numbers are in the byte order of the file.
 *
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_code, function, file, module   zeros
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_note, key, value               zeros
 *     header  0 (u64)  FLM_OWN_MAGIC (u64)  struct flm_own_marks
 *
 * The last one says how an event was meant: `only_marks` of its layout. Attributes cannot, for perf
 * would count such samples. It stands in front of them. */
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
    uint64_t id; /* of the event's samples */
};

/* Markers in a call chain, for what follows them; and the address from which on they are. */
#define FLM_CONTEXT_KERNEL ((uint64_t)-128)
#define FLM_CONTEXT_USER ((uint64_t)-512)
#define FLM_CONTEXT_LEAST ((uint64_t)-4095)

enum flm_privilege { FLM_IN_UNKNOWN, FLM_IN_KERNEL, FLM_IN_USER, FLM_IN_HYPERVISOR, FLM_IN_GUEST };

/* Bytes that it points to are the record's, and are in the order of the file's machine: words of a
 * call chain are already turned round (in location). */
struct flm_event_sample {
    const struct flm_event_layout *layout;
    enum flm_privilege privilege;
    uint64_t ip, period, address;
    const uint64_t *chain; /* leaf first, with markers */
    size_t chain_count;
    uint64_t register_abi;     /* 0: no registers (a kernel thread) */
    const uint64_t *registers; /* one for each bit of layout->user_registers */
    struct flm_bytes stack;    /* of the user's, from its stack pointer up */
    bool stack_is_cut;         /* there was more of it than was asked for */
    const uint64_t *branches;  /* from, to, flags; newest first */
    size_t branch_count;
    struct flm_bytes raw;   /* of a tracepoint */
    const uint64_t *counts; /* of a group that is read together: value, id, and perhaps more */
    size_t count_count;     /* how many values; 0: the sample counts its period */
    size_t count_stride;    /* words from one value to the next */
    const struct flm_event_layouts *layouts; /* of which the ids are */
};

struct flm_event_map {
    uint64_t start, size, file_offset;
    struct flm_bytes path; /* "//anon", "[vdso]", "[kernel.kallsyms]_text" ... */
    struct flm_build_id build_id;
    bool is_code; /* may be executed */
    bool in_kernel;
};

/* Addresses from here on stand for code without an address; each is defined by an FLM_EVENT_CODE
 * before it is used. They are no addresses on any machine: neither half of the address space. */
#define FLM_CODE_FIRST UINT64_C(0xF1A0000000000000)
#define FLM_CODE_LAST UINT64_C(0xF1AFFFFFFFFFFFFF)

/* The last one needs no definition: it stands for the outer frames of a stack that could not be
 * found, and becomes the frame FLM_TRUNCATED_STACK between the command and what is known. Without
 * it such a stack would look as if the command itself had called its outermost known frame.
 *
 * It is a label, and not "unsymbolized": it is no location in code, so no symbols would ever name
 * it, and `--symbols` must not be recommended for it. */
#define FLM_CODE_TRUNCATED FLM_CODE_LAST
#define FLM_TRUNCATED_STACK "[truncated stack]"

/* Code that has no address of its own: a function of an interpreter. */
struct flm_event_code {
    uint64_t address; /* FLM_CODE_FIRST and up: stands for it in call chains */
    struct flm_bytes function, file, module;
    uint32_t line;
    uint32_t frame_kind; /* enum flm_kind */
};

struct flm_event {
    enum flm_event_kind kind;
    int32_t process, thread; /* -1: not known, or all (the kernel's mappings) */
    int64_t time_ns;         /* FLM_NO_TIME: not known */
    uint32_t cpu;            /* UINT32_MAX: not known */
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
            bool out;       /* left the processor; else came back */
            bool preempted; /* it wanted to go on */
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

/* All events of a recording; which one a record belongs to is said by an id in it. */
struct flm_event_layouts {
    struct FLM_ARRAY(struct flm_event_layout) items;
    struct FLM_ARRAY(struct flm_event_id) ids; /* sorted by id */
    bool swapped; /* the recording's numbers are the other way round than ours */
};

struct flm_event_id {
    uint64_t id;
    uint32_t layout;
};

bool flm_event_layouts_add(struct flm_event_layouts *layouts, const struct flm_event_layout *layout,
                           const uint64_t *ids, size_t id_count, struct flm_error *why);
void flm_event_layouts_clear(struct flm_event_layouts *layouts);

/* The event that an id is of; NULL when none has it. */
const struct flm_event_layout *flm_event_layouts_find(const struct flm_event_layouts *layouts,
                                                      uint64_t id);

struct flm_record_header {
    uint32_t type;
    uint16_t misc, size;
};

/* The header of a record, turned round where the file is. */
struct flm_record_header flm_record_header(const char *record, bool swapped);

/* The time of a record, without changing it; FLM_NO_TIME when it has none. */
int64_t flm_event_time(const struct flm_event_layouts *layouts, const char *record, size_t size);

/* `record` is one whole record, header included, aligned to 8, and may be changed (turned round).
 * False, and `why`, when it is shorter than it must be. */
bool flm_event_decode(const struct flm_event_layouts *layouts, char *record, size_t size,
                      uint64_t offset, struct flm_event *event, struct flm_error *why);

/* Where events go. False, and `why`, stops whoever hands them out. */
typedef bool (*flm_event_sink)(void *context, struct flm_event *event, struct flm_error *why);

#endif
