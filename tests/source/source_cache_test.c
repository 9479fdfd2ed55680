#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "profile/columns.h"
#include "source/source_cache.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"

static void a_file_is_read_once_and_its_text_stays(void **state)
{
    (void)state;
    struct flm_error why;
    char dir[] = "/tmp/flamel-sources-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/lex.c", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("int lex;\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const folders[] = {dir};
    const struct flm_source_places places = {
        .folders = folders, .folder_count = 1, .folders_only = true};
    struct flm_sources *sources =
        flm_source_cache_new(&places, &(struct flm_modules_options){0}, &why);
    assert_non_null(sources);
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_source_text first, second, none;
    assert_true(sources->find(sources, p, flm_bytes_of("/built/src/lex.c"), 0, &first, &why));
    assert_true(flm_bytes_are(flm_line_index_get(first.lines, 1), "int lex;"));
    assert_true(flm_bytes_are(first.path, path));
    assert_int_equal(unlink(path), 0);
    assert_true(sources->find(sources, p, flm_bytes_of("/other/none.c"), 0, &none, &why));
    assert_null(none.lines);
    assert_true(none.status.size > 0);
    assert_true(sources->find(sources, p, flm_bytes_of("/built/src/lex.c"), 0, &second, &why));
    assert_ptr_equal(first.lines, second.lines);
    flm_profile_free(p);
    flm_source_cache_free(sources);
    flm_source_cache_free(NULL);
    rmdir(dir);
}

/* A profile of the program whose note says that build id. */
static struct flm_profile *profile_of_build(const char *program, const char *id)
{
    char json[2000];
    snprintf(json, sizeof json,
             "{\"format\": \"flamel profile\", \"version\": 1, \"metrics\": [{\"name\": \"cpu\", "
             "\"unit\": \"ms\"}], \"notes\": [{\"key\": \"mapped %s\", \"value\": \"id=%s\"}], "
             "\"frames\": [{\"function\": \"main\", \"module\": \"%s\"}], "
             "\"stacks\": [{\"parent\": null, \"frame\": 0, \"self\": [3]}]}",
             program, id, program);
    struct flm_error why;
    struct flm_profile *p = flm_load_memory(json, strlen(json), NULL, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

static uint32_t string_of(const struct flm_profile *p, const char *text)
{
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, i), text))
            return i;
    fail_msg("the profile has no %s", text);
    return 0;
}

static bool says(const struct flm_profile *p, const char *program, const char *path,
                 const char *status)
{
    const struct flm_source_places places = {0};
    struct flm_error why;
    struct flm_source_text found;
    struct flm_sources *sources =
        flm_source_cache_new(&places, &(struct flm_modules_options){0}, &why);
    assert_non_null(sources);
    assert_true(sources->find(sources, p, flm_bytes_of(path), string_of(p, program), &found, &why));
    bool good = memmem(found.status.at, found.status.size, status, strlen(status)) != NULL;
    if (!good)
        print_message("%.*s\n", (int)found.status.size, found.status.at);
    flm_source_cache_free(sources);
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
        struct flm_profile *p = profile_of_build(built[i], id);
        snprintf(other, sizeof other, "%s", id);
        other[0] = other[0] == '0' ? '1' : '0';
        struct flm_profile *rebuilt = profile_of_build(built[i], other);
        write_temporary("spin.c", flm_bytes_of("int main(void)\n{\n}\n"));
        assert_true(says(p, built[i], path, "the checksum agrees"));
        assert_false(says(rebuilt, built[i], path, "the checksum agrees"));
        write_temporary("spin.c", flm_bytes_of("\nint main(void)\n{\n}\n"));
        assert_true(
            says(p, built[i], path, i > 0 ? "the text that was compiled" : "another version"));
        assert_false(says(rebuilt, built[i], path, "the text that was compiled"));
        flm_profile_free(rebuilt);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_once_and_its_text_stays),
        cmocka_unit_test(the_program_of_the_profile_knows_its_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
