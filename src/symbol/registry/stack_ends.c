/* stack_ends.c - where stacks end in code without call frame information.
 *
 * glibc says in its call frame information that _start and the start of a thread have no caller.
 * musl has none: neither in its assembly nor in the C around main(). Without this every stack of a
 * program that was linked with it would count as truncated.
 *
 *     main   libc_start_main_stage2  (__libc_start_main, _start_c: called by jumps)   _start
 *     work   start                                                                    __clone
 *
 * Nor has C in a program that Go's own linker has linked: it drops that of the C compiler. There,
 * threads begin in threadentry() of runtime/cgo.
 *
 * A stripped program has the address of its _start in the file's header, but not where it ends. */
#include <elf.h>
#include <stddef.h>

#include "symbol/registry/internal.h"

/* Of functions in assembly without a size. */
enum { SMALL = 32 };

enum name {
    START,
    START_C,
    START_MAIN,
    STAGE_2,
    CLONE,
    THREAD,
    THREAD_C11,
    THREAD_GO,
    NAMES,
    ENTRY = NAMES,
    ENDS
};

/* Libraries may have one as well, which nothing is called from. */
static struct flm_elf_range find_entry(const struct flm_elf_file *file)
{
    enum { AT = offsetof(Elf64_Ehdr, e_entry) };
    uint64_t entry = file->is_wide && file->image.size >= sizeof(Elf64_Ehdr)
                         ? flm_elf_number(file, file->image.at + AT, sizeof entry)
                         : 0;
    return (struct flm_elf_range){entry,
                                  entry == 0 || entry > UINT64_MAX - SMALL ? entry : entry + SMALL};
}

static void find_ends(struct flm_module *module)
{
    static const char *const names[NAMES] = {
        [START] = "_start",         [START_C] = "_start_c",
        [CLONE] = "__clone",        [START_MAIN] = "__libc_start_main",
        [THREAD] = "start",         [STAGE_2] = "libc_start_main_stage2",
        [THREAD_C11] = "start_c11", [THREAD_GO] = "threadentry"};
    _Static_assert((int)ENDS == (int)FLM_STACK_ENDS, "one for each name, and one for the entry");
    struct flm_elf_range *ends = module->stack_ends;
    module->stack_ends_tried = true;
    if (!module->file)
        return;
    module->is_warm = true;
    flm_elf_find_functions(module->file, names, NAMES, SMALL, ends);
    if (ends[START].end == 0)
        ends[ENTRY] = find_entry(module->file);
    /* Other programs too may have a function called "start". */
    if (ends[CLONE].end == 0)
        ends[THREAD] = ends[THREAD_C11] = ends[CLONE];
    if (!module->is_go)
        ends[THREAD_GO] = (struct flm_elf_range){0, 0};
    /* The compiler puts its static part in front; stripped libraries do not name it. */
    if (ends[START_MAIN].end > 0 && ends[STAGE_2].end == 0 && ends[START_MAIN].start > 2 * SMALL)
        ends[START_MAIN].start -= 2 * SMALL;
}

bool flm_module_ends_stack(struct flm_module *module, uint64_t address)
{
    if (!module->stack_ends_tried)
        find_ends(module);
    for (size_t i = 0; i < FLM_STACK_ENDS; i++)
        if (address - module->stack_ends[i].start <
            module->stack_ends[i].end - module->stack_ends[i].start)
            return true;
    return false;
}
