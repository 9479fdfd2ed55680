#include "record/python/struct_layout.h"

/* Fields that several versions have at the same offsets. */
#define FRAME_OBJECTS                                                                              \
    .frames = FLM_PYTHON_FRAME_OBJECTS, .runtime_interpreters = 32, .interpreter_threads = 8,      \
    .thread_next = 8, .thread_id = 176, .thread_frame = 24, .frame_previous = 24,                  \
    .frame_code = 32, .frame_size = 112, .code_file = 104, .code_name = 112, .code_lines = 120,    \
    .code_first_line = 40, .code_size = 176, .code_instructions = 48

#define LOOP_RECORDS                                                                               \
    .lines = FLM_PYTHON_LOCATIONS, .runtime_interpreters = 40, .thread_next = 8,                   \
    .has_native_id = true, .thread_frame = 56, .has_loop = true, .frame_instruction = 56,          \
    .frame_size = 72, .code_file = 112, .code_name = 128, .code_lines = 136

#define BYTES_AND_TEXT .bytes_size = 16, .bytes_data = 32, .text_length = 16, .text_state = 32
#define TEXT_UP_TO_11 BYTES_AND_TEXT, .text_ascii = 48, .text_compact = 72
#define TEXT_FROM_12 BYTES_AND_TEXT, .text_ascii = 40, .text_compact = 56

/* Up to 3.10 `code_name` is the plain name, from 3.11 on the qualified one. */
static const struct flm_python_layout layouts[] = {
    {.minor = 8,
     .lines = FLM_PYTHON_LNOTAB,
     FRAME_OBJECTS,
     .frame_instruction = 104,
     TEXT_UP_TO_11},
    {.minor = 9,
     .lines = FLM_PYTHON_LNOTAB,
     FRAME_OBJECTS,
     .frame_instruction = 104,
     TEXT_UP_TO_11},
    {.minor = 10,
     .lines = FLM_PYTHON_LINETABLE,
     FRAME_OBJECTS,
     .frame_instruction = 96,
     TEXT_UP_TO_11},
    {.minor = 11,
     .frames = FLM_PYTHON_FRAME_IS_ENTRY,
     LOOP_RECORDS,
     .interpreter_threads = 16,
     .thread_id = 152,
     .thread_native_id = 160,
     .loop_frame = 8,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_entry = 68,
     .code_first_line = 72,
     .code_size = 184,
     .code_instructions = 184,
     TEXT_UP_TO_11},
    {.minor = 12,
     .frames = FLM_PYTHON_FRAME_OWNER,
     LOOP_RECORDS,
     .interpreter_threads = 72,
     .thread_id = 136,
     .thread_native_id = 144,
     .loop_frame = 0,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_entry = 70,
     .code_first_line = 68,
     .code_size = 192,
     .code_instructions = 192,
     TEXT_FROM_12},
};

const struct flm_python_layout *flm_python_layout_of(int major, int minor)
{
    for (size_t i = 0; major == 3 && i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

/* ---- The table of offsets in 3.13 ------------------------------------------------------------ */

/* Words of _Py_DebugOffsets, behind the cookie. */
enum {
    VERSION = 1,
    FREE_THREADED = 2,
    RUNTIME_INTERPRETERS = 5,
    INTERPRETER_NEXT = 8,
    INTERPRETER_THREADS = 9,
    THREAD_NEXT = 21,
    THREAD_FRAME = 23,
    THREAD_ID = 24,
    THREAD_NATIVE_ID = 25,
    FRAME_SIZE = 28,
    FRAME_PREVIOUS = 29,
    FRAME_CODE = 30,
    FRAME_INSTRUCTION = 31,
    FRAME_OWNER = 33,
    CODE_FILE = 35,
    CODE_NAME = 37, /* the qualified one */
    CODE_LINES = 38,
    CODE_FIRST_LINE = 39,
    CODE_INSTRUCTIONS = 43,
    WORDS = 73
};

static bool all_fit(const struct flm_python_layout *l)
{
    enum { SMALL = 4096, LARGE = 1 << 20 };
    const uint32_t small[] = {
        l->thread_next,     l->thread_id,  l->thread_native_id,  l->thread_frame,
        l->frame_previous,  l->frame_code, l->frame_instruction, l->frame_entry,
        l->frame_size,      l->code_file,  l->code_name,         l->code_lines,
        l->code_first_line, l->code_size,
    };
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (small[i] >= SMALL)
            return false;
    /* What is read of a frame are its first bytes. */
    const uint32_t words[] = {l->frame_previous, l->frame_code, l->frame_instruction};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i] + sizeof(uint64_t) > l->frame_size)
            return false;
    if (l->frame_entry >= l->frame_size)
        return false;
    return l->runtime_interpreters < LARGE && l->interpreter_next < LARGE &&
           l->interpreter_threads < LARGE;
}

bool flm_python_layout_read(const char *runtime, size_t size, struct flm_python_layout *layout,
                            struct flm_error *why)
{
    uint64_t words[WORDS];
    if (size < sizeof words || memcmp(runtime, "xdebugpy", 8) != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "no debug offsets in _PyRuntime");
    memcpy(words, runtime, sizeof words);
    int minor = (int)(words[VERSION] >> 16 & 0xFF);
    if (words[VERSION] >> 24 != 3 || minor != 13)
        return flm_error_set(why, FLM_ERROR_FORMAT, "unknown version %u.%d of the debug offsets",
                             (unsigned)(words[VERSION] >> 24), minor);
    if (words[FREE_THREADED])
        return flm_error_set(why, FLM_ERROR_FORMAT, "free-threaded builds are not supported");
    for (size_t i = VERSION + 1; i < WORDS; i++)
        if (words[i] > UINT32_MAX)
            words[i] = UINT32_MAX;
    *layout = (struct flm_python_layout){
        .minor = minor,
        .frames = FLM_PYTHON_FRAME_OWNER,
        .lines = FLM_PYTHON_LOCATIONS,
        .runtime_interpreters = (uint32_t)words[RUNTIME_INTERPRETERS],
        .interpreter_next = (uint32_t)words[INTERPRETER_NEXT],
        .interpreter_threads = (uint32_t)words[INTERPRETER_THREADS],
        .thread_next = (uint32_t)words[THREAD_NEXT],
        .thread_id = (uint32_t)words[THREAD_ID],
        .thread_native_id = (uint32_t)words[THREAD_NATIVE_ID],
        .has_native_id = true,
        .thread_frame = (uint32_t)words[THREAD_FRAME],
        .frame_previous = (uint32_t)words[FRAME_PREVIOUS],
        .frame_code = (uint32_t)words[FRAME_CODE],
        .frame_instruction = (uint32_t)words[FRAME_INSTRUCTION],
        .frame_entry = (uint32_t)words[FRAME_OWNER],
        .frame_size = (uint32_t)words[FRAME_OWNER] + 8,
        .code_file = (uint32_t)words[CODE_FILE],
        .code_name = (uint32_t)words[CODE_NAME],
        .code_lines = (uint32_t)words[CODE_LINES],
        .code_first_line = (uint32_t)words[CODE_FIRST_LINE],
        .code_size = (uint32_t)words[CODE_INSTRUCTIONS],
        .code_instructions = (uint32_t)words[CODE_INSTRUCTIONS],
        TEXT_FROM_12,
    };
    return all_fit(layout) || flm_error_set(why, FLM_ERROR_FORMAT, "implausible debug offsets");
}
