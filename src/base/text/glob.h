/* glob.h - names with * and ?, as people write them in patterns: "http-*". */
#ifndef FLAMEL_BASE_TEXT_GLOB_H
#define FLAMEL_BASE_TEXT_GLOB_H

#include <stdbool.h>

#include "base/core/bytes.h"

/* Whether all of the name is like the glob: * stands for any bytes, also none, and ? for one. */
bool flm_glob_matches(struct flm_bytes glob, struct flm_bytes name);

#endif
