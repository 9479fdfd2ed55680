#include "algebra/compare/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

/* A profile with a stack of one function for each of the words: "/bin/app", a module, or
 * "/bin/app:/src/a.c", and a file. */
static struct flm_profile *profile_at(const char *words)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    while (*words) {
        size_t size = strcspn(words, " "), module = strcspn(words, ": ");
        struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, words, module).index,
        };
        if (module < size)
            record.file = flm_builder_string(b, words + module + 1, size - module - 1).index;
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, metric, 1);
        words += size + (words[size] == ' ');
    }
    return flm_builder_finish(b, NULL);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The places of all frames, in order, as words. */
static const char *places(const struct flm_profile *p)
{
    static char text[8192];
    static char word[256][128];
    uint32_t count = p->sizes.frame_count - 1;
    text[0] = 0;
    assert_in_range(count, 0, 255);
    for (uint32_t i = 0; i < count; i++) {
        struct flm_bytes module = flm_string_bytes(p, p->frames[i + 1].module);
        struct flm_bytes file = flm_string_bytes(p, p->frames[i + 1].file);
        snprintf(word[i], sizeof word[i], "%.*s%s%.*s", (int)module.size, module.at,
                 file.size > 0 ? ":" : "", (int)file.size, file.at);
    }
    qsort(word, count, sizeof word[0], by_text);
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "",
                 word[i]);
    return text;
}

static void assert_taken(const char *before, const char *after, const char *expected,
                         unsigned modules, unsigned files)
{
    struct flm_profile *p = profile_at(before), *other = profile_at(after), *made;
    struct flm_same_paths same;
    assert_true(flm_take_paths(p, other, &made, &same, NULL));
    assert_string_equal(places(made ? made : p), expected);
    assert_int_equal(same.modules, modules);
    assert_int_equal(same.files, files);
    assert_int_equal(made != NULL, modules + files > 0);
    if (made)
        assert_sound(made);
    flm_profile_free(made);
    flm_profile_free(p);
    flm_profile_free(other);
}

static void a_program_in_another_directory_is_the_same(void **state)
{
    (void)state;
    assert_taken("/a/app /lib/libc.so.6", "/b/app /lib/libc.so.6", "/b/app /lib/libc.so.6", 1, 0);
    assert_taken("app", "/b/app", "/b/app", 1, 0);
    assert_taken("\\\\a\\app.exe", "\\\\b\\app.exe", "\\\\b\\app.exe", 1, 0);
    assert_taken("/a/app:/a/src/main.c", "/b/app:/b/src/main.c", "/b/app:/b/src/main.c", 1, 1);
    assert_taken("/a/app", "/a/app", "/a/app", 0, 0);
    assert_taken("", "/a/app", "", 0, 0);
    /* Scripts of pages, whose paths have no last part. */
    assert_taken("m:http://localhost:80/", "m:https://example.org/", "m:http://localhost:80/", 0,
                 0);
}

/* A stack of f at line 7 of FILE in MODULE. */
static struct flm_profile *located(const char *module, const char *file, const char *id)
{
    struct flm_builder *b = flm_builder_new(NULL);
    char key[80];
    struct flm_frame_record record = {
        .function = flm_builder_string(b, "f", 1).index,
        .module = flm_builder_string(b, module, strlen(module)).index,
        .file = flm_builder_string(b, file, strlen(file)).index,
    };
    const struct flm_location where = {.address = 16, .file = record.file, .line = 7};
    struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &record), &where);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    snprintf(key, sizeof key, "mapped %s", module);
    flm_builder_note(b, key, id, strlen(id));
    return flm_builder_finish(b, NULL);
}

static void lines_and_notes_follow_their_paths(void **state)
{
    (void)state;
    struct flm_profile *p = located("/old/app", "/old/src/a.c", "id=1"),
                       *other = located("/new/app", "/new/src/a.c", "id=2"), *made;
    struct flm_same_paths same;
    assert_true(flm_take_paths(p, other, &made, &same, NULL));
    assert_non_null(made);
    assert_sound(made);
    assert_int_equal(made->sizes.location_count, 1);
    struct flm_location where = flm_location_at(made, 0);
    assert_true(where.line == 7 && where.address == 16);
    assert_true(flm_bytes_are(flm_string_bytes(made, where.file), "/new/src/a.c"));
    struct flm_name note = flm_profile_note_named(made, "mapped /new/app");
    assert_true(flm_bytes_are((struct flm_bytes){note.at, note.size}, "id=1"));
    assert_int_equal(made->sizes.note_count, 1);
    flm_profile_free(made);
    flm_profile_free(p);
    flm_profile_free(other);
}

static void another_name_is_another_program(void **state)
{
    (void)state;
    assert_taken("/a/app", "/a/application", "/a/app", 0, 0);
    assert_taken("/a/app", "/app/a", "/a/app", 0, 0);
    /* One that both have is itself, and the other one is not it. */
    assert_taken("/a/app /b/app", "/b/app", "/a/app /b/app", 0, 0);
    assert_taken("/b/app", "/a/app /b/app", "/b/app", 0, 0);
}

static void of_several_the_nearest_is_the_same(void **state)
{
    (void)state;
    assert_taken("m:/a/src/lex/rules.c m:/a/src/parse/rules.c",
                 "m:/b/src/lex/rules.c m:/b/src/parse/rules.c",
                 "m:/b/src/lex/rules.c m:/b/src/parse/rules.c", 0, 2);
    /* Either could be it: none is. */
    assert_taken("m:/a/rules.c", "m:/b/rules.c m:/c/rules.c", "m:/a/rules.c", 0, 0);
    assert_taken("m:/a/x/rules.c m:/b/x/rules.c", "m:/c/x/rules.c", "m:/a/x/rules.c m:/b/x/rules.c",
                 0, 0);
    assert_taken("m:/a/x/rules.c m:/b/y/rules.c", "m:/c/x/rules.c", "m:/b/y/rules.c m:/c/x/rules.c",
                 0, 1);
}

static struct flm_profile *profile_with_deleted(const char *const *modules, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (size_t i = 0; i < count; i++) {
        struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, modules[i], strlen(modules[i])).index,
        };
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

/* A module that was replaced while it ran: it is the one of that path; but where both sides have
 * the old one and the new one, each is itself, whichever comes first. */
static void what_was_deleted_is_the_same(void **state)
{
    (void)state;
    static const char *const both[] = {"/a/app", "/a/app (deleted)"}, *const swapped[] = {
                                                                          "/a/app (deleted)",
                                                                          "/a/app"};
    struct flm_profile *old = profile_with_deleted(both + 1, 1), *new = profile_at("/a/app"), *made;
    struct flm_same_paths same;
    assert_true(flm_take_paths(old, new, &made, &same, NULL));
    assert_non_null(made);
    assert_string_equal(places(made), "/a/app");
    flm_profile_free(made);
    for (int i = 0; i < 4; i++) {
        struct flm_profile *p = profile_with_deleted(i % 2 ? both : swapped, 2);
        struct flm_profile *other = profile_with_deleted(i / 2 ? both : swapped, 2);
        assert_true(flm_take_paths(p, other, &made, &same, NULL));
        assert_null(made);
        assert_true(flm_take_paths(p, new, &made, &same, NULL));
        assert_null(made);
        flm_profile_free(p);
        flm_profile_free(other);
    }
    flm_profile_free(old);
    flm_profile_free(new);
}

/* Thousands of files of one name are not compared with each other. */
static void many_of_one_name_are_left_alone(void **state)
{
    (void)state;
    struct flm_text words[2] = {{0}, {0}};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 2000; i++)
            flm_text_format(&words[side], "m:/%c/%d/index.js ", "ab"[side], i);
        flm_text_putc(&words[side], 0);
    }
    struct flm_profile *p = profile_at(words[0].at), *other = profile_at(words[1].at), *made;
    struct flm_same_paths same;
    assert_true(flm_take_paths(p, other, &made, &same, NULL));
    assert_null(made);
    flm_profile_free(other);
    other = profile_at("m:/b/q/index.js");
    assert_true(flm_take_paths(p, other, &made, &same, NULL)); /* 2000 are as near to it */
    assert_null(made);
    flm_profile_free(p);
    flm_profile_free(other);
    flm_text_clear(&words[0]);
    flm_text_clear(&words[1]);
}

/* Frames of "function:module:file:kind", the kind a digit. */
static struct flm_profile *profile_of_frames(const char *const *words, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (size_t i = 0; i < count; i++) {
        const char *part[4], *at = words[i];
        uint32_t string[3];
        for (int k = 0; k < 4; k++) {
            part[k] = at;
            at += strcspn(at, ":");
            if (k < 3)
                string[k] = flm_builder_string(b, part[k], (size_t)(at - part[k])).index;
            at += *at == ':';
        }
        struct flm_frame_record record = {.function = string[0],
                                          .module = string[1],
                                          .file = string[2],
                                          .kind = (uint32_t)(*part[3] - '0')};
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

static void assert_functions(const char *const *p_words, size_t p_count,
                             const char *const *other_words, size_t other_count,
                             const char *expected, unsigned functions)
{
    struct flm_profile *p = profile_of_frames(p_words, p_count), *made;
    struct flm_profile *other = profile_of_frames(other_words, other_count);
    struct flm_same_paths same;
    assert_true(flm_take_paths(p, other, &made, &same, NULL));
    assert_int_equal(same.functions, functions);
    assert_string_equal(places(made ? made : p), expected);
    if (made)
        assert_sound(made);
    flm_profile_free(made);
    flm_profile_free(p);
    flm_profile_free(other);
}

#define FRAMES(...)                                                                                \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

static void where_one_names_no_modules_names_are_enough(void **state)
{
    (void)state;
    assert_functions(FRAMES("f:::0", "g:::0"), FRAMES("f:app:a.c:1", "h:app::1"), " app:a.c", 1);
    assert_functions(FRAMES("f:app:a.c:1", "g:lib::1"), FRAMES("f:::0"), " lib", 1);
    /* Of two in other modules it could be either, unless the file says which. */
    assert_functions(FRAMES("f:::0"), FRAMES("f:app::1", "f:lib::1"), "", 0);
    assert_functions(FRAMES("f::/x/b.c:0"), FRAMES("f:app:a.c:1", "f:lib:b.c:1"), "lib:b.c", 1);
    /* Called and inlined: that of its own kind. */
    assert_functions(FRAMES("f:::0"), FRAMES("f:app::1", "f:app::3"), "app", 1);
    /* Both have modules, or neither: there is nothing to take. */
    assert_functions(FRAMES("f:::0", "g:x::1"), FRAMES("f:app::1"), " x", 0);
    assert_functions(FRAMES("f:::0"), FRAMES("f:::1"), "", 0);
}

struct pair {
    struct flm_profile *p, *other;
};

static bool take(void *context, struct flm_error *why)
{
    struct pair *pair = context;
    struct flm_profile *made;
    struct flm_same_paths same;
    bool good = flm_take_paths(pair->p, pair->other, &made, &same, why);
    flm_profile_free(made);
    return good;
}

static void it_is_done_or_memory_ran_out(void **state)
{
    (void)state;
    struct pair pair = {profile_at("/a/app:/a/x.c /c/app /a/lib.so"),
                        profile_at("/b/app:/b/x.c /d/lib.so")};
    assert_survives_failures(take, &pair);
    flm_profile_free(pair.p);
    flm_profile_free(pair.other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_in_another_directory_is_the_same),
        cmocka_unit_test(lines_and_notes_follow_their_paths),
        cmocka_unit_test(another_name_is_another_program),
        cmocka_unit_test(of_several_the_nearest_is_the_same),
        cmocka_unit_test(what_was_deleted_is_the_same),
        cmocka_unit_test(many_of_one_name_are_left_alone),
        cmocka_unit_test(where_one_names_no_modules_names_are_enough),
        cmocka_unit_test(it_is_done_or_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
