#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/annotate.h"
#include "report/profile/sources.h"
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
    const struct flm_sources_options options = {
        .size = sizeof options, .folders = folders, .folder_count = 1, .folders_only = true};
    struct flm_sources *sources = flm_sources_new(&options, &why);
    assert_non_null(sources);
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_source_text first, second, none;
    assert_true(sources->find(sources, p, flm_bytes_of("/built/src/lex.c"), &first, &why));
    assert_true(flm_bytes_are(flm_line_index_get(first.lines, 1), "int lex;"));
    assert_true(flm_bytes_are(first.path, path));
    assert_int_equal(unlink(path), 0);
    assert_true(sources->find(sources, p, flm_bytes_of("/other/none.c"), &none, &why));
    assert_null(none.lines);
    assert_true(none.status.size > 0);
    assert_true(sources->find(sources, p, flm_bytes_of("/built/src/lex.c"), &second, &why));
    assert_ptr_equal(first.lines, second.lines);
    flm_profile_free(p);
    flm_sources_free(sources);
    flm_sources_free(NULL);
    rmdir(dir);
}

static void a_map_without_a_sign_is_refused(void **state)
{
    (void)state;
    struct flm_error why;
    const char *const maps[] = {"/built"};
    const struct flm_sources_options options = {
        .size = sizeof options, .maps = maps, .map_count = 1};
    assert_null(flm_sources_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(flm_sources_new(&(struct flm_sources_options){0}, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_once_and_its_text_stays),
        cmocka_unit_test(a_map_without_a_sign_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
