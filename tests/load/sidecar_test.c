#include "load/sidecar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "load/symbolize.h"
#include "os/file_bytes.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"

/* The tables in another order than samply's; what flamel does not know is skipped. */
static const char sidecar[] =
    "{\"new\": {\"x\": [1]}, \"data\": [{\"known_addresses\": [[4108, 1], [4100, 0], [4096, 9]],"
    "\"symbol_table\": [{\"rva\": 4096, \"size\": 8, \"symbol\": 0}, {\"symbol\": 1, \"rva\": 4104,"
    "\"frames\": [{\"function\": 2, \"file\": 3, \"line\": 7}, {\"file\": 3, \"line\": 9}]},"
    "{\"rva\": 64, \"size\": 16, \"symbol\": 99}],"
    "\"debug_name\": \"libz.so\", \"debug_id\": \"0\"},"
    "{\"debug_name\": \"app\", \"symbol_table\": [], \"known_addresses\": []}],"
    "\"string_table\": [\"fib\", \"main\", \"inner\", \"m.c\"]}";

static char folder[4000];
static const char *const folders[] = {"/none/such", folder};
static const struct flm_load_options options = {.symbol_dirs = folders, .symbol_dir_count = 2};

/* Writes NAME.syms.json into the folder of temporary files. */
static void save(const char *name, const char *text)
{
    const char *path = temporary_path(name);
    assert_true(flm_file_write(path, flm_bytes_of(text), NULL));
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
}

static void names_are_found_by_address(void **state)
{
    (void)state;
    struct flm_code code[FLM_CODE_MOST];
    struct flm_error why = {0};
    save("p1.syms.json", sidecar);
    struct flm_sidecar *s = flm_sidecar_find("elsewhere/p1.json.gz", &options, &why);
    assert_non_null(s);
    struct flm_bytes libz = flm_bytes_of("libz.so");
    static const uint64_t of_fib[] = {4096, 4100, 4103};
    for (size_t i = 0; i < 3; i++) { /* a known one whose row is not there, a known one, a range */
        assert_int_equal(flm_sidecar_lookup(s, libz, of_fib[i], code), 1);
        assert_true(flm_bytes_are(code[0].function, "fib") && !code[0].inlined);
    }
    assert_int_equal(flm_sidecar_lookup(s, libz, 4108, code), 2);
    assert_true(flm_bytes_are(code[0].function, "inner") && code[0].inlined);
    assert_true(flm_bytes_are(code[1].function, "main") && !code[1].inlined);
    assert_true(flm_bytes_are(code[1].file, "m.c") && code[1].line == 9);
    static const uint64_t of_none[] = {0, 64, 4095, 4104, 4109, UINT64_MAX};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(flm_sidecar_lookup(s, libz, of_none[i], code), 0);
    assert_int_equal(flm_sidecar_lookup(s, flm_bytes_of("app"), 4100, code), 0);
    assert_int_equal(flm_sidecar_lookup(s, flm_bytes_of("libzz.so"), 4100, code), 0);
    flm_sidecar_free(s);

    assert_null(flm_sidecar_find("p2.json", &options, &why));
    assert_null(flm_sidecar_find("p1", &options, &why)); /* not its name without the extension */
    assert_int_equal(why.kind, FLM_ERROR_NONE);
}

static void assert_broken(const char *text)
{
    struct flm_error why = {0};
    save("p3.syms.json", text);
    assert_null(flm_sidecar_find("p3.json", &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_non_null(strstr(why.text, "p3.syms.json: byte "));
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    char text[sizeof sidecar];
    for (size_t size = 0; size < sizeof sidecar - 1; size++) {
        memcpy(text, sidecar, size);
        text[size] = 0;
        assert_broken(text);
    }
    assert_broken("[]");
    assert_broken("{\"string_table\": [1]}");
}

/* A profile of samply's form: frames of app;libz.so+4108;libz.so+4100. */
static struct flm_profile *unnamed(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    static const struct {
        const char *function, *module;
        uint64_t address;
    } frames[] = {{"0x10", "app", 0x10}, {"0x100c", "libz.so", 4108}, {"0x1004", "libz.so", 4100}};
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < 3; i++) {
        struct flm_frame_record record = {
            .function = flm_builder_string(b, frames[i].function, strlen(frames[i].function)).index,
            .module = flm_builder_string(b, frames[i].module, strlen(frames[i].module)).index,
            .address = frames[i].address,
            .kind = FLM_KIND_NATIVE,
            .flags = FLM_FRAME_UNSYMBOLIZED};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    flm_builder_add(b, node, flm_builder_metric(b, "samples", "samples"), 3);
    return flm_builder_finish(b, NULL);
}

static void frames_get_names(void **state)
{
    (void)state;
    save("p1.syms.json", sidecar);
    for (int i = 0; i < 2; i++) {
        struct flm_load_options o = options;
        o.no_inlines = i == 1;
        struct flm_profile *p = flm_symbolize_from_sidecar(unnamed(), "p1.json", &o, NULL);
        assert_sound(p);
        assert_folded(p, i == 0 ? "0x10;main;inner_[i];fib 3\n" : "0x10;main;fib 3\n");
        flm_profile_free(p);
    }
    struct flm_profile *p = unnamed();
    assert_ptr_equal(flm_symbolize_from_sidecar(p, "other.json", &options, NULL), p);
    flm_profile_free(p);
    save("p3.syms.json", "{");
    struct flm_error why = {0};
    assert_null(flm_symbolize_from_sidecar(unnamed(), "p3.json", &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
}

static bool name_with_little_memory(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_sidecar *s = flm_sidecar_find("p1.json", &options, why);
    flm_sidecar_free(s);
    return s != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    save("p1.syms.json", sidecar);
    assert_true(assert_survives_failures(name_with_little_memory, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_by_address),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(frames_get_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
