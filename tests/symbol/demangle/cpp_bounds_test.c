/* Names that would take for ever, or all memory, in other demanglers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/demangled.h"
#include "support/core/failures.h"

static void repeat(struct flm_text *to, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        flm_text_puts(to, text);
}

static void put_substitution(struct flm_text *to, size_t index)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    flm_text_putc(to, 'S');
    if (index > 36)
        flm_text_putc(to, digits[(index - 1) / 36]);
    if (index > 0)
        flm_text_putc(to, digits[(index - 1) % 36]);
    flm_text_putc(to, '_');
}

/* A<int, int>, A<that, that>, A<that, that> ...: each is as long as all before it. They are the
 * substitutions from `first` on, the template is the first. Returns the index of the last. */
static size_t put_doubled(struct flm_text *to, size_t first, size_t levels)
{
    flm_text_puts(to, "1AIiiE");
    for (size_t level = 1; level <= levels; level++) {
        put_substitution(to, first);
        flm_text_puts(to, "I");
        put_substitution(to, first + level);
        put_substitution(to, first + level);
        flm_text_puts(to, "E");
    }
    return first + levels + 1;
}

static bool is_read(struct flm_text *name, struct flm_text *out)
{
    out->size = 0;
    bool done = demangled_size((struct flm_bytes){name->at, name->size}, out) == name->size;
    name->size = 0;
    return done;
}

static void put_conversions(struct flm_text *name, size_t levels, size_t zeros)
{
    for (size_t i = 0; i < levels; i++) {
        flm_text_puts(name, "_ZN");
        flm_text_repeat(name, '0', zeros);
        flm_text_puts(name, "1AcvT_IL");
    }
    flm_text_puts(name, "_ZN1AcvT_IiEEv");
    repeat(name, "EEEv", levels);
}

/* Names that take exponential time or memory elsewhere, each by another part of the work: with few
 * levels they are read, with many refused. */
static void names_that_explode_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t levels;
        bool is_read;
    } some[] = {{3, true}, {30, false}, {300, false}};
    struct flm_text name = {0}, out = {0};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        size_t levels = some[i].levels;
        flm_text_puts(&name, "_Z1f"); /* printed twice a level */
        put_doubled(&name, 0, levels);
        assert_int_equal(is_read(&name, &out), some[i].is_read);
        flm_text_puts(&name, "_ZN1BCI1Fv"); /* not printed, but searched for a pack */
        size_t last = put_doubled(&name, 1, levels);
        flm_text_puts(&name, "EEDTsZsr");
        put_substitution(&name, last);
        flm_text_puts(&name, "1xE");
        assert_int_equal(is_read(&name, &out), some[i].is_read);
        put_conversions(&name, levels, 0); /* read twice a level */
        assert_int_equal(is_read(&name, &out), some[i].is_read);
        put_conversions(&name, levels, 1000);
        assert_int_equal(is_read(&name, &out), some[i].is_read);
        flm_text_puts(&name, "_Z1fIJ"); /* the arguments of a pack, for each of them */
        repeat(&name, "i", levels * levels);
        flm_text_puts(&name, "EEvDp1AIT_DpT_E");
        assert_int_equal(is_read(&name, &out), some[i].is_read);
    }
    flm_text_clear(&out);
    flm_text_clear(&name);
}

/* Templates that are arguments of themselves: libstdc++ never comes back from the first. */
static void circles_are_refused(void **state)
{
    (void)state;
    static const char *const circles[] = {
        "_ZN1a1bI1cEENSt9enable_ifIXsr24unvalidatedMappingTraitsIT_T0_ttributeCommonInfoE",
        "_Z1fIT_EvT_",
        "_Z1fIT_T0_EvT_T0_",
        "_Z1fI1AIT0_E1AIT_EEvT_",
        "_ZN1AcvT_IT_EEv",
        "_ZN1AcvT_I1BIT_T_EEEv",
        "_Z1fIJDpT_EEvDpT_",
        "_Z1fIL_Z1fIT_EvT_EEvT_",
    };
    struct flm_text out = {0};
    for (size_t i = 0; i < sizeof circles / sizeof *circles; i++)
        if (demangled_size(flm_bytes_of(circles[i]), &out))
            fail_msg("%s: %.*s", circles[i], (int)out.size, out.at);
    flm_text_clear(&out);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    static const char *const nested[][2] = {
        {"P", "_Z1f"},       {"1AI", "_Z1f"}, {"J", "_Z1fI"},       {"Z1", "_Z"},
        {"F", "_Z1f"},       {"A_", "_Z1f"},  {"XplLi1E", "_Z1fI"}, {"DT", "_Z1f"},
        {"L_Z1fI", "_Z1fI"}, {"Dp", "_Z1f"},  {"M1A", "_Z1f"},      {"UlN", "_ZN"},
        {"K", "_Z1f"},       {"NK", "_Z"},    {"cv", "_ZN1A"},      {"sr", "_Z1fDT"},
        {"TV", "_Z"},        {"GA", "_Z"},    {"U1AI", "_Z1f"},     {"il", "_Z1fDT"},
        {"1A", "_ZN"},       {"B1x", "_Z1f"}, {"C", "_Z1f"},        {"Dv_", "_Z1f"},
    };
    struct flm_text name = {0}, out = {0};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        flm_text_puts(&name, nested[i][1]);
        repeat(&name, nested[i][0], 20000 / strlen(nested[i][0]));
        flm_text_puts(&name, "i");
        assert_false(is_read(&name, &out));
    }
    /* what is read well, and is too deep to be printed */
    flm_text_puts(&name, "_ZN");
    repeat(&name, "1A", 5000);
    flm_text_puts(&name, "E");
    assert_false(is_read(&name, &out));
    flm_text_clear(&out);
    flm_text_clear(&name);
}

static void length_is_bounded(void **state)
{
    (void)state;
    struct flm_text name = {0}, out = {0};
    flm_text_puts(&name, "_Z60000");
    flm_text_repeat(&name, 'x', 60000);
    flm_text_puts(&name, "i");
    assert_int_equal(demangled_size((struct flm_bytes){name.at, name.size}, &out), name.size);
    assert_int_equal(out.size, 60000 + strlen("(int)"));
    name.size = 0;
    flm_text_puts(&name, "_Z65530");
    flm_text_repeat(&name, 'x', 65530);
    flm_text_puts(&name, "i");
    assert_false(is_read(&name, &out));
    flm_text_puts(&name, "_Z1fI1AJ"); /* more than 1,024 bytes are no reason to refuse */
    repeat(&name, "i", 3000);
    flm_text_puts(&name, "EEvv");
    assert_int_equal(demangled_size((struct flm_bytes){name.at, name.size}, &out), name.size);
    flm_text_clear(&out);
    flm_text_clear(&name);
}

static bool demangle_once(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    size_t size = flm_demangle_cpp(flm_bytes_of(context), &out, NULL);
    bool done = size > 0 && !out.failed;
    flm_text_clear(&out);
    return done || flm_error_memory(why);
}

static void a_failed_allocation_refuses(void **state)
{
    (void)state;
    static char name[] = "_ZNSt6vectorISsSaISsEE17_M_realloc_insertIJSsEEEvN9__gnu_cxx17__normal_"
                         "iteratorIPSsS1_EEDpOT_";
    assert_true(assert_survives_failures(demangle_once, name) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_explode_are_refused),
        cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(length_is_bounded),
        cmocka_unit_test(a_failed_allocation_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
