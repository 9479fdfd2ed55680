#include "format/core/json_head.h"

#include "base/core/scan.h"

bool flm_json_head_begins(struct flm_bytes head, char bracket)
{
    if (flm_bytes_start_with(head, "\xEF\xBB\xBF"))
        head = flm_bytes_from(head, 3);
    size_t at = 0;
    while (at < head.size && (flm_is_space(head.at[at]) || head.at[at] == '\r'))
        at++;
    return at < head.size && head.at[at] == bracket;
}

bool flm_json_head_has(struct flm_bytes head, const char *word)
{
    size_t size = strlen(word);
    const char *end = head.at + head.size;
    for (const char *at = head.at; (at = flm_find(at, end, '"')) < end; at++)
        if ((size_t)(end - at) >= size + 2 && at[size + 1] == '"' &&
            memcmp(at + 1, word, size) == 0)
            return true;
    return false;
}
