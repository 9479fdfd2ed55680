/* kernel_abi.h - numbers in perf's records, as linux/perf_event.h defines them.
 *
 * The records are decoded where there are no headers of Linux, too: in a page. The kernel never
 * changes these numbers. kernel_abi_test.c compares them with the headers of the system. */
#ifndef FLAMEL_RECORD_PERF_KERNEL_ABI_H
#define FLAMEL_RECORD_PERF_KERNEL_ABI_H

/* Types of events, and events of these types. */
enum {
    FLM_PERF_TYPE_HARDWARE = 0,
    FLM_PERF_TYPE_SOFTWARE = 1,
    FLM_PERF_TYPE_TRACEPOINT = 2,
    FLM_PERF_TYPE_RAW = 4,
    FLM_PERF_COUNT_HW_CPU_CYCLES = 0,
    FLM_PERF_COUNT_SW_CPU_CLOCK = 0,
    FLM_PERF_COUNT_SW_TASK_CLOCK = 1,
    FLM_PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
    FLM_PERF_COUNT_SW_DUMMY = 9
};

/* Fields of a sample. */
enum {
    FLM_PERF_SAMPLE_IP = 1 << 0,
    FLM_PERF_SAMPLE_TID = 1 << 1,
    FLM_PERF_SAMPLE_TIME = 1 << 2,
    FLM_PERF_SAMPLE_ADDR = 1 << 3,
    FLM_PERF_SAMPLE_READ = 1 << 4,
    FLM_PERF_SAMPLE_CALLCHAIN = 1 << 5,
    FLM_PERF_SAMPLE_ID = 1 << 6,
    FLM_PERF_SAMPLE_CPU = 1 << 7,
    FLM_PERF_SAMPLE_PERIOD = 1 << 8,
    FLM_PERF_SAMPLE_STREAM_ID = 1 << 9,
    FLM_PERF_SAMPLE_RAW = 1 << 10,
    FLM_PERF_SAMPLE_BRANCH_STACK = 1 << 11,
    FLM_PERF_SAMPLE_REGS_USER = 1 << 12,
    FLM_PERF_SAMPLE_STACK_USER = 1 << 13,
    FLM_PERF_SAMPLE_IDENTIFIER = 1 << 16
};

/* Fields of the counters in a sample. */
enum {
    FLM_PERF_FORMAT_TOTAL_TIME_ENABLED = 1 << 0,
    FLM_PERF_FORMAT_TOTAL_TIME_RUNNING = 1 << 1,
    FLM_PERF_FORMAT_ID = 1 << 2,
    FLM_PERF_FORMAT_GROUP = 1 << 3,
    FLM_PERF_FORMAT_LOST = 1 << 4
};

/* What branches are recorded, and the form of registers. */
enum {
    FLM_PERF_SAMPLE_BRANCH_CALL_STACK = 1 << 11,
    FLM_PERF_SAMPLE_BRANCH_HW_INDEX = 1 << 17,
    FLM_PERF_SAMPLE_REGS_ABI_NONE = 0
};

/* Types of records. */
enum {
    FLM_PERF_RECORD_MMAP = 1,
    FLM_PERF_RECORD_LOST = 2,
    FLM_PERF_RECORD_COMM = 3,
    FLM_PERF_RECORD_EXIT = 4,
    FLM_PERF_RECORD_THROTTLE = 5,
    FLM_PERF_RECORD_UNTHROTTLE = 6,
    FLM_PERF_RECORD_FORK = 7,
    FLM_PERF_RECORD_SAMPLE = 9,
    FLM_PERF_RECORD_MMAP2 = 10,
    FLM_PERF_RECORD_LOST_SAMPLES = 13,
    FLM_PERF_RECORD_SWITCH = 14,
    FLM_PERF_RECORD_SWITCH_CPU_WIDE = 15,
    FLM_PERF_RECORD_KSYMBOL = 17
};

/* Bits of records. */
enum {
    FLM_PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER = 1 << 0,
    FLM_PERF_RECORD_MISC_MMAP_DATA = 1 << 13,
    FLM_PERF_RECORD_MISC_COMM_EXEC = 1 << 13,
    FLM_PERF_RECORD_MISC_SWITCH_OUT = 1 << 13,
    FLM_PERF_RECORD_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
    FLM_PERF_RECORD_MISC_MMAP_BUILD_ID = 1 << 14
};

/* Where the code of a record ran. */
enum {
    FLM_PERF_RECORD_MISC_CPUMODE_MASK = 7,
    FLM_PERF_RECORD_MISC_KERNEL = 1,
    FLM_PERF_RECORD_MISC_USER = 2,
    FLM_PERF_RECORD_MISC_HYPERVISOR = 3,
    FLM_PERF_RECORD_MISC_GUEST_KERNEL = 4,
    FLM_PERF_RECORD_MISC_GUEST_USER = 5
};

#endif
