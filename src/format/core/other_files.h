/* other_files.h - files that people open with a profile viewer and that flamel does not read: by
 * mistake (a program, a picture, an archive), or because they are profiles in another format. */
#ifndef FLAMEL_FORMAT_CORE_OTHER_FILES_H
#define FLAMEL_FORMAT_CORE_OTHER_FILES_H

#include "base/core/bytes.h"

/* What a file with that beginning is, as a sentence; NULL if it is none of those. It was not
 * recognized as a format that is read: JSON of such a format would be called JSON here. */
const char *flm_other_file(struct flm_bytes head);

/* Whether a text begins like a JSON object, or an array of them; not like the names "{{closure}}"
 * and "[unknown]". */
bool flm_begins_json(struct flm_bytes head);

#endif
