#include "code/find/profile_module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "format/core/mapped.h"

/* A profile with one frame of /opt/app, whose note is that, and of [vdso]. */
static struct flm_profile *example(const char *note)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_node node = flm_builder_root(b);
    static const char *const modules[] = {"/opt/app", "[vdso]"};
    for (size_t i = 0; i < 2; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, modules[i], strlen(modules[i])).index};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    if (note)
        flm_builder_note(b, "mapped /opt/app", note, strlen(note));
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static uint32_t module_of(const struct flm_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->frames[i].module), name))
            return p->frames[i].module;
    fail_msg("no frame is of %s", name);
    return 0;
}

static void a_note_is_found_by_its_module(void **state)
{
    (void)state;
    struct flm_profile *p = example("id=c0ffee");
    assert_true(flm_bytes_are(flm_mapped_note_of(p, module_of(p, "/opt/app")), "id=c0ffee"));
    assert_int_equal(flm_mapped_note_of(p, module_of(p, "[vdso]")).size, 0);
    assert_int_equal(flm_mapped_note_of(p, 0).size, 0);
    flm_profile_free(p);
}

static void assert_found(const char *note, const char *module, bool is_file, bool is_known)
{
    static const struct flm_modules_options options = {0};
    struct flm_profile *p = example(note);
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    struct flm_profile_module found;
    assert_non_null(modules);
    assert_true(flm_profile_module_find(modules, p, module_of(p, module), &found));
    assert_int_equal(found.module != NULL, is_file);
    assert_int_equal(found.is_known_build, is_known);
    flm_modules_free(modules);
    flm_profile_free(p);
}

static void a_module_is_a_file_of_some_build(void **state)
{
    (void)state;
    assert_found(NULL, "/opt/app", true, false);
    assert_found("id=c0ffee", "/opt/app", true, true);
    assert_found("relative id-begins=c0ffee", "/opt/app", false, true);
    assert_found(NULL, "[vdso]", false, false);
}

static void addresses_are_those_of_the_file_or_are_made_so(void **state)
{
    (void)state;
    uint64_t address = 0;
    struct flm_profile_module module = {.note = flm_bytes_of("id=c0ffee")};
    assert_true(flm_profile_module_address(&module, 0x1234, &address));
    assert_int_equal(address, 0x1234);
    module.note = flm_bytes_of("");
    assert_true(flm_profile_module_address(&module, 0x99, &address));
    assert_int_equal(address, 0x99);
    module.note = flm_bytes_of("relative id=c0ffee");
    module.kernel_start = 0xffffffff81000000;
    assert_true(flm_profile_module_address(&module, 0x10, &address));
    assert_true(address == 0xffffffff81000010);
    module.note = flm_bytes_of("1000-2000@0 id=c0ffee");
    assert_false(flm_profile_module_address(&module, 0x2000, &address)); /* not mapped */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_is_found_by_its_module),
        cmocka_unit_test(a_module_is_a_file_of_some_build),
        cmocka_unit_test(addresses_are_those_of_the_file_or_are_made_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
