/* Any bytes as a stream of Arrow: every cell of every column is read, through lists and structs;
 * what it has lies in the stream or in what was decompressed of it. */
#include <stdlib.h>
#include <string.h>

#include "format/arrow/arrow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ROWS = 200, MOST_ITEMS = 20, DEEPEST = 6 };

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static unsigned sum; /* of all bytes: a sanitizer sees where they are */

static void read_cell(const struct flm_arrow_array *array, uint64_t row, int depth)
{
    struct flm_arrow_cell cell = flm_arrow_cell(array, row);
    const struct flm_arrow_array *items, *member;
    struct flm_bytes text;
    uint64_t first, count;
    int64_t number;
    if (flm_arrow_text(cell, &text))
        for (size_t i = 0; i < text.size; i++)
            sum += (unsigned char)text.at[i];
    if (flm_arrow_integer(cell, &number))
        sum += (unsigned)number;
    if (depth > DEEPEST)
        return;
    if (flm_arrow_list(cell, &items, &first, &count))
        for (uint64_t i = 0; i < count && i < MOST_ITEMS; i++)
            read_cell(items, first + i, depth + 1);
    if (flm_arrow_is_struct(cell))
        for (size_t i = 0; (member = flm_arrow_member_at(cell.array, i)) != NULL; i++)
            read_cell(member, cell.row, depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_error why = {0};
    const struct flm_arrow_array *column;
    struct flm_arrow *arrow =
        flm_arrow_open((struct flm_bytes){(const char *)data, size}, 1 << 20, &why);
    if (!arrow) {
        promise(why.text[0]);
        return 0;
    }
    while (flm_arrow_next(arrow))
        for (size_t i = 0; (column = flm_arrow_column_at(arrow, i)) != NULL; i++)
            for (uint64_t row = 0; row < flm_arrow_rows(arrow) && row < MOST_ROWS; row++)
                read_cell(column, row, 0);
    promise(flm_arrow_finish(arrow, &why) || why.text[0]);
    flm_arrow_close(arrow);
    return 0;
}
