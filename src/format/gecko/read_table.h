/* read_table.h - the tables of a Gecko profile, processed (columns) and unprocessed (rows), and the
 * array of strings. */
#ifndef FLAMEL_FORMAT_GECKO_READ_TABLE_H
#define FLAMEL_FORMAT_GECKO_READ_TABLE_H

#include "base/text/json_read.h"
#include "format/gecko/tables.h"

/* Reads the table that is next. `thread` is the thread of samples and markers, NULL for others. */
void flm_gecko_read_table(struct flm_json *json, struct flm_gecko_profile *p,
                          struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                          enum flm_gecko_table table);

/* Reads the value of `key`, a member of a thread or of "shared", if it is a table or the strings. */
bool flm_gecko_read_tables_member(struct flm_json *json, struct flm_gecko_profile *p,
                                  struct flm_gecko_thread *thread, struct flm_gecko_tables *tables,
                                  struct flm_bytes key);

#endif
