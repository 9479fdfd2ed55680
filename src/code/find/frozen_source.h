/* frozen_source.h - the source of modules of Python that are frozen: "<frozen os>" is os.py.
 *
 * CPython has the code of some modules of its library in its program, and says so instead of the
 * name of their file. The files are in the folder of the library, lib/python3.11, which the profile
 * has in the names of other files, or beside the folder of the interpreter. */
#ifndef FLAMEL_CODE_FIND_FROZEN_SOURCE_H
#define FLAMEL_CODE_FIND_FROZEN_SOURCE_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The path of the file of a name, "/usr/lib/python3.11/os.py"; "/os.py" where no folder of a library
 * is known that has it, for those that are given with --source. False: it is no such name. */
bool flm_frozen_source_path(const struct flm_profile *profile, struct flm_bytes name,
                            struct flm_text *path);

#endif
