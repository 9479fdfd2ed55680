#include "serve/http/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const char type[] = "multipart/form-data; boundary=\"xyz\"";
static const char body[] = "--xyz\r\nContent-Disposition: form-data; name=\"event\"; "
                           "filename=\"event.json\"\r\nContent-Type: application/json\r\n\r\n"
                           "{}\r\n--xyz\r\ncontent-disposition: form-data; name=wall.pprof\r\n\r\n"
                           "\r\n--xy\0z\r\n--xyz\r\n\r\nbare\r\n--xyz--\r\n";

static void assert_bytes(struct flm_bytes bytes, const char *expected, size_t size)
{
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.at, expected, size);
}

static void parts_have_names_and_any_bytes(void **state)
{
    struct flm_multipart m;
    struct flm_part part;
    struct flm_error why;
    (void)state;
    assert_true(flm_multipart_init(&m, type, (struct flm_bytes){body, sizeof body - 1}, &why));
    assert_true(flm_multipart_next(&m, &part));
    assert_bytes(part.name, "event", 5);
    assert_bytes(part.file_name, "event.json", 10);
    assert_bytes(part.bytes, "{}", 2);
    assert_true(flm_multipart_next(&m, &part));
    assert_bytes(part.name, "wall.pprof", 10);
    assert_bytes(part.bytes, "\r\n--xy\0z", 8);
    assert_true(flm_multipart_next(&m, &part));
    assert_bytes(part.name, "", 0);
    assert_bytes(part.bytes, "bare", 4);
    assert_false(flm_multipart_next(&m, &part));
    assert_false(m.failed);
}

/* In memory of exactly its size, so that reading behind it is seen. */
static void every_shortened_body_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof body - 1 - 4; size++) {
        struct flm_multipart m;
        struct flm_part part;
        struct flm_error why = {0};
        char *cut = malloc(size + !size);
        memcpy(cut, body, size);
        bool good = flm_multipart_init(&m, type, (struct flm_bytes){cut, size}, &why);
        while (good && flm_multipart_next(&m, &part)) {
        }
        assert_true(m.failed);
        assert_true(why.kind == FLM_ERROR_FORMAT && why.text[0]);
        free(cut);
    }
}

static void a_type_without_a_boundary_is_refused(void **state)
{
    struct flm_multipart m;
    struct flm_error why;
    (void)state;
    static const char *const types[] = {"multipart/form-data", "multipart/form-data; boundary=",
                                        "multipart/form-data; boundary=\"\"",
                                        "multipart/form-data; xboundary=xyz"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        assert_false(
            flm_multipart_init(&m, types[i], (struct flm_bytes){body, sizeof body - 1}, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_names_and_any_bytes),
        cmocka_unit_test(every_shortened_body_is_refused),
        cmocka_unit_test(a_type_without_a_boundary_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
