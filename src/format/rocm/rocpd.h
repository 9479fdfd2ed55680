/* rocpd.h - databases of rocprofv3, for readers of other databases that find one. */
#ifndef FLAMEL_FORMAT_ROCM_ROCPD_H
#define FLAMEL_FORMAT_ROCM_ROCPD_H

#include "format/core/format.h"
#include "format/sqlite/sqlite.h"

/* Whether a database has the tables of rocprofv3. */
bool flm_rocpd_is(const struct flm_sqlite *db);

/* Reads one that has. False, and `why`, for a form of the tables that is not known. */
bool flm_rocpd_read(struct flm_sqlite *db, const struct flm_read_options *options,
                    struct flm_builder *builder, struct flm_error *why);

#endif
