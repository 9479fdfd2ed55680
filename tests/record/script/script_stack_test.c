#include "record/script/script_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

/* An interpreter of our own, at made addresses. Its loop is entered by LOOP, which calls CORE. */
enum {
    LOOP = 0x1050,
    CORE = 0x1250,
    OWN = 0x8000,    /* its other functions */
    GLUE = 0x8800,   /* what calls functions in C */
    EACH = 0x20000,  /* a function in C */
    SORT = 0x90000,  /* another one */
    NATIVE = 0xF0000 /* another file */
};

enum { MOST = 64 };

struct fake {
    struct flm_script_frame frames[MOST];
    size_t count;
    enum flm_script_result result;
    bool is_split, is_whole;
    size_t asked_frame; /* whose registers were wanted */
    struct flm_script_place place;
    const char *refused;
    int opened, closed;
};

static struct fake fake;

static void *open_fake(const struct flm_process *process, struct flm_error *why)
{
    (void)process;
    fake.opened++;
    if (fake.refused)
        flm_error_set(why, FLM_ERROR_FORMAT, "%s", fake.refused);
    return fake.refused ? NULL : &fake;
}

static void close_fake(void *opened)
{
    assert_ptr_equal(opened, &fake);
    fake.closed++;
}

static bool is_loop(const void *opened, uint64_t address)
{
    (void)opened;
    return address >= 0x1000 && address < 0x1100;
}

static bool is_own(const void *opened, uint64_t address)
{
    (void)opened;
    return address >= 0x1000 && address < 0xA0000;
}

static bool is_split(const void *opened)
{
    return ((const struct fake *)opened)->is_split;
}

static enum flm_script_result read_fake(void *opened, struct flm_script_place *place,
                                        struct flm_script_frame **frames, size_t *count)
{
    struct fake *f = opened;
    f->place = *place;
    place->is_whole = f->is_whole;
    *frames = f->frames;
    *count = f->count;
    return f->result;
}

static uint64_t calls_of(const void *opened)
{
    (void)opened;
    return 7;
}

static const struct flm_script_interpreter kind = {.name = "Fake",
                                                   .note = "fake",
                                                   .note_refused = "fake (not read)",
                                                   .losses = FLM_SCRIPT_LOSSES_OF("Fake"),
                                                   .opened = {open_fake, close_fake, calls_of},
                                                   .is_loop = is_loop,
                                                   .is_own = is_own,
                                                   .is_split = is_split,
                                                   .read = read_fake};

static bool registers_of(const struct flm_runtime_sample *sample, size_t frame,
                         struct flm_registers *registers)
{
    (void)sample;
    fake.asked_frame = frame;
    *registers = (struct flm_registers){.known = 1};
    return true;
}

struct fixture {
    struct flm_scripts *scripts;
    struct flm_process process;
    struct flm_event_layout layout;
    struct flm_event event;
    uint64_t chain[MOST];
    struct flm_runtime_sample sample;
    char names[MOST][16]; /* by their numbers */
    size_t name_count;
};

static void set_up(struct fixture *f)
{
    static const struct flm_runtime_options options = {.first_code = FLM_CODE_FIRST};
    fake = (struct fake){0};
    *f = (struct fixture){.process = {.id = 4711, .changed = 1}};
    f->scripts = flm_scripts_new(&kind, &options, NULL);
    f->event = (struct flm_event){.kind = FLM_EVENT_SAMPLE,
                                  .process = 4711,
                                  .thread = 4712,
                                  .time_ns = 1000,
                                  .sample = {.layout = &f->layout}};
}

static void tear_down(struct fixture *f)
{
    flm_scripts_free(f->scripts);
    assert_int_equal(fake.closed, fake.refused ? 0 : fake.opened);
}

/* "each! block main": innermost first; "!" enters the loop, "?" may have. */
static void frames(const char *words)
{
    static char copy[256];
    char *rest = NULL;
    snprintf(copy, sizeof copy, "%s", words);
    fake.count = 0;
    fake.result = FLM_SCRIPT_FRAMES;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct flm_script_frame *frame = &fake.frames[fake.count++];
        size_t size = strlen(word);
        *frame = (struct flm_script_frame){.code = (unsigned char)word[0],
                                           .is_entry = word[size - 1] == '!',
                                           .is_guess = word[size - 1] == '?'};
        frame->function = (struct flm_bytes){word, size - (frame->is_entry || frame->is_guess)};
        if (flm_bytes_are(frame->function, "each"))
            frame->native = EACH;
        if (flm_bytes_are(frame->function, "sort"))
            frame->native = SORT;
    }
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

static const struct {
    const char *word;
    uint64_t address;
} known_words[] = {
    {"U", FLM_CONTEXT_USER},
    {"K", FLM_CONTEXT_KERNEL},
    {"L", LOOP},
    {"C", CORE},
    {"o", OWN},
    {"g", GLUE},
    {"E", EACH + 0x40},
    {"S", SORT + 0x40},
    {"n", NATIVE},
    {"T", FLM_CODE_TRUNCATED},
};

enum { WORDS = sizeof known_words / sizeof known_words[0] };

/* As text: "K n U L n ..." -> a chain; what it becomes, as text. */
static const char *mix(struct fixture *f, const char *words, bool is_whole)
{
    static char shown[512];
    char copy[256], *rest = NULL;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < WORDS; i++)
            if (strcmp(word, known_words[i].word) == 0)
                f->chain[count++] = known_words[i].address;
    f->sample = (struct flm_runtime_sample){.process = &f->process,
                                            .event = &f->event,
                                            .chain = f->chain,
                                            .count = count,
                                            .capacity = MOST,
                                            .is_whole = is_whole,
                                            .registers = registers_of};
    assert_true(flm_scripts_mix(f->scripts, &f->sample, 2000, define, f, NULL));
    shown[0] = 0;
    for (size_t i = 0; i < f->sample.count; i++) {
        const char *name = NULL;
        for (size_t k = 0; k < WORDS && !name; k++)
            if (f->chain[i] == known_words[k].address)
                name = known_words[k].word;
        if (!name) {
            assert_true(f->chain[i] - FLM_CODE_FIRST < f->name_count);
            name = f->names[f->chain[i] - FLM_CODE_FIRST];
        }
        size_t used = strlen(shown);
        snprintf(shown + used, sizeof shown - used, "%s%s", used ? " " : "", name);
    }
    return shown;
}

static uint64_t lost(const struct fixture *f, int reason)
{
    return flm_scripts_counts(f->scripts).lost[reason];
}

static void loops_become_the_functions_that_share_them(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("block! run main!");
    assert_string_equal(mix(&f, "K n U L n n L n", true), "K n U block n n run main n");
    assert_int_equal(fake.asked_frame, 0);
    assert_true(fake.place.is_leaf);
    assert_string_equal(mix(&f, "U n L n L n", true), "U n block n run main n");
    assert_int_equal(fake.asked_frame, 1);
    assert_false(fake.place.is_leaf);
    assert_int_equal(fake.place.thread, 4712);
    assert_int_equal(f.name_count, 3); /* each is defined once */
    /* Without a loop there is nothing to read; the kernel's own addresses are none. */
    assert_string_equal(mix(&f, "K L U n", true), "K L U n");
    struct flm_script_counts counts = flm_scripts_counts(f.scripts);
    assert_int_equal(counts.samples, 2);
    assert_int_equal(counts.mixed, 2);
    assert_int_equal(counts.calls, 7);
    tear_down(&f);
}

static void the_function_of_the_loop_belongs_to_it(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    fake.is_split = true;
    frames("block! main!");
    assert_string_equal(mix(&f, "U n C L n C L n", true), "U n block n main n");
    assert_int_equal(fake.asked_frame, 1); /* the registers are CORE's */
    /* What was called from LOOP itself, in another file, is no part of the loop. */
    assert_string_equal(mix(&f, "U n L n C L n", true), "U n block n main n");
    assert_int_equal(fake.asked_frame, 1);
    tear_down(&f);
}

static void functions_in_C_stand_for_their_native_frames(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("block! each main!");
    /* Between two loops the interpreter's own frames go, those of other files stay. */
    assert_string_equal(mix(&f, "U L o n E g L n", true), "U block n each main n");
    /* The innermost one keeps what it has called. */
    frames("each main!");
    assert_string_equal(mix(&f, "U n o E g L n", true), "U n o each main n");
    /* It may have ended with a jump: what led to it is known by now. */
    assert_string_equal(mix(&f, "U n o g L n", true), "U n o each main n");
    assert_string_equal(mix(&f, "U n o L n", true), "U n o each main n");
    /* One that calls another. */
    frames("sort each main!");
    assert_string_equal(mix(&f, "U n S o E g L n", true), "U n sort each main n");
    tear_down(&f);
}

static void a_loop_without_a_frame_yet_is_native(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("block main!");
    assert_string_equal(mix(&f, "U L o L n", true), "U L o block main n");
    assert_int_equal(lost(&f, FLM_SCRIPT_LOST_DISAGREEING), 0);
    tear_down(&f);
}

static void a_frame_that_may_have_entered_makes_the_numbers_agree(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("foo? main!");
    assert_string_equal(mix(&f, "U L n", true), "U foo main n");
    frames("foo? main!");
    assert_string_equal(mix(&f, "U L n L n", true), "U foo n main n");
    tear_down(&f);
}

static void samples_that_disagree_keep_native_frames_and_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("a! b! c!");
    assert_string_equal(mix(&f, "U L n L n", true), "U L n L n");
    assert_int_equal(lost(&f, FLM_SCRIPT_LOST_DISAGREEING), 1);
    frames("a!");
    assert_string_equal(mix(&f, "U L n L n L n", true), "U L n L n L n");
    assert_int_equal(lost(&f, FLM_SCRIPT_LOST_DISAGREEING), 2);
    static const struct {
        enum flm_script_result result;
        int reason;
    } cases[] = {
        {FLM_SCRIPT_TORN, FLM_SCRIPT_LOST_TORN},
        {FLM_SCRIPT_NONE, FLM_SCRIPT_LOST_NONE},
        {FLM_SCRIPT_MOVED_ON, FLM_SCRIPT_LOST_MOVED_ON},
        {FLM_SCRIPT_GONE, FLM_SCRIPT_LOST_UNREADABLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake.result = cases[i].result;
        assert_string_equal(mix(&f, "U L n", true), "U L n");
        assert_int_equal(lost(&f, cases[i].reason), 1);
    }
    frames("a!");
    f.event.time_ns = 2000 - 51000000;
    assert_string_equal(mix(&f, "U L n", true), "U L n");
    assert_int_equal(lost(&f, FLM_SCRIPT_LOST_STALE), 1);
    f.event.time_ns = 1000;
    uint64_t chain[] = {FLM_CONTEXT_USER, LOOP, NATIVE};
    f.sample.chain = chain;
    f.sample.count = 3;
    f.sample.registers = NULL;
    assert_true(flm_scripts_mix(f.scripts, &f.sample, 2000, define, &f, NULL));
    assert_int_equal(chain[1], LOOP);
    assert_int_equal(lost(&f, FLM_SCRIPT_LOST_WITHOUT_REGISTERS), 1);
    tear_down(&f);
}

static void frames_beyond_the_stack_dump_are_kept(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("a! b! main!");
    assert_string_equal(mix(&f, "U L n L T", false), "U a n b T main");
    /* A stack that is whole is not truncated, if only native frames are missing. */
    fake.is_whole = true;
    frames("a! b!");
    assert_string_equal(mix(&f, "U L n L o T", false), "U a n b o");
    tear_down(&f);
}

static void another_program_of_the_process_is_opened(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    frames("a!");
    mix(&f, "U L", true);
    f.process.changed = 2; /* it has mapped a file */
    mix(&f, "U L", true);
    assert_int_equal(fake.opened, 1);
    f.process.changed = 3;
    f.process.started_ns = 500; /* exec */
    mix(&f, "U L", true);
    assert_int_equal(fake.opened, 2);
    assert_int_equal(fake.closed, 1);
    assert_int_equal(f.name_count, 2); /* another program's function has another number */
    tear_down(&f);
    /* Where there is none yet, a file may bring it. */
    set_up(&f);
    fake.refused = "not yet";
    mix(&f, "U L", true);
    mix(&f, "U L", true);
    assert_int_equal(fake.opened, 1);
    f.process.changed = 2;
    mix(&f, "U L", true);
    assert_int_equal(fake.opened, 2);
    tear_down(&f);
}

static void note(void *session, const char *key, struct flm_bytes value)
{
    char *out = session;
    size_t used = strlen(out);
    snprintf(out + used, 500 - used, "%s: %.*s\n", key, (int)value.size, value.at);
}

static void lose(void *session, const char *what, double count)
{
    char *out = session;
    size_t used = strlen(out);
    if (count > 0)
        snprintf(out + used, 500 - used, "%s: %g\n", what, count);
}

static void what_is_refused_or_lost_is_reported(void **state)
{
    (void)state;
    struct fixture f;
    char out[500] = "";
    const struct flm_runtime_report report = {.session = out, .lost = lose, .note = note};
    set_up(&f);
    fake.refused = "Fake 9.9 is not supported";
    assert_string_equal(mix(&f, "U L n", true), "U L n");
    flm_scripts_report(f.scripts, &report);
    assert_string_equal(out, "Fake frames of samples (process not readable): 1\n"
                             "fake (not read): Fake 9.9 is not supported\n");
    tear_down(&f);
    set_up(&f);
    frames("a!");
    mix(&f, "U L n", true);
    out[0] = 0;
    flm_scripts_report(f.scripts, &report);
    assert_non_null(strstr(out, "fake: frames in 1 of 1 samples, "));
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
    static const struct flm_runtime_options options = {.first_code = FLM_CODE_FIRST};
    struct fixture f;
    set_up(&f);
    flm_scripts_free(f.scripts);
    frames("block! run main!");
    for (size_t nth = 1;; nth++) {
        uint64_t chain[MOST] = {FLM_CONTEXT_USER, LOOP, LOOP};
        f.sample = (struct flm_runtime_sample){.process = &f.process,
                                               .event = &f.event,
                                               .chain = chain,
                                               .count = 3,
                                               .capacity = MOST,
                                               .is_whole = true,
                                               .registers = registers_of};
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_scripts *scripts = flm_scripts_new(&kind, &options, &why);
        bool good = scripts && flm_scripts_mix(scripts, &f.sample, 2000, forget, NULL, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(good || (failed && why.kind == FLM_ERROR_MEMORY));
        flm_scripts_free(scripts);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_become_the_functions_that_share_them),
        cmocka_unit_test(the_function_of_the_loop_belongs_to_it),
        cmocka_unit_test(functions_in_C_stand_for_their_native_frames),
        cmocka_unit_test(a_loop_without_a_frame_yet_is_native),
        cmocka_unit_test(a_frame_that_may_have_entered_makes_the_numbers_agree),
        cmocka_unit_test(samples_that_disagree_keep_native_frames_and_are_counted),
        cmocka_unit_test(frames_beyond_the_stack_dump_are_kept),
        cmocka_unit_test(another_program_of_the_process_is_opened),
        cmocka_unit_test(what_is_refused_or_lost_is_reported),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
