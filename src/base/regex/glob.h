/* glob.h - names with * and ?, as people write them in patterns: "http-*". */
#ifndef FLAMEL_BASE_REGEX_GLOB_H
#define FLAMEL_BASE_REGEX_GLOB_H

#include <stdbool.h>

#include "base/core/bytes.h"

/* Whether all of the name is like the glob: * stands for any bytes, also none, and ? for one. */
bool flm_glob_matches(struct flm_bytes glob, struct flm_bytes name);

/* Of a name, the beginning that is as many parts long as a glob for all that begins so: of
 * "com.acme.Shop.sell" for "com.acm.*" it is "com.acme.". Empty where the glob is not like that, or
 * the name has fewer parts. For "did you mean com.acme.*?". */
struct flm_bytes flm_glob_beginning(struct flm_bytes glob, struct flm_bytes name);

#endif
