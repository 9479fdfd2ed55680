/* selection.h - what of the table `runs` a query wants, as conditions of SQL.
 *
 * Which series a selector matches is decided here, not by the server: patterns mean the same in
 * every kind of store, and none of them gets into SQL. The server is asked for the series that have
 * one label's value; those that match are named by their numbers, so many in a statement. */
#ifndef FLAMEL_STORE_CLICKHOUSE_SELECTION_H
#define FLAMEL_STORE_CLICKHOUSE_SELECTION_H

#include "store/clickhouse/internal.h"

struct flm_selected {
    uint64_t number; /* in the table */
    uint32_t text;   /* string of `texts` */
};

struct flm_selection {
    struct flm_interner texts;
    struct FLM_ARRAY(struct flm_selected) series; /* by service */
    struct flm_index index;                       /* by number */
    bool is_all; /* of the tenant: the series are not listed, unless that was asked for */
};

/* `list`: the series are needed, also where all of them are wanted. */
bool flm_selection_make(struct flm_clickhouse *store, const struct flm_wanted *q, bool list,
                        struct flm_selection *selection, struct flm_error *why);
void flm_selection_clear(struct flm_selection *selection);

/* The text of a series; {NULL, 0} where it is none of them. */
struct flm_bytes flm_selection_text(const struct flm_selection *selection, uint64_t number);

/* How many statements it takes. */
size_t flm_selection_parts(const struct flm_selection *selection);

/* Appends " WHERE ..." of a part: tenant, type, series. Times are added behind it. */
void flm_selection_where(const struct flm_wanted *q, const struct flm_selection *selection,
                         size_t part, struct flm_text *sql);

/* The hours of a query: those that are in it as a whole, and at most two of which a part is. */
struct flm_hours {
    uint64_t from, until; /* whole hours since 1970: from <= hour < until */
    struct flm_part_hour {
        uint64_t hour;
        uint32_t from_ms, until_ms; /* in the hour */
    } parts[2];
    size_t part_count;
};
struct flm_hours flm_hours_of(const struct flm_wanted *q);

/* Calls `each` with the text of each series of the tenant that may be wanted. */
bool flm_ch_each_series(struct flm_clickhouse *store, const struct flm_wanted *q,
                        bool (*each)(void *context, struct flm_bytes series), void *context,
                        struct flm_error *why);

#endif
