/* sqlite_library.h - SQLite, loaded when it is needed: the functions that a catalog calls. */
#ifndef FLAMEL_STORE_EMBEDDED_SQLITE_LIBRARY_H
#define FLAMEL_STORE_EMBEDDED_SQLITE_LIBRARY_H

#include <sqlite3.h>

#include "flamel/error.h"

/* Each name is here once: it makes the string that is looked up, and the pointer with its type. */
/* clang-format off */
#define FLM_SQLITE_FUNCTIONS(each)                                                                 \
    each(open_v2) each(close) each(exec) each(busy_timeout) each(errmsg) each(errstr)              \
    each(prepare_v2) each(step) each(reset) each(finalize) each(clear_bindings)                    \
    each(bind_int64) each(bind_blob) each(bind_null) each(column_int64) each(column_blob)          \
    each(column_bytes) each(changes) each(last_insert_rowid)                                       \
    each(backup_init) each(backup_step) each(backup_finish)
/* clang-format on */

#define FLM_SQLITE_POINTER(name) __typeof__(sqlite3_##name) *name;

struct flm_sqlite {
    FLM_SQLITE_FUNCTIONS(FLM_SQLITE_POINTER)
};

/* False, and `why` with the package, where there is no SQLite. */
bool flm_sqlite_load(struct flm_sqlite *sqlite, struct flm_error *why);

#endif
