/* string_table.h - the table of strings of a file that is written: those of the profile, with the
 * same indices, and a few more behind them.
 *
 * So what a record of the profile calls a string is one of the file too, and only what the profile
 * does not have is looked up. */
#ifndef FLAMEL_FORMAT_CORE_STRING_TABLE_H
#define FLAMEL_FORMAT_CORE_STRING_TABLE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "profile/columns.h"

struct flm_string_table {
    const struct flm_profile *profile;
    struct FLM_ARRAY(struct flm_bytes) more;
    struct flm_index index; /* of `more` */
    bool failed;            /* memory ran out */
};

/* The index of a text, which is added if it is new; it must live as long as the table. */
uint32_t flm_string_table_find(struct flm_string_table *table, struct flm_bytes text);

/* The text with that index, and how many there are. */
struct flm_bytes flm_string_table_at(const struct flm_string_table *table, uint32_t index);
uint32_t flm_string_table_count(const struct flm_string_table *table);

void flm_string_table_clear(struct flm_string_table *table);

#endif
