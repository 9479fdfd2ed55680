/* frozen_source.h - the source of modules of Python that are frozen: "<frozen os>" is os.py.
 *
 * CPython has some modules of its library compiled into the program, and gives "<frozen NAME>" for
 * their file. The source files are in the library's folder, lib/python3.11. It is taken from the
 * paths of other files in the profile, or from the path of the interpreter: of
 * /usr/bin/python3.11 it is /usr/lib/python3.11. */
#ifndef FLAMEL_CODE_FIND_FROZEN_SOURCE_H
#define FLAMEL_CODE_FIND_FROZEN_SOURCE_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The path of the file of a name, "/usr/lib/python3.11/os.py"; "/os.py" where no folder of a library
 * is known that has it, for those that are given with --source. False: it is no such name. */
bool flm_frozen_source_path(const struct flm_profile *profile, struct flm_bytes name,
                            struct flm_text *path);

#endif
