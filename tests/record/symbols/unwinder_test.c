#include "record/symbols/unwinder.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/core/random.h"
#include "support/record/stack_samples.h"
#include "symbol/elf/elf_file.h"

enum { FRAMES_MOST = 256, WORDS = FRAMES_MOST / 64 };

/* ---- Real programs, beside libdwfl ----------------------------------------------------------- */

struct sampled {
    struct stack_samples samples;
    struct flm_modules *modules;
    struct flm_mapping *mappings;
    struct flm_process process;
    struct oracle *oracle;
};

static void sampled_init(struct sampled *s)
{
    static const struct flm_modules_options options = {0};
    s->modules = flm_modules_new(&options, NULL);
    assert_non_null(s->modules);
    s->mappings = calloc(s->samples.mapping_count + 1, sizeof *s->mappings);
    assert_non_null(s->mappings);
    for (size_t i = 0; i < s->samples.mapping_count; i++) {
        const struct stack_mapping *from = &s->samples.mappings[i];
        struct flm_mapping *to = &s->mappings[i];
        *to = (struct flm_mapping){
            .start = from->start, .end = from->end, .file_offset = from->file_offset};
        struct flm_module_request request = {.path = flm_bytes_of(from->path)};
        if (strcmp(from->path, "[vdso]") == 0)
            request.image = vdso_image();
        bool is_file = from->path[0] == '/' && from->path[1] != '/';
        if (is_file || request.image.size > 0)
            to->module = flm_modules_get(s->modules, &request);
    }
    s->process = (struct flm_process){
        .id = 1, .mappings = s->mappings, .mapping_count = s->samples.mapping_count};
    s->oracle = oracle_new(&s->samples);
}

static void sampled_clear(struct sampled *s)
{
    oracle_free(s->oracle);
    free(s->mappings);
    flm_modules_free(s->modules);
    stack_samples_clear(&s->samples);
}

struct stack {
    size_t count, size;
    bool whole;
    enum flm_unwind_end end;
    uint64_t addresses[FRAMES_MOST], exact[WORDS];
};

static bool is_exact(const struct stack *stack, size_t frame)
{
    return stack->exact[frame / 64] >> frame % 64 & 1;
}

static bool stacks_agree(const struct stack *ours, const struct stack *theirs)
{
    if (ours->count != theirs->count)
        return false;
    for (size_t i = 0; i < ours->count; i++)
        if (ours->addresses[i] != theirs->addresses[i])
            return false;
    return true;
}

/* Whether theirs are ours with some left out: libdwfl goes by the frame pointer where code is not
 * described, and so leaves out the caller of a leaf. */
static bool theirs_are_some_of_ours(const struct stack *ours, const struct stack *theirs)
{
    size_t at = 0;
    for (size_t i = 0; i < ours->count && at < theirs->count; i++)
        at += ours->addresses[i] == theirs->addresses[at];
    return at == theirs->count;
}

/* Whether both went wrong at the same location: theirs went on into what is no code. */
static bool ours_begin_theirs(const struct stack *ours, const struct stack *theirs)
{
    return ours->count < theirs->count &&
           memcmp(ours->addresses, theirs->addresses, ours->count * sizeof *ours->addresses) == 0;
}

static void print_location(const struct sampled *s, uint64_t address, bool exact)
{
    const char *path = "nowhere";
    uint64_t offset = address;
    for (size_t i = 0; i < s->samples.mapping_count; i++) {
        const struct stack_mapping *mapping = &s->samples.mappings[i];
        if (address >= mapping->start && address < mapping->end) {
            path = strrchr(mapping->path, '/') ? strrchr(mapping->path, '/') + 1 : mapping->path;
            offset = address - mapping->start + mapping->file_offset;
        }
    }
    printf(" %s+%llx%s", path, (unsigned long long)offset, exact ? "!" : "");
}

static void print_difference(const struct sampled *s, const struct stack *ours,
                             const struct stack *theirs)
{
    printf("  ours: %zu, end %d; theirs: %zu, %s\n", ours->count, (int)ours->end, theirs->count,
           theirs->whole ? "whole" : "broken");
    const struct stack *both[] = {ours, theirs};
    for (size_t k = 0; k < 2; k++) {
        printf("    %s:", k == 0 ? "ours" : "theirs");
        for (size_t i = 0; i < both[k]->count && i < 40; i++)
            print_location(s, both[k]->addresses[i], is_exact(both[k], i));
        printf("\n");
    }
}

/* Whether libdwfl has a row for each frame that was interrupted: for the leaf, and for what a
 * signal came upon. lld writes none for the PLT; there libdwfl goes by the frame pointer, and what
 * it finds says nothing about us. How many samples such code gets is up to the processor. */
static bool oracle_knows(const struct sampled *s, const struct stack *ours)
{
    for (size_t i = 0; i < ours->count; i++)
        if (is_exact(ours, i) && !oracle_has_row(s->oracle, ours->addresses[i]))
            return false;
    return true;
}

struct comparison {
    size_t samples, same, better, different, frames;
    size_t unknown; /* better, where libdwfl has no row to go by */
    size_t ends[FLM_UNWIND_ENDS];
};

static struct comparison compare(struct sampled *s)
{
    struct comparison c = {0};
    static struct stack ours, theirs;
    for (size_t i = 0; i < s->samples.sample_count; i++) {
        const struct flm_event_sample *sample = &s->samples.samples[i];
        struct flm_unwound unwound =
            flm_unwind(&s->process, sample, ours.addresses, ours.exact, FRAMES_MOST);
        ours.count = unwound.count;
        ours.end = unwound.end;
        ours.whole = unwound.end == FLM_UNWIND_WHOLE;
        theirs.count = oracle_unwind(s->oracle, sample, theirs.addresses, theirs.exact, FRAMES_MOST,
                                     &theirs.whole);
        c.samples++;
        c.frames += ours.count;
        c.ends[unwound.end]++;
        if (stacks_agree(&ours, &theirs)) {
            c.same++;
            continue;
        }
        bool is_better = ours.whole ? !theirs.whole || theirs_are_some_of_ours(&ours, &theirs)
                                    : !theirs.whole && ours_begin_theirs(&ours, &theirs);
        bool is_known = oracle_knows(s, &ours);
        c.better += is_better && is_known;
        c.unknown += is_better && !is_known;
        c.different += !is_better;
        if (!is_better && c.different <= 4)
            print_difference(s, &ours, &theirs);
    }
    return c;
}

/* Programs are named by what is special about them. */
struct program {
    const char *name, *compiler, *flags, *source;
    const char *parts[16];
};

static const char c_source[] = "tests/data/unwind/work.c",
                  cpp_source[] = "tests/data/unwind/work.cpp";

static bool sample_program(const struct program *program, struct sampled *s, unsigned frequency)
{
    char path[512];
    snprintf(path, sizeof path, "%s", temporary_path(program->name));
    if (!compile_program(program->compiler, program->flags, program->source, path)) {
        printf("  %s: %s %s does not work here\n", program->name, program->compiler,
               program->flags);
        return false;
    }
    const char *command[20] = {path};
    for (size_t i = 0; program->parts[i]; i++)
        command[i + 1] = program->parts[i];
    const char *sentence = "";
    if (!stack_samples_take(&s->samples, (char *const *)(uintptr_t)command, frequency, 32768,
                            &sentence)) {
        print_message("%s\n", sentence);
        skip();
    }
    sampled_init(s);
    return true;
}

/* Shares of all samples: stacks that only we unwind though libdwfl has rows for them, stacks that
 * differ otherwise, at most; and stacks that we unwind to their outermost frame, at least. */
struct allowed {
    double better, different, whole;
};

static void check_program(const struct program *program, struct allowed allowed)
{
    struct sampled s;
    if (!sample_program(program, &s, 4000))
        return;
    struct comparison c = compare(&s);
    sampled_clear(&s);
    printf("  %s: %zu samples, %.1f frames; the same %zu, better %zu, better without rows %zu, "
           "different %zu; ends",
           program->name, c.samples, c.samples ? (double)c.frames / (double)c.samples : 0, c.same,
           c.better, c.unknown, c.different);
    for (size_t i = 0; i < FLM_UNWIND_ENDS; i++)
        printf(" %zu", c.ends[i]);
    printf("\n");
    /* A machine may be too busy to take many samples; a few prove nothing, but none is an error. */
    assert_true(c.samples > 5);
    double samples = (double)c.samples;
    assert_true((double)c.different <= 1 + allowed.different * samples);
    assert_true((double)c.better <= 2 + allowed.better * samples);
    assert_true((double)c.ends[FLM_UNWIND_WHOLE] + 2 >= allowed.whole * samples);
}

static void stacks_are_those_of_libdwfl(void **state)
{
    (void)state;
#define ALL                                                                                        \
    {                                                                                              \
        "recursion", "variable", "realigned", "sorting", "linkage", "tails", "jumps", "signals",   \
            "interrupts", "threads", "assembly"                                                    \
    }
    static const struct program programs[] = {
        {"plain", "gcc", "-O0", c_source, ALL},
        {"optimized", "gcc", "-O2", c_source, ALL},
        {"protected", "gcc", "-O3 -fomit-frame-pointer -fcf-protection=full", c_source, ALL},
        {"pointers", "gcc", "-O2 -fno-omit-frame-pointer -mstackrealign", c_source, ALL},
        {"lazy", "gcc", "-O2 -Wl,-z,lazy", c_source, ALL},
        {"lazy-ibt", "gcc", "-O2 -Wl,-z,lazy,-z,ibtplt -fcf-protection=full", c_source, ALL},
        {"static-pie", "gcc", "-O2 -static-pie", c_source, ALL},
        {"no-pie", "gcc", "-O2 -no-pie", c_source, ALL},
        {"debug-frame", "gcc", "-O2 -g -fno-asynchronous-unwind-tables", c_source, ALL},
        {"clang", "clang", "-O2", c_source, ALL},
        {"clang-lld", "clang", "-O2 -fuse-ld=lld", c_source, ALL},
        {"lld-sections", "gcc", "-O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections", c_source,
         ALL},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_program(&programs[i], (struct allowed){0.01, 0.002, 0.998});
}

/* The run time of exceptions ends by writing over the frames that it leaves: there both give up,
 * and libdwfl goes on into what is no code. Expressions that are searched for deeply have more
 * frames than we take. */
static void stacks_of_c_plus_plus_are_too(void **state)
{
    (void)state;
    static const struct program programs[] = {
        {"cpp", "g++", "-O2", cpp_source, {NULL}},
        {"cpp-clang", "clang++", "-O1 -fuse-ld=lld", cpp_source, {NULL}},
        {"cpp-plain", "g++", "-O0", cpp_source, {NULL}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_program(&programs[i], (struct allowed){0.05, 0.005, 0.93});
}

/* Where libdwfl finds nothing: leaves without a description, and a call of what is no function. */
static void stacks_whose_leaf_has_no_rule_are_whole(void **state)
{
    (void)state;
    static const struct program programs[] = {
        {"silence", "gcc", "-O2", c_source, {"silence"}},
        {"jitted", "gcc", "-O2", c_source, {"jitted"}},
        {"nowhere", "gcc", "-O2", c_source, {"nowhere"}},
        {"static", "gcc", "-O2 -static", c_source, {"linkage"}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_program(&programs[i], (struct allowed){1, 0.01, 0.98});
}

/* ---- Stacks that programs make --------------------------------------------------------------- */

/* Samples in user code that is on a stack of its own are most of all. */
struct ends {
    size_t samples, ends[FLM_UNWIND_ENDS];
    size_t exact_bottoms; /* whose outermost frame was not called */
};

static struct ends ends_of(const char *compiler, const char *flags, const char *mode)
{
    const struct program program = {
        "stacks", compiler, flags, "tests/data/unwind/stacks.c", {mode}};
    struct sampled s;
    struct ends e = {0};
    if (!sample_program(&program, &s, 4000))
        return e;
    static struct stack stack;
    for (size_t i = 0; i < s.samples.sample_count; i++) {
        struct flm_unwound unwound = flm_unwind(&s.process, &s.samples.samples[i], stack.addresses,
                                                stack.exact, FRAMES_MOST);
        e.samples++;
        e.ends[unwound.end]++;
        e.exact_bottoms += unwound.end == FLM_UNWIND_WHOLE && unwound.count > 2 &&
                           is_exact(&stack, unwound.count - 1);
    }
    sampled_clear(&s);
    printf("  %s %s, %s: %zu samples, %zu whole, %zu of them on stacks of their own; ends",
           compiler, flags, mode, e.samples, e.ends[FLM_UNWIND_WHOLE], e.exact_bottoms);
    for (size_t i = 0; i < FLM_UNWIND_ENDS; i++)
        printf(" %zu", e.ends[i]);
    printf("\n");
    return e;
}

static void stacks_of_coroutines_are_whole(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        {"gcc", "-O0"}, {"gcc", "-O2"}, {"gcc", "-O2 -static"}, {"clang", "-O2"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct ends e = ends_of(ways[i][0], ways[i][1], "coroutine");
        assert_true((double)e.ends[FLM_UNWIND_WHOLE] + 2 >= 0.95 * (double)e.samples);
        assert_true((double)e.exact_bottoms + 2 >= 0.8 * (double)e.samples);
    }
}

static void the_stack_below_a_handler_on_its_own_stack_is_not_in_the_dump(void **state)
{
    (void)state;
    static const char *const ways[][2] = {{"gcc", "-O0"}, {"gcc", "-O2"}, {"clang", "-O2"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct ends e = ends_of(ways[i][0], ways[i][1], "handler");
        assert_true((double)e.ends[FLM_UNWIND_BELOW_SIGNAL] + 2 >= 0.8 * (double)e.samples);
        assert_int_equal(e.ends[FLM_UNWIND_BEYOND_DUMP], 0);
        assert_int_equal(e.ends[FLM_UNWIND_CORRUPT], 0);
    }
}

/* ---- A sample of arm64, on any machine ------------------------------------------------------- */

/* As tests/data/unwind/arm64.c writes it. */
struct arm_sample {
    uint64_t registers[33], callers[4], stack_size, stack[512];
};

static void stacks_of_arm64_are_unwound_with_signed_addresses(void **state)
{
    (void)state;
    enum { MAPPED = 0x401000, PAGE = 0x1000, LR = 30, PC = 32 };
    struct arm_sample taken;
    FILE *file = fopen("tests/data/unwind/arm64.sample", "r");
    assert_non_null(file);
    assert_int_equal(fread(&taken, 1, sizeof taken, file), sizeof taken);
    fclose(file);
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_non_null(modules);
    char path[PATH_MAX];
    assert_non_null(realpath("tests/data/unwind/arm64.elf", path));
    struct flm_module_request request = {.path = flm_bytes_of(path)};
    struct flm_mapping mapping = {
        .start = MAPPED, .end = MAPPED + PAGE, .module = flm_modules_get(modules, &request)};
    struct flm_process process = {.mappings = &mapping, .mapping_count = 1};
    struct flm_event_layout layout = {.user_registers = (UINT64_C(1) << 33) - 1,
                                      .machine = FLM_MACHINE_ARM64};
    struct flm_event_sample sample = {.layout = &layout,
                                      .register_abi = PERF_SAMPLE_REGS_ABI_64,
                                      .registers = taken.registers,
                                      .stack = {(const char *)taken.stack, taken.stack_size}};
    struct stack stack;
    struct flm_unwound unwound =
        flm_unwind(&process, &sample, stack.addresses, stack.exact, FRAMES_MOST);
    assert_int_equal(unwound.end, FLM_UNWIND_WHOLE);
    assert_int_equal(unwound.count, 6);
    assert_int_equal(stack.addresses[0], taken.registers[PC]);
    assert_int_equal(stack.addresses[1], taken.registers[LR]);
    bool any_was_signed = false;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stack.addresses[2 + i], taken.callers[i]);
        for (size_t k = 0; k < taken.stack_size / 8; k++)
            any_was_signed |= taken.stack[k] != taken.callers[i] &&
                              (taken.stack[k] & 0xFFFFFFFFFFFF) == taken.callers[i];
    }
    assert_true(any_was_signed);
    assert_true(is_exact(&stack, 0) && !is_exact(&stack, 1));

    /* The copy ends before the stack does. */
    sample.stack.size = 64;
    sample.stack_is_cut = true;
    unwound = flm_unwind(&process, &sample, stack.addresses, stack.exact, FRAMES_MOST);
    assert_int_equal(unwound.end, FLM_UNWIND_BEYOND_DUMP);
    flm_modules_free(modules);
}

/* ---- Stacks of our own making ---------------------------------------------------------------- */

enum { SP = 0x7000, JIT = 0x400000 };

struct made {
    struct flm_event_layout layout;
    uint64_t registers[9]; /* ax to sp and ip, the first nine of x86-64 */
    uint64_t stack[64];
    struct flm_mapping mapping;
    struct flm_process process;
    struct flm_event_sample sample;
};

/* Frames of jitted code, each with a frame pointer, `count` of them. */
static void made_init(struct made *m, size_t count)
{
    *m = (struct made){.layout = {.user_registers = 0x1FF, .machine = FLM_MACHINE_X86_64},
                       .mapping = {.start = JIT, .end = JIT + 0x10000}};
    m->registers[6] = SP + 16;
    m->registers[7] = SP;
    m->registers[8] = JIT + 0x50;
    for (size_t i = 0; i < count; i++) {
        m->stack[2 + 4 * i] = i + 1 < count ? SP + 16 + 32 * (i + 1) : 0;
        m->stack[3 + 4 * i] = JIT + 0x100 * (i + 1);
    }
    m->process = (struct flm_process){.mappings = &m->mapping, .mapping_count = 1};
    m->sample = (struct flm_event_sample){.layout = &m->layout,
                                          .register_abi = PERF_SAMPLE_REGS_ABI_64,
                                          .registers = m->registers,
                                          .stack = {(const char *)m->stack, sizeof m->stack},
                                          .stack_is_cut = true};
}

static struct stack unwind_made(const struct made *m, size_t capacity)
{
    struct stack stack = {0};
    struct flm_unwound unwound =
        flm_unwind(&m->process, &m->sample, stack.addresses, stack.exact, capacity);
    stack.count = unwound.count;
    stack.end = unwound.end;
    stack.size = unwound.size;
    return stack;
}

static void jitted_code_is_unwound_by_frame_pointers(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, 5);
    struct stack stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.end, FLM_UNWIND_WHOLE);
    assert_int_equal(stack.count, 6);
    assert_int_equal(stack.addresses[0], JIT + 0x50);
    for (size_t i = 1; i < 6; i++)
        assert_int_equal(stack.addresses[i], JIT + 0x100 * i);
    assert_true(is_exact(&stack, 0));
    assert_false(is_exact(&stack, 1));
}

/* A program of musl, static and stripped: neither rules nor names, and no frame pointer around
 * main(). */
static void a_stripped_start_ends_the_stack(void **state)
{
    (void)state;
    enum { AFTER_START = 11, STAGE_2 = 80, AFTER_POINTER = 114, WORK = 140 };
    static const char source[] = ".text\n.globl _start\n_start: xor %rbp, %rbp\n mov %rsp, %rdi\n"
                                 " call stage_2\n .skip 53, 0x90\n"
                                 "stage_2: .skip 48, 0x90\n call *%rax\n .skip 78, 0x90\n";
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    write_temporary("stripped.s", flm_bytes_of(source));
    shell("gcc -nostdlib -static -s stripped.s -o stripped");
    const struct flm_module_request request = {.path = flm_bytes_of(temporary_path("stripped"))};
    struct flm_elf_file *file = flm_elf_open(temporary_path("stripped"), NULL);
    assert_non_null(file);
    const struct flm_elf_section *text = flm_elf_section(file, ".text");
    struct made m;
    made_init(&m, 1);
    m.mapping = (struct flm_mapping){.start = text->address,
                                     .end = text->address + text->size,
                                     .file_offset = text->offset,
                                     .module = flm_modules_get(modules, &request)};
    m.registers[8] = text->address + WORK;
    m.stack[2] = 12; /* what the start keeps in rbp */
    m.stack[3] = text->address + STAGE_2;
    m.stack[6] = text->address + WORK; /* is behind no call */
    m.stack[8] = text->address + AFTER_START;
    struct stack stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.end, FLM_UNWIND_WHOLE);
    assert_int_equal(stack.count, 2);
    assert_int_equal(stack.addresses[1], text->address + STAGE_2);
    /* Another function is in between, or it is too far away. */
    m.stack[7] = text->address + AFTER_POINTER;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_NO_TABLE);
    m.stack[7] = m.stack[8] = 0;
    m.stack[50] = text->address + AFTER_START;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_NO_TABLE);
    flm_elf_free(file);
    flm_modules_free(modules);
}

static void how_much_of_the_dump_was_needed_is_returned(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, 5);
    assert_int_equal(unwind_made(&m, FRAMES_MOST).size, 16 + 4 * 32 + 16);
    made_init(&m, 2);
    assert_int_equal(unwind_made(&m, FRAMES_MOST).size, 16 + 32 + 16);
    /* A dump of that size is enough, and a smaller one is not. */
    m.sample.stack.size = 16 + 32 + 16;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_WHOLE);
    m.sample.stack.size -= 8;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_BEYOND_DUMP);
}

static void the_reason_why_unwinding_ended_is_returned(void **state)
{
    (void)state;
    struct made m;
    struct stack stack;
    /* The copy ends first. */
    made_init(&m, 5);
    m.sample.stack.size = 16 + 3 * 32;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 4);
    assert_int_equal(stack.end, FLM_UNWIND_BEYOND_DUMP);
    /* So it does, but more was asked for: there is no more. */
    made_init(&m, 5);
    m.sample.stack.size = 16 + 3 * 32;
    m.sample.stack_is_cut = false;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 4);
    assert_int_equal(stack.end, FLM_UNWIND_UNREADABLE);
    /* The next frame is where no copy reaches. */
    made_init(&m, 5);
    m.stack[2 + 4 * 2] = SP + 0x10000;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 4);
    assert_int_equal(stack.end, FLM_UNWIND_OTHER_STACK);
    m.stack[2 + 4 * 2] = SP + 0xFFF0; /* now one of 65528 bytes would have a part of it */
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_BEYOND_DUMP);
    /* More frames than there is room for. */
    made_init(&m, 5);
    stack = unwind_made(&m, 3);
    assert_int_equal(stack.count, 3);
    assert_int_equal(stack.end, FLM_UNWIND_TOO_DEEP);
    /* A frame pointer that leads to no code. */
    made_init(&m, 5);
    m.stack[3 + 4 * 2] = 0x1234;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 3);
    assert_int_equal(stack.end, FLM_UNWIND_NO_TABLE);
    /* One that leads inward. */
    made_init(&m, 5);
    m.stack[2 + 4 * 2] = SP;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 4);
    assert_int_equal(stack.end, FLM_UNWIND_NO_TABLE);
    /* A leaf without one proves nothing. */
    made_init(&m, 5);
    m.registers[6] = 0;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 1);
    assert_int_equal(stack.end, FLM_UNWIND_NO_TABLE);
    /* A pc that is nowhere. */
    made_init(&m, 5);
    m.registers[8] = 0x1234;
    stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.count, 1);
    assert_int_equal(stack.end, FLM_UNWIND_NO_MODULE);
}

/* Nothing helps, but that it is deeper than its copy is true. */
static void a_full_stack_dump_of_the_largest_size_counts_as_too_small(void **state)
{
    (void)state;
    enum { MOST = 65528 };
    struct made m;
    made_init(&m, 5);
    char *large = calloc(1, MOST);
    assert_non_null(large);
    memcpy(large, m.stack, sizeof m.stack);
    m.sample.stack = (struct flm_bytes){large, MOST};
    uint64_t beyond = SP + MOST + 0x100;
    memcpy(large + (2 + 4 * 2) * sizeof beyond, &beyond, sizeof beyond);
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_BEYOND_DUMP);
    beyond += UINT64_C(1) << 32;
    memcpy(large + (2 + 4 * 2) * sizeof beyond, &beyond, sizeof beyond);
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_OTHER_STACK);
    free(large);
}

static void without_registers_there_is_no_stack(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, 5);
    m.sample.register_abi = PERF_SAMPLE_REGS_ABI_NONE;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_NO_REGISTERS);
    m.sample.register_abi = PERF_SAMPLE_REGS_ABI_32;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_NO_REGISTERS);
    made_init(&m, 5);
    m.layout.user_registers = 0x7F;
    assert_int_equal(unwind_made(&m, FRAMES_MOST).end, FLM_UNWIND_NO_REGISTERS);
    made_init(&m, 5);
    m.layout.machine = FLM_MACHINE_OTHER;
    struct stack stack = unwind_made(&m, FRAMES_MOST);
    assert_int_equal(stack.end, FLM_UNWIND_NO_REGISTERS);
    assert_int_equal(stack.count, 0);
}

/* Stacks are bytes of somebody else's: whatever they hold, the walk ends. */
static void any_stack_is_walked_to_an_end(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        struct made m;
        made_init(&m, 5);
        for (int k = 0; k < 4; k++) {
            uint64_t *word = &m.stack[random_below(&random, 64)];
            *word = random_below(&random, 2) ? SP + 8 * random_below(&random, 80)
                                             : JIT + random_below(&random, 0x20000);
        }
        m.sample.stack.size = 8 * random_below(&random, 64) + random_below(&random, 8);
        struct stack stack = unwind_made(&m, 40);
        assert_true(stack.count >= 1 && stack.count <= 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_those_of_libdwfl),
        cmocka_unit_test(stacks_of_c_plus_plus_are_too),
        cmocka_unit_test(stacks_of_coroutines_are_whole),
        cmocka_unit_test(the_stack_below_a_handler_on_its_own_stack_is_not_in_the_dump),
        cmocka_unit_test(stacks_whose_leaf_has_no_rule_are_whole),
        cmocka_unit_test(stacks_of_arm64_are_unwound_with_signed_addresses),
        cmocka_unit_test(jitted_code_is_unwound_by_frame_pointers),
        cmocka_unit_test(a_stripped_start_ends_the_stack),
        cmocka_unit_test(how_much_of_the_dump_was_needed_is_returned),
        cmocka_unit_test(the_reason_why_unwinding_ended_is_returned),
        cmocka_unit_test(a_full_stack_dump_of_the_largest_size_counts_as_too_small),
        cmocka_unit_test(without_registers_there_is_no_stack),
        cmocka_unit_test(any_stack_is_walked_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
