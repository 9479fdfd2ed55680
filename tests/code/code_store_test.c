#include "code/code_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* 10:  mov    (%rdi),%eax    table.c:9
 * 12:  jmp    0x60           key.h:3, of same(), inlined at table.c:10
 * 60:  call   *0x100(%rip)   table.c:11
 * 66:  .byte  0x06           not known */
static const struct flm_bytes files[] = {TEXT("table.c"), TEXT("key.h")};
static const struct flm_code_inlined inlined[] = {{TEXT("same"), FLM_CODE_NONE, 0, 10}};
static const struct flm_code_instruction instructions[] = {
    {.address = 0x10,
     .size = 2,
     .code = TEXT("\x8b\x07"),
     .text = TEXT("mov    (%rdi),%eax"),
     .file = 0,
     .line = 9,
     .inlined = FLM_CODE_NONE},
    {.address = 0x12,
     .size = 2,
     .kind = FLM_INSTRUCTION_JUMP,
     .has_place = true,
     .leads = true,
     .place = 0x60,
     .code = TEXT("\xeb\x4c"),
     .text = TEXT("jmp    0x60"),
     .target = TEXT("find+0x50"),
     .file = 1,
     .line = 3,
     .inlined = 0},
    {.address = 0x60,
     .size = 6,
     .kind = FLM_INSTRUCTION_CALL,
     .has_place = true,
     .place = 0x166,
     .text = TEXT("call   *0x100(%rip)"),
     .target = TEXT("memcmp@plt"),
     .file = 0,
     .line = 11,
     .inlined = FLM_CODE_NONE},
    {.address = 0x66,
     .size = 1,
     .kind = FLM_INSTRUCTION_DATA,
     .code = TEXT("\x06"),
     .text = TEXT(".byte  0x06"),
     .file = FLM_CODE_NONE,
     .inlined = FLM_CODE_NONE},
};
static const struct flm_code_function find = {.name = TEXT("find"),
                                              .module = TEXT("app"),
                                              .status = TEXT(""),
                                              .machine = TEXT("x86-64"),
                                              .instructions = instructions,
                                              .instruction_count = 4,
                                              .files = files,
                                              .file_count = 2,
                                              .inlined = inlined,
                                              .inlined_count = 1};
static const struct flm_code_function sort = {.name = TEXT("sort"),
                                              .module = TEXT("libc.so.6"),
                                              .status = TEXT("its file is not here"),
                                              .machine = TEXT("")};
static const struct flm_code_file table = {.name = TEXT("table.c"),
                                           .path = TEXT("/src/table.c"),
                                           .status = TEXT("changed after the recording"),
                                           .is_doubtful = true,
                                           .text = TEXT("a\nb\n\nlast")};
static const struct flm_code_file missing = {
    .name = TEXT("key.h"), .path = TEXT(""), .status = TEXT("looked for in src"), .text = TEXT("")};

static bool fill(struct flm_code_store *store, struct flm_error *why)
{
    return flm_code_store_add_file(store, &table, why) &&
           flm_code_store_add_file(store, &missing, why) &&
           flm_code_store_add_function(store, &find, why) &&
           flm_code_store_add_function(store, &sort, why);
}

static struct flm_code_store *filled(void)
{
    struct flm_code_store *store = flm_code_store_new(NULL);
    assert_non_null(store);
    assert_true(fill(store, NULL));
    return store;
}

static void assert_same(struct flm_bytes a, struct flm_bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_true(flm_bytes_equal(a, b));
}

static void assert_instruction(const struct flm_code_instruction *a,
                               const struct flm_code_instruction *b)
{
    assert_true(a->address == b->address && a->size == b->size && a->kind == b->kind);
    assert_true(a->has_place == b->has_place && a->leads == b->leads && a->place == b->place);
    assert_same(a->code, b->code);
    assert_same(a->text, b->text);
    assert_same(a->target, b->target);
    assert_true(a->file == b->file && a->line == b->line && a->inlined == b->inlined);
}

static void assert_filled(const struct flm_code_store *store)
{
    const struct flm_code_file *file = flm_code_store_file(store, table.name);
    assert_non_null(file);
    assert_same(file->path, table.path);
    assert_same(file->status, table.status);
    assert_same(file->text, table.text);
    assert_true(file->is_doubtful);
    const struct flm_line_index *lines = flm_code_store_lines(store, table.name);
    assert_int_equal(lines->count, 4);
    assert_same(flm_line_index_get(lines, 4), flm_bytes_of("last"));
    assert_same(flm_code_store_file(store, missing.name)->status, missing.status);
    assert_null(flm_code_store_file(store, flm_bytes_of("other.c")));
    assert_null(flm_code_store_lines(store, flm_bytes_of("other.c")));

    const struct flm_code_function *f = flm_code_store_function(store, find.name, find.module);
    assert_non_null(f);
    assert_same(f->machine, find.machine);
    assert_int_equal(f->instruction_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_instruction(&f->instructions[i], &instructions[i]);
    assert_int_equal(f->file_count, 2);
    assert_same(f->files[1], files[1]);
    assert_int_equal(f->inlined_count, 1);
    assert_same(f->inlined[0].function, inlined[0].function);
    assert_true(f->inlined[0].caller == FLM_CODE_NONE && f->inlined[0].line == 10);
    assert_same(flm_code_store_function(store, sort.name, sort.module)->status, sort.status);
    assert_null(flm_code_store_function(store, find.name, sort.module));
}

static void a_store_has_what_was_added(void **state)
{
    (void)state;
    struct flm_code_store *store = filled();
    assert_filled(store);
    assert_int_equal(flm_code_store_file_count(store), 2);
    assert_int_equal(flm_code_store_function_count(store), 2);
    assert_same(flm_code_store_function_at(store, 1)->name, sort.name);
    flm_code_store_free(store);
}

static void what_is_added_again_is_replaced(void **state)
{
    (void)state;
    struct flm_code_store *store = filled();
    struct flm_code_function again = sort;
    again.status = flm_bytes_of("found");
    struct flm_code_file file = missing;
    file.text = flm_bytes_of("one\ntwo\n");
    assert_true(flm_code_store_add_function(store, &again, NULL));
    assert_true(flm_code_store_add_file(store, &file, NULL));
    assert_int_equal(flm_code_store_file_count(store), 2);
    assert_int_equal(flm_code_store_function_count(store), 2);
    assert_same(flm_code_store_function(store, sort.name, sort.module)->status, again.status);
    assert_int_equal(flm_code_store_lines(store, missing.name)->count, 2);
    flm_code_store_free(store);
}

static void an_instruction_is_found_by_address(void **state)
{
    (void)state;
    assert_int_equal(flm_code_instruction_from(&find, 0), 0);
    assert_int_equal(flm_code_instruction_from(&find, 0x10), 0);
    assert_int_equal(flm_code_instruction_from(&find, 0x11), 0);
    assert_int_equal(flm_code_instruction_from(&find, 0x12), 1);
    assert_int_equal(flm_code_instruction_from(&find, 0x14), 2);
    assert_int_equal(flm_code_instruction_from(&find, 0x66), 3);
    assert_int_equal(flm_code_instruction_from(&find, 0x67), 4);
    assert_int_equal(flm_code_instruction_from(&sort, 0), 0);
}

static struct flm_text bytes_of(const struct flm_code_store *store)
{
    struct flm_text bytes = {0};
    assert_true(flm_code_store_write(store, &bytes, NULL));
    return bytes;
}

static void bytes_hold_all_of_it(void **state)
{
    (void)state;
    struct flm_code_store *store = filled(), *read = flm_code_store_new(NULL);
    struct flm_text bytes = bytes_of(store);
    struct flm_error why = {0};
    assert_non_null(read);
    if (!flm_code_store_read(read, (struct flm_bytes){bytes.at, bytes.size}, &why))
        fail_msg("%s", why.text);
    assert_filled(read);
    struct flm_text again = bytes_of(read);
    assert_same((struct flm_bytes){again.at, again.size}, (struct flm_bytes){bytes.at, bytes.size});
    flm_text_clear(&again);
    flm_text_clear(&bytes);
    flm_code_store_free(read);
    flm_code_store_free(store);
}

/* The one function with one instruction, by hand; so other versions of flamel read it. */
static void bytes_are_those_that_are_described(void **state)
{
    (void)state;
    static const char expected[] = "flamelcode1\n"
                                   "\4\1f\1m\3x86\3ret" /* strings */
                                   "\0"                 /* files */
                                   "\1"                 /* functions */
                                   "\1\2\0\3"           /* f, m, no status, x86 */
                                   "\0\0"               /* no files, none inlined */
                                   "\1"                 /* instructions */
                                   "\3\24"              /* 1 byte; a return behind a gap */
                                   "\200\2"             /* from 0x100 */
                                   "\4\xc3";            /* ret */
    const struct flm_code_instruction ret = {.address = 0x100,
                                             .size = 1,
                                             .kind = FLM_INSTRUCTION_RETURN,
                                             .code = TEXT("\xc3"),
                                             .text = TEXT("ret"),
                                             .file = FLM_CODE_NONE,
                                             .inlined = FLM_CODE_NONE};
    const struct flm_code_function f = {.name = TEXT("f"),
                                        .module = TEXT("m"),
                                        .machine = TEXT("x86"),
                                        .instructions = &ret,
                                        .instruction_count = 1};
    struct flm_code_store *store = flm_code_store_new(NULL);
    assert_non_null(store);
    assert_true(flm_code_store_add_function(store, &f, NULL));
    struct flm_text bytes = bytes_of(store);
    assert_int_equal(bytes.size, sizeof expected - 1);
    assert_memory_equal(bytes.at, expected, bytes.size);
    flm_text_clear(&bytes);
    flm_code_store_free(store);
}

/* In memory of its own, so that a read behind its end is seen. */
static bool reads(const char *at, size_t size, struct flm_error *why)
{
    struct flm_code_store *store = flm_code_store_new(NULL);
    char *own = malloc(size + 1);
    assert_true(store && own);
    memcpy(own, at, size);
    bool good = flm_code_store_read(store, (struct flm_bytes){own, size}, why);
    if (!good)
        assert_int_equal(flm_code_store_file_count(store) + flm_code_store_function_count(store),
                         0);
    free(own);
    flm_code_store_free(store);
    return good;
}

static void bytes_that_are_cut_or_longer_are_refused(void **state)
{
    (void)state;
    struct flm_code_store *store = filled();
    struct flm_text bytes = bytes_of(store);
    for (size_t size = 0; size < bytes.size; size++) {
        struct flm_error why = {0};
        assert_false(reads(bytes.at, size, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
    struct flm_error why = {0};
    flm_text_putc(&bytes, 0);
    assert_false(reads(bytes.at, bytes.size, &why));
    assert_non_null(strstr(why.text, "more bytes than were announced"));
    flm_text_clear(&bytes);
    flm_code_store_free(store);
}

/* Whatever byte is another: it is read or refused. */
static void damaged_bytes_are_no_danger(void **state)
{
    (void)state;
    struct flm_code_store *store = filled();
    struct flm_text bytes = bytes_of(store);
    size_t refused = 0;
    for (size_t i = 0; i < bytes.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.at[i] ^= (char)(1 << bit);
            refused += !reads(bytes.at, bytes.size, NULL);
            bytes.at[i] ^= (char)(1 << bit);
        }
    assert_true(refused > bytes.size);
    flm_text_clear(&bytes);
    flm_code_store_free(store);
}

/* The function with another instruction. */
static void assert_broken(size_t index, struct flm_code_instruction changed, const char *reason)
{
    struct flm_code_instruction copy[4];
    struct flm_code_function f = find;
    struct flm_error why = {0};
    memcpy(copy, instructions, sizeof copy);
    copy[index] = changed;
    f.instructions = copy;
    assert_false(flm_code_function_check(&f, &why));
    if (!strstr(why.text, reason))
        fail_msg("'%s' is not '%s'", why.text, reason);
}

static void promises_are_checked(void **state)
{
    (void)state;
    struct flm_code_instruction changed;
    assert_true(flm_code_function_check(&find, NULL));
#define BREAK(index, member, value, reason)                                                        \
    changed = instructions[index];                                                                 \
    changed.member = value;                                                                        \
    assert_broken(index, changed, reason)
    BREAK(1, address, 0x11, "begins in another");
    BREAK(1, address, 0x5, "do not ascend");
    BREAK(3, size, 0, "has no size");
    BREAK(2, address, UINT64_MAX - 2, "does not fit");
    BREAK(3, kind, FLM_INSTRUCTION_KIND_COUNT, "of no kind");
    BREAK(0, leads, true, "leads nowhere");
    BREAK(0, size, 1, "other bytes");
    BREAK(0, file, 2, "file that is not there");
    BREAK(0, inlined, 1, "inlined function that is not there");
#undef BREAK
    const struct flm_code_inlined own[] = {{TEXT("same"), 0, 0, 10}};
    struct flm_code_function called = find;
    called.inlined = own;
    assert_false(flm_code_function_check(&called, NULL));
}

static bool fill_and_copy(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_text bytes = {0};
    struct flm_code_store *store = flm_code_store_new(why), *read = NULL;
    bool good = store && fill(store, why) && flm_code_store_write(store, &bytes, why) &&
                (read = flm_code_store_new(why)) != NULL &&
                flm_code_store_read(read, (struct flm_bytes){bytes.at, bytes.size}, why);
    if (good)
        assert_filled(read);
    flm_text_clear(&bytes);
    flm_code_store_free(read);
    flm_code_store_free(store);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(fill_and_copy, NULL) > 30);
}

/* What the fuzzer begins with. */
static void the_seed_is_a_store(void **state)
{
    (void)state;
    struct flm_code_store *store = filled();
    struct flm_text bytes = bytes_of(store), seed = read_file("tests/data/code_store/find.bin");
    assert_same((struct flm_bytes){seed.at, seed.size}, (struct flm_bytes){bytes.at, bytes.size});
    flm_text_clear(&bytes);
    flm_text_clear(&seed);
    flm_code_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_has_what_was_added),
        cmocka_unit_test(what_is_added_again_is_replaced),
        cmocka_unit_test(an_instruction_is_found_by_address),
        cmocka_unit_test(bytes_hold_all_of_it),
        cmocka_unit_test(bytes_are_those_that_are_described),
        cmocka_unit_test(bytes_that_are_cut_or_longer_are_refused),
        cmocka_unit_test(damaged_bytes_are_no_danger),
        cmocka_unit_test(promises_are_checked),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(the_seed_is_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
