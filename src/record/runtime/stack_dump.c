#include "record/runtime/stack_dump.h"

#include <asm/perf_regs.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel's number of the stack pointer. */
#if defined(__aarch64__)
enum { STACK_POINTER = PERF_REG_ARM64_SP };
#else
enum { STACK_POINTER = PERF_REG_X86_SP };
#endif

struct flm_stack_dump flm_stack_dump_of(const struct flm_event_sample *sample)
{
    uint64_t wanted = UINT64_C(1) << STACK_POINTER, mask = sample->layout->user_registers;
    if (!sample->registers || !(mask & wanted))
        return (struct flm_stack_dump){0};
    size_t at = (size_t)__builtin_popcountll(mask & (wanted - 1));
    return (struct flm_stack_dump){sample->stack, sample->registers[at]};
}

bool flm_thread_is_blocked(int32_t process, int32_t thread)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = 0;
    /* "4711 (name) S ...", and names may hold anything */
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'S' || name_end[2] == 'D');
}
