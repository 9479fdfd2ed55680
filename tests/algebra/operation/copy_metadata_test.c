#include "algebra/operation/copy_metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"

enum { SIZE = 512 << 10 };

/* A run with machine code of its own, and one function that is in all of them. */
static struct flm_profile *run(unsigned number)
{
    struct flm_builder *b = flm_builder_new(NULL);
    char *code = malloc(SIZE), key[64];
    assert_true(b && code);
    memset(code, 'a' + (int)number, SIZE);
    snprintf(key, sizeof key, FLM_NOTE_JIT_CODE "000100000000%04x", number);
    flm_builder_note(b, key, code, SIZE);
    flm_builder_note(b, FLM_NOTE_JIT_CODE "0000000000000001", "code 90", 7);
    flm_builder_note(b, "host", "here", 4);
    free(code);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void machine_code_of_many_runs_is_bounded(void **state)
{
    (void)state;
    enum { RUNS = 12 };
    struct flm_builder *b = flm_builder_new(NULL);
    for (unsigned i = 0; i < RUNS; i++) {
        struct flm_profile *p = run(i);
        struct flm_carried carried;
        assert_true(flm_copy_strings(b, p, &carried));
        flm_copy_notes(b, p, &carried);
        flm_carried_clear(&carried);
        flm_profile_free(p);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    size_t kept = 0;
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        kept += flm_bytes_start_with(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_JIT_CODE);
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(flm_bytes_contain(flm_string_bytes(p, p->losses[0].what), "machine code"));
    assert_int_equal(kept, 7 + 1); /* the small one takes a part of the room */
    assert_true(p->losses[0].count == RUNS - 7);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_of_many_runs_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
