#include "format/valgrind/frame_line.h"

#include "profile/internal.h"
#include "support/profile/perf_reading.h"

static void frame_is(const char *text, const char *function, const char *module, const char *file,
                     uint32_t line, uint32_t flags)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    b->locations = FLM_LOCATIONS_AS_LINES;
    struct flm_frame index = flm_valgrind_frame(b, flm_bytes_of(text));
    struct flm_frame_record frame = b->interner.frames[index.index];
    assert_true(flm_bytes_are(flm_interner_text(&b->interner, frame.function), function));
    assert_true(flm_bytes_are(flm_interner_text(&b->interner, frame.module), module));
    assert_true(flm_bytes_are(flm_interner_text(&b->interner, frame.file), file));
    assert_int_equal(frame.line, line);
    assert_int_equal(frame.flags, flags);
    flm_builder_free(b);
}

static void they_have_a_place_or_a_module(void **state)
{
    (void)state;
    frame_is("0x4004A1D: call_init (dl-init.c:74)", "call_init", "", "dl-init.c", 74, 0);
    frame_is("0x48: f(int) (in /lib/a.so)", "f(int)", "/lib/a.so", "", 0, 0);
    frame_is("0x48: f(int)", "f(int)", "", "", 0, 0);
    frame_is("0x48: operator() (a.h)", "operator()", "", "a.h", 0, 0);
    frame_is("0x48: ???", "???", "", "", 0, FLM_FRAME_UNSYMBOLIZED);
    frame_is("(heap allocation functions) malloc", "(heap allocation functions) malloc", "", "", 0,
             0);
    frame_is("in 3 places, all below", "in 3 places, all below", "", "", 0, 0);
    frame_is("", "", "", "", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_have_a_place_or_a_module)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
