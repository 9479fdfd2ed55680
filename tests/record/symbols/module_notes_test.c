/* The notes of recordings that say which builds of their modules were recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "format/core/mapped.h"
#include "profile/columns.h"
#include "record/symbols/internal.h"

static size_t count_notes(const struct flm_profile *p, bool *with_ranges)
{
    size_t count = 0;
    *with_ranges = false;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes value = flm_string_bytes(p, p->notes[i].value), rest = value;
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        struct flm_mapped range;
        struct flm_build_id id;
        if (!flm_bytes_start_with(key, FLM_NOTE_MAPPED))
            continue;
        assert_true(flm_build_id_parse(flm_mapped_id(value), &id) && id.size > 0);
        *with_ranges |= !flm_bytes_contain(key, "[kernel") && flm_mapped_next(&rest, &range);
        count++;
    }
    return count;
}

static void a_recording_says_which_builds_it_is_of(void **state)
{
    (void)state;
    struct flm_error why;
    const struct flm_load_options options = {.size = sizeof options};
    struct flm_profile *p = flm_load("tests/data/perf_data/fp.data", &options, &why);
    bool with_ranges;
    assert_non_null(p);
    assert_true(count_notes(p, &with_ranges) > 0);
    assert_false(with_ranges); /* names were looked up: nobody should do it again */
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_says_which_builds_it_is_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
