#include "base/text/line_index.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/scan.h"

bool flm_line_index_init(struct flm_line_index *index, struct flm_bytes text)
{
    assert(text.size < UINT32_MAX);
    struct FLM_ARRAY(uint32_t) starts = {0};
    const char *at = text.at, *end = text.size ? text.at + text.size : text.at;
    bool good = FLM_ARRAY_ADD(&starts, 0);
    while (good && at < end) {
        at = flm_find(at, end, '\n');
        at += at < end;
        good = FLM_ARRAY_ADD(&starts, (uint32_t)(at - text.at));
    }
    *index = (struct flm_line_index){text, starts.at, good ? starts.count - 1 : 0};
    if (!good)
        flm_line_index_clear(index);
    return good;
}

void flm_line_index_clear(struct flm_line_index *index)
{
    free(index->starts);
    *index = (struct flm_line_index){0};
}

struct flm_bytes flm_line_index_get(const struct flm_line_index *index, uint64_t number)
{
    if (number == 0 || number > index->count)
        return (struct flm_bytes){"", 0};
    uint32_t start = index->starts[number - 1];
    struct flm_bytes line = {index->text.at + start, index->starts[number] - start};
    if (line.at[line.size - 1] == '\n') {
        line.size--;
        line.size -= line.size > 0 && line.at[line.size - 1] == '\r';
    }
    return line;
}
