/* embedded.h - a store in one folder, of one process: a catalog in SQLite, and segments.
 *
 * Appended batches are journaled, sealed as segments, and these merged (internal.h). */
#ifndef FLAMEL_STORE_EMBEDDED_EMBEDDED_H
#define FLAMEL_STORE_EMBEDDED_EMBEDDED_H

#include "store/core/store_kind.h"

extern const struct flm_store_kind flm_store_embedded;

#endif
