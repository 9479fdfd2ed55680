/* texts.h - a table of numbers and texts, by number: names that other tables refer to.
 *
 * A text is borrowed from the file; one that continues on overflow pages is copied. */
#ifndef FLAMEL_FORMAT_SQLITE_TEXTS_H
#define FLAMEL_FORMAT_SQLITE_TEXTS_H

#include "base/core/index.h"
#include "format/sqlite/sqlite.h"

struct flm_sqlite_text {
    uint64_t key;
    int64_t number; /* the caller's */
    struct flm_bytes text;
    char *owned; /* the text, if it was copied */
};

struct flm_sqlite_texts {
    struct FLM_ARRAY(struct flm_sqlite_text) items;
    struct flm_index index;
};

/* Of several with one key that of the lowest number stays, of equal ones the first. False when
 * memory ran out. */
bool flm_sqlite_texts_add(struct flm_sqlite_texts *texts, const struct flm_sqlite *db, uint64_t key,
                          int64_t number, struct flm_bytes text);

/* NULL: there is none of that number. */
const struct flm_sqlite_text *flm_sqlite_texts_find(const struct flm_sqlite_texts *texts,
                                                    uint64_t key);
void flm_sqlite_texts_clear(struct flm_sqlite_texts *texts); /* {0} is empty */

#endif
