#include "record/haskell/haskell_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/symbols/symbolized_session.h"

/* The descriptions of frames, each in front of its return address, for stacks in our own memory. */
struct table {
    uint64_t layout;
    uint32_t kind, references;
    uint64_t code; /* of a large bitmap: its size */
};

enum { SMALL = 30, BIG = 31, FUN = 32, UPDATE = 33, CATCH = 34, UNDERFLOW = 35, STOP = 36 };

static struct table tables[] = {
    {2, SMALL, 0, 0}, /* two words of variables */
    {2, UPDATE, 0, 0}, {3, CATCH, 0, 0}, {1, UNDERFLOW, 0, 0},
    {0, BIG, 0, 100}, /* the size is where the code is: no offset */
    {0, FUN, 0, 0},    {1, STOP, 0, 0},  {0, 1, 0, 0}, /* a constructor, which is no frame */
};
enum table_index { OF_SMALL, OF_UPDATE, OF_CATCH, OF_UNDERFLOW, OF_BIG, OF_FUN, OF_STOP, OF_OTHER };

static uint64_t code_of(enum table_index index)
{
    return (uintptr_t)&tables[index].code;
}

struct fixture {
    struct flm_modules *modules;
    struct flm_symbolizer *symbolizer;
    struct flm_processes *processes;
    const struct flm_process *process;
    struct flm_process_memory memory;
    uint64_t stack[512], frames[32];
    bool is_whole;
};

static void set_up(struct fixture *f)
{
    static const struct flm_modules_options modules;
    static const struct flm_processes_options options = {.live = true};
    *f = (struct fixture){.memory = {.process = getpid()}};
    f->modules = flm_modules_new(&modules, NULL);
    f->symbolizer = flm_modules_symbolizer(f->modules);
    f->processes = flm_processes_new(f->symbolizer, &options, NULL);
    struct flm_event event = {.kind = FLM_EVENT_MAP,
                              .process = getpid(),
                              .thread = getpid(),
                              .time_ns = 1,
                              .map = {.start = (uintptr_t)tables,
                                      .size = sizeof tables,
                                      .path = flm_bytes_of("/app"),
                                      .is_code = true}};
    assert_true(flm_processes_change(f->processes, &event));
    f->process = flm_processes_get(f->processes, getpid());
}

static void tear_down(struct fixture *f)
{
    flm_processes_free(f->processes);
    f->symbolizer->calls->free(f->symbolizer);
    flm_modules_free(f->modules);
}

static size_t read_frames(struct fixture *f, size_t capacity)
{
    flm_process_memory_begin(&f->memory, NULL, 0);
    return flm_haskell_frames(&f->memory, f->process, (uintptr_t)f->stack, f->frames, capacity,
                              &f->is_whole);
}

static void frames_of_each_kind_are_passed(void **state)
{
    (void)state;
    static struct fixture f;
    set_up(&f);
    uint64_t chunk[64] = {0}, *at = f.stack;
    at[0] = code_of(OF_SMALL);
    at[3] = code_of(OF_UPDATE);
    at[6] = code_of(OF_FUN); /* its own size, the function, arguments */
    at[7] = 4;
    at[13] = code_of(OF_BIG);
    at[114] = code_of(OF_CATCH);
    at[118] = code_of(OF_UNDERFLOW);
    at[119] = (uintptr_t)chunk; /* goes on there */
    chunk[2] = (uintptr_t)&chunk[8];
    chunk[8] = code_of(OF_SMALL);
    chunk[11] = code_of(OF_STOP);
    assert_int_equal(read_frames(&f, 32), 4);
    assert_true(f.is_whole);
    static const enum table_index expected[] = {OF_SMALL, OF_FUN, OF_BIG, OF_SMALL};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(f.frames[i], code_of(expected[i]));
    assert_int_equal(read_frames(&f, 2), 2);
    assert_false(f.is_whole);
    tear_down(&f);
}

static void what_is_no_frame_is_not_read(void **state)
{
    (void)state;
    static struct fixture f;
    static const enum table_index last[] = {OF_OTHER, OF_FUN};
    set_up(&f);
    f.stack[0] = code_of(OF_SMALL);
    f.stack[3] = 4711; /* no code */
    assert_int_equal(read_frames(&f, 32), 0);
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        f.stack[3] = code_of(last[i]);
        f.stack[4] = UINT64_MAX; /* the size of OF_FUN */
        assert_int_equal(read_frames(&f, 32), 0);
    }
    f.stack[3] = code_of(OF_UNDERFLOW);
    f.stack[4] = 64; /* no memory */
    assert_int_equal(read_frames(&f, 32), 0);
    assert_int_equal(
        flm_haskell_frames(&f.memory, f.process, (uintptr_t)f.stack + 4, f.frames, 32, &f.is_whole),
        0);
    /* Chunks that lead to each other have an end all the same. */
    uint64_t chunk[16] = {0};
    chunk[2] = (uintptr_t)&chunk[8];
    chunk[8] = code_of(OF_UNDERFLOW);
    chunk[9] = (uintptr_t)chunk;
    f.stack[4] = (uintptr_t)chunk;
    read_frames(&f, 32);
    assert_false(f.is_whole);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_each_kind_are_passed),
        cmocka_unit_test(what_is_no_frame_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
