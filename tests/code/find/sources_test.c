#include "report/profile/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/annotate.h"
#include "flamel/builder.h"
#include "flamel/file.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"

static const struct flm_bytes function = {"main", 4}, module = {"", 0};

static void each_profile_has_a_store(void **state)
{
    (void)state;
    const struct flm_sources_options options = {.size = sizeof options};
    struct flm_profile *one = profile_of("main;lex 3\n"), *two = profile_of("main;read 3\n");
    struct flm_sources *sources = flm_sources_new(&options, NULL);
    const struct flm_code_store *first, *second, *again;
    assert_non_null(sources);
    assert_true(sources->find_code(sources, one, function, module, &first, NULL));
    assert_true(sources->find_code(sources, two, function, module, &second, NULL));
    assert_true(sources->find_code(sources, one, function, module, &again, NULL));
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(first, again);
    const struct flm_code_function *found = flm_code_store_function(first, function, module);
    assert_non_null(found);
    assert_true(found->instruction_count == 0 && found->status.size > 0);
    flm_sources_free(sources);
    flm_profile_free(one);
    flm_profile_free(two);
}

/* A profile of the program whose note says that build id. */
static struct flm_profile *profile_of_build(const char *program, const char *id, const char *file)
{
    char json[2000];
    snprintf(json, sizeof json,
             "{\"format\": \"flamel profile\", \"version\": 1, \"metrics\": [{\"name\": \"cpu\", "
             "\"unit\": \"ms\"}], \"notes\": [{\"key\": \"mapped %s\", \"value\": \"id=%s\"}], "
             "\"frames\": [{\"function\": \"main\", \"module\": \"%s\", \"file\": \"%s\"}], "
             "\"stacks\": [{\"parent\": null, \"frame\": 0, \"self\": [3]}]}",
             program, id, program, file);
    struct flm_error why;
    struct flm_profile *p = flm_load_memory(json, strlen(json), NULL, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

/* Each is read once; one that the profile does not name is asked of the other. */
static void a_file_is_read_once_and_its_text_stays(void **state)
{
    (void)state;
    char folder[300];
    snprintf(folder, sizeof folder, "%s", write_temporary("lex.c", flm_bytes_of("int lex;\n")));
    *strrchr(folder, '/') = 0;
    const char *const folders[] = {folder};
    const struct flm_sources_options options = {
        .size = sizeof options, .folders = folders, .folder_count = 1, .folders_only = true};
    struct flm_sources *sources = flm_sources_new(&options, NULL);
    struct flm_profile *other = profile_of_build("/bin/app", "12", "/built/src/lex.c");
    struct flm_profile *p = profile_of_build("/bin/app", "12", "/built/none.c");
    const struct flm_bytes lex = flm_bytes_of("/built/src/lex.c"),
                           none = flm_bytes_of("/built/none.c");
    const struct flm_code_store *first, *second;
    assert_true(sources->find_file(sources, p, other, lex, &first, NULL));
    assert_true(flm_bytes_are(flm_line_index_get(flm_code_store_lines(first, lex), 1), "int lex;"));
    assert_int_equal(unlink(temporary_path("lex.c")), 0);
    assert_true(sources->find_file(sources, p, other, none, &second, NULL));
    assert_ptr_equal(first, second);
    assert_true(flm_code_store_file(second, none)->status.size > 0);
    assert_true(sources->find_file(sources, p, other, lex, &second, NULL));
    assert_true(flm_bytes_are(flm_code_store_file(second, lex)->text, "int lex;\n"));
    flm_sources_free(sources);
    flm_profile_free(p);
    flm_profile_free(other);
}

static bool says(const struct flm_profile *p, const char *path, const char *status)
{
    const struct flm_sources_options options = {.size = sizeof options};
    struct flm_sources *sources = flm_sources_new(&options, NULL);
    const struct flm_code_store *store;
    assert_non_null(sources);
    assert_true(sources->find_file(sources, p, NULL, flm_bytes_of(path), &store, NULL));
    const struct flm_code_file *found = flm_code_store_file(store, flm_bytes_of(path));
    assert_non_null(found);
    bool good = memmem(found->status.at, found->status.size, status, strlen(status)) != NULL;
    if (!good)
        print_message("%.*s\n", (int)found->status.size, found->status.at);
    flm_sources_free(sources);
    return good;
}

/* Only for the build that the profile says: the program may have been compiled again, from other
 * sources. */
static void the_program_of_the_profile_knows_its_sources(void **state)
{
    (void)state;
    if (system("clang --version > /dev/null 2>&1") != 0 || system("readelf -v > /dev/null") != 0)
        skip();
    const char *source = write_temporary("spin.c", flm_bytes_of("int main(void)\n{\n}\n"));
    char path[300], program[300], embedded[300], command[2000], id[80], other[80];
    snprintf(path, sizeof path, "%s", source);
    snprintf(program, sizeof program, "%s", temporary_path("spin"));
    snprintf(embedded, sizeof embedded, "%s", temporary_path("embedded"));
    const char *const built[] = {program, embedded};
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "clang -gdwarf-5 %s -Wl,--build-id %s -o %s",
                 i > 0 ? "-gembed-source" : "", path, built[i]);
        assert_int_equal(system(command), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "readelf -n %s | awk '/Build ID/ { print $3 }'",
                 built[i]);
        FILE *lines = popen(command, "r");
        assert_non_null(lines);
        assert_int_equal(fscanf(lines, "%79s", id), 1);
        pclose(lines);
        struct flm_profile *p = profile_of_build(built[i], id, path);
        snprintf(other, sizeof other, "%s", id);
        other[0] = other[0] == '0' ? '1' : '0';
        struct flm_profile *rebuilt = profile_of_build(built[i], other, path);
        write_temporary("spin.c", flm_bytes_of("int main(void)\n{\n}\n"));
        assert_true(says(p, path, "the checksum agrees"));
        assert_false(says(rebuilt, path, "the checksum agrees"));
        write_temporary("spin.c", flm_bytes_of("\nint main(void)\n{\n}\n"));
        assert_true(says(p, path, i > 0 ? "the text that was compiled" : "another version"));
        assert_false(says(rebuilt, path, "the text that was compiled"));
        /* By another name of the same file. */
        char dotted[400];
        snprintf(dotted, sizeof dotted, "%.*s/./none/..%s", (int)(strrchr(path, '/') - path), path,
                 strrchr(path, '/'));
        struct flm_profile *named = profile_of_build(built[i], id, dotted);
        assert_true(says(named, dotted, i > 0 ? "the text that was compiled" : "was not found"));
        flm_profile_free(named);
        flm_profile_free(rebuilt);
        flm_profile_free(p);
    }
}

static void options_are_checked(void **state)
{
    (void)state;
    struct flm_error why;
    static const char *const maps[] = {"/built"};
    assert_null(flm_sources_new(&(struct flm_sources_options){.size = 0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    const struct flm_sources_options options = {
        .size = sizeof options, .maps = maps, .map_count = 1};
    assert_null(flm_sources_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_sources_free(NULL);
}

static void a_map_is_of_use_where_a_file_begins_so(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    uint32_t name = flm_builder_string(b, "lex", 3).index;
    const char *const files[] = {"/built/lex.c", "/built2/a.c", ""};
    for (int i = 0; i < 3; i++) {
        struct flm_frame_record record = {
            .function = name, .file = flm_builder_string(b, files[i], strlen(files[i])).index};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_true(flm_sources_map_matches("/built=/src", p));
    assert_true(flm_sources_map_matches("/built2/=/src", p));
    assert_true(flm_sources_map_matches("=/root", p));
    assert_false(flm_sources_map_matches("/buil=/src", p));
    assert_false(flm_sources_map_matches("/built/lex.cc=/src", p));
    assert_false(flm_sources_map_matches("/src=/built", p));
    flm_profile_free(p);
}

static bool search_once(void *context, struct flm_error *why)
{
    const struct flm_sources_options options = {.size = sizeof options};
    const struct flm_code_store *store;
    struct flm_sources *sources = flm_sources_new(&options, why);
    bool good = sources && sources->find_code(sources, context, function, module, &store, why);
    flm_sources_free(sources);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 3\n");
    assert_true(assert_survives_failures(search_once, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_profile_has_a_store),
        cmocka_unit_test(a_file_is_read_once_and_its_text_stays),
        cmocka_unit_test(the_program_of_the_profile_knows_its_sources),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(a_map_is_of_use_where_a_file_begins_so),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
