/* line_table.h - the line of an instruction, from the table of its code object.
 *
 *     3.8, 3.9   pairs: bytes of code, lines forward (signed)        co_lnotab
 *     3.10       pairs: bytes of code, lines forward (signed) of all of them; -128: no line
 *     3.11 up    entries of different size: how many instructions, which form, and by the form the
 *                lines forward and columns, which we pass over */
#ifndef FLAMEL_RECORD_PYTHON_LINE_TABLE_H
#define FLAMEL_RECORD_PYTHON_LINE_TABLE_H

#include "record/python/struct_layout.h"

/* `offset` is in bytes from the first instruction; below 0: before it. 0 where the code is of no
 * line, or the table makes no sense. */
uint32_t flm_python_line(enum flm_python_lines kind, struct flm_bytes table, uint32_t first_line,
                         int64_t offset);

#endif
