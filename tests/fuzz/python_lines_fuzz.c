#include <stdlib.h>

#include "format/python/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the table, the answer is a line or none, and a pure function of what it was given. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_bytes table = {(const char *)data, size};
    for (int kind = FLM_PYTHON_LNOTAB; kind <= FLM_PYTHON_LOCATIONS; kind++)
        for (int64_t offset = -2; offset < 600; offset += 2) {
            uint32_t line = flm_python_line((enum flm_python_lines)kind, table, 100, offset);
            if (line != flm_python_line((enum flm_python_lines)kind, table, 100, offset) ||
                (offset < 0 && line != 100))
                abort();
        }
    return 0;
}
