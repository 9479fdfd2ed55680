/* line_table.h - the line of an instruction, from the line table of a code object of Python:
 *
 *     3.8, 3.9   pairs: bytes of code, line increment (signed)       co_lnotab
 *     3.10       pairs: bytes of code, line increment (signed) for them; -128: no line
 *     3.11 up    entries of several sizes: number of instructions, form, and depending on the form
 *                the line increment and columns, which are skipped */
#ifndef FLAMEL_FORMAT_PYTHON_LINE_TABLE_H
#define FLAMEL_FORMAT_PYTHON_LINE_TABLE_H

#include "base/core/bytes.h"

enum flm_python_lines {
    FLM_PYTHON_LNOTAB,    /* up to 3.9 */
    FLM_PYTHON_LINETABLE, /* 3.10 */
    FLM_PYTHON_LOCATIONS  /* 3.11 and up */
};

/* `offset` is in bytes from the first instruction; negative: before it. 0 if the code has no line,
 * or the table is malformed. */
uint32_t flm_python_line(enum flm_python_lines kind, struct flm_bytes table, uint32_t first_line,
                         int64_t offset);

#endif
