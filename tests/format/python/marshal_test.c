/* The values themselves; profiles of them are in pstats_test.c. */
#include "format/python/marshal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BYTES(literal) ((struct flm_bytes){literal, sizeof(literal) - 1})

static struct flm_marshal_value first_of(struct flm_bytes bytes)
{
    struct flm_marshal m;
    struct flm_error why = {0};
    if (!flm_marshal_read(&m, bytes, &why))
        fail_msg("%s", why.text);
    struct flm_marshal_value value = m.values.at[0];
    flm_marshal_clear(&m);
    return value;
}

static void is_number(struct flm_bytes bytes, double number)
{
    struct flm_marshal_value value = first_of(bytes);
    assert_int_equal(value.kind, FLM_MARSHAL_NUMBER);
    assert_true(value.number == number);
}

static void is_string(struct flm_bytes bytes, const char *text)
{
    struct flm_marshal_value value = first_of(bytes);
    assert_int_equal(value.kind, FLM_MARSHAL_STRING);
    assert_true(flm_bytes_are(value.string, text));
}

/* As marshal.dumps writes them, of version 0 to 4. */
static void numbers_of_all_types_are_read(void **state)
{
    (void)state;
    is_number(BYTES("i\7\0\0\0"), 7);
    is_number(BYTES("\351\377\377\377\377"), -1);
    is_number(BYTES("I\0\0\0\0\1\0\0\0"), 4294967296.0);
    is_number(BYTES("l\3\0\0\0\1\0\0\0\1\0"), 1 + 1073741824.0);
    is_number(BYTES("l\376\377\377\377\0\0\2\0"), -65536);
    is_number(BYTES("f\00525e-2"), 0.25);
    is_number(BYTES("g\0\0\0\0\0\0\370\277"), -1.5);
    is_number(BYTES("y\0\0\0\0\0\0\370\277\0\0\0\0\0\0\0\0"), -1.5);
}

static void strings_of_all_types_are_read(void **state)
{
    (void)state;
    is_string(BYTES("z\2ab"), "ab");
    is_string(BYTES("\332\2ab"), "ab");
    is_string(BYTES("A\2\0\0\0ab"), "ab");
    is_string(BYTES("a\2\0\0\0ab"), "ab");
    is_string(BYTES("s\2\0\0\0ab"), "ab");
    is_string(BYTES("t\2\0\0\0ab"), "ab");
    is_string(BYTES("u\3\0\0\0\303\274b"), "\303\274b");
}

/* Number 0 is the tuple, 1 the first string; interned strings have numbers of their own. */
static void a_value_is_referred_to(void **state)
{
    (void)state;
    struct flm_marshal m;
    assert_true(flm_marshal_read(&m, BYTES("\251\4\332\1at\1\0\0\0br\1\0\0\0R\0\0\0\0"), NULL));
    const struct flm_marshal_value *v = m.values.at;
    assert_int_equal(v[0].kind, FLM_MARSHAL_TUPLE);
    assert_int_equal(v[0].count, 4);
    assert_int_equal(v[0].first, 1);
    assert_int_equal(v[1].next, 2);
    assert_true(flm_bytes_are(v[3].string, "a") && flm_bytes_are(v[4].string, "b"));
    flm_marshal_clear(&m);
    assert_false(flm_marshal_read(&m, BYTES("\251\1r\0\0\0\0"), NULL)); /* itself */
    flm_marshal_clear(&m);
}

static void a_dict_has_keys_and_values_in_turn(void **state)
{
    (void)state;
    struct flm_marshal_value dict = first_of(BYTES("{z\1aNz\1b[\0\0\0\0"
                                                   "0"));
    assert_int_equal(dict.kind, FLM_MARSHAL_DICT);
    assert_int_equal(dict.count, 4);
    struct flm_marshal_value slice = first_of(BYTES(":NNN"));
    assert_int_equal(slice.kind, FLM_MARSHAL_TUPLE);
    assert_int_equal(slice.count, 3);
}

#define NONE4 "\0\0\0\0"
#define CODE "s\1\0\0\0x"

static void a_code_object_is_its_name(void **state)
{
    (void)state;
    is_string(BYTES("c" NONE4 NONE4 NONE4 NONE4 CODE ")\0)\0)\0)\0)\0z\1fz\1n" NONE4 CODE), "n");
    is_string(
        BYTES("c" NONE4 NONE4 NONE4 NONE4 NONE4 NONE4 CODE ")\0)\0)\0)\0)\0z\1fz\1n" NONE4 CODE),
        "n");
    is_string(BYTES("\343" NONE4 NONE4 NONE4 NONE4 NONE4 CODE ")\0)\0)\0" CODE
                    "z\1fz\1nz\3c.n" NONE4 CODE CODE),
              "n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_types_are_read),
        cmocka_unit_test(strings_of_all_types_are_read),
        cmocka_unit_test(a_value_is_referred_to),
        cmocka_unit_test(a_dict_has_keys_and_values_in_turn),
        cmocka_unit_test(a_code_object_is_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
