#include "record/python/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/python/find.h"
#include "record/python/python.h"
#include "record/runtime/process_memory.h"
#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/record/python_interpreters.h"
#include "support/record/script_recording.h"

enum { MOST = 32, NATIVE = 0x5000 };

static const struct flm_runtime_options options = {.first_code = FLM_CODE_FIRST};

/* ---- Chains made by hand, of a process that stands still ------------------------------------- */

static const char script[] = "import sys\n"
                             "def key(x):\n"
                             "    print('ready', flush=True)\n"
                             "    sys.stdin.readline()\n"
                             "    return x\n"
                             "def outer(x):\n"
                             "    return sorted([x], key=key)\n"
                             "outer(1)\n";

struct fixture {
    struct script_target target;
    struct flm_pythons *pythons;
    uint64_t loop; /* an address in it */
    struct flm_event_layout layout;
    struct flm_event event;
    uint64_t chain[MOST];
    struct flm_runtime_sample sample;
    char names[MOST][32]; /* by their numbers */
    size_t name_count;
};

/* Debian's, else the newest: in them outer and the module share a loop. */
static const char *newest(void)
{
    static char paths[16][512];
    size_t count = python_interpreters(paths, 16);
    const char *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (atoi(strrchr(paths[i], '.') + 1) >= 11 && !best)
            best = paths[i];
    return best;
}

static bool set_up(struct fixture *f)
{
    const char *path = newest();
    *f = (struct fixture){0};
    if (!path) {
        print_message("no interpreter of CPython 3.11 to 3.15 is installed\n");
        return false;
    }
    python_start(&f->target, path, "mix.py", script);
    struct flm_python_symbols symbols;
    assert_true(flm_python_symbols_find(f->target.mappings, &symbols));
    f->loop = symbols.loop[symbols.loop_count - 1].start + 1;
    f->pythons = flm_pythons_new(&options, NULL);
    f->event = (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                                  .process = f->target.process,
                                  .thread = f->target.process,
                                  .time_ns = 1000,
                                  .sample = {.layout = &f->layout}};
    return true;
}

static void tear_down(struct fixture *f)
{
    flm_pythons_free(f->pythons);
    script_end(&f->target);
}

static bool define(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)why;
    struct fixture *f = context;
    assert_int_equal(event->kind, FLM_EVENT_CODE);
    assert_int_equal(event->code.address, FLM_CODE_FIRST + f->name_count);
    snprintf(f->names[f->name_count++], sizeof f->names[0], "%.*s", (int)event->code.function.size,
             event->code.function.at);
    return true;
}

/* As text: "kernel loop native ..." -> a chain; what it becomes, as text. */
static const char *mix(struct fixture *f, const char *words, bool is_whole, int64_t now_ns)
{
    static char shown[512];
    char copy[256], *rest = NULL;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        f->chain[count++] = strcmp(word, "U") == 0   ? FLM_CONTEXT_USER
                            : strcmp(word, "K") == 0 ? FLM_CONTEXT_KERNEL
                            : strcmp(word, "L") == 0 ? f->loop
                                                     : NATIVE;
    f->sample = (struct flm_runtime_sample){.process = f->target.mappings,
                                            .event = &f->event,
                                            .chain = f->chain,
                                            .count = count,
                                            .capacity = MOST,
                                            .is_whole = is_whole};
    assert_true(flm_pythons_mix(f->pythons, &f->sample, now_ns, define, f, NULL));
    shown[0] = 0;
    for (size_t i = 0; i < f->sample.count; i++) {
        uint64_t word = f->chain[i];
        size_t used = strlen(shown);
        snprintf(shown + used, sizeof shown - used, "%s%s", used ? " " : "",
                 word == FLM_CONTEXT_USER     ? "U"
                 : word == FLM_CONTEXT_KERNEL ? "K"
                 : word == f->loop            ? "L"
                 : word == NATIVE             ? "n"
                                              : f->names[word - FLM_CODE_FIRST]);
    }
    return shown;
}

static void loops_become_the_functions_that_share_them(void **state)
{
    (void)state;
    struct fixture f;
    if (!set_up(&f))
        skip();
    assert_string_equal(mix(&f, "K n U n L n n L n", true, 2000),
                        "K n U n key n n outer <module> n");
    assert_string_equal(mix(&f, "U L n L", true, 2000), "U key n outer <module>");
    assert_int_equal(f.name_count, 3); /* each is defined once */
    assert_int_equal(flm_pythons_counts(f.pythons).mixed, 2);
    assert_int_equal(flm_pythons_counts(f.pythons).samples, flm_pythons_counts(f.pythons).mixed);
    /* The kernel's own are none of them. */
    assert_string_equal(mix(&f, "K L U n", true, 2000), "K L U n");
    assert_int_equal(flm_pythons_counts(f.pythons).samples, 2);
    tear_down(&f);
}

static void Python_frames_beyond_the_stack_dump_are_kept(void **state)
{
    (void)state;
    struct fixture f;
    if (!set_up(&f))
        skip();
    assert_string_equal(mix(&f, "U n L n n", false, 2000), "U n key n n outer <module>");
    tear_down(&f);
}

static void samples_that_disagree_keep_native_frames_and_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    if (!set_up(&f))
        skip();
    assert_string_equal(mix(&f, "U n L n n", true, 2000), "U n L n n");
    assert_string_equal(mix(&f, "U L L L n", false, 2000), "U L L L n");
    assert_int_equal(flm_pythons_counts(f.pythons).disagreeing, 2);
    assert_string_equal(mix(&f, "U L n L n", true, 1000000000), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).stale, 1);
    f.event.time_ns = FLM_NO_TIME;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).stale, 2);
    f.event.time_ns = 1000;
    f.event.thread += 100000;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).without, 1);
    tear_down(&f);
}

static void the_sample_must_have_an_instruction_of_the_function(void **state)
{
    (void)state;
    struct fixture f;
    if (!set_up(&f))
        skip();
    struct flm_python *python = flm_python_open(f.target.mappings, NULL);
    const struct flm_python_frame *frames;
    size_t count;
    flm_python_read(python, f.target.process, 1, (struct flm_stack_dump){0}, &frames, &count);
    uint64_t inside = frames[0].instructions + 4, registers[2] = {1, 2}, stack[4] = {0};
    f.layout.user_registers = 3;
    f.event.sample.registers = registers;
    f.event.sample.register_abi = 2;
    f.event.sample.stack = (struct flm_bytes){(const char *)stack, sizeof stack};
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).moved_on, 1);
    registers[1] = inside;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U key n outer <module> n");
    registers[1] = 0;
    stack[3] = inside;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U key n outer <module> n");
    stack[3] = frames[0].instructions + frames[0].instructions_size;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U L n L n");
    flm_python_close(python);
    tear_down(&f);
}

/* Of a process that waits in a system call; 0: the kernel does not say. */
static uint64_t read_stack_pointer(int32_t process)
{
    char path[64], line[512] = "";
    unsigned long long pointer = 0;
    snprintf(path, sizeof path, "/proc/%d/syscall", process);
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file))
        sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %llx", &pointer);
    if (file)
        fclose(file);
    return pointer;
}

/* It stands still, and has no instruction of its function at hand: it may not have moved on. */
static void a_thread_that_stands_still_needs_no_instruction(void **state)
{
    (void)state;
#if defined(__aarch64__)
    enum { STACK_POINTER = 31 };
#else
    enum { STACK_POINTER = 7 };
#endif
    struct fixture f;
    if (!set_up(&f))
        skip();
    struct flm_process_memory memory = {.process = f.target.process};
    uint64_t registers[1] = {read_stack_pointer(f.target.process)};
    char stack[128];
    if (registers[0] == 0) {
        tear_down(&f);
        skip();
    }
    assert_true(flm_process_memory_read_now(&memory, registers[0], stack, sizeof stack));
    f.layout.user_registers = UINT64_C(1) << STACK_POINTER;
    f.event.sample.registers = registers;
    f.event.sample.register_abi = 2;
    f.event.sample.stack = (struct flm_bytes){stack, sizeof stack};
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U key n outer <module> n");
    /* A loop that is being entered, or left, has no frame. */
    assert_string_equal(mix(&f, "U L n L n L n", true, 2000), "U L n key n outer <module> n");
    assert_string_equal(mix(&f, "U L L L L n", true, 2000), "U L L L L n");
    stack[sizeof stack - 1] ^= 1;
    assert_string_equal(mix(&f, "U L n L n", true, 2000), "U L n L n");
    assert_string_equal(mix(&f, "U L n L n L n", true, 2000), "U L n L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).moved_on, 1);
    assert_int_equal(flm_pythons_counts(f.pythons).disagreeing, 2);
    tear_down(&f);
}

/* It waits for its input all the while. */
static void the_sample_of_a_blocked_thread_may_be_old(void **state)
{
    (void)state;
    enum { TENTH_NS = 100000000 };
#if defined(__aarch64__)
    enum { STACK_POINTER = 31 };
#else
    enum { STACK_POINTER = 7 };
#endif
    struct fixture f;
    if (!set_up(&f))
        skip();
    struct flm_python *python = flm_python_open(f.target.mappings, NULL);
    const struct flm_python_frame *frames;
    size_t count;
    flm_python_read(python, f.target.process, 1, (struct flm_stack_dump){0}, &frames, &count);
    uint64_t stack[4] = {0, frames[0].instructions + 4}, registers[1] = {0x1000};
    f.layout.user_registers = UINT64_C(1) << STACK_POINTER;
    f.event.sample.registers = registers;
    f.event.sample.register_abi = 2;
    f.event.sample.stack = (struct flm_bytes){(const char *)stack, sizeof stack};
    assert_string_equal(mix(&f, "U L n L n", true, TENTH_NS), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).stale, 1);
    f.layout.only_marks = true;
    assert_string_equal(mix(&f, "U L n L n", true, TENTH_NS), "U key n outer <module> n");
    assert_string_equal(mix(&f, "U L n L n", true, 20LL * TENTH_NS), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).stale, 2);
    f.event.thread += 100000; /* there is none */
    assert_string_equal(mix(&f, "U L n L n", true, TENTH_NS), "U L n L n");
    assert_int_equal(flm_pythons_counts(f.pythons).stale, 3);
    flm_python_close(python);
    tear_down(&f);
}

static bool forget(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)context;
    (void)event;
    (void)why;
    return true;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct fixture f;
    if (!set_up(&f))
        skip();
    for (size_t nth = 1;; nth++) {
        uint64_t chain[MOST] = {FLM_CONTEXT_USER, f.loop, f.loop};
        f.sample = (struct flm_runtime_sample){.process = f.target.mappings,
                                               .event = &f.event,
                                               .chain = chain,
                                               .count = 3,
                                               .capacity = MOST,
                                               .is_whole = true};
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_pythons *pythons = flm_pythons_new(&options, &why);
        bool good = pythons && flm_pythons_mix(pythons, &f.sample, 2000, forget, NULL, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(good || (failed && why.kind == FLM_ERROR_MEMORY));
        flm_pythons_free(pythons);
        if (!failed)
            break;
    }
    tear_down(&f);
}

/* ---- A recording ----------------------------------------------------------------------------- */

/* Three functions that compute half, three tenths and two tenths of two seconds, by their own
 * clock, and say how long it was. */
static const char calibration[] =
    "import time\n"
    "spent = {}\n"
    "def compute(name, seconds):\n"
    "    begin = time.thread_time()\n"
    "    while time.thread_time() - begin < seconds:\n"
    "        for i in range(2000):\n"
    "            i * i\n"
    "    spent[name] = spent.get(name, 0) + time.thread_time() - begin\n"
    "def half(): compute('half', 0.1)\n"
    "def three_tenths(): compute('three_tenths', 0.06)\n"
    "def two_tenths(): compute('two_tenths', 0.04)\n"
    "for i in range(10):\n"
    "    half()\n"
    "    three_tenths()\n"
    "    two_tenths()\n"
    "with open(__file__ + '.measured', 'w') as measured:\n"
    "    for name in 'half', 'three_tenths', 'two_tenths':\n"
    "        measured.write('%.6f\\n' % spent[name])\n";

static void known_shares_are_found_again(void **state)
{
    (void)state;
    static const char *const names[] = {"half", "three_tenths", "two_tenths"};
    char paths[16][512], program[512], measured[600];
    size_t count = python_interpreters(paths, 16);
    snprintf(program, sizeof program, "%s",
             write_temporary("shares.py", flm_bytes_of(calibration)));
    snprintf(measured, sizeof measured, "%s.measured", program);
    for (size_t i = 0; i < count; i++) {
        char *command[] = {paths[i], "-B", program, NULL};
        if (!script_shares_are_found(command, measured, names, 3, false))
            skip();
    }
    if (count == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_become_the_functions_that_share_them),
        cmocka_unit_test(Python_frames_beyond_the_stack_dump_are_kept),
        cmocka_unit_test(samples_that_disagree_keep_native_frames_and_are_counted),
        cmocka_unit_test(the_sample_must_have_an_instruction_of_the_function),
        cmocka_unit_test(a_thread_that_stands_still_needs_no_instruction),
        cmocka_unit_test(the_sample_of_a_blocked_thread_may_be_old),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(known_shares_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
