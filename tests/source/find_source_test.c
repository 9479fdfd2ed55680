#include "source/find_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/registry/module.h"

/* Everything is below one folder, "sources", made anew for each test. */
static char top[500];

static int make_folder(void **state)
{
    (void)state;
    shell("rm -rf sources; mkdir sources");
    snprintf(top, sizeof top, "%s", temporary_path("sources"));
    return 0;
}

/* A path below it; good until eight more were made. */
static char *at(const char *name)
{
    static char paths[8][600];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static void put(const char *name, const char *content)
{
    shell("mkdir -p \"$(dirname sources/%s)\" && printf '%%s' '%s' > sources/%s", name, content,
          name);
}

static bool find(const struct flm_source_places *places, const char *path,
                 struct flm_source_file *source)
{
    const struct flm_source_request request = {.path = flm_bytes_of(path)};
    return flm_source_file_find(places, &request, source, NULL);
}

/* "origin text", with the names of the enumeration as numbers. */
static void assert_found(const struct flm_source_places *places, const char *path,
                         enum flm_source_origin origin, const char *text)
{
    struct flm_source_file source;
    bool found = find(places, path, &source);
    if (!found)
        fail_msg("%s", source.status.at);
    if (source.origin != origin ||
        !flm_bytes_are((struct flm_bytes){source.text.at, source.text.size}, text))
        fail_msg("%s: %d %.*s", path, source.origin, (int)source.text.size, source.text.at);
    flm_source_file_clear(&source);
}

static void assert_status(const struct flm_source_places *places, const char *path, bool found,
                          const char *part)
{
    struct flm_source_file source;
    assert_int_equal(find(places, path, &source), found);
    if (!strstr(source.status.at, part))
        fail_msg("%s", source.status.at);
    flm_source_file_clear(&source);
}

static void places_are_tried_in_their_order(void **state)
{
    (void)state;
    char map[1200];
    snprintf(map, sizeof map, "%s=%s", at("was"), at("is"));
    const char *const maps[] = {"/other=/nowhere", map}, *const folders[] = {at("one"), at("two")};
    const struct flm_source_places places = {folders, 2, maps, 2};
    put("two/c.c", "short");
    assert_found(&places, at("was/b/c.c"), FLM_SOURCE_IN_FOLDER, "short");
    put("one/c.c", "short, first");
    assert_found(&places, at("was/b/c.c"), FLM_SOURCE_IN_FOLDER, "short, first");
    put("two/b/c.c", "longer");
    assert_found(&places, at("was/b/c.c"), FLM_SOURCE_IN_FOLDER, "longer");
    assert_found(&places, "/elsewhere/x/../b//c.c", FLM_SOURCE_IN_FOLDER, "longer");
    put("was/b/c.c", "as named");
    assert_found(&places, at("was/b/c.c"), FLM_SOURCE_AS_NAMED, "as named");
    put("is/b/c.c", "mapped");
    assert_found(&places, at("was/b/c.c"), FLM_SOURCE_MAPPED, "mapped");
    put("was2/b/c.c", "a folder of a longer name");
    assert_found(&places, at("was2/b/c.c"), FLM_SOURCE_AS_NAMED, "a folder of a longer name");
    char url[700];
    snprintf(url, sizeof url, "file://%s", at("was2/b/c.c"));
    assert_found(&places, url, FLM_SOURCE_AS_NAMED, "a folder of a longer name");
}

static void a_relative_path_is_below_the_folder_of_the_compilation(void **state)
{
    (void)state;
    static const struct flm_source_places places = {0};
    put("build/inc/a.h", "found");
    const struct flm_source_request request = {flm_bytes_of("inc/a.h"), flm_bytes_of(at("build")),
                                               NULL};
    struct flm_source_file source;
    assert_true(flm_source_file_find(&places, &request, &source, NULL));
    assert_string_equal(source.path.at, at("build/inc/a.h"));
    assert_string_equal(source.status.at,
                        "nothing tells whether this is the file that was compiled");
    flm_source_file_clear(&source);
}

static void nothing_leads_out_of_a_folder(void **state)
{
    (void)state;
    const char *const folders[] = {at("in")};
    const struct flm_source_places places = {folders, 1, .folders_only = true};
    put("out/secret.c", "secret");
    put("in/good.c", "good");
    shell("ln -s ../out/secret.c sources/in/secret.c; ln -s ../out sources/in/folder\n"
          "ln -s good.c sources/in/link.c; mkfifo sources/in/pipe.c; ln -s /dev/zero "
          "sources/in/zero.c");
    assert_found(&places, "/x/link.c", FLM_SOURCE_IN_FOLDER, "good");
    assert_found(&places, at("in/good.c"), FLM_SOURCE_IN_FOLDER, "good");
    assert_status(&places, at("out/secret.c"), false, "it leads out of the folder");
    assert_status(&places, "/folder/secret.c", false, "it leads out of the folder");
    assert_status(&places, "../out/secret.c", false, "it leads out of the folder");
    assert_status(&places, "/x/pipe.c", false, "pipe.c (it is no regular file)");
    assert_status(&places, "/x/zero.c", false, "zero.c (it leads out of the folder)");
    assert_status(&places, "/etc/passwd", false, "/etc/passwd was not found");
    char map[700];
    snprintf(map, sizeof map, "/src=%s", at("in"));
    const char *const maps[] = {map};
    const struct flm_source_places mapped = {.maps = maps, .map_count = 1};
    assert_found(&mapped, "/src/good.c", FLM_SOURCE_MAPPED, "good");
    assert_status(&mapped, "/src/../out/secret.c", false, "it leads out of the folder");
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    static const struct flm_source_places places = {.most_bytes = 10};
    put("large.c", "0123456789x");
    shell("printf 'a\\000b' > sources/binary.c; mkfifo sources/pipe.c");
    assert_status(&places, at("large.c"), false, "large.c (it is too large)");
    assert_status(&places, at("binary.c"), false, "binary.c (it is not text)");
    assert_status(&places, at("pipe.c"), false, "pipe.c (it is no regular file)");
    assert_status(&places, top, false, "it is no regular file");
    assert_status(&places, "/dev/zero", false, "it is no regular file");
}

static void what_was_tried_is_said(void **state)
{
    (void)state;
    static const char *const folders[] = {"/no/such/folder"}, *const maps[] = {"/src=/now"};
    static const struct flm_source_places places = {folders, 1, maps, 1};
    assert_status(&places, "/src/a.c", false,
                  "/src/a.c was not found; tried: /now/a.c, /src/a.c, all ends of the path below "
                  "/no/such/folder. Use --source DIR for the folder with the sources, or "
                  "--source-map OLD=NEW for where a folder is now");
    static const struct flm_source_places nothing = {.folders_only = true};
    assert_status(&nothing, "", false, " was not found; tried: nothing. Use");
    assert_status(&places, "<frozen site>", false,
                  "<frozen site> is not the name of a file: the code was made while the program "
                  "ran, or is part of the interpreter");
    struct flm_source_file source;
    const struct flm_source_request request = {.path = {"/a\0b", 4}};
    assert_false(flm_source_file_find(&nothing, &request, &source, NULL));
    flm_source_file_clear(&source);
    char long_path[6000];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    assert_false(find(&places, long_path, &source));
    flm_source_file_clear(&source);
    struct flm_error why = {0};
    assert_true(flm_source_map_check("a=b", &why) && !flm_source_map_check("a", &why));
    assert_string_equal(why.text, "'a' is not OLD=NEW: where sources were, and where they are");
}

static void a_file_is_older_or_newer_than_the_recording(void **state)
{
    (void)state;
    const char *const folders[] = {at("copy")};
    struct flm_source_places places = {.recorded_ns = 1700000000 * INT64_C(1000000000)};
    put("a.c", "text");
    shell("touch -d @1699999999 sources/a.c");
    assert_status(&places, at("a.c"), true,
                  "not changed since the recording: last change 2023-11-14 22:13 UTC");
    shell("touch -d @1700000001 sources/a.c");
    assert_status(&places, at("a.c"), true,
                  "newer than the recording (changed 2023-11-14 22:13 UTC): lines may not agree");
    put("copy/a.c", "the old one"); /* fits better, though it is tried later */
    shell("touch -d @1600000000 sources/copy/a.c");
    places.folders = folders;
    places.folder_count = 1;
    assert_found(&places, at("a.c"), FLM_SOURCE_IN_FOLDER, "the old one");
}

/* ---- With debug information ------------------------------------------------------------------ */

static const char program[] = "int main(void)\n{\n    return 0;\n}\n";

static struct flm_module *compiled(struct flm_modules **modules, const char *options)
{
    static const struct flm_modules_options none = {0};
    put("src/main.c", program);
    shell("clang %s -O0 '%s' -o sources/program", options, at("src/main.c"));
    *modules = flm_modules_new(&none, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of(at("program"))};
    struct flm_module *module = flm_modules_get(*modules, &request);
    assert_non_null(module);
    return module;
}

static void assert_fit(struct flm_module *module, const struct flm_source_places *places,
                       enum flm_source_origin origin, enum flm_source_fit fit, const char *text)
{
    struct flm_source_file source;
    const struct flm_source_request request = {flm_bytes_of(at("src/main.c")), {"", 0}, module};
    assert_true(flm_source_file_find(places, &request, &source, NULL));
    assert_int_equal(source.origin, origin);
    assert_int_equal(source.fit, fit);
    assert_true(flm_bytes_are((struct flm_bytes){source.text.at, source.text.size}, text));
    flm_source_file_clear(&source);
}

static void a_checksum_tells_which_file_was_compiled(void **state)
{
    (void)state;
    if (!has_command("clang"))
        skip();
    struct flm_modules *modules;
    struct flm_module *module = compiled(&modules, "-gdwarf-5");
    const char *const folders[] = {at("copy")};
    const struct flm_source_places places = {folders, 1, .recorded_ns = 1};
    assert_fit(module, &places, FLM_SOURCE_AS_NAMED, FLM_SOURCE_SAME, program);
    put("src/main.c", "edited");
    assert_fit(module, &places, FLM_SOURCE_AS_NAMED, FLM_SOURCE_OTHER, "edited");
    put("copy/main.c", program);
    assert_fit(module, &places, FLM_SOURCE_IN_FOLDER, FLM_SOURCE_SAME, program);
    flm_modules_free(modules);
}

static void without_a_checksum_time_tells(void **state)
{
    (void)state;
    if (!has_command("clang"))
        skip();
    struct flm_modules *modules;
    struct flm_module *module = compiled(&modules, "-gdwarf-4");
    static const struct flm_source_places none = {0}, early = {.recorded_ns = 1};
    assert_fit(module, &none, FLM_SOURCE_AS_NAMED, FLM_SOURCE_UNSURE, program);
    assert_fit(module, &early, FLM_SOURCE_AS_NAMED, FLM_SOURCE_NEWER, program);
    flm_modules_free(modules);
}

static void debug_information_may_have_the_text(void **state)
{
    (void)state;
    if (!has_command("clang"))
        skip();
    struct flm_modules *modules;
    struct flm_module *module = compiled(&modules, "-gdwarf-5 -gembed-source");
    static const struct flm_source_places places = {0};
    shell("rm sources/src/main.c");
    assert_fit(module, &places, FLM_SOURCE_IN_DEBUG_INFORMATION, FLM_SOURCE_SAME, program);
    put("src/main.c", "edited");
    assert_fit(module, &places, FLM_SOURCE_IN_DEBUG_INFORMATION, FLM_SOURCE_SAME, program);
    flm_modules_free(modules);
}

static bool find_some(void *context, struct flm_error *why)
{
    const struct flm_source_request request = {.path = flm_bytes_of(context)};
    const char *const folders[] = {at("one")};
    const struct flm_source_places places = {folders, 1};
    struct flm_source_file source;
    struct flm_error own = {0};
    bool good =
        flm_source_file_find(&places, &request, &source, &own) || own.kind == FLM_ERROR_NONE;
    flm_source_file_clear(&source);
    if (!good && why)
        *why = own;
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    put("one/b.c", "text");
    assert_true(assert_survives_failures(find_some, "/a/b.c") > 4);
    assert_true(assert_survives_failures(find_some, "/a/nothing.c") > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(places_are_tried_in_their_order, make_folder),
        cmocka_unit_test_setup(a_relative_path_is_below_the_folder_of_the_compilation, make_folder),
        cmocka_unit_test_setup(nothing_leads_out_of_a_folder, make_folder),
        cmocka_unit_test_setup(what_is_no_text_is_refused, make_folder),
        cmocka_unit_test_setup(what_was_tried_is_said, make_folder),
        cmocka_unit_test_setup(a_file_is_older_or_newer_than_the_recording, make_folder),
        cmocka_unit_test_setup(a_checksum_tells_which_file_was_compiled, make_folder),
        cmocka_unit_test_setup(without_a_checksum_time_tells, make_folder),
        cmocka_unit_test_setup(debug_information_may_have_the_text, make_folder),
        cmocka_unit_test_setup(memory_may_run_out, make_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
