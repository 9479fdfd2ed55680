/* script_stack.h - functions of interpreters that keep their frame in a register, between the
 * native frames of samples, while they are recorded.
 *
 *     native     main  rb_vm_exec vm_exec_core  vm_call_cfunc rb_ary_each rb_yield  rb_vm_exec ..
 *     script           <main>  Foo#bar          Array#each                          block in bar
 *     together   main  <main>  Foo#bar          Array#each                          block in bar
 *
 * A script's frames are on the interpreter's heap, and are read a moment after the sample. But
 * which of them was the innermost is known of the time of the sample: the loop that interprets has
 * it, and the instruction it is at, in registers that calls preserve. Unwinding to the innermost
 * loop restores them. So a sample shows the function that it was in, even if that has returned by
 * now. Its callers are read; a sample keeps its native frames, and is counted, unless
 *
 *     it is recent         the recorder wakes up for each sample of such a process
 *     it was not torn      the innermost frame is unchanged after the read
 *     it did not move on   the instruction is one of the innermost frame's function, or of another
 *                          one that was seen before
 *     the numbers agree    as many entries into the interpreter as native frames of its loop
 *
 * A stack whose script frames are whole is not truncated, where only the native frames that start a
 * thread are out of reach: Ruby's threads have a large gap there.
 *
 * Of the interpreter's own native frames only those below the innermost script frame are shown: a
 * function that is written in C stands for what lies between it and the loops around it. Native
 * frames of other files stay where they are.
 *
 * Such a runtime is an entry of the table over a `struct flm_script_interpreter`. */
#ifndef FLAMEL_RECORD_SCRIPT_SCRIPT_STACK_H
#define FLAMEL_RECORD_SCRIPT_SCRIPT_STACK_H

#include "base/text/text.h"
#include "record/runtime/opened.h"
#include "record/runtime/runtime.h"
#include "symbol/unwind/unwind_table.h"

struct flm_script_frame {
    struct flm_bytes function, file;
    uint32_t line; /* 0: unknown */
    uint32_t first_line;
    uint64_t code;   /* unique among the functions of the process, also later ones */
    uint64_t native; /* of a function in C: its address. 0: a script's */
    bool is_entry;   /* it entered the loop: it has native frames of it */
    bool is_guess;   /* the innermost one, of which `is_entry` is not known */
};

/* A function, as readers of interpreters keep it. */
struct flm_script_function {
    struct flm_text text; /* name and file, one after the other */
    size_t name_size;
    uint32_t first_line;
    uint64_t serial; /* changes when another function is at the address */
    uint64_t native; /* of a function in C: its address; 0: a script's */
};

struct flm_bytes flm_script_function_name(const struct flm_script_function *function);
struct flm_bytes flm_script_function_file(const struct flm_script_function *function);

/* Names the function of a frame, which borrows its texts, and its line. */
void flm_script_frame_name(struct flm_script_frame *frame,
                           const struct flm_script_function *function, uint32_t line);

/* What the sample knows of its innermost loop; and what the read says of the frames. */
struct flm_script_place {
    int32_t thread;
    int64_t now_ns;
    struct flm_registers registers; /* there */
    bool is_leaf;                   /* nothing was called from it */
    bool is_whole;                  /* the read has reached the outermost frame */
};

enum flm_script_result {
    FLM_SCRIPT_FRAMES,
    FLM_SCRIPT_NONE,     /* no frame of a script is where it should be */
    FLM_SCRIPT_TORN,     /* it changed while being read */
    FLM_SCRIPT_MOVED_ON, /* the function has returned since, and another one is in its place */
    FLM_SCRIPT_GONE      /* the process cannot be read */
};

/* What samples that keep their native frames are counted as. */
enum {
    FLM_SCRIPT_LOST_STALE,
    FLM_SCRIPT_LOST_TORN,
    FLM_SCRIPT_LOST_NONE,
    FLM_SCRIPT_LOST_MOVED_ON,
    FLM_SCRIPT_LOST_DISAGREEING,
    FLM_SCRIPT_LOST_UNREADABLE,
    FLM_SCRIPT_LOST_WITHOUT_REGISTERS,
    FLM_SCRIPT_LOSSES
};

/* clang-format off */
#define FLM_SCRIPT_LOSSES_OF(name)                                                                 \
    {                                                                                              \
        name " frames of samples (read too late)",                                                 \
        name " frames of samples (changed while being read)",                                      \
        name " frames of samples (no frame where the register points)",                            \
        name " frames of samples (the function returned before the read)",                         \
        name " frames of samples (called or returned before the read)",                            \
        name " frames of samples (process not readable)",                                          \
        name " frames of samples (recorded without a stack dump, which has the registers)"         \
    }
/* clang-format on */

/* How an interpreter is read. */
struct flm_script_interpreter {
    const char *name; /* for users: "Ruby" */
    const char *note; /* the key of its note: "ruby" */
    const char *note_refused;
    const char *losses[FLM_SCRIPT_LOSSES]; /* FLM_SCRIPT_LOSSES_OF(name) */
    struct flm_opened_kind opened;         /* the interpreter in a process */

    /* Whether an address is in the function that enters the loop; whether it is in the
     * interpreter's own code. `is_split`: the loop is a function of its own, called by that
     * function. */
    bool (*is_loop)(const void *opened, uint64_t address);
    bool (*is_own)(const void *opened, uint64_t address);
    bool (*is_split)(const void *opened);

    /* The frames of a sample, innermost first; valid until the next call. */
    enum flm_script_result (*read)(void *opened, struct flm_script_place *place,
                                   struct flm_script_frame **frames, size_t *count);
};

struct flm_scripts;

struct flm_scripts *flm_scripts_new(const struct flm_script_interpreter *kind,
                                    const struct flm_runtime_options *options,
                                    struct flm_error *why);

/* The functions of a runtime whose `script` says how it is read: `scripts` is what flm_scripts_new
 * returns. */
void *flm_scripts_attach(const struct flm_runtime *runtime,
                         const struct flm_runtime_options *options, struct flm_error *why);
bool flm_scripts_mix(void *scripts, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why);
void flm_scripts_report(const void *scripts, const struct flm_runtime_report *report);
void flm_scripts_free(void *scripts);

struct flm_script_counts {
    uint64_t samples;                 /* in the loop, or below it */
    uint64_t mixed;                   /* got their functions */
    uint64_t lost[FLM_SCRIPT_LOSSES]; /* the others, by reason */
    uint64_t calls;                   /* system calls */
    int64_t read_ns;                  /* spent on reading */
};
struct flm_script_counts flm_scripts_counts(const struct flm_scripts *all);

#endif
