#include "load/symbolize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/profile/profiles.h"

/* A text of Go's counts with two addresses, both 1 behind that of main, and a map of the memory;
 * the second address is in a module that is nowhere. */
static struct flm_text counts(void)
{
    struct flm_text symbols, text = {0};
    shell("printf 'int main(void)\\n{\\n    return 0;\\n}\\n' > symbolized.c && "
          "cc -g -O0 -no-pie -o symbolized symbolized.c");
    symbols = shell_output("nm symbolized | awk '$3 == \"main\" { print $1 }'");
    flm_text_putc(&symbols, 0);
    unsigned long long address = strtoull(symbols.at, NULL, 16);
    unsigned long long page = address & ~0xFFFull;
    flm_text_format(&text,
                    "goroutine profile: total 5\n5 @ 0x%llx 0x9001\n\n--- Memory map: ---\n"
                    "%llx-%llx r-xp %llx 00:00 1 %s\n9000-a000 r-xp 0 00:00 1 /none/such.so\n",
                    address + 2, page, page + 0x1000, page - 0x400000,
                    temporary_path("symbolized"));
    flm_text_clear(&symbols);
    return text;
}

static void addresses_of_a_program_that_is_there_get_names(void **state)
{
    (void)state;
    struct flm_text text = counts();
    struct flm_error why = {0};
    struct flm_profile *p = flm_load_memory(text.at, text.size, NULL, &why);
    assert_non_null(p);
    assert_sound(p);
    char *folded = folded_of(p);
    assert_string_equal(folded, "0x9000;main 5\n");
    free(folded);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        bool is_main = flm_bytes_are(flm_string_bytes(p, f->function), "main");
        assert_int_equal(f->flags, is_main ? 0 : FLM_FRAME_UNSYMBOLIZED);
        assert_int_equal(flm_bytes_end_with(flm_string_bytes(p, f->file), "symbolized.c"), is_main);
    }
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* A file with another build id than the recorded one is another program. */
static void a_file_with_another_build_id_is_not_used(void **state)
{
    (void)state;
    struct flm_text text = counts(), other = {0};
    flm_text_add(&other, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    char *map = NULL;
    flm_text_putc(&other, 0);
    map = strstr(other.at, "---\n");
    assert_non_null(map);
    unsigned long long start = strtoull(map + 4, NULL, 16);
    struct flm_text made = {0};
    flm_text_add(&made, (struct flm_bytes){other.at, (size_t)(map - other.at) + 4});
    flm_text_format(&made, "%llx-%llx: %s (@%llx) c0ffee00c0ffee00\n", start, start + 0x1000,
                    temporary_path("symbolized"), start - 0x400000);
    struct flm_profile *p = flm_load_memory(made.at, made.size, NULL, NULL);
    assert_non_null(p);
    char *folded = folded_of(p);
    assert_null(strstr(folded, "main"));
    free(folded);
    flm_profile_free(p);
    flm_text_clear(&made);
    flm_text_clear(&other);
}

static void a_profile_with_names_stays_as_it_is(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 5\n");
    assert_ptr_equal(flm_symbolize(p, &(struct flm_load_options){0}, NULL), p);
    flm_profile_free(p);
}

static bool load_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_text *text = context;
    struct flm_profile *p = flm_load_memory(text->at, text->size, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_text text = counts();
    assert_true(assert_survives_failures(load_with_little_memory, &text) > 30);
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_a_program_that_is_there_get_names),
        cmocka_unit_test(a_file_with_another_build_id_is_not_used),
        cmocka_unit_test(a_profile_with_names_stays_as_it_is),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
