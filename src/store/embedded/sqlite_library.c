#include "store/embedded/sqlite_library.h"

#include <stddef.h>

#include "os/library.h"

#define AS_NAME(name) "sqlite3_" #name,

bool flm_sqlite_load(struct flm_sqlite *sqlite, struct flm_error *why)
{
    static const char *const files[] = {"libsqlite3.so.0", NULL};
    static const char *const names[] = {FLM_SQLITE_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, sqlite, &missing) ||
           flm_error_set(
               why, FLM_ERROR_SYSTEM,
               "a store needs SQLite (Debian and Ubuntu: apt-get install libsqlite3-0): %s",
               missing.text);
}
