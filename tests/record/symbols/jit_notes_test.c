/* Machine code of JIT compilers, kept in the profiles of recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "code/kept_code.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/record/scenario.h"

/* A jitdump, in our byte order. */
static void add32(struct flm_text *dump, uint32_t value)
{
    flm_text_add(dump, (struct flm_bytes){(const char *)&value, sizeof value});
}

static void add64(struct flm_text *dump, uint64_t value)
{
    flm_text_add(dump, (struct flm_bytes){(const char *)&value, sizeof value});
}

static void add_header(struct flm_text *dump)
{
    const uint32_t words[] = {0x4A695444, 1, 40, 62, 0, 20, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add32(dump, words[i]);
}

/* Code of `size` equal bytes; with a line at its start. */
static void add_code(struct flm_text *dump, uint64_t time, uint64_t start, uint32_t size, char byte,
                     const char *name, uint32_t line)
{
    add32(dump, 2);
    add32(dump, 16 + 16 + 16 + 5);
    add64(dump, time);
    add64(dump, start);
    add64(dump, 1);
    add64(dump, start);
    add32(dump, line);
    add32(dump, 0);
    flm_text_add(dump, (struct flm_bytes){"/a.c", 5});
    add32(dump, 0);
    add32(dump, (uint32_t)(16 + 40 + strlen(name) + 1 + size));
    add64(dump, time);
    add32(dump, 20);
    add32(dump, 20);
    add64(dump, start);
    add64(dump, start);
    add64(dump, size);
    add64(dump, start);
    flm_text_add(dump, (struct flm_bytes){name, strlen(name) + 1});
    flm_text_repeat(dump, byte, size);
}

#define SECOND 1000000000ull

static void map_dump(struct scenario *t, int process, const char *file, const struct flm_text *dump)
{
    const char *path = write_temporary(file, (struct flm_bytes){dump->at, dump->size});
    put_name(&t->records, process, process, SECOND, "app", true);
    put_map(&t->records, process, SECOND, 0x7f0000000000, 0x1000, 0, path);
}

static void sample(struct scenario *t, int process, uint64_t time, uint64_t address)
{
    const uint64_t chain[] = {(uint64_t)-512 /* user */, address};
    put_sample(&t->records, process, process, time, chain, 2);
}

static struct flm_kept_codes *codes_of(const struct flm_profile *p)
{
    struct flm_kept_codes *codes = flm_kept_codes_new(p, NULL);
    assert_non_null(codes);
    return codes;
}

/* The address that the only location of a function has. */
static uint64_t address_of(const struct flm_profile *p, const char *function)
{
    uint32_t location = 0;
    uint64_t address = 0;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        if (flm_bytes_are(flm_string_bytes(p, p->frames[i].function), function)) {
            assert_int_equal(p->frame_locations[i], 1);
            address = p->location_address[location];
        }
        location += p->frame_locations[i];
    }
    return address;
}

/* `first` until 10 s, then `second` at the same address; `other` there in another process. */
static void tell(struct scenario *t)
{
    struct flm_text one = {0}, two = {0};
    scenario_init(t);
    t->options.locations = true;
    add_header(&one);
    add_code(&one, 2 * SECOND, 0x5000, 32, '\x90', "first", 11);
    add_code(&one, 10 * SECOND, 0x5000, 32, '\xCC', "second", 12);
    add_code(&one, 2 * SECOND, 0x6000, 32, '\xCC', "idle", 13);
    add_header(&two);
    add_code(&two, 2 * SECOND, 0x5000, 32, '\xC3', "other", 14);
    map_dump(t, 20, "jit-20.dump", &one);
    map_dump(t, 21, "jit-21.dump", &two);
    flm_text_clear(&one);
    flm_text_clear(&two);
    sample(t, 20, 5 * SECOND, 0x5004);
    sample(t, 20, 5 * SECOND + 1, 0x5004);
    sample(t, 21, 6 * SECOND, 0x5004);
    sample(t, 20, 15 * SECOND, 0x5004);
}

static void assert_code(const struct flm_kept_codes *codes, const struct flm_profile *p,
                        const char *function, char byte, uint32_t line)
{
    uint64_t address = address_of(p, function);
    const struct flm_kept_code *code = flm_kept_codes_find(codes, address);
    assert_non_null(code);
    assert_int_equal(flm_kept_code_address(address), 0x5004);
    assert_int_equal(flm_kept_code_address(code->start), 0x5000);
    assert_true(flm_bytes_are(code->name, function));
    assert_true(code->machine == FLM_MACHINE_X86_64);
    assert_int_equal(code->bytes.size, 32);
    for (size_t i = 0; i < 32; i++)
        assert_true(code->bytes.at[i] == byte);
    assert_int_equal(code->line_count, 1);
    assert_true(code->lines[0].line == line && flm_bytes_are(code->files[0], "/a.c"));
}

static void code_at_one_address_is_kept_by_time_and_process(void **state)
{
    (void)state;
    struct scenario t;
    tell(&t);
    struct flm_profile *p = scenario_profile(&t);
    struct flm_kept_codes *codes = codes_of(p);
    assert_int_equal(flm_kept_codes_count(codes), 3); /* not that without samples */
    assert_code(codes, p, "first", '\x90', 11);
    assert_code(codes, p, "second", '\xCC', 12);
    assert_code(codes, p, "other", '\xC3', 14);
    assert_true(self_of(p, "samples", "first") == 2);
    assert_true(flm_profile_note(p, FLM_NOTE_JIT_CODE_LEFT_OUT).size == 0);
    flm_kept_codes_free(codes);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* As on another machine than the one it was recorded on. */
static void a_jitdump_is_found_in_a_folder_of_symbols(void **state)
{
    (void)state;
    struct flm_text dump = {0};
    struct scenario t;
    char dir[512];
    scenario_init(&t);
    add_header(&dump);
    add_code(&dump, 2 * SECOND, 0x5000, 32, '\x90', "found", 11);
    snprintf(dir, sizeof dir, "%s",
             write_temporary("jit-20.dump", (struct flm_bytes){dump.at, dump.size}));
    *strrchr(dir, '/') = 0;
    flm_text_clear(&dump);
    const char *const dirs[] = {"/nowhere", dir};
    t.options.symbols.symbol_dirs = dirs;
    t.options.symbols.symbol_dir_count = 2;
    put_name(&t.records, 20, 20, SECOND, "app", true);
    put_map(&t.records, 20, SECOND, 0x7f0000000000, 0x1000, 0, "/elsewhere/jit-20.dump");
    sample(&t, 20, 5 * SECOND, 0x5004);
    struct flm_profile *p = scenario_profile(&t);
    assert_true(self_of(p, "samples", "found") == 1);
    flm_profile_free(p);
    scenario_clear(&t);
}

static void recordings_without_locations_keep_none(void **state)
{
    (void)state;
    struct scenario t;
    tell(&t);
    t.options.locations = false;
    struct flm_profile *p = scenario_profile(&t);
    struct flm_kept_codes *codes = codes_of(p);
    assert_int_equal(flm_kept_codes_count(codes), 0);
    flm_kept_codes_free(codes);
    flm_profile_free(p);
    scenario_clear(&t);
}

/* Seven functions, of which five have room; the last one has most samples, and one is too large by
 * itself. */
static void the_functions_with_most_samples_are_kept(void **state)
{
    (void)state;
    enum { COUNT = 7, SIZE = 100 << 10 };
    static const char *const names[COUNT] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6"};
    struct flm_text dump = {0};
    struct scenario t;
    scenario_init(&t);
    t.options.locations = true;
    add_header(&dump);
    for (uint32_t i = 0; i < COUNT; i++)
        add_code(&dump, 2 * SECOND, (uint64_t)(i + 1) << 20,
                 i == 3 ? FLM_KEPT_CODE_MOST_OF_ONE + 1 : SIZE, (char)i, names[i], 1);
    map_dump(&t, 20, "jit-20.dump", &dump);
    flm_text_clear(&dump);
    for (uint64_t i = 0; i < COUNT; i++)
        for (uint64_t k = 0; k <= i; k++)
            sample(&t, 20, 5 * SECOND + 10 * i + k, ((i + 1) << 20) + 4);
    struct flm_profile *p = scenario_profile(&t);
    struct flm_kept_codes *codes = codes_of(p);
    assert_int_equal(flm_kept_codes_count(codes), 5);
    assert_true(flm_bytes_are(flm_profile_note(p, FLM_NOTE_JIT_CODE_LEFT_OUT), "2"));
    for (uint64_t i = 0; i < COUNT; i++) {
        bool is_kept = i != 0 && i != 3;
        assert_true((flm_kept_codes_called(codes, ((i + 1) << 20) + 4) != NULL) == is_kept);
        assert_true(flm_kept_code_address(address_of(p, names[i])) == ((i + 1) << 20) + 4);
    }
    flm_kept_codes_free(codes);
    flm_profile_free(p);
    scenario_clear(&t);
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_profile *p = scenario_try(context, why);
    bool good = p != NULL;
    flm_profile_free(p);
    return good;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    struct scenario t;
    tell(&t);
    assert_true(assert_survives_failures(make, &t) > 20);
    scenario_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_at_one_address_is_kept_by_time_and_process),
        cmocka_unit_test(a_jitdump_is_found_in_a_folder_of_symbols),
        cmocka_unit_test(recordings_without_locations_keep_none),
        cmocka_unit_test(the_functions_with_most_samples_are_kept),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
