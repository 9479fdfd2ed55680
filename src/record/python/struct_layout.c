#include "record/python/struct_layout.h"

enum { OBJECT_TYPE = 8, GIL_SIZE = 208, GIL_HOLDER = 8, GIL_LOCKED = 16 };

/* Fields that several versions have at the same offsets. */
#define FRAME_OBJECTS                                                                              \
    .frames = FLM_PYTHON_FRAME_OBJECTS, .runtime_interpreters = 32, .interpreter_threads = 8,      \
    .thread_next = 8, .thread_id = 176, .thread_frame = 24, .frame_previous = 24,                  \
    .frame_code = 32, .frame_size = 112, .code_file = 104, .code_name = 112, .code_lines = 120,    \
    .code_first_line = 40, .code_size = 176, .code_instructions = 48, .thread_interpreter = 16

#define LOOP_RECORDS                                                                               \
    .lines = FLM_PYTHON_LOCATIONS, .runtime_interpreters = 40, .thread_next = 8,                   \
    .has_native_id = true, .thread_frame = 56, .has_loop = true, .frame_instruction = 56,          \
    .frame_size = 72, .code_file = 112, .code_name = 128, .code_lines = 136,                       \
    .thread_interpreter = 16

#define BYTES_AND_TEXT                                                                             \
    .object_type = OBJECT_TYPE, .bytes_size = 16, .bytes_data = 32, .text_length = 16,             \
    .text_state = 32, .text_shift = 2, .gil_holder = GIL_HOLDER, .gil_locked = GIL_LOCKED,         \
    .gil_size = GIL_SIZE
#define TEXT_UP_TO_11 BYTES_AND_TEXT, .text_ascii = 48, .text_compact = 72
#define TEXT_FROM_12 BYTES_AND_TEXT, .text_ascii = 40, .text_compact = 56

/* Up to 3.10 `code_name` is the plain name, from 3.11 on the qualified one. */
static const struct flm_python_layout layouts[] = {
    {.minor = 8,
     .frame_locals = 360,
     .task_name = 120,
     .lines = FLM_PYTHON_LNOTAB,
     FRAME_OBJECTS,
     .runtime_gil = 1152,
     .frame_instruction = 104,
     TEXT_UP_TO_11},
    {.minor = 9,
     .frame_locals = 360,
     .task_name = 160,
     .lines = FLM_PYTHON_LNOTAB,
     FRAME_OBJECTS,
     .runtime_gil = 352,
     .frame_instruction = 104,
     TEXT_UP_TO_11},
    {.minor = 10,
     .frame_locals = 352,
     .task_name = 168,
     .lines = FLM_PYTHON_LINETABLE,
     FRAME_OBJECTS,
     .runtime_gil = 352,
     .frame_instruction = 96,
     TEXT_UP_TO_11},
    {.minor = 11,
     .frame_locals = 72,
     .task_name = 144,
     .frames = FLM_PYTHON_FRAME_IS_ENTRY,
     LOOP_RECORDS,
     .runtime_gil = 360,
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
     .frame_locals = 72,
     .task_name = 144,
     .frames = FLM_PYTHON_FRAME_OWNER,
     LOOP_RECORDS,
     .interpreter_gil = 384,
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

/* ---- The table of offsets since 3.13 --------------------------------------------------------- */

/* The indexes of words in a version's _Py_DebugOffsets; word 0 is the cookie. 0: it has no such
 * word. */
struct words {
    int minor;
    uint8_t count;
    uint8_t runtime_interpreters;
    uint8_t interpreter_next, interpreter_threads, interpreter_gil, own_gil, gil_locked, gil_holder;
    uint8_t thread_next, thread_interpreter, thread_frame, thread_id, thread_native_id;
    uint8_t frame_previous, frame_code, frame_instruction, frame_locals, frame_owner, frame_copy;
    uint8_t code_file, code_name, code_lines, code_first_line, code_instructions, code_copies;
    uint8_t object_type, bytes_size, bytes_data, text_state, text_length, text_ascii;
};

/* `code_name` is the qualified one. */
static const struct words known_words[] = {
    {.minor = 13,
     .count = 73,
     .runtime_interpreters = 5,
     .interpreter_next = 8,
     .interpreter_threads = 9,
     .interpreter_gil = 14,
     .own_gil = 15,
     .gil_locked = 17,
     .gil_holder = 18,
     .thread_next = 21,
     .thread_interpreter = 22,
     .thread_frame = 23,
     .thread_id = 24,
     .thread_native_id = 25,
     .frame_previous = 29,
     .frame_code = 30,
     .frame_instruction = 31,
     .frame_locals = 32,
     .frame_owner = 33,
     .code_file = 35,
     .code_name = 37,
     .code_lines = 38,
     .code_first_line = 39,
     .code_instructions = 43,
     .object_type = 45,
     .bytes_size = 65,
     .bytes_data = 66,
     .text_state = 68,
     .text_length = 69,
     .text_ascii = 70},
    {.minor = 14,
     .count = 95,
     .runtime_interpreters = 5,
     .interpreter_next = 8,
     .interpreter_threads = 9,
     .interpreter_gil = 15,
     .own_gil = 16,
     .gil_locked = 18,
     .gil_holder = 19,
     .thread_next = 24,
     .thread_interpreter = 25,
     .thread_frame = 26,
     .thread_id = 27,
     .thread_native_id = 28,
     .frame_previous = 32,
     .frame_code = 33,
     .frame_instruction = 34,
     .frame_locals = 35,
     .frame_owner = 36,
     .frame_copy = 38,
     .code_file = 40,
     .code_name = 42,
     .code_lines = 43,
     .code_first_line = 44,
     .code_instructions = 48,
     .code_copies = 49,
     .object_type = 51,
     .bytes_size = 75,
     .bytes_data = 76,
     .text_state = 78,
     .text_length = 79,
     .text_ascii = 80},
    {.minor = 15,
     .count = 111,
     .runtime_interpreters = 5,
     .interpreter_next = 8,
     .interpreter_threads = 9,
     .interpreter_gil = 15,
     .own_gil = 16,
     .gil_locked = 18,
     .gil_holder = 19,
     .thread_next = 24,
     .thread_interpreter = 25,
     .thread_frame = 26,
     .thread_id = 30,
     .thread_native_id = 31,
     .frame_previous = 40,
     .frame_code = 41,
     .frame_instruction = 42,
     .frame_owner = 44,
     .frame_copy = 46,
     .code_file = 48,
     .code_name = 50,
     .code_lines = 51,
     .code_first_line = 52,
     .code_instructions = 56,
     .code_copies = 57,
     .object_type = 59,
     .bytes_size = 87,
     .bytes_data = 88,
     .text_state = 90,
     .text_length = 91,
     .text_ascii = 92},
};

enum { VERSION = 1, FREE_THREADED = 2, MOST_WORDS = FLM_PYTHON_OFFSETS / 8 };

static const struct words *find_words(int minor)
{
    for (size_t i = 0; i < sizeof known_words / sizeof known_words[0]; i++)
        if (known_words[i].minor == minor)
            return &known_words[i];
    return NULL;
}

static bool all_fit(const struct flm_python_layout *l)
{
    enum { SMALL = 4096, LARGE = 1 << 20, TEXT = 64 };
    const uint32_t small[] = {
        l->thread_next,     l->thread_id,  l->thread_native_id,  l->thread_frame,
        l->frame_previous,  l->frame_code, l->frame_instruction, l->frame_entry,
        l->frame_size,      l->code_file,  l->code_name,         l->code_lines,
        l->code_first_line, l->code_size,  l->code_copies,       l->frame_copy,
        l->bytes_data,      l->gil_holder, l->gil_locked,        l->thread_interpreter,
    };
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (small[i] >= SMALL)
            return false;
    /* Only the first bytes of a frame, and of an object, are read. */
    const uint32_t words[] = {l->frame_previous, l->frame_code, l->frame_instruction};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i] + sizeof(uint64_t) > l->frame_size)
            return false;
    if (l->frame_entry >= l->frame_size || l->frame_copy + sizeof(uint32_t) > l->frame_size)
        return false;
    const uint32_t of_object[] = {l->object_type, l->bytes_size, l->text_length, l->text_state};
    for (size_t i = 0; i < sizeof of_object / sizeof of_object[0]; i++)
        if (of_object[i] + sizeof(uint64_t) > TEXT)
            return false;
    return l->text_ascii <= TEXT && l->runtime_interpreters < LARGE &&
           l->interpreter_next < LARGE && l->interpreter_threads < LARGE &&
           l->interpreter_gil < LARGE;
}

/* The width of characters follows the bits that say whether the text is interned: 2 of them, but a
 * byte in free-threaded builds since 3.14. */
static uint32_t text_shift(int minor, bool is_free_threaded)
{
    return is_free_threaded && minor >= 14 ? 8 : 2;
}

bool flm_python_layout_read(const char *runtime, size_t size, struct flm_python_layout *layout,
                            struct flm_error *why)
{
    uint64_t words[MOST_WORDS];
    if (size < sizeof words || memcmp(runtime, "xdebugpy", 8) != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "no debug offsets in _PyRuntime");
    memcpy(words, runtime, sizeof words);
    int minor = (int)(words[VERSION] >> 16 & 0xFF);
    const struct words *w = words[VERSION] >> 24 == 3 ? find_words(minor) : NULL;
    if (!w)
        return flm_error_set(why, FLM_ERROR_FORMAT, "unknown version %u.%d of the debug offsets",
                             (unsigned)(words[VERSION] >> 24), minor);
    uint32_t at[MOST_WORDS] = {0};
    for (size_t i = VERSION + 1; i < w->count; i++)
        at[i] = words[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)words[i];
    bool is_free_threaded = words[FREE_THREADED] != 0;
    *layout = (struct flm_python_layout){
        .minor = minor,
        .is_free_threaded = is_free_threaded,
        .frames = FLM_PYTHON_FRAME_OWNER,
        .lines = FLM_PYTHON_LOCATIONS,
        .runtime_interpreters = at[w->runtime_interpreters],
        .interpreter_next = at[w->interpreter_next],
        .interpreter_threads = at[w->interpreter_threads],
        .thread_next = at[w->thread_next],
        .thread_interpreter = at[w->thread_interpreter],
        .thread_id = at[w->thread_id],
        .thread_native_id = at[w->thread_native_id],
        .has_native_id = true,
        .thread_frame = at[w->thread_frame],
        .frame_previous = at[w->frame_previous],
        .frame_code = at[w->frame_code],
        .frame_instruction = at[w->frame_instruction],
        .frame_entry = at[w->frame_owner],
        .frame_copy = at[w->frame_copy],
        .frame_size = at[w->frame_owner] + 8,
        .code_file = at[w->code_file],
        .code_name = at[w->code_name],
        .code_lines = at[w->code_lines],
        .code_first_line = at[w->code_first_line],
        .code_size = at[w->code_instructions],
        .code_instructions = at[w->code_instructions],
        .code_copies = at[w->code_copies],
        .object_type = at[w->object_type],
        .bytes_size = at[w->bytes_size],
        .bytes_data = at[w->bytes_data],
        .text_length = at[w->text_length],
        .text_state = at[w->text_state],
        .text_ascii = at[w->text_ascii],
        .text_compact = at[w->text_ascii] + 16, /* and the length and address of its UTF-8 */
        .text_shift = text_shift(minor, is_free_threaded),
        .interpreter_gil = at[w->interpreter_gil],
        .gil_holder = at[w->gil_holder] - at[w->own_gil],
        .gil_locked = at[w->gil_locked] - at[w->own_gil],
        .gil_size = GIL_SIZE,
        .frame_locals = at[w->frame_locals],
        .task_name = minor == 13 && !is_free_threaded ? 128 : 0,
    };
    return all_fit(layout) || flm_error_set(why, FLM_ERROR_FORMAT, "implausible debug offsets");
}
