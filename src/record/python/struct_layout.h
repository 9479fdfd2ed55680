/* struct_layout.h - the offsets of fields in CPython's structures, by version.
 *
 *     _PyRuntime ─► interpreter ─► interpreter ...
 *                     └► thread ─► thread ...
 *                          └► frame ─► frame ...            previous: who called it
 *                               └► code: name, file, lines
 *
 *     3.8 - 3.10  a frame is an object on the heap, and each has an evaluation loop of its own
 *     3.11        frames lie one behind the other; one of Python calling Python shares the loop.
 *                 `is_entry` marks where a loop begins; the thread has a record of its loop on the
 *                 native stack, which has the frame
 *     3.12        the same, but a loop begins above a frame that belongs to the native stack
 *     3.13 up     the thread has its frame itself; _PyRuntime begins with a table of offsets
 *
 * The numbers are facts about compiled headers: offsetof() of each field, with 64-bit pointers,
 * the same on x86-64 and arm64. They do not change within a version. The table of offsets is
 * another one in each version.
 *
 * Since 3.14 the lowest bits of pointers in frames are tags. Free-threaded builds have larger
 * objects, and since 3.14 a copy of the instructions for each thread. */
#ifndef FLAMEL_RECORD_PYTHON_STRUCT_LAYOUT_H
#define FLAMEL_RECORD_PYTHON_STRUCT_LAYOUT_H

#include "base/core/bytes.h"
#include "flamel/error.h"
#include "format/python/line_table.h"

enum flm_python_frames {
    FLM_PYTHON_FRAME_OBJECTS,  /* each has its loop */
    FLM_PYTHON_FRAME_IS_ENTRY, /* `frame_entry` is a bool */
    FLM_PYTHON_FRAME_OWNER     /* `frame_entry` is the owner: from 3 on, the native stack */
};

/* Offsets in bytes; 0 where there is no such field, but for those that may be first. */
struct flm_python_layout {
    int minor;
    bool is_free_threaded;
    enum flm_python_frames frames;
    enum flm_python_lines lines;
    uint32_t runtime_interpreters;
    uint32_t interpreter_next, interpreter_threads;
    uint32_t thread_next, thread_id, thread_native_id;
    bool has_native_id;
    uint32_t thread_frame; /* the frame; or, with `has_loop`, the record of the loop */
    bool has_loop;
    uint32_t loop_frame; /* in that record */
    uint32_t frame_previous, frame_code, frame_instruction, frame_entry, frame_size;
    uint32_t code_file, code_name, code_lines, code_first_line, code_size;
    uint32_t code_instructions;       /* they begin here; before 3.11: their bytes object */
    uint32_t code_copies, frame_copy; /* an array of copies of them, and the index of the frame's */
    uint32_t object_type;
    uint32_t bytes_size, bytes_data;
    uint32_t text_length, text_state, text_ascii,
        text_compact;    /* the last two: where text begins */
    uint32_t text_shift; /* of the width, the compact and the ASCII bit in the state */

    /* The GIL: in _PyRuntime, or where a field of the interpreter points; and its own fields. */
    uint32_t runtime_gil, interpreter_gil;
    uint32_t gil_holder, gil_locked, gil_size;
    uint32_t thread_interpreter;

    uint32_t frame_locals; /* 0 in 3.15: not known */
    uint32_t task_name;    /* 0 since 3.14 and in free-threaded builds: task.h */
};

/* For 3.8 to 3.12. NULL: another version. */
const struct flm_python_layout *flm_python_layout_of(int major, int minor);

/* From the first FLM_PYTHON_OFFSETS bytes of _PyRuntime, for 3.13 to 3.15. False, and `why`, when
 * there are no offsets, or implausible ones. */
enum { FLM_PYTHON_OFFSETS = 111 * 8 };
bool flm_python_layout_read(const char *runtime, size_t size, struct flm_python_layout *layout,
                            struct flm_error *why);

#endif
