/* Frames that are addresses, as processes without symbols have them: the same in every process when
 * they are stored, and named when a file with their build id has come. The file is this test, of
 * which a function is the one that was sampled. */
#include "load/stored_addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/file.h"
#include "format/core/mapped.h"
#include "os/file_bytes.h"
#include "support/core/files.h"
#include "support/serve/served.h"
#include "symbol/elf/elf_file.h"

static struct flm_elf_file *own; /* NULL: the linker gave this test no build id */
static struct flm_text own_id;
static uint64_t own_offset, own_address; /* of the function below */

int stored_addresses_sampled(int x);
__attribute__((noinline)) int stored_addresses_sampled(int x)
{
    return x + 1;
}

/* Where in this file the function is: by where the file is mapped here. */
static uint64_t find_offset(const void *function)
{
    char line[600], path[512], self[512] = "";
    unsigned long start, end, offset;
    uint64_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(maps && size > 0);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511s", &start, &end, &offset, path) == 4 &&
            strcmp(path, self) == 0 && (uintptr_t)function >= start && (uintptr_t)function < end)
            found = (uintptr_t)function - start + offset;
    fclose(maps);
    assert_true(found > 0);
    return found;
}

static int set_up(void **state)
{
    static char self[512];
    struct flm_error why;
    (void)state;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0 && stored_addresses_sampled(1) == 2);
    own = flm_elf_open(self, &why);
    assert_non_null(own);
    if (own->build_id.size == 0)
        return 0;
    flm_build_id_print(&own->build_id, &own_id);
    own_offset = find_offset((const void *)(uintptr_t)stored_addresses_sampled);
    assert_true(flm_elf_address(own, own_offset, &own_address));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    flm_elf_free(own);
    flm_text_clear(&own_id);
    return 0;
}

/* A sample of a file that is mapped at `start`. */
static struct flm_profile *process_at(uint64_t start, struct flm_bytes id)
{
    struct flm_error why;
    struct flm_text name = {0};
    struct flm_builder *b = flm_builder_new(&why);
    const struct flm_mapped mapped = {.start = start,
                                      .limit = start + 0x100000000,
                                      .offset = 0,
                                      .path = flm_bytes_of("/gone/app"),
                                      .build_id = id};
    struct flm_frame_record record = {.kind = FLM_KIND_NATIVE, .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    record.address = start + own_offset;
    record.module = flm_builder_string(b, "/gone/app", 9).index;
    flm_mapped_frame_name(&name, record.address, mapped.path);
    record.function = flm_builder_string(b, name.at, name.size).index;
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    flm_builder_add(b, node, metric, 30);
    flm_mapped_note(b, &mapped, 1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    flm_text_clear(&name);
    return p;
}

static struct flm_bytes id_bytes(void)
{
    return (struct flm_bytes){own_id.at, own_id.size};
}

static struct flm_profile *kept(uint64_t start, struct flm_bytes id)
{
    struct flm_error why;
    struct flm_profile *p = flm_addresses_keep(process_at(start, id), &why);
    assert_non_null(p);
    return p;
}

/* "main;[name]" of the deepest frame. */
static const char *leaf(const struct flm_profile *p, struct flm_text *out)
{
    struct flm_error why;
    size_t size;
    char *folded = flm_save_memory(
        p, &size,
        &(struct flm_save_options){.size = sizeof(struct flm_save_options), .format = "folded"},
        &why);
    assert_non_null(folded);
    flm_text_add(out, (struct flm_bytes){folded, size});
    flm_text_putc(out, 0);
    free(folded);
    return out->at;
}

static void processes_of_one_file_have_the_same_frames(void **state)
{
    (void)state;
    struct flm_profile *a = kept(0x400000, flm_bytes_of("c0ffee11"));
    struct flm_profile *b = kept(0x7f3100000000, flm_bytes_of("c0ffee11"));
    struct flm_text first = {0}, second = {0};
    assert_string_equal(leaf(a, &first), leaf(b, &second));
    assert_int_equal(flm_profile_node_count(a), 3);
    flm_profile_free(a);
    flm_profile_free(b);
    flm_text_clear(&first);
    flm_text_clear(&second);
}

static void what_has_no_build_id_stays_as_it_is(void **state)
{
    struct flm_error why;
    (void)state;
    struct flm_profile *p = process_at(0x400000, flm_bytes_of(""));
    assert_ptr_equal(flm_addresses_keep(p, &why), p);
    flm_profile_free(p);
}

/* Puts this file where files with symbols are. */
static void place(const char *folder)
{
    char path[300];
    struct flm_error why;
    snprintf(path, sizeof path, "mkdir -p '%s/.build-id/%.2s'", folder, own_id.at);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/.build-id/%.2s/%.*s", folder, own_id.at, (int)own_id.size - 2,
             own_id.at + 2);
    assert_true(flm_file_write(path, own->image, &why));
}

static void a_file_with_the_build_id_names_them(void **state)
{
    struct flm_error why;
    struct flm_text text = {0};
    (void)state;
    if (own_id.size == 0)
        skip();
    char folder[200];
    snprintf(folder, sizeof folder, "%s", temporary_path("symbols"));
    place(folder);
    const struct flm_addresses_options how = {.folder = folder};
    struct flm_profile *p = flm_addresses_name(kept(0x7f3100000000, id_bytes()), &how, &why);
    assert_non_null(p);
    assert_non_null(strstr(leaf(p, &text), "main;stored_addresses_sampled 30"));
    flm_profile_free(p);
    /* Of another build nothing is known. */
    text.size = 0;
    p = flm_addresses_name(kept(0x7f3100000000, flm_bytes_of("c0ffee11")), &how, &why);
    assert_non_null(p);
    assert_null(strstr(leaf(p, &text), "sampled"));
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void a_server_takes_files_and_names_what_came_before_them(void **state)
{
    struct flm_error why;
    size_t size;
    (void)state;
    if (own_id.size == 0)
        skip();
    struct served served = serve_start((struct flm_serve_options){.most_body = own->image.size});
    struct flm_profile *p = process_at(0x7f3100000000, id_bytes());
    char *pprof = flm_save_memory(
        p, &size,
        &(struct flm_save_options){.size = sizeof(struct flm_save_options), .format = "pprof"},
        &why);
    assert_non_null(pprof);
    expect(&served, "POST", "/api/v1/push?service=api", "", (struct flm_bytes){pprof, size}, 200,
           "{}");
    expect_get(&served, FOLDED, 200, "main;");
    expect_post(&served, "/api/v1/symbols", "no ELF file", 422, "{\"error\":");
    expect(&served, "POST", "/api/v1/symbols", "", own->image, 200, "{\"build_id\": \"");
    expect_get(&served, FOLDED, 200, "main;stored_addresses_sampled 30");
    free(pprof);
    flm_profile_free(p);
    serve_stop(&served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_one_file_have_the_same_frames),
        cmocka_unit_test(what_has_no_build_id_stays_as_it_is),
        cmocka_unit_test(a_file_with_the_build_id_names_them),
        cmocka_unit_test(a_server_takes_files_and_names_what_came_before_them),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
