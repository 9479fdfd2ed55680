/* Which modules have another name in the other profile. */
#include "algebra/compare/renamed_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"

enum { MOST = 8 };

/* "/bin/old main parse lex", ...: a module with its functions each; "+0x10" has no symbol. */
struct side {
    struct flm_profile *p;
    uint32_t string[MOST];
    struct flm_unmatched_paths paths;
};

static void make(struct side *s, const char *const *modules)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    size_t count = 0;
    for (; modules[count]; count++) {
        const char *name = modules[count], *at = name + strcspn(name, " ");
        size_t size = (size_t)(at - name);
        while (*at == ' ') {
            size_t length = strcspn(++at, " ");
            const struct flm_frame_record record = {
                .function = flm_builder_string(b, at, length).index,
                .module = flm_builder_string(b, name, size).index,
                .flags = *at == '+' ? FLM_FRAME_UNSYMBOLIZED : 0,
            };
            struct flm_node node =
                flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
            flm_builder_add(b, node, metric, 1);
            at += length;
        }
    }
    s->p = flm_builder_finish(b, NULL);
    assert_non_null(s->p);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < s->p->sizes.string_count; k++) {
            struct flm_bytes text = flm_string_bytes(s->p, k);
            if (text.size == strcspn(modules[i], " ") &&
                memcmp(text.at, modules[i], text.size) == 0)
                s->string[i] = k;
        }
    s->paths = (struct flm_unmatched_paths){s->p, s->string, (uint32_t)count};
}

static uint32_t module_of(const struct flm_frame_record *frame)
{
    return frame->module;
}

/* `expected`: for each module before, the number of its partner after, or '-'. */
static void assert_pairs(const char *const *before, const char *const *after, const char *expected)
{
    struct side own = {0}, other = {0};
    uint32_t partner[MOST];
    char found[MOST + 1] = "";
    make(&own, before);
    make(&other, after);
    assert_true(flm_renamed_paths_find(&own.paths, &other.paths, module_of, partner));
    for (uint32_t i = 0; i < own.paths.count; i++)
        found[i] = (char)(partner[i] == FLM_NONE ? '-' : '0' + (int)partner[i]);
    assert_string_equal(found, expected);
    flm_profile_free(own.p);
    flm_profile_free(other.p);
}

#define MODULES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_program_is_known_by_its_functions(void **state)
{
    (void)state;
    assert_pairs(MODULES("/bin/old main parse lex"), MODULES("/bin/new main parse lex emit"), "0");
    assert_pairs(MODULES("/a/old main parse lex", "/a/tool main read write"),
                 MODULES("/b/kit main read write", "/b/new main parse lex"), "10");
}

static void few_functions_tell_nothing(void **state)
{
    (void)state;
    assert_pairs(MODULES("/bin/old main parse"), MODULES("/bin/new main parse"), "-");
    /* Three of seven. */
    assert_pairs(MODULES("/bin/old main parse lex a b c d"),
                 MODULES("/bin/new main parse lex e f g h"), "-");
    /* Three of six. */
    assert_pairs(MODULES("/bin/old main parse lex a b c"),
                 MODULES("/bin/new main parse lex e f g h"), "0");
}

static void of_two_that_are_equally_near_it_is_none(void **state)
{
    (void)state;
    assert_pairs(MODULES("/bin/old main parse lex"),
                 MODULES("/bin/new main parse lex", "/bin/newer main parse lex"), "-");
    assert_pairs(MODULES("/bin/old main parse lex"),
                 MODULES("/bin/new main parse lex", "/bin/newer main parse"), "0");
}

static void frames_without_a_symbol_do_not_count(void **state)
{
    (void)state;
    assert_pairs(MODULES("/bin/old main +0x10 +0x20"), MODULES("/bin/new main +0x10 +0x20"), "-");
}

static void libraries_keep_their_names(void **state)
{
    (void)state;
    assert_pairs(MODULES("/lib/libz.so.1.2.13 deflate inflate crc32"),
                 MODULES("/lib/libz.so.1.3 deflate inflate crc32"), "0");
    assert_pairs(MODULES("/lib/libpython3.11.so.1.0 a b c"), MODULES("/lib/libpython3.12.so a b c"),
                 "0");
    assert_pairs(MODULES("/lib/libjemalloc.so.2 malloc free calloc"),
                 MODULES("/lib/libtcmalloc.so.4 malloc free calloc"), "-");
    assert_pairs(MODULES("/lib/libz.so.1 deflate inflate crc32"),
                 MODULES("/bin/app deflate inflate crc32"), "-");
    assert_pairs(MODULES("[xfs] read write sync"), MODULES("[ext4] read write sync"), "-");
}

static bool finds_with_little_memory(void *context, struct flm_error *why)
{
    const struct side *sides = context;
    uint32_t partner[MOST];
    return flm_renamed_paths_find(&sides[0].paths, &sides[1].paths, module_of, partner) ||
           flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct side sides[2] = {{0}};
    make(&sides[0], MODULES("/bin/old main parse lex"));
    make(&sides[1], MODULES("/bin/new main parse lex", "/bin/tool main"));
    assert_survives_failures(finds_with_little_memory, sides);
    flm_profile_free(sides[0].p);
    flm_profile_free(sides[1].p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_known_by_its_functions),
        cmocka_unit_test(few_functions_tell_nothing),
        cmocka_unit_test(of_two_that_are_equally_near_it_is_none),
        cmocka_unit_test(frames_without_a_symbol_do_not_count),
        cmocka_unit_test(libraries_keep_their_names),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
