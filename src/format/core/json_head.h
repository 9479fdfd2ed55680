/* json_head.h - what the beginning of a JSON file says about its format.
 *
 * The head is up to 64 KiB, which end anywhere, and keys come in any order: so it is searched, not
 * parsed. A word in quotes is found wherever it is, as a key or as a text; formats are told apart
 * by several that only they have together. */
#ifndef FLAMEL_FORMAT_CORE_JSON_HEAD_H
#define FLAMEL_FORMAT_CORE_JSON_HEAD_H

#include "base/core/bytes.h"

/* Whether the first byte behind blanks and a byte order mark is that one. */
bool flm_json_head_begins(struct flm_bytes head, char bracket);

/* Whether it has the word in quotes. */
bool flm_json_head_has(struct flm_bytes head, const char *word);

#endif
