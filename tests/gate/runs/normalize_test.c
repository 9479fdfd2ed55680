#include "gate/runs/normalize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/compare.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

struct frame {
    const char *function, *module, *file;
    uint32_t line, kind;
};

static uint32_t string(struct flm_builder *b, const char *text)
{
    return text ? flm_builder_string(b, text, strlen(text)).index : 0;
}

/* One stack of these frames, worth 3; `command` as a note. */
static struct flm_profile *stack_of(const struct frame *frames, size_t count, const char *command)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < count; i++) {
        const struct flm_frame_record record = {.function = string(b, frames[i].function),
                                                .module = string(b, frames[i].module),
                                                .file = string(b, frames[i].file),
                                                .line = frames[i].line,
                                                .address = frames[i].line * 16,
                                                .kind = frames[i].kind};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    flm_builder_add(b, node, metric, 3);
    if (command)
        flm_builder_note(b, FLM_NOTE_GATE_COMMAND, command, strlen(command));
    return flm_builder_finish(b, NULL);
}

/* Whether both become the same frames; they are not at first. */
static bool become_alike(const struct flm_profile *a, const struct flm_profile *b)
{
    struct flm_profile *left = flm_normalize_frames(a, false, NULL),
                       *right = flm_normalize_frames(b, false, NULL);
    uint32_t count = flm_profile_frame_count(left);
    assert_sound(left);
    assert_true(flm_profile_total(left, (struct flm_metric){0}) == 3);
    bool same = count == flm_profile_frame_count(right);
    for (uint32_t i = 0; same && i < count; i++) {
        const struct flm_frame_record *l = &left->frames[i], *r = &right->frames[i];
        same = flm_bytes_equal(flm_string_bytes(left, l->function),
                               flm_string_bytes(right, r->function)) &&
               flm_bytes_equal(flm_string_bytes(left, l->module),
                               flm_string_bytes(right, r->module)) &&
               flm_bytes_equal(flm_string_bytes(left, l->file), flm_string_bytes(right, r->file)) &&
               l->line == r->line && l->address == r->address && l->kind == r->kind;
    }
    flm_profile_free(left);
    flm_profile_free(right);
    return same;
}

static void two_builds_in_two_folders_are_alike(void **state)
{
    (void)state;
    const struct frame old[] = {{"app", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"main", "/old/app", "/old/src/main.c", 12, FLM_KIND_NATIVE},
                                {"f", "/old/app", "/old/src/f.c", 4, FLM_KIND_INLINED}};
    const struct frame new[] = {{"app", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"main", "/new/bin/app", "/new/src/main.c", 14, FLM_KIND_NATIVE},
                                {"f", "/new/bin/app", "/new/inc/f.h", 9, FLM_KIND_NATIVE}};
    struct flm_profile *a = stack_of(old, 3, NULL), *b = stack_of(new, 3, NULL);
    assert_true(become_alike(a, b));
    flm_profile_free(a);
    flm_profile_free(b);
}

static void scripts_are_told_apart_by_their_file_not_by_its_folder(void **state)
{
    (void)state;
    const struct frame old = {"work", NULL, "/old/main.py", 3, FLM_KIND_INTERPRETED};
    const struct frame new = {"work", NULL, "/new/main.py", 5, FLM_KIND_JIT};
    const struct frame other = {"work", NULL, "/old/other.py", 3, FLM_KIND_INTERPRETED};
    const struct frame inlined = {"work", NULL, "/new/main.py", 5, FLM_KIND_INLINED};
    struct flm_profile *a = stack_of(&old, 1, NULL), *b = stack_of(&new, 1, NULL),
                       *c = stack_of(&other, 1, NULL), *d = stack_of(&inlined, 1, NULL);
    assert_true(become_alike(a, b));
    assert_true(become_alike(a, d));
    assert_false(become_alike(a, c));
    flm_profile_free(a);
    flm_profile_free(b);
    flm_profile_free(c);
    flm_profile_free(d);
}

static void functions_of_two_modules_stay_two(void **state)
{
    (void)state;
    const struct frame one = {"init", "/lib/a.so", NULL, 0, FLM_KIND_NATIVE};
    const struct frame two = {"init", "/lib/b.so", NULL, 0, FLM_KIND_NATIVE};
    const struct frame kernel = {"init", "/lib/a.so", NULL, 0, FLM_KIND_KERNEL};
    struct flm_profile *a = stack_of(&one, 1, NULL), *b = stack_of(&two, 1, NULL),
                       *c = stack_of(&kernel, 1, NULL);
    assert_false(become_alike(a, b));
    assert_false(become_alike(a, c));
    flm_profile_free(a);
    flm_profile_free(b);
    flm_profile_free(c);
}

/* The stacks of names from the root on that a profile has once it is normalized, below `module`. */
static void assert_becomes(const char *const *names, const char *expected, const char *module)
{
    struct frame frames[6];
    size_t count = 0;
    for (; names[count]; count++)
        frames[count] = (struct frame){names[count], module, NULL, 0, FLM_KIND_NATIVE};
    struct flm_profile *p = stack_of(frames, count, NULL);
    struct flm_profile *made = flm_normalize_frames(p, false, NULL);
    char stack[200] = "";
    for (uint32_t i = 1; i < made->sizes.node_count; i++) {
        struct flm_bytes name = flm_string_bytes(made, made->frames[made->node_frame[i]].function);
        snprintf(stack + strlen(stack), sizeof stack - strlen(stack), "%s%.*s", i > 1 ? ";" : "",
                 (int)name.size, name.at);
    }
    assert_sound(made);
    assert_string_equal(stack, expected);
    flm_profile_free(made);
    flm_profile_free(p);
}

static void clones_of_a_compiler_are_the_function(void **state)
{
    (void)state;
    assert_becomes((const char *[]){"main", "lex.constprop.0", NULL}, "main;lex", "app");
    assert_becomes((const char *[]){"main", "lex(int) [clone .isra.0]", NULL}, "main;lex(int)", "");
    assert_becomes((const char *[]){"main", "lex", "lex.part.0", "put", NULL}, "main;lex;put", "");
    assert_becomes((const char *[]){"lex.part.0", "lex.part.0", NULL}, "lex;lex", "app");
    assert_becomes((const char *[]){"lex", "lex.constprop.1", NULL}, "lex;lex", "app");
    assert_becomes((const char *[]){"lex", "lex", NULL}, "lex;lex", "app");
    assert_becomes((const char *[]){"main", "read", "lex.part.0", NULL}, "main;read;lex", "app");
    /* Go's, as it seems; and a cold part. */
    assert_becomes((const char *[]){"main.main", "main.cold", NULL}, "main.main;main.cold", "app");
    assert_becomes((const char *[]){"main", "lex", "put.cold", NULL}, "main;lex;put.cold", "app");
    assert_becomes((const char *[]){"lex", "main", "lex.cold", NULL}, "lex;main;lex", "app");
    assert_becomes((const char *[]){"lex", "main", "lex.cold.1", NULL}, "lex;main;lex", "app");
    const struct frame script = {"lex.part.0", NULL, "lex.js", 1, FLM_KIND_JIT};
    const struct frame function = {"lex", NULL, "lex.js", 1, FLM_KIND_JIT};
    struct flm_profile *a = stack_of(&script, 1, NULL), *b = stack_of(&function, 1, NULL);
    assert_false(become_alike(a, b));
    flm_profile_free(a);
    flm_profile_free(b);
}

/* The kernel keeps 15 letters of a command. */
static void two_names_of_the_command_are_one_name(void **state)
{
    (void)state;
    const struct frame old[] = {{"server-of-the-o", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"main", "/b/server-of-the-old", NULL, 0, FLM_KIND_NATIVE},
                                {"read", "/lib/libc.so.6", NULL, 0, FLM_KIND_NATIVE}};
    const struct frame new[] = {{"new", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"main", "/b/new", NULL, 0, FLM_KIND_NATIVE},
                                {"read", "/lib/libc.so.6", NULL, 0, FLM_KIND_NATIVE}};
    struct flm_profile *a = stack_of(old, 3, "server-of-the-old"), *b = stack_of(new, 3, "new");
    struct flm_profile *c = stack_of(new, 3, NULL);
    assert_true(become_alike(a, b));
    assert_false(become_alike(a, c));
    flm_profile_free(a);
    flm_profile_free(b);
    flm_profile_free(c);
}

static void a_function_called_like_the_command_keeps_its_name(void **state)
{
    (void)state;
    const struct frame frame = {"old", NULL, NULL, 0, FLM_KIND_NATIVE};
    struct flm_profile *p = stack_of(&frame, 1, "old"),
                       *made = flm_normalize_frames(p, false, NULL);
    assert_true(flm_bytes_are(flm_frame_function(made, 1), "old"));
    flm_profile_free(made);
    flm_profile_free(p);
}

static void numbers_of_processes_and_threads_are_no_part_of_a_stack(void **state)
{
    (void)state;
    const struct frame one[] = {{"P123", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"T0:124", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"pool 77", NULL, NULL, 0, FLM_KIND_LABEL},
                                {"P5", NULL, NULL, 0, FLM_KIND_PLAIN},
                                {"work 9", NULL, NULL, 0, FLM_KIND_PLAIN}};
    const struct frame other[] = {{"P4", NULL, NULL, 0, FLM_KIND_LABEL},
                                  {"T99", NULL, NULL, 0, FLM_KIND_LABEL},
                                  {"pool 8", NULL, NULL, 0, FLM_KIND_LABEL},
                                  {"P5", NULL, NULL, 0, FLM_KIND_PLAIN},
                                  {"work 9", NULL, NULL, 0, FLM_KIND_PLAIN}};
    struct flm_profile *a = stack_of(one, 5, NULL), *b = stack_of(other, 5, NULL);
    assert_true(become_alike(a, b));
    struct flm_profile *made = flm_normalize_frames(a, false, NULL);
    assert_int_equal(flm_profile_frame_count(made), 4); /* with that of the root */
    bool seen[3] = {false};
    for (uint32_t i = 1; i < 4; i++) {
        seen[0] |= flm_bytes_are(flm_frame_function(made, i), "pool");
        seen[1] |= flm_bytes_are(flm_frame_function(made, i), "P5");
        seen[2] |= flm_bytes_are(flm_frame_function(made, i), "work 9");
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    flm_profile_free(made);
    flm_profile_free(a);
    flm_profile_free(b);
}

/* A sample without Python frames: "P3169;T0:3169 42889". */
static void what_has_numbers_alone_is_kept_at_the_root(void **state)
{
    (void)state;
    const struct frame frames[] = {{"P3169", NULL, NULL, 0, FLM_KIND_LABEL},
                                   {"T0:3169", NULL, NULL, 0, FLM_KIND_LABEL}};
    struct flm_profile *p = stack_of(frames, 2, NULL), *made = flm_normalize_frames(p, false, NULL);
    assert_sound(made);
    assert_int_equal(made->sizes.node_count, 1);
    assert_true(flm_profile_total(made, (struct flm_metric){0}) == 3);
    flm_profile_free(made);
    flm_profile_free(p);
}

static void totals_stay_what_they_are(void **state)
{
    (void)state;
    uint64_t random = 77;
    for (int i = 0; i < 50; i++) {
        struct flm_profile *p = random_profile(&random, &random_full),
                           *made = flm_normalize_frames(p, i % 2, NULL);
        assert_sound(made);
        for (uint32_t m = 0; m < flm_profile_metric_count(p); m++)
            assert_true(flm_profile_total(made, (struct flm_metric){m}) ==
                        flm_profile_total(p, (struct flm_metric){m}));
        struct flm_profile *again = flm_normalize_frames(made, i % 2, NULL);
        assert_profiles_equal(made, again);
        flm_profile_free(again);
        flm_profile_free(made);
        flm_profile_free(p);
    }
}

static bool make_alike(void *context, struct flm_error *why)
{
    struct flm_profile *made = flm_normalize_frames(context, true, why);
    bool good = made != NULL;
    flm_profile_free(made);
    return good;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    uint64_t random = 78;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(assert_survives_failures(make_alike, p) > 0);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_builds_in_two_folders_are_alike),
        cmocka_unit_test(scripts_are_told_apart_by_their_file_not_by_its_folder),
        cmocka_unit_test(functions_of_two_modules_stay_two),
        cmocka_unit_test(clones_of_a_compiler_are_the_function),
        cmocka_unit_test(two_names_of_the_command_are_one_name),
        cmocka_unit_test(a_function_called_like_the_command_keeps_its_name),
        cmocka_unit_test(numbers_of_processes_and_threads_are_no_part_of_a_stack),
        cmocka_unit_test(what_has_numbers_alone_is_kept_at_the_root),
        cmocka_unit_test(totals_stay_what_they_are),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
