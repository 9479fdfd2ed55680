#include "code/kept_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "profile/internal.h"
#include "support/core/failures.h"

static const struct flm_bytes files[] = {{"/srv/app.js", 11}, {"/srv/a\nb.js", 11}};
static const struct flm_kept_line lines[] = {{0, 0, 12}, {2, 1, 8}, {2, 0, 0}, {4, 0, 13}};

static struct flm_kept_code code_of(uint64_t start)
{
    return (struct flm_kept_code){.start = start,
                                  .machine = FLM_MACHINE_ARM64,
                                  .name = {"scan", 4},
                                  .bytes = {"\x00\x12\xab\xff\n", 5},
                                  .files = files,
                                  .file_count = 2,
                                  .lines = lines,
                                  .line_count = 4};
}

/* A profile with notes; a value of NULL: that of the code above. */
static struct flm_profile *noted(const char *const notes[][2], size_t count, struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    const struct flm_kept_code code = code_of(0);
    struct flm_text value = {0};
    if (!b)
        return NULL;
    flm_kept_code_write(&code, &value);
    if (value.failed)
        flm_builder_fail_memory(b);
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes text =
            notes[i][1] ? flm_bytes_of(notes[i][1]) : (struct flm_bytes){value.at, value.size};
        flm_builder_note(b, notes[i][0], text.at, text.size);
    }
    flm_text_clear(&value);
    return flm_builder_finish(b, why);
}

static void code_is_read_as_it_was_written(void **state)
{
    (void)state;
    static const uint64_t start = 0x12007f3400001000;
    struct flm_builder *b = flm_builder_new(NULL);
    const struct flm_kept_code code = code_of(start);
    struct flm_text value = {0};
    flm_kept_code_write(&code, &value);
    assert_true(flm_bytes_are((struct flm_bytes){value.at, value.size},
                              "machine arm64\nname scan\nfile /srv/app.js\nfile /srv/a b.js\n"
                              "lines 0:12 @1 2:8 0:0 @0 2:13\ncode 0012abff0a"));
    flm_kept_code_note(b, start, (struct flm_bytes){value.at, value.size});
    flm_text_clear(&value);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_kept_codes *all = flm_kept_codes_new(p, NULL);
    assert_int_equal(flm_kept_codes_count(all), 1);
    assert_null(flm_kept_codes_find(all, start - 1));
    assert_null(flm_kept_codes_find(all, start + 5));
    assert_null(flm_kept_codes_find(all, 0x7f3400001000));
    const struct flm_kept_code *found = flm_kept_codes_find(all, start + 4);
    assert_non_null(found);
    assert_true(found->start == start && found->machine == FLM_MACHINE_ARM64);
    assert_true(flm_bytes_equal(found->name, code.name) &&
                flm_bytes_equal(found->bytes, code.bytes));
    assert_int_equal(found->file_count, 2);
    assert_true(flm_bytes_are(found->files[1], "/srv/a b.js"));
    assert_int_equal(found->line_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(found->lines[i].offset, lines[i].offset);
        assert_int_equal(found->lines[i].line, lines[i].line);
        assert_true(lines[i].line == 0 || found->lines[i].file == lines[i].file);
    }
    flm_kept_codes_free(all);
    flm_profile_free(p);
}

static void what_is_malformed_is_left_out(void **state)
{
    (void)state;
    static const char *const notes[][2] = {
        {FLM_NOTE_JIT_CODE "0001000000001000", NULL},
        {FLM_NOTE_JIT_CODE "0001000000002000", "code 9"},
        {FLM_NOTE_JIT_CODE "0001000000003000", "code 9x"},
        {FLM_NOTE_JIT_CODE "0001000000004000", "name without code"},
        {FLM_NOTE_JIT_CODE "0001000000005000", "lines 0:1\ncode 90"}, /* of no file */
        {FLM_NOTE_JIT_CODE "0001000000006000", "file a\nlines 0:x\ncode 90"},
        {FLM_NOTE_JIT_CODE "0001000000007000", "file a\nlines @-1 0:1\ncode 90"},
        {FLM_NOTE_JIT_CODE "0001000000008000", "code 90\ncode 90"},
        {FLM_NOTE_JIT_CODE "0001000000009000", "later words\nmachine z\ncode 90"},
        {FLM_NOTE_JIT_CODE "ffffffffffffffff", "code 9090"}, /* beyond the last address */
        {FLM_NOTE_JIT_CODE "nowhere", NULL},
        {"jit codes", "code 90"},
    };
    struct flm_profile *p = noted(notes, sizeof notes / sizeof *notes, NULL);
    struct flm_kept_codes *all = flm_kept_codes_new(p, NULL);
    assert_int_equal(flm_kept_codes_count(all), 2);
    assert_non_null(flm_kept_codes_find(all, 0x0001000000001000));
    const struct flm_kept_code *found = flm_kept_codes_find(all, 0x0001000000009000);
    assert_non_null(found);
    assert_true(found->machine == FLM_MACHINE_OTHER && found->name.size == 0);
    flm_kept_codes_free(all);
    flm_profile_free(p);
}

static void keys_that_do_not_ascend_are_left_out(void **state)
{
    (void)state;
    static const char *const notes[][2] = {{FLM_NOTE_JIT_CODE "12", NULL},
                                           {FLM_NOTE_JIT_CODE "3", NULL}};
    struct flm_profile *p = noted(notes, 2, NULL);
    struct flm_kept_codes *all = flm_kept_codes_new(p, NULL);
    assert_int_equal(flm_kept_codes_count(all), 1);
    flm_kept_codes_free(all);
    flm_profile_free(p);
}

static void what_is_called_is_known_where_one_process_has_it(void **state)
{
    (void)state;
    static const char *const notes[][2] = {{FLM_NOTE_JIT_CODE "0001000000001000", NULL},
                                           {FLM_NOTE_JIT_CODE "0002000000002000", NULL},
                                           {FLM_NOTE_JIT_CODE "0003000000002004", NULL}};
    struct flm_profile *p = noted(notes, 3, NULL);
    struct flm_kept_codes *all = flm_kept_codes_new(p, NULL);
    assert_true(flm_kept_codes_called(all, 0x1004) == flm_kept_codes_find(all, 0x1000000001000));
    assert_non_null(flm_kept_codes_called(all, 0x2003));
    assert_null(flm_kept_codes_called(all, 0x2004)); /* two have it */
    assert_null(flm_kept_codes_called(all, 0x1005));
    flm_kept_codes_free(all);
    flm_profile_free(p);
}

static void other_code_has_another_number(void **state)
{
    (void)state;
    struct flm_kept_code code = code_of(0x7f3400001000), other = code;
    uint64_t tag = flm_kept_code_tag(&code);
    assert_true(tag > 0 && tag >> 63 == 0 && flm_kept_code_address(tag) == 0);
    assert_true(flm_kept_code_address(tag | code.start) == code.start);
    other.bytes.at = "\x01\x12\xab\xff\n";
    assert_true(flm_kept_code_tag(&other) != tag);
    other = code;
    other.name.size--;
    assert_true(flm_kept_code_tag(&other) != tag);
    other = code;
    other.start++;
    assert_true(flm_kept_code_tag(&other) != tag);
    /* Each number is followed by another one, and none is 0. */
    uint64_t next = tag;
    for (size_t i = 0; i < 0x7FFE; i++) {
        next = flm_kept_code_next_tag(next);
        assert_true(next != tag && next >> 48 >= 1 && next >> 63 == 0);
    }
    assert_true(flm_kept_code_next_tag(next) == tag);
    /* The kernel's addresses, and those of files, are what they are. */
    assert_true(flm_kept_code_address(0xffffffff81000000) == 0xffffffff81000000);
    assert_true(flm_kept_code_address(0x51f0) == 0x51f0);
}

static bool read_all(void *context, struct flm_error *why)
{
    static const char *const notes[][2] = {{FLM_NOTE_JIT_CODE "0001000000001000", NULL},
                                           {FLM_NOTE_JIT_CODE "0001000000002000", "code 9"},
                                           {FLM_NOTE_JIT_CODE "0002000000002000", NULL}};
    (void)context;
    struct flm_profile *p = noted(notes, 3, why);
    struct flm_kept_codes *all = p ? flm_kept_codes_new(p, why) : NULL;
    assert_true(!all || flm_kept_codes_count(all) == 2);
    bool good = all != NULL;
    flm_kept_codes_free(all);
    flm_profile_free(p);
    return good;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(read_all, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_read_as_it_was_written),
        cmocka_unit_test(what_is_malformed_is_left_out),
        cmocka_unit_test(keys_that_do_not_ascend_are_left_out),
        cmocka_unit_test(what_is_called_is_known_where_one_process_has_it),
        cmocka_unit_test(other_code_has_another_number),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
