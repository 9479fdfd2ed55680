#include "record/python/task.h"

#include <string.h>

#include "base/core/path_name.h"
#include "record/python/internal.h"
#include "record/runtime/interpreter_file.h"

static bool read_word(struct flm_python *p, uint64_t address, uint64_t *word)
{
    return flm_process_memory_read(&p->memory, address, word, sizeof *word);
}

/* ---- By the offsets in the section of _asyncio ----------------------------------------------- */

/* Words of the section. */
enum { TASK_NAME = 1, RUNNING_TASK = 11, SECTION_WORDS = 13 };

static bool is_asyncio(struct flm_bytes path)
{
    return flm_bytes_start_with(flm_path_last(path, "/"), "_asyncio.");
}

static bool find_section(void *context, const struct flm_interpreter_file *file)
{
    uint64_t *address = context;
    const struct flm_elf_section *section = flm_elf_section(file->elf, ".AsyncioDebug");
    if (section && section->address)
        *address = section->address + file->bias;
    return *address != 0;
}

/* The module may be loaded later. */
static bool find_offsets(struct flm_python *p, const struct flm_process *process)
{
    enum { LARGE = 1 << 16 };
    uint64_t section = 0, words[SECTION_WORDS];
    if (p->asyncio.running_task || p->asyncio.searched == process->changed)
        return p->asyncio.running_task != 0;
    p->asyncio.searched = process->changed;
    if (!flm_interpreter_file_find(process, is_asyncio, find_section, &section) ||
        !flm_process_memory_read(&p->memory, section, words, sizeof words) ||
        words[TASK_NAME] >= LARGE || words[RUNNING_TASK] >= LARGE)
        return false;
    p->asyncio.task_name = (uint32_t)words[TASK_NAME];
    p->asyncio.running_task = (uint32_t)words[RUNNING_TASK];
    return p->asyncio.running_task != 0;
}

/* ---- By the handle --------------------------------------------------------------------------- */

/* Offsets that are the same in all versions: slots are in the order of their names, behind the
 * head of the object. */
enum { HANDLE_CALLBACK = 24, WRAPPER_TASK = 16, METHOD_DEFINITION = 16, METHOD_SELF = 24 };

/* Whether a C string of the process is this one; `at` points to it. */
static bool is_named(struct flm_python *p, uint64_t at, const char *name)
{
    enum { MOST = 32 };
    char found[MOST];
    uint64_t address;
    size_t size = strlen(name) + 1;
    return size <= MOST && read_word(p, at, &address) &&
           flm_process_memory_read(&p->memory, address, found, size) &&
           memcmp(found, name, size) == 0;
}

static bool is_of_type(struct flm_python *p, uint64_t object, const char *name)
{
    enum { TYPE_NAME = 24 };
    uint64_t type;
    return read_word(p, object + p->layout.object_type, &type) &&
           is_named(p, type + TYPE_NAME, name);
}

static uint64_t task_of_callback(struct flm_python *p, uint64_t callback)
{
    uint64_t task, definition;
    if (is_of_type(p, callback, "TaskStepMethWrapper") ||
        is_of_type(p, callback, "_asyncio.TaskStepMethWrapper") ||
        is_of_type(p, callback, "TaskWakeupMethWrapper"))
        return read_word(p, callback + WRAPPER_TASK, &task) ? task : 0;
    bool is_wakeup = is_of_type(p, callback, "builtin_function_or_method") &&
                     read_word(p, callback + METHOD_DEFINITION, &definition) &&
                     is_named(p, definition, "task_wakeup");
    return is_wakeup && read_word(p, callback + METHOD_SELF, &task) ? task : 0;
}

static bool is_handle_run(const struct flm_python_frame *frame)
{
    return (flm_bytes_are(frame->function, "Handle._run") ||
            flm_bytes_are(frame->function, "_run")) &&
           flm_bytes_end_with(frame->file, "/asyncio/events.py");
}

static uint64_t task_by_handle(struct flm_python *p, const struct flm_python_frame *frames,
                               size_t count)
{
    uint64_t handle, callback;
    for (size_t i = 0; i < count; i++)
        if (is_handle_run(&frames[i]))
            return flm_python_first_variable(p, &frames[i], &handle) &&
                           read_word(p, handle + HANDLE_CALLBACK, &callback)
                       ? task_of_callback(p, callback)
                       : 0;
    return 0;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* A number of up to two digits of 30 bits. */
static bool read_number(struct flm_python *p, uint64_t object, uint64_t *number)
{
    enum { SIZE_SHIFT = 3, MOST_DIGITS = 2, BITS = 30 };
    uint64_t tag;
    uint32_t digit[MOST_DIGITS] = {0};
    uint64_t at = object + p->layout.bytes_size;
    if (!read_word(p, at, &tag) || tag >> SIZE_SHIFT > MOST_DIGITS || tag >> SIZE_SHIFT == 0 ||
        !flm_process_memory_read(&p->memory, at + sizeof tag, digit,
                                 (tag >> SIZE_SHIFT) * sizeof *digit))
        return false;
    *number = (uint64_t)digit[1] << BITS | digit[0];
    return true;
}

static bool read_name(struct flm_python *p, uint64_t object, struct flm_text *name)
{
    uint64_t number;
    if (is_of_type(p, object, "str"))
        return flm_python_text_read(&p->codes, &p->memory, object, name);
    if (p->layout.minor < 12 || !is_of_type(p, object, "int") || !read_number(p, object, &number))
        return false;
    flm_text_puts(name, "Task-");
    flm_text_uint(name, number);
    return !name->failed;
}

bool flm_python_task(struct flm_python *p, const struct flm_process *process, int32_t thread,
                     const struct flm_python_frame *frames, size_t count, struct flm_text *name)
{
    struct flm_python_thread *known = flm_python_thread(p, thread);
    uint64_t task = 0, object;
    uint32_t at = p->layout.task_name;
    if (at) {
        task = task_by_handle(p, frames, count);
    } else if (p->layout.minor >= 14 && known && known->state && find_offsets(p, process)) {
        at = p->asyncio.task_name;
        if (!read_word(p, known->state + p->asyncio.running_task, &task))
            return false;
    }
    return task && read_word(p, task + at, &object) && object && read_name(p, object, name);
}
