/* xray.c - programs that clang compiled with -fxray-instrument: each function has room for a call
 * at its beginning and its ends, which the program's own XRay runtime puts there.
 *
 * The runtime is in the program's file. The linker shows it to this library if the program is
 * linked with it; else it is found by its symbols, if they were not stripped.
 *
 * The runtime says only the number of the function, and that it begins or ends. Which call of it
 * that is, is told by where its return address is on the stack: as far above the frame of our
 * function as the runtime saves registers. That is found once: at a beginning the address that the
 * runtime returns to is in the function; at an end it is where it was at the beginning. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "entries.h"
#include "functions.h"
#include "names.h"

#if defined __x86_64__

enum event { BEGINS, ENDS, ENDS_BY_JUMP, BEGINS_WITH_ARGUMENT, EVENTS };

extern int __xray_set_handler(void (*handler)(int32_t function, enum event event))
    __attribute__((weak));
extern int __xray_patch(void) __attribute__((weak));
extern int __xray_patch_function(int32_t function) __attribute__((weak));
extern uintptr_t __xray_function_address(int32_t function) __attribute__((weak));
extern size_t __xray_max_function_id(void) __attribute__((weak));

static struct {
    __typeof__(__xray_set_handler) *set_handler;
    __typeof__(__xray_patch) *patch;
    __typeof__(__xray_patch_function) *patch_function;
    __typeof__(__xray_function_address) *address_of;
    __typeof__(__xray_max_function_id) *count;
} runtime;

/* By the runtime's numbers, from 1. */
static uintptr_t *addresses;
static size_t count;

/* From the frame of our function to the slot; 0: it is not known yet. */
static uintptr_t above[EVENTS];

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The address in the first bytes of the function, which a call pushed just below the slot. */
static uintptr_t above_beginning(const uintptr_t *frame, uintptr_t function)
{
    enum { MOST = 128, FIRST_BYTES = 32 };
    for (uintptr_t i = 2; i < MOST; i++)
        if (frame[i] > function && frame[i] < function + FIRST_BYTES)
            return (i + 1) * sizeof *frame;
    return 0;
}

/* It is at most so far away, if the innermost function is the one that ends. */
static uintptr_t above_end(uintptr_t frame, uintptr_t function)
{
    enum { MOST = 1024 };
    const struct flm_probe_open *top = flm_top;
    if (!top || top->function != function)
        return 0;
    uintptr_t slot = (uintptr_t)top->stack + 2 * sizeof(uintptr_t); /* as entries.c has it */
    return slot > frame && slot - frame < MOST ? slot - frame : 0;
}

static void handle(int32_t number, enum event event)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool begins = event == BEGINS || event == BEGINS_WITH_ARGUMENT;
    if (!FLM_PROBE_IS_ON && begins)
        return;
    if (number <= 0 || (size_t)number > count || (unsigned)event >= EVENTS)
        return;
    uintptr_t function = addresses[number];
    uintptr_t distance = above[event];
    if (FLM_RARELY(distance == 0)) {
        distance = begins ? above_beginning((const uintptr_t *)frame, // NOLINT
                                            function)
                          : above_end(frame, function);
        if (distance == 0)
            return;
        above[event] = distance;
    }
    if (begins)
        flm_xray_began(function, frame + distance);
    else
        flm_entry_ended(function, frame + distance);
}

void flm_xray_begin_slowly(uintptr_t function, uintptr_t stack)
{
    int kept = errno;
    struct flm_site *site = flm_function_find(function);
    if (!site)
        site = flm_function_site(function, function, false);
    if (site && site != &flm_left_out)
        flm_function_enter(function, site, &(struct flm_frame){.stack = stack});
    errno = kept;
}

/* ---- The runtime ----------------------------------------------------------------------------- */

/* Whether the program's file has the section in which the compiler says where functions are. */
static bool is_instrumented(void)
{
    static const char wanted[] = "xray_instr_map";
    Elf64_Ehdr head;
    Elf64_Shdr names = {0}, section;
    bool found = false;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head && head.e_shnum > 0 &&
        head.e_shentsize == sizeof section &&
        pread(file, &names, sizeof names,
              (off_t)(head.e_shoff + (uint64_t)head.e_shstrndx * sizeof names)) ==
            (ssize_t)sizeof names)
        for (uint32_t i = 0; i < head.e_shnum && !found; i++) {
            char name[sizeof wanted] = "";
            off_t at = (off_t)(head.e_shoff + (uint64_t)i * sizeof section);
            found = pread(file, &section, sizeof section, at) == (ssize_t)sizeof section &&
                    section.sh_type == SHT_PROGBITS &&
                    pread(file, name, sizeof name, (off_t)(names.sh_offset + section.sh_name)) ==
                        (ssize_t)sizeof name &&
                    memcmp(name, wanted, sizeof wanted) == 0;
        }
    close(file);
    return found;
}

#define FIND(member, name)                                                                         \
    (runtime.member = name ? name : (__typeof__(runtime.member))flm_names_find(#name))

static bool find_runtime(void)
{
    flm_lock();
    bool found = FIND(set_handler, __xray_set_handler) && FIND(patch, __xray_patch) &&
                 FIND(patch_function, __xray_patch_function) &&
                 FIND(address_of, __xray_function_address) && FIND(count, __xray_max_function_id);
    flm_unlock();
    return found;
}

/* Only those that are wanted. */
static void patch(void)
{
    const struct flm_settings *asked = &flm_settings;
    if (!asked->only[0] && !asked->except[0] && !asked->filter[0]) {
        runtime.patch();
        return;
    }
    for (size_t i = 1; i <= count; i++) {
        flm_lock();
        bool is_wanted = addresses[i] != 0 && flm_function_is_wanted(addresses[i]);
        flm_unlock();
        if (is_wanted)
            runtime.patch_function((int32_t)i);
    }
}

const char *flm_xray_start(void)
{
    if (count > 0 || !is_instrumented())
        return NULL;
    if (!find_runtime())
        return "functions that are compiled with -fxray-instrument are not measured, as the "
               "runtime "
               "of XRay is not found: link with -lflamel-probe, or do not strip the program";
    size_t most = runtime.count();
    uintptr_t *known = flm_memory_new((most + 1) * sizeof *known);
    if (!known)
        return NULL;
    for (size_t i = 1; i <= most; i++)
        known[i] = runtime.address_of((int32_t)i);
    addresses = known;
    count = most;
    runtime.set_handler(handle);
    patch();
    return NULL;
}

#else

const char *flm_xray_start(void)
{
    return NULL;
}

#endif
