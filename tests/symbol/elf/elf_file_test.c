#include "symbol/elf/elf_file.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -g -O1 -Wl,--build-id=sha1 small.c -o gnu");
    shell("! command -v ld.lld > /dev/null || clang -g -O1 -fuse-ld=lld -Wl,--build-id small.c -o "
          "lld");
    shell("cp gnu stripped && strip stripped");
    shell("objcopy --only-keep-debug gnu gnu.debug");
    shell("cp stripped linked && objcopy --add-gnu-debuglink=gnu.debug linked");
    shell("objcopy --compress-debug-sections=zlib gnu packed");
    shell("objcopy --compress-debug-sections=zlib-gnu gnu packed-old");
    shell("objcopy --compress-debug-sections=zstd gnu packed-zstd 2> packed-why || rm -f "
          "packed-zstd");
    shell("gcc -c -g small.c -o small.o");
    return 0;
}

static struct flm_elf_file *open_file(const char *name)
{
    struct flm_error why = {0};
    struct flm_elf_file *file = flm_elf_open(temporary_path(name), &why);
    if (!file)
        fail_msg("%s", why.text);
    return file;
}

static const char *printed_id(const struct flm_elf_file *file)
{
    static char digits[80];
    struct flm_text out = {0};
    flm_build_id_print(&file->build_id, &out);
    snprintf(digits, sizeof digits, "%.*s", (int)out.size, out.at ? out.at : "");
    flm_text_clear(&out);
    return digits;
}

/* As readelf says. */
static void assert_as_readelf(const char *name)
{
    struct flm_elf_file *file = open_file(name);
    struct flm_text id =
        shell_output("readelf -n %s 2> /dev/null | sed -n 's/.*Build ID: //p' | tr -d '\\n'", name);
    flm_text_putc(&id, 0);
    assert_string_equal(printed_id(file), id.at);
    flm_text_clear(&id);
    struct flm_text list =
        shell_output("readelf -SW %s 2> /dev/null | sed -n 's/^ *\\[ *[0-9]*\\] \\(\\.[^ ]*\\) "
                     "*[A-Z_0-9]* *\\([0-9a-f]*\\) \\([0-9a-f]*\\) "
                     "\\([0-9a-f]*\\).*/\\1 \\2 \\3 \\4/p'",
                     name);
    flm_text_putc(&list, 0);
    size_t count = 0;
    for (char *line = strtok(list.at, "\n"); line; line = strtok(NULL, "\n"), count++) {
        char section_name[100];
        unsigned long long address, offset, size;
        assert_int_equal(
            sscanf(line, "%99s %llx %llx %llx", section_name, &address, &offset, &size), 4);
        struct flm_elf_section *section = flm_elf_section(file, section_name);
        assert_non_null(section);
        assert_int_equal(section->address, address);
        assert_int_equal(section->offset, offset);
        assert_int_equal(section->size, size);
        if (section->type == SHT_NOBITS)
            assert_int_equal(flm_elf_bytes(file, section).size, 0);
        else if (!(section->flags & SHF_COMPRESSED))
            assert_int_equal(flm_elf_bytes(file, section).size, size);
    }
    assert_true(count > 20);
    flm_text_clear(&list);
    flm_elf_free(file);
}

static void sections_and_build_ids_are_as_readelf_says(void **state)
{
    (void)state;
    assert_as_readelf("gnu");
    assert_as_readelf("stripped");
    assert_as_readelf("gnu.debug");
    assert_as_readelf("packed");
    if (has_command("ld.lld"))
        assert_as_readelf("lld");
}

/* lld puts .text at an address that is not its offset. */
static void offsets_become_addresses_in_every_layout(void **state)
{
    (void)state;
    static const char *const names[] = {"gnu", "stripped", "lld"};
    for (size_t i = 0; i < 3; i++) {
        if (i == 2 && !has_command("ld.lld"))
            continue;
        struct flm_elf_file *file = open_file(names[i]);
        struct flm_elf_section *text = flm_elf_section(file, ".text");
        uint64_t address = 0;
        assert_non_null(text);
        if (i == 2)
            assert_int_not_equal(text->address, text->offset);
        for (uint64_t at = 0; at < text->size; at += 7) {
            assert_true(flm_elf_address(file, text->offset + at, &address));
            assert_int_equal(address, text->address + at);
        }
        assert_false(flm_elf_address(file, file->image.size + (1 << 20), &address));
        assert_false(flm_elf_address(file, UINT64_MAX, &address));
        flm_elf_free(file);
    }
}

static void a_file_reports_its_sections(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool has_symbols, has_info, has_link;
    } files[] = {{"gnu", true, true, false},       {"stripped", false, false, false},
                 {"gnu.debug", true, true, false}, {"linked", false, false, true},
                 {"packed", true, true, false},    {"small.o", true, true, false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_elf_file *file = open_file(files[i].name);
        struct flm_bytes link;
        uint32_t crc;
        assert_int_equal(flm_elf_has_symbols(file), files[i].has_symbols);
        assert_int_equal(flm_elf_has_debug_info(file), files[i].has_info);
        assert_int_equal(flm_elf_debug_link(file, &link, &crc), files[i].has_link);
        if (files[i].has_link)
            assert_true(flm_bytes_are(link, "gnu.debug"));
        flm_elf_free(file);
    }
}

static void packed_sections_are_unpacked(void **state)
{
    (void)state;
    static const char *const names[] = {"packed", "packed-old", "packed-zstd"};
    static const char *const sections[] = {".debug_str", ".debug_info", ".debug_line"};
    struct flm_elf_file *plain = open_file("gnu");
    for (size_t i = 0; i < 3; i++) {
        if (access(temporary_path(names[i]), R_OK) != 0) {
            assert_int_equal(i, 2); /* this objcopy knows no zstd */
            continue;
        }
        struct flm_elf_file *packed = open_file(names[i]);
        size_t unpacked = 0;
        for (size_t k = 0; k < 3; k++) {
            struct flm_elf_section *section = flm_elf_section(packed, sections[k]);
            assert_non_null(section);
            struct flm_bytes got = flm_elf_bytes(packed, section);
            struct flm_bytes expected = flm_elf_bytes(plain, flm_elf_section(plain, sections[k]));
            assert_true(expected.size > 100);
            assert_true(flm_bytes_equal(got, expected));
            assert_ptr_equal(flm_elf_bytes(packed, section).at, got.at); /* once */
            unpacked += section->unpacked != NULL;
        }
        assert_true(unpacked > 0);
        flm_elf_free(packed);
    }
    flm_elf_free(plain);
}

static void other_files_than_elf_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        struct flm_bytes bytes;
        const char *reason;
    } bad[] = {{{"", 0}, "not an ELF file"},
               {{"#!/bin/sh\necho hello\n", 21}, "not an ELF file"},
               {{"\177ELF", 4}, "not an ELF file"},
               {{"\177ELF\3\1\1\0\0\0\0\0\0\0\0\0", 16}, "unknown class"},
               {{"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16}, "ends in its header"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct flm_error why = {0};
        assert_null(flm_elf_new(bad[i].bytes, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_non_null(strstr(why.text, bad[i].reason));
        assert_null(flm_elf_open(write_temporary("bad", bad[i].bytes), &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_non_null(strstr(why.text, "/bad: "));
    }
    struct flm_error why = {0};
    assert_null(flm_elf_open(temporary_path("nowhere"), &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_null(flm_elf_open("/", &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    shell("rm -f pipe; mkfifo pipe");
    assert_null(flm_elf_open(temporary_path("pipe"), &why)); /* does not wait for a writer */
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
}

/* Everything that can be asked of a file. */
static void ask_all(struct flm_bytes image)
{
    struct flm_elf_file *file = flm_elf_new(image, NULL);
    struct flm_bytes bytes;
    struct flm_build_id id;
    uint32_t crc;
    uint64_t address;
    volatile char sum = 0;
    if (!file)
        return;
    for (size_t i = 0; i < file->section_count; i++) {
        bytes = flm_elf_bytes(file, &file->sections[i]);
        for (size_t k = 0; k < bytes.size; k += 511)
            sum = (char)(sum + bytes.at[k]);
        if (bytes.size)
            sum = (char)(sum + bytes.at[bytes.size - 1]);
    }
    flm_elf_has_symbols(file);
    flm_elf_has_debug_info(file);
    flm_elf_debug_link(file, &bytes, &crc);
    flm_elf_alternate_link(file, &bytes, &id);
    for (size_t at = 0; at < image.size; at += 997)
        flm_elf_address(file, at, &address);
    assert_true(file->build_id.size <= FLM_BUILD_ID_MOST);
    flm_elf_free(file);
}

static void damaged_files_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    shell(
        "gcc -Os -nostdlib -static -x c - -o tiny -Wl,--build-id -Wl,-z,noseparate-code "
        "-Wl,-z,norelro <<'END'\nvoid _start(void) { for (;;) ; }\nint f(void) { return 1; }\nEND\n"
        "objcopy --add-gnu-debuglink=gnu.debug tiny");
    struct flm_text good = read_file(temporary_path("tiny"));
    assert_true(good.size < 20000);
    for (size_t size = 0; size <= good.size;
         size++) { /* in a block of its own: no byte behind it */
        char *copy = malloc(size + !size);
        memcpy(copy, good.at, size);
        ask_all((struct flm_bytes){copy, size});
        free(copy);
    }
    for (size_t i = 0; i < good.size; i++) {
        static const char flips[] = {1, (char)0x80, (char)0xff};
        for (size_t k = 0; k < sizeof flips; k++) {
            good.at[i] ^= flips[k];
            ask_all((struct flm_bytes){good.at, good.size});
            good.at[i] ^= flips[k];
        }
    }
    flm_text_clear(&good);
}

static void other_classes_and_byte_orders_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        uint16_t machine;
        bool is_wide;
    } targets[] = {{"elf32-i386", EM_386, false},
                   {"elf32-big", EM_NONE, false},
                   {"elf64-big", EM_NONE, true},
                   {"elf32-little", EM_NONE, false}};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        shell("printf 'hello' > data; rm -f other; objcopy -I binary -O %s data other 2> /dev/null "
              "|| "
              "true",
              targets[i].target);
        struct flm_elf_file *file = flm_elf_open(temporary_path("other"), NULL);
        if (!file)
            continue; /* this objcopy does not know the target */
        tried++;
        assert_int_equal(file->is_wide, targets[i].is_wide);
        assert_int_equal(file->machine, targets[i].machine);
        assert_true(flm_bytes_are(flm_elf_bytes(file, flm_elf_section(file, ".data")), "hello"));
        assert_true(flm_elf_has_symbols(file));
        flm_elf_free(file);
    }
    assert_true(tried > 0);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    struct flm_text image = read_file(temporary_path("packed"));
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_elf_file *file = flm_elf_new((struct flm_bytes){image.at, image.size}, &why);
        if (file) /* without memory a packed section is as if it were not there */
            flm_elf_bytes(file, flm_elf_section(file, ".debug_str"));
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(file || why.kind == FLM_ERROR_MEMORY);
        flm_elf_free(file);
        if (!failed)
            break;
    }
    flm_text_clear(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_and_build_ids_are_as_readelf_says),
        cmocka_unit_test(offsets_become_addresses_in_every_layout),
        cmocka_unit_test(a_file_reports_its_sections),
        cmocka_unit_test(packed_sections_are_unpacked),
        cmocka_unit_test(other_files_than_elf_are_refused_with_a_reason),
        cmocka_unit_test(damaged_files_are_read_as_far_as_they_go),
        cmocka_unit_test(other_classes_and_byte_orders_are_read),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
