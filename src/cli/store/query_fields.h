/* query_fields.h - what `flamel query` was asked for: query.c writes profiles, query_report.c
 * tables and verdicts, and query_server.c asks a server for either. */
#ifndef FLAMEL_CLI_STORE_QUERY_FIELDS_H
#define FLAMEL_CLI_STORE_QUERY_FIELDS_H

#include "cli/report/print.h"
#include "cli/save/save_options.h"
#include "cli/server/server_options.h"
#include "flamel/store.h"
#include "net/http_request.h"
#include "store/labels/time_text.h"

struct flm_query_fields {
    struct flm_save_fields save;
    struct flm_server_fields server;
    struct flm_form_fields form;
    const char *folder, *from, *until, *type, *compare, *compare_selector, *by, *step;
    double alpha;    /* below 0: the default */
    int nodes, rows; /* below 0: the default */
    bool top, gate, changes, quiet;

    const char *selector; /* not an option */
};

/* ---- Of a store ------------------------------------------------------------------------------ */

/* NULL, and `why`. */
struct flm_store *flm_query_open(const struct flm_query_fields *fields, struct flm_error *why);
struct flm_store_query flm_query_of(const struct flm_query_fields *fields, struct flm_times range);
bool flm_query_range(const struct flm_query_fields *fields, struct flm_times *range,
                     struct flm_error *why);

/* Whether the query is a comparison; and its side before: `fields` with the time of --compare and
 * the selector of --compare-selector, where they are given. */
bool flm_query_compares(const struct flm_query_fields *fields);
bool flm_query_before(const struct flm_query_fields *fields, struct flm_times after,
                      struct flm_query_fields *other, struct flm_times *before,
                      struct flm_error *why);

/* The sum of what is wanted in a range. NULL, and `why`, also where nothing matches. */
struct flm_profile *flm_query_merge(struct flm_store *store, const struct flm_query_fields *fields,
                                    struct flm_times range, struct flm_error *why);

/* ---- Of a server ----------------------------------------------------------------------------- */

/* Asks for a path, "/api/v1/merge", with the selector, times and type, and `more` parameters: pairs
 * of names and values, of which those without a value (NULL, "") are left out. False, and `why`,
 * where it does not answer with 200. The caller clears the reply. */
bool flm_query_ask(const struct flm_query_fields *fields, const char *path,
                   const char *const (*more)[2], size_t more_count, const char *wanted_header,
                   struct flm_http_reply *reply, struct flm_error *why);

struct flm_profile *flm_query_ask_merge(const struct flm_query_fields *fields,
                                        struct flm_error *why);

/* ---- Reports --------------------------------------------------------------------------------- */

/* Whether a report is wanted, and not a profile. */
bool flm_query_reports(const struct flm_query_fields *fields);

/* Prints it; the exit status. */
int flm_query_report(const struct flm_query_fields *fields);

#endif
