#include "symbol/registry/kernel_image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"

/* As /proc/kcore: notes, and two segments of memory, at addresses with their highest bit set. */
static struct flm_text image(void)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segments[3];
        char memory[32];
    } file = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                         .e_phoff = sizeof(Elf64_Ehdr),
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 3},
              .segments = {{.p_type = PT_NOTE, .p_filesz = 1000},
                           {.p_type = PT_LOAD, .p_vaddr = 0xffffffff81000000, .p_filesz = 16},
                           {.p_type = PT_LOAD, .p_vaddr = 0xffff888000000000, .p_filesz = 16}},
              .memory = "kernel's text...all of memory..."};
    file.segments[1].p_offset = (size_t)((char *)file.memory - (char *)&file);
    file.segments[2].p_offset = file.segments[1].p_offset + 16;
    struct flm_text bytes = {0};
    flm_text_add(&bytes, (struct flm_bytes){(const char *)&file, sizeof file});
    return bytes;
}

static void memory_is_read_at_the_addresses_of_the_kernel(void **state)
{
    (void)state;
    struct flm_text bytes = image(), out = {0};
    const char *path = write_temporary("kcore", (struct flm_bytes){bytes.at, bytes.size});
    struct flm_error why = {0};
    assert_true(flm_kernel_image_read(path, 0xffffffff81000009, 4, &out, &why));
    assert_true(flm_kernel_image_read(path, 0xffff888000000007, 9, &out, &why));
    assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, "textmemory..."));
    static const struct {
        uint64_t address;
        size_t size;
    } others[] = {{0xffffffff8100000d, 4},
                  {0xffffffff80ffffff, 1},
                  {0xffffffff81000000, 17},
                  {0, 8},
                  {UINT64_MAX, 2}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(flm_kernel_image_read(path, others[i].address, others[i].size, &out, &why));
        assert_true(flm_bytes_end_with(flm_bytes_of(why.text), ": it does not have this address"));
    }
    assert_int_equal(out.size, 13);
    flm_text_clear(&out);
    flm_text_clear(&bytes);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct flm_text bytes = image(), out = {0};
    struct flm_error why = {0};
    assert_false(flm_kernel_image_read("/no/such/file", 0, 1, &out, &why));
    assert_string_equal(why.text, "/no/such/file: No such file or directory");
    for (size_t size = 0; size < bytes.size - 32; size++) {
        const char *path = write_temporary("kcore", (struct flm_bytes){bytes.at, size});
        assert_false(flm_kernel_image_read(path, 0xffff888000000007, 9, &out, &why));
    }
    bytes.at[EI_CLASS] = ELFCLASS32;
    const char *path = write_temporary("kcore", (struct flm_bytes){bytes.at, bytes.size});
    assert_false(flm_kernel_image_read(path, 0xffff888000000007, 9, &out, &why));
    assert_int_equal(out.size, 0);
    flm_text_clear(&out);
    flm_text_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_read_at_the_addresses_of_the_kernel),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
