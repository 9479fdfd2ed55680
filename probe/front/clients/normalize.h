/* normalize.h - statements and URLs without what differs from call to call, so that those that do
 * the same have one name. */
#ifndef FLAMEL_PROBE_NORMALIZE_H
#define FLAMEL_PROBE_NORMALIZE_H

#include <stddef.h>

/* Of SQL: literals and parameters become ?, lists of them one, blanks and comments one blank.
 *
 *     SELECT * FROM t WHERE id IN (1, 2, 3) AND name = 'x'
 *     SELECT * FROM t WHERE id IN (?) AND name = ?
 *
 * Of a URL: no user, query, fragment; parts of the path that are numbers, hexadecimal, or UUIDs are
 * {id}.
 *
 * They return the size, at most `room`; nothing ends the text. */
size_t flm_normalize_statement(char *to, size_t room, const char *text, size_t size);
size_t flm_normalize_url(char *to, size_t room, const char *text, size_t size);

#endif
