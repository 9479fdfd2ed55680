/* path_name.h - the parts of a path, as text: nothing is looked up. */
#ifndef FLAMEL_BASE_CORE_PATH_NAME_H
#define FLAMEL_BASE_CORE_PATH_NAME_H

#include "base/core/bytes.h"

/* What is behind the last of these separators: "/", or "/\\" for paths of any system. All of it, where
 * there is none. */
static inline struct flm_bytes flm_path_last(struct flm_bytes path, const char *separators)
{
    size_t start = path.size;
    while (start > 0 && !flm_is_one_of(path.at[start - 1], separators))
        start--;
    return flm_bytes_from(path, start);
}

#endif
