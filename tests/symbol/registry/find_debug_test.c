#include "symbol/registry/find_debug.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* One program with debug information, cut in two; and another one of the same name. */
static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell("mkdir -p bin other && gcc -g -O1 small.c -o whole && gcc -g -O2 small.c -o other/small");
    shell("cp whole bin/small && objcopy --only-keep-debug whole small.debug && strip bin/small && "
          "objcopy --add-gnu-debuglink=small.debug bin/small");
    shell("gcc -g -O1 -Wl,--build-id=none small.c -o noid && cp noid bin/noid && objcopy "
          "--only-keep-debug noid noid.debug && strip bin/noid && objcopy "
          "--add-gnu-debuglink=noid.debug bin/noid && rm noid");
    shell("mv small.debug kept.debug; mv noid.debug kept-noid.debug");
    return 0;
}

static struct flm_build_id id_of(const char *name)
{
    struct flm_elf_file *file = flm_elf_open(temporary_path(name), NULL);
    assert_non_null(file);
    struct flm_build_id id = file->build_id;
    flm_elf_free(file);
    return id;
}

/* "ab/cdef" of that file. */
static const char *id_path(const char *name)
{
    static char path[80];
    struct flm_text digits = {0};
    struct flm_build_id id = id_of(name);
    flm_build_id_print(&id, &digits);
    snprintf(path, sizeof path, "%.2s/%.*s", digits.at, (int)digits.size - 2, digits.at + 2);
    flm_text_clear(&digits);
    return path;
}

/* For `finds`: the process that the program ran in; 0: none. */
static int debugged_process;

/* Looks for the debug information of bin/NAME when `place` is set up, below the temporary folder;
 * whether it was found there, and is the right one. */
static bool finds(const char *name, const char *kept, const char *place, const char *symbol_dir,
                  const char *debug_dir, const char *perf_dir)
{
    shell("mkdir -p \"$(dirname \"%s\")\" && cp %s '%s'", place, kept, place);
    char *dir = strdup(symbol_dir ? temporary_path(symbol_dir) : "/nowhere");
    char *debug = strdup(debug_dir ? temporary_path(debug_dir) : "/nowhere");
    char *perf = strdup(perf_dir ? temporary_path(perf_dir) : "/nowhere");
    char binary[50];
    snprintf(binary, sizeof binary, "bin/%s", name);
    char *path = strdup(temporary_path(binary));
    const char *const dirs[] = {dir};
    struct flm_find find = {
        .symbol_dirs = dirs, .symbol_dir_count = 1, .debug_dir = debug, .perf_dir = perf};
    struct flm_elf_file *program = flm_elf_open(path, NULL);
    assert_non_null(program);
    struct flm_found found;
    flm_find_debug(&find, program, flm_bytes_of(path), &program->build_id, debugged_process, false,
                   &found);
    bool has_found = found.file && flm_elf_has_debug_info(found.file);
    if (has_found) {
        char *real = strdup(temporary_path(place));
        struct flm_text expected = read_file(real);
        assert_int_equal(found.file->image.size, expected.size);
        assert_memory_equal(found.file->image.at, expected.at, expected.size);
        assert_non_null(strstr(found.path.at, strrchr(place, '/') + 1));
        flm_text_clear(&expected);
        free(real);
    }
    flm_found_clear(&found);
    flm_elf_free(program);
    free(dir);
    free(debug);
    free(perf);
    free(path);
    shell("rm '%s'", place);
    return has_found;
}

static void debug_files_are_found_at_all_locations(void **state)
{
    (void)state;
    char place[400];
    char *folder = strdup(temporary_path("bin"));
    snprintf(place, sizeof place, "dir/.build-id/%s.debug", id_path("whole"));
    assert_true(finds("small", "kept.debug", place, "dir", NULL, NULL));
    assert_false(finds("small", "kept.debug", place, NULL, NULL, NULL));
    snprintf(place, sizeof place, "dir/%s.debug", id_path("whole"));
    assert_true(finds("small", "kept.debug", place, "dir", NULL, NULL));
    snprintf(place, sizeof place, "dir%s/small.debug", folder);
    assert_true(finds("small", "kept.debug", place, "dir", NULL, NULL));
    snprintf(place, sizeof place, "dir%s/small", folder);
    assert_true(finds("small", "kept.debug", place, "dir", NULL, NULL));
    assert_true(finds("small", "kept.debug", "dir/small", "dir", NULL, NULL));
    assert_true(finds("small", "kept.debug", "dir/small.debug", "dir", NULL, NULL));
    assert_true(finds("small", "whole", "dir/small", "dir", NULL, NULL)); /* not stripped */
    assert_true(finds("small", "kept.debug", "bin/small.debug", NULL, NULL, NULL));
    assert_true(finds("small", "kept.debug", "bin/.debug/small.debug", NULL, NULL, NULL));
    snprintf(place, sizeof place, "lib/.build-id/%s.debug", id_path("whole"));
    assert_true(finds("small", "kept.debug", place, NULL, "lib", NULL));
    snprintf(place, sizeof place, "lib%s/small.debug", folder);
    assert_true(finds("small", "kept.debug", place, NULL, "lib", NULL));
    snprintf(place, sizeof place, "perf/.build-id/%s/debug", id_path("whole"));
    assert_true(finds("small", "kept.debug", place, NULL, NULL, "perf"));
    assert_false(finds("small", "kept.debug", "dir/another", "dir", NULL, NULL));
    free(folder);
}

/* A process that has ended has no root any more: the files are where we see them. */
static void debug_files_are_found_after_the_process(void **state)
{
    (void)state;
    char place[400];
    char *folder = strdup(temporary_path("bin"));
    debugged_process = INT32_MAX;
    assert_true(finds("small", "kept.debug", "bin/small.debug", NULL, NULL, NULL));
    assert_true(finds("small", "kept.debug", "bin/.debug/small.debug", NULL, NULL, NULL));
    assert_true(finds("noid", "kept-noid.debug", "bin/noid.debug", NULL, NULL, NULL));
    snprintf(place, sizeof place, "lib%s/small.debug", folder);
    assert_true(finds("small", "kept.debug", place, NULL, "lib", NULL));
    assert_false(finds("small", "kept-noid.debug", "bin/small.debug", NULL, NULL, NULL));
    debugged_process = 0;
    free(folder);
}

static void a_file_of_another_build_is_not_used(void **state)
{
    (void)state;
    char place[400];
    assert_false(finds("small", "other/small", "dir/small", "dir", NULL, NULL));
    snprintf(place, sizeof place, "dir/.build-id/%s.debug", id_path("whole"));
    assert_false(finds("small", "other/small", place, "dir", NULL, NULL));
    assert_false(finds("small", "kept-noid.debug", "bin/small.debug", NULL, NULL, NULL));
    assert_false(finds("small", "small.c", "bin/small.debug", NULL, NULL, NULL));
}

/* Without a build id the CRC of the link says which file it is. */
static void without_a_build_id_the_crc_decides(void **state)
{
    (void)state;
    assert_true(finds("noid", "kept-noid.debug", "bin/noid.debug", NULL, NULL, NULL));
    shell("cp kept-noid.debug wrong.debug && printf x >> wrong.debug");
    assert_false(finds("noid", "wrong.debug", "bin/noid.debug", NULL, NULL, NULL));
    assert_false(finds("noid", "kept.debug", "bin/noid.debug", NULL, NULL, NULL));
}

/* For found_program: the file that was mapped; and whether its build id was read from the path when
 * the recording, of these times, ended. */
static struct flm_mapped_file mapped_program;
static bool is_id_of_path;
static int64_t recorded_from_ns, recorded_until_ns;

/* Where the program was found, as a path, or what is wrong with it. */
static const char *found_program(const char *path, const struct flm_build_id *id, int process,
                                 const char *symbol_dir)
{
    static char result[400];
    const char *const dirs[] = {symbol_dir};
    struct flm_find find = {.symbol_dirs = dirs,
                            .symbol_dir_count = symbol_dir != NULL,
                            .perf_dir = symbol_dir,
                            .from_ns = recorded_from_ns,
                            .until_ns = recorded_until_ns};
    struct flm_found found;
    struct flm_error why = {0};
    const struct flm_wanted_program wanted = {.path = flm_bytes_of(path),
                                              .id = *id,
                                              .mapped = mapped_program,
                                              .process = process,
                                              .id_is_of_path = is_id_of_path};
    flm_find_program(&find, &wanted, &found, &why);
    if (found.file)
        snprintf(result, sizeof result, "%s", found.path.at);
    else
        snprintf(result, sizeof result, "%s",
                 found.is_changed   ? "changed"
                 : found.is_damaged ? "damaged"
                                    : "missing");
    assert_int_equal(found.is_damaged && !found.file, why.kind == FLM_ERROR_FORMAT && !found.file);
    flm_found_clear(&found);
    return result;
}

static void a_program_is_taken_when_it_is_the_right_one(void **state)
{
    (void)state;
    struct flm_build_id id = id_of("bin/small"), none = {0}, other = id_of("other/small");
    char *path = strdup(temporary_path("bin/small")), *dir = strdup(temporary_path("dir"));
    char *source = strdup(temporary_path("small.c")), copied[500];
    shell("rm -rf dir; mkdir dir");
    assert_string_equal(found_program(path, &id, 0, NULL), path);
    assert_string_equal(found_program(path, &none, 0, NULL), path);
    assert_string_equal(found_program(path, &other, 0, NULL), "changed");
    assert_string_equal(found_program(source, &id, 0, NULL), "damaged");
    assert_string_equal(found_program("/nowhere/at/all", &id, 0, NULL), "missing");
    assert_string_equal(found_program("//anon", &id, 0, NULL), "missing");
    assert_string_equal(found_program("", &id, 0, NULL), "missing");
    shell("cp other/small dir/small");
    snprintf(copied, sizeof copied, "%s/small", dir);
    assert_string_equal(found_program(path, &other, 0, dir), copied);
    assert_string_equal(found_program(path, &id, 0, dir), path);
    shell("mkdir -p 'dir%s' && cp kept.debug 'dir%s'", path, path); /* which has no code */
    assert_string_equal(found_program(path, &id, 0, dir), path);
    shell("rm -r dir; mkdir -p dir/.build-id/%.*s && cp bin/small dir/.build-id/%s", 2,
          id_path("whole"), id_path("whole"));
    snprintf(copied, sizeof copied, "%s/.build-id/%s", dir, id_path("whole"));
    assert_string_equal(found_program("/gone/small", &id, 0, dir), copied);
    shell("mv dir/.build-id/%s kept && mkdir dir/.build-id/%s && mv kept dir/.build-id/%s/elf",
          id_path("whole"), id_path("whole"), id_path("whole")); /* as perf keeps it */
    snprintf(copied, sizeof copied, "%s/.build-id/%s/elf", dir, id_path("whole"));
    assert_string_equal(found_program("/gone/small", &id, 0, dir), copied);
    assert_string_equal(found_program("/gone/small", &other, 0, dir), "missing");
    free(path);
    free(dir);
    free(source);
}

/* A program that waits; its id. */
static pid_t start(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, "30", (char *)NULL);
        _exit(127);
    }
    char link[64], target[400];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)child);
    for (int i = 0; i < 1000; i++) { /* until it is that program */
        ssize_t size = readlink(link, target, sizeof target - 1);
        if (size > 0 && strncmp(target, path, (size_t)size) == 0)
            break;
        usleep(1000);
    }
    return child;
}

static void a_deleted_program_is_read_while_it_runs(void **state)
{
    (void)state;
    shell("cp \"$(command -v sleep)\" running");
    char *path = strdup(temporary_path("running"));
    struct flm_build_id id = id_of("running"), none = {0};
    pid_t child = start(path);
    char where[100];
    snprintf(where, sizeof where, "/proc/%d/root%s", (int)child, path);
    assert_string_equal(found_program(path, &none, child, NULL), where);
    shell("rm running; cp other/small running"); /* replaced, as a package manager does */
    snprintf(where, sizeof where, "/proc/%d/exe", (int)child);
    assert_string_equal(found_program(path, &id, child, NULL), where);
    shell("rm running");
    assert_string_equal(found_program(path, &none, child, NULL), where);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_string_equal(found_program(path, &id, child, NULL), "missing");
    free(path);
}

/* The numbers of a file that is mapped here. */
static struct flm_mapped_file mapped_numbers(const char *path)
{
    struct flm_mapped_file file = {0};
    struct flm_elf_file *elf = flm_elf_open(path, NULL);
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[800];
    assert_non_null(elf);
    while (fgets(line, sizeof line, maps)) {
        int numbers = 0;
        sscanf(line, "%*s %*s %*s %n", &numbers);
        if (strtoull(line, NULL, 16) == (uintptr_t)elf->mapping)
            assert_true(flm_mapped_file_parse(line + numbers, &file));
    }
    fclose(maps);
    flm_elf_free(elf);
    assert_true(file.inode > 0);
    return file;
}

/* Of a program without a build id only the file that is mapped is the program. */
static void a_file_that_took_the_place_of_the_mapped_one_is_not_used(void **state)
{
    (void)state;
    struct flm_build_id none = {0};
    shell("objcopy --remove-section=.note.gnu.build-id \"$(command -v sleep)\" running");
    shell("mkdir -p dir && cp running dir/");
    char *path = strdup(temporary_path("running")), *dir = strdup(temporary_path("dir"));
    char where[400];
    pid_t child = start(path);
    mapped_program = mapped_numbers(path);
    snprintf(where, sizeof where, "/proc/%d/root%s", (int)child, path);
    assert_string_equal(found_program(path, &none, child, NULL), where);
    assert_string_equal(found_program(path, &none, 0, NULL), path);
    shell("cp running new; mv new running"); /* as every deployment does */
    snprintf(where, sizeof where, "/proc/%d/exe", (int)child);
    assert_string_equal(found_program(path, &none, child, NULL), where);
    assert_string_equal(found_program(path, &none, 0, NULL), "changed");
    snprintf(where, sizeof where, "%s/running", dir);
    assert_string_equal(found_program(path, &none, 0, dir), where); /* the user says so */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_string_equal(found_program(path, &none, child, NULL), "changed");
    mapped_program = (struct flm_mapped_file){0};
    free(path);
    free(dir);
}

/* A process that has ended has no root any more: its file is still at the path. */
static void the_mapped_file_is_found_after_its_process(void **state)
{
    (void)state;
    struct flm_build_id none = {0};
    shell("objcopy --remove-section=.note.gnu.build-id \"$(command -v sleep)\" ended");
    char *path = strdup(temporary_path("ended"));
    assert_string_equal(found_program(path, &none, INT32_MAX, NULL), "missing");
    mapped_program = mapped_numbers(path);
    assert_string_equal(found_program(path, &none, INT32_MAX, NULL), path);
    mapped_program.inode++;
    assert_string_equal(found_program(path, &none, INT32_MAX, NULL), "changed");
    mapped_program = (struct flm_mapped_file){0};
    free(path);
}

/* perf reads build ids from the paths when it ends: of what was replaced, those are wrong. */
static void the_build_id_of_a_successor_is_noticed(void **state)
{
    (void)state;
    shell("cp other/small was; mv was place; cp bin/small next");
    char *path = strdup(temporary_path("place"));
    const int64_t second_ns = 1000000000;
    mapped_program = mapped_numbers(path);
    shell("mv next place");
    struct flm_build_id id = id_of("place");
    int64_t now_ns = (int64_t)time(NULL) * second_ns;
    is_id_of_path = true;
    assert_string_equal(found_program(path, &id, 0, NULL), path); /* nothing is known of when */
    recorded_from_ns = now_ns - 60 * second_ns;
    recorded_until_ns = now_ns + 2 * second_ns;
    assert_string_equal(found_program(path, &id, 0, NULL), "changed");
    recorded_until_ns = now_ns - 50 * second_ns; /* built anew since, and the same again */
    assert_string_equal(found_program(path, &id, 0, NULL), path);
    recorded_from_ns = now_ns + 50 * second_ns; /* another file system: a container's */
    recorded_until_ns = now_ns + 60 * second_ns;
    assert_string_equal(found_program(path, &id, 0, NULL), path);
    recorded_from_ns = now_ns - 60 * second_ns;
    mapped_program = mapped_numbers(path);
    assert_string_equal(found_program(path, &id, 0, NULL), path);
    is_id_of_path = false; /* of the kernel's record: of the mapped file */
    mapped_program.inode++;
    assert_string_equal(found_program(path, &id, 0, NULL), path);
    mapped_program = (struct flm_mapped_file){0};
    recorded_from_ns = recorded_until_ns = 0;
    free(path);
}

static void memory_that_runs_out_finds_nothing(void **state)
{
    (void)state;
    shell("rm -rf dir bin/.debug; cp kept.debug bin/small.debug");
    char *path = strdup(temporary_path("bin/small"));
    struct flm_build_id id = id_of("bin/small");
    const struct flm_find find = {0};
    for (size_t nth = 1;; nth++) {
        struct flm_found program, debug;
        allocation_fail_from(nth);
        const struct flm_wanted_program wanted = {.path = flm_bytes_of(path), .id = id};
        flm_find_program(&find, &wanted, &program, NULL);
        flm_find_debug(&find, program.file, flm_bytes_of(path), &id, 0, false, &debug);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(failed || (program.file && debug.file));
        flm_found_clear(&program);
        flm_found_clear(&debug);
        if (!failed)
            break;
    }
    free(path);
}

static void a_shared_part_is_found_by_its_link(void **state)
{
    (void)state;
    /* As dwz writes it: the name, a zero, and the build id of the file with the shared part. */
    shell("gcc -g -O1 -shared -fPIC small.c -o shared.debug && mkdir -p .dwz sub && "
          "{ printf 'shared.debug\\0'; readelf -n shared.debug | sed -n 's/.*Build ID: //p' | "
          "python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))'; } "
          "> link && cp whole sub/uses && objcopy --add-section .gnu_debugaltlink=link sub/uses");
    struct flm_elf_file *debug = flm_elf_open(temporary_path("sub/uses"), NULL);
    char *path = strdup(temporary_path("sub/uses"));
    char *dir = strdup(temporary_path("lib"));
    const struct flm_find find = {.debug_dir = dir};
    struct flm_build_id expected = id_of("shared.debug");
    static const char *const places[] = {"sub/shared.debug", "lib/.dwz/shared.debug"};
    assert_null(flm_find_alternate(&find, debug, flm_bytes_of(path)));
    for (size_t i = 0; i < 2; i++) {
        shell("mkdir -p \"$(dirname %s)\" && cp shared.debug %s", places[i], places[i]);
        struct flm_elf_file *shared = flm_find_alternate(&find, debug, flm_bytes_of(path));
        assert_non_null(shared);
        assert_true(flm_build_id_equal(&shared->build_id, &expected));
        flm_elf_free(shared);
        shell("cp other/small %s", places[i]); /* another one */
        assert_null(flm_find_alternate(&find, debug, flm_bytes_of(path)));
    }
    flm_elf_free(debug);
    free(path);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debug_files_are_found_at_all_locations),
        cmocka_unit_test(debug_files_are_found_after_the_process),
        cmocka_unit_test(a_file_of_another_build_is_not_used),
        cmocka_unit_test(without_a_build_id_the_crc_decides),
        cmocka_unit_test(a_program_is_taken_when_it_is_the_right_one),
        cmocka_unit_test(a_deleted_program_is_read_while_it_runs),
        cmocka_unit_test(a_file_that_took_the_place_of_the_mapped_one_is_not_used),
        cmocka_unit_test(the_mapped_file_is_found_after_its_process),
        cmocka_unit_test(the_build_id_of_a_successor_is_noticed),
        cmocka_unit_test(memory_that_runs_out_finds_nothing),
        cmocka_unit_test(a_shared_part_is_found_by_its_link),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
