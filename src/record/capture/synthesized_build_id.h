/* synthesized_build_id.h - the build id of a file that a process has mapped, from its memory.
 *
 * A library that was replaced while it runs can be read by root alone (/proc/PID/map_files). But
 * the notes of a program lie in its first page, and whoever may trace a process may read them: so a
 * copy of the file is recognized, and another file refused. */
#ifndef FLAMEL_RECORD_CAPTURE_SYNTHESIZED_BUILD_ID_H
#define FLAMEL_RECORD_CAPTURE_SYNTHESIZED_BUILD_ID_H

#include "symbol/identity/build_id.h"

/* Of the file whose beginning is mapped at `start`, `size` bytes of it. False: it has none, or the
 * process may not be read. */
bool flm_mapped_build_id(int32_t process, uint64_t start, uint64_t size, struct flm_build_id *id);

#endif
