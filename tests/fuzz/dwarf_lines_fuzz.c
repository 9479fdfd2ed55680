/* Any bytes as .debug_line: the first byte says how much of the rest are .debug_line_str and
 * .debug_str. Whatever is read of it makes a table of lines that can be opened. */
#include <stdlib.h>

#include "symbol/dwarf/line_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t strings = (size - 1) * data[0] / 256;
    /* In memory of their own, so that a read behind the end of a section is seen. */
    struct flm_bytes parts[2] = {{(const char *)data + 1, size - 1 - strings},
                                 {(const char *)data + size - strings, strings}};
    char *copies[2];
    for (int i = 0; i < 2; i++) {
        copies[i] = malloc(parts[i].size + 1);
        promise(copies[i] != NULL);
        memcpy(copies[i], parts[i].at, parts[i].size);
        copies[i] = realloc(copies[i], parts[i].size + (parts[i].size == 0));
        parts[i].at = copies[i];
    }
    struct flm_line_sections sections = {parts[0], parts[1], parts[1]};
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    promise(maker != NULL);
    struct flm_line_files files = {0};
    for (size_t offset = 0; offset < 3; offset++)
        flm_line_program_read(&sections, offset * 16, flm_bytes_of("/home"), offset == 2, maker,
                              &files);
    flm_line_files_clear(&files);
    struct flm_code_table *table = flm_code_maker_finish(maker, NULL);
    promise(table != NULL);
    struct flm_text out = {0};
    flm_code_table_write(table, &out);
    flm_code_table_free(table);
    table = flm_code_table_open((struct flm_bytes){out.at, out.size}, NULL);
    promise(table != NULL);
    flm_code_table_free(table);
    flm_text_clear(&out);
    for (int i = 0; i < 2; i++)
        free(copies[i]);
    return 0;
}
