#include "record/v8/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* A heap in this process, of a V8 whose objects look like this: as in node 20, where it matters. */
static const struct flm_v8_metadata metadata = {.map = 0,
                                                .map_type = 12,
                                                .function_shared = 24,
                                                .shared_name = 16,
                                                .shared_script = 32,
                                                .script_name = 16,
                                                .script_source = 8,
                                                .string_length = 12,
                                                .one_byte_chars = 16,
                                                .two_byte_chars = 16,
                                                .external_resource = 16,
                                                .thin_actual = 16,
                                                .cons_first = 16,
                                                .cons_second = 24,
                                                .sliced_parent = 16,
                                                .sliced_offset = 24,
                                                .scope_locals = 2,
                                                .scope_first = 3,
                                                .type_shared = 262,
                                                .type_script = 167,
                                                .type_scope = 261,
                                                .type_bytecode = 191,
                                                .type_undefined = 131,
                                                .type_not_string = 128,
                                                .string_kinds = 7,
                                                .string_one_byte = 8,
                                                .kind_sequential = 0,
                                                .kind_cons = 1,
                                                .kind_external = 2,
                                                .kind_sliced = 3,
                                                .kind_thin = 5};

enum { WORDS = 65536, FUNCTION = 2066 };

struct world {
    uint64_t words[WORDS];
    size_t count;
    struct flm_v8_metadata metadata;
    struct flm_process_memory memory;
    struct flm_v8_heap heap;
};

static struct world *world_new(void)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->metadata = metadata;
    w->memory.process = getpid();
    w->heap = (struct flm_v8_heap){.metadata = &w->metadata, .memory = &w->memory};
    return w;
}

static void world_free(struct world *w)
{
    flm_v8_heap_clear(&w->heap);
    free(w);
}

static uint64_t number(int32_t value)
{
    return (uint64_t)(uint32_t)value << 32;
}

static uint64_t *at(uint64_t object)
{
    return (uint64_t *)(uintptr_t)(object - 1); // NOLINT
}

/* An object of `size` words, behind a map of its own. */
static uint64_t object(struct world *w, uint16_t type, size_t size)
{
    assert_true(w->count + size + 4 < WORDS);
    uint64_t *map = w->words + w->count, *made = map + 2;
    memcpy((char *)map + w->metadata.map_type, &type, sizeof type);
    made[0] = (uint64_t)(uintptr_t)map + 1;
    w->count += 2 + size;
    return (uint64_t)(uintptr_t)made + 1;
}

static uint64_t string(struct world *w, uint16_t type, const void *bytes, uint32_t length)
{
    size_t size = type & 8 ? length : 2 * (size_t)length;
    uint64_t made = object(w, type, 2 + (size + 7) / 8);
    memcpy((char *)at(made) + 12, &length, sizeof length);
    memcpy((char *)at(made) + 16, bytes, size);
    return made;
}

static uint64_t text(struct world *w, const char *bytes)
{
    return string(w, 8, bytes, (uint32_t)strlen(bytes));
}

static uint64_t pair(struct world *w, uint16_t type, uint64_t first, uint64_t second,
                     uint32_t length)
{
    uint64_t made = object(w, type, 4);
    memcpy((char *)at(made) + 12, &length, sizeof length);
    at(made)[2] = first;
    at(made)[3] = second;
    return made;
}

static void assert_string(struct world *w, uint64_t word, const char *expected)
{
    struct flm_text out = {0};
    flm_process_memory_begin(&w->memory, NULL, 0);
    assert_true(flm_v8_string_read(&w->heap, word, 100, &out));
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void strings_of_every_kind_are_read(void **state)
{
    (void)state;
    struct world *w = world_new();
    static const uint16_t wide[] = {'w', 0xF6, 0x20AC, 0xD83D, 0xDE00, 0xDC00, 'x'};
    static const char outside[] = "outside of the heap";
    uint64_t hello = text(w, "hello"), world = text(w, "w\xF6rld");
    assert_string(w, hello, "hello");
    assert_string(w, world, "w\xC3\xB6rld");
    assert_string(w, text(w, ""), "");
    assert_string(w, string(w, 0, wide, 7), "w\xC3\xB6\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBDx");
    uint64_t both = pair(w, 8 | 1, hello, world, 10);
    assert_string(w, both, "hellow\xC3\xB6rld");
    assert_string(w, pair(w, 8 | 1, both, both, 20), "hellow\xC3\xB6rldhellow\xC3\xB6rld");
    assert_string(w, pair(w, 8 | 3, hello, number(1), 3), "ell");
    assert_string(w, pair(w, 8 | 5, hello, 0, 5), "hello");
    assert_string(w, pair(w, 8 | 2, 0, (uint64_t)(uintptr_t)outside, 7), "outside");
    world_free(w);
}

static void what_is_no_string_is_refused(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t hello = text(w, "hello"), loop = pair(w, 8 | 5, 0, 0, 5), deep = hello;
    at(loop)[2] = loop;
    for (int i = 0; i < 100; i++)
        deep = pair(w, 8 | 1, deep, hello, 5);
    const uint64_t bad[] = {0,
                            1,
                            hello + 1,                           /* no object */
                            number(7),                           /* a number */
                            0xFFFFFFFFFFFFFFFDU,                 /* no address */
                            object(w, 200, 4),                   /* of another type */
                            loop,                                /* of itself */
                            pair(w, 8 | 3, hello, number(4), 3), /* beyond its parent */
                            pair(w, 8 | 3, hello, number(-1), 3),
                            pair(w, 8 | 4, hello, 0, 5), /* of an unknown kind */
                            pair(w, 8 | 2, 0, 0, 5)};
    struct flm_text out = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        flm_process_memory_begin(&w->memory, NULL, 0);
        if (flm_v8_string_read(&w->heap, bad[i], 100, &out))
            fail_msg("the %zuth was read", i);
    }
    (void)deep;
    flm_text_clear(&out);
    world_free(w);
}

struct scope {
    int32_t locals;
    uint64_t own_name, inferred; /* 0: none */
    int32_t start, end;
};

static uint64_t scope(struct world *w, struct scope s)
{
    uint64_t made = object(w, 261, 200);
    uint64_t *to = at(made) + 1 + 2;
    *to++ = number(s.locals);
    if (w->metadata.scope_first == 5) {
        *to++ = number(s.start);
        *to++ = number(s.end);
    }
    for (int i = 0; i < (s.locals < 75 ? s.locals : 1); i++)
        *to++ = text(w, "local");
    for (int i = 0; i < s.locals; i++)
        *to++ = number(i);
    *to++ = s.own_name ? s.own_name : number(0);
    *to++ = number(0);
    if (s.inferred)
        *to++ = s.inferred;
    if (w->metadata.scope_first == 3) {
        *to++ = number(s.start);
        *to++ = number(s.end);
    }
    *to = object(w, 261, 8);
    return made;
}

static uint64_t function(struct world *w, uint64_t name, uint64_t script)
{
    uint64_t shared = object(w, 262, 8), made = object(w, FUNCTION, 8);
    at(made)[3] = shared;
    at(shared)[2] = name;
    at(shared)[4] = script;
    return made;
}

static uint64_t script(struct world *w, uint64_t name, const char *source)
{
    uint64_t made = object(w, 167, 8);
    at(made)[1] = text(w, source);
    at(made)[2] = name;
    return made;
}

static void assert_function(struct world *w, uint64_t word, int64_t now_ns, const char *name,
                            const char *file, uint32_t line)
{
    flm_process_memory_begin(&w->memory, NULL, 0);
    const struct flm_v8_function *f = flm_v8_heap_find(&w->heap, word, now_ns);
    assert_non_null(f);
    struct flm_bytes found = flm_v8_function_name(f);
    if (!flm_bytes_are(found, name))
        fail_msg("'%.*s' instead of '%s'", (int)found.size, found.at, name);
    assert_true(flm_bytes_are(flm_v8_function_file(f), file));
    assert_int_equal(f->line, line);
}

static const char source[] = "one\r\ntwo\rthree\nfunction parse() {}";

static void check_functions(int32_t scope_first)
{
    struct world *w = world_new();
    w->metadata.scope_first = scope_first;
    uint64_t file = script(w, text(w, "file:///app/x.mjs"), source), none = object(w, 131, 2);
    uint64_t parse = text(w, "parse");
    static const int32_t locals[] = {0, 1, 74, 75, 90};
    for (size_t i = 0; i < sizeof locals / sizeof locals[0]; i++) {
        struct scope s = {.locals = locals[i], .start = 15, .end = 34};
        s.own_name = parse;
        assert_function(w, function(w, scope(w, s), file), 1, "parse", "/app/x.mjs", 4);
        s.inferred = text(w, "App.parse");
        assert_function(w, function(w, scope(w, s), file), 1, "parse", "/app/x.mjs", 4);
        s.inferred = none;
        s.start = 10;
        assert_function(w, function(w, scope(w, s), file), 1, "parse", "/app/x.mjs", 3);
        s.own_name = 0;
        assert_function(w, function(w, scope(w, s), file), 1, "(anonymous) x.mjs:3:2", "/app/x.mjs",
                        3);
        s.inferred = 0;
        s.start = 0;
        assert_function(w, function(w, scope(w, s), file), 1, "(anonymous) x.mjs:1:1", "/app/x.mjs",
                        1);
        s.inferred = parse;
        assert_function(w, function(w, scope(w, s), file), 1, "parse", "/app/x.mjs", 1);
    }
    /* Its name alone; a script without a name; none. */
    assert_function(w, function(w, parse, file), 1, "parse", "/app/x.mjs", 0);
    assert_function(w, function(w, number(0), file), 1, "(anonymous) x.mjs", "/app/x.mjs", 0);
    assert_function(w, function(w, number(0), script(w, none, "x")), 1, "(anonymous)", "", 0);
    assert_function(w, function(w, parse, none), 1, "parse", "", 0);
    world_free(w);
}

static void functions_have_names_and_places(void **state)
{
    (void)state;
    check_functions(3);
    check_functions(5);
}

/* Lines as ECMAScript counts them, of a source that is read in several pieces, in bytes and in
 * characters of two bytes: each kind of line end, also where a piece ends. */
static void lines_of_long_sources_are_those_that_are_counted_one_by_one(void **state)
{
    (void)state;
    enum { LENGTH = 3 * 16384 + 7, WORD = 12, WIDTHS = 2, PIECE = 16384 };
    static uint16_t wide[LENGTH];
    static char bytes[LENGTH];
    for (unsigned width = 1; width <= WIDTHS; width++) {
        struct world *w = world_new();
        uint32_t seed = 1, line = 1;
        for (uint32_t i = 0; i < LENGTH; i++) {
            static const uint16_t ends[] = {'\n', '\r', 0x2028, 0x2029};
            seed = seed * 1103515245 + 12345;
            bool is_end = (seed >> 16 & 31) == 0, in_first = i < PIECE; /* line feeds */
            is_end |= i % PIECE == PIECE - 1 || i % PIECE == 0;
            wide[i] = is_end ? ends[in_first ? 0 : seed >> 24 & (2 * width - 1)] : 'x';
            bytes[i] = (char)wide[i];
        }
        uint64_t file = object(w, 167, 8);
        at(file)[1] = width == 1 ? string(w, 8, bytes, LENGTH) : string(w, 0, wide, LENGTH);
        at(file)[2] = text(w, "/app/long.js");
        uint64_t name = text(w, "f");
        for (uint32_t i = 0; i + 1 < LENGTH; i++) {
            bool ends =
                wide[i] == '\n' || wide[i] > 255 || (wide[i] == '\r' && wide[i + 1] != '\n');
            line += ends;
            if (i % 997 == 0 || i % PIECE == PIECE - 1 || i % PIECE == PIECE - 2) {
                struct scope s = {
                    .own_name = name, .start = (int32_t)i + 1, .end = (int32_t)i + 1 + WORD};
                uint64_t made = function(w, scope(w, s), file);
                flm_process_memory_begin(&w->memory, NULL, 0);
                const struct flm_v8_function *found = flm_v8_heap_find(&w->heap, made, 1);
                assert_non_null(found);
                assert_int_equal(found->line, line);
            }
        }
        world_free(w);
    }
}

/* Whichever of them is seen first, and however often. */
static void functions_of_one_name_and_line_have_a_column(void **state)
{
    (void)state;
    struct world *w = world_new();
    uint64_t file = script(w, text(w, "/app/min.js"), "let t=()=>1,o={t:()=>2};\nlet t=()=>3");
    uint64_t other = script(w, text(w, "/app/o.js"), "let t=()=>1,o={t:()=>2};\nlet t=()=>3");
    struct scope s = {.own_name = text(w, "t"), .start = 6, .end = 36};
    uint64_t first = function(w, scope(w, s), file), elsewhere = function(w, scope(w, s), other);
    s.start = 17;
    uint64_t second = function(w, scope(w, s), file);
    s.start = 31;
    uint64_t below = function(w, scope(w, s), file);
    assert_function(w, first, 1, "t", "/app/min.js", 1);
    assert_function(w, first, 1, "t", "/app/min.js", 1);
    assert_function(w, below, 1, "t", "/app/min.js", 2);
    uint64_t serial = w->heap.functions.at[0].serial;
    assert_function(w, second, 1, "t min.js:1:18", "/app/min.js", 1);
    assert_function(w, first, 1, "t min.js:1:7", "/app/min.js", 1);
    assert_true(w->heap.functions.at[0].serial != serial);
    assert_function(w, below, 1, "t", "/app/min.js", 2);
    assert_function(w, elsewhere, 1, "t", "/app/o.js", 1);
    s.start = 6; /* the first one once more, where the collector has moved it */
    assert_function(w, function(w, scope(w, s), file), 1, "t min.js:1:7", "/app/min.js", 1);
    world_free(w);
}

static void moved_objects_are_noticed(void **state)
{
    (void)state;
    enum { LATER = 1000000000 };
    struct world *w = world_new();
    uint64_t file = script(w, text(w, "/app/a.js"), source);
    uint64_t f = function(w, text(w, "first"), file), shared = at(f)[3];
    assert_function(w, f, 1, "first", "/app/a.js", 0);
    uint64_t serial = w->heap.functions.at[0].serial;
    assert_function(w, f, LATER, "first", "/app/a.js", 0);
    assert_int_equal(w->heap.functions.at[0].serial, serial);
    at(shared)[2] = text(w, "second"); /* another one is there now */
    assert_function(w, f, 2 * (int64_t)LATER, "second", "/app/a.js", 0);
    assert_true(w->heap.functions.at[0].serial != serial);
    at(shared)[2] = 5; /* neither a number nor an object */
    at(shared)[0] = 1;
    flm_process_memory_begin(&w->memory, NULL, 0);
    assert_null(flm_v8_heap_find(&w->heap, f, 3 * (int64_t)LATER));
    assert_null(flm_v8_heap_find(&w->heap, number(4), 1));
    assert_null(flm_v8_heap_find(&w->heap, file, 1));
    assert_null(flm_v8_heap_find(&w->heap, 0x7FFFFFFFFFF1U, 1));
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_every_kind_are_read),
        cmocka_unit_test(what_is_no_string_is_refused),
        cmocka_unit_test(functions_have_names_and_places),
        cmocka_unit_test(lines_of_long_sources_are_those_that_are_counted_one_by_one),
        cmocka_unit_test(functions_of_one_name_and_line_have_a_column),
        cmocka_unit_test(moved_objects_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
