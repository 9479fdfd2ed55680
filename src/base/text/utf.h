/* utf.h - UTF-16 text to UTF-8 and back, single characters of both, and which of them do harm where
 * a person reads. */
#ifndef FLAMEL_BASE_TEXT_UTF_H
#define FLAMEL_BASE_TEXT_UTF_H

#include "base/text/text.h"

enum flm_utf16 { FLM_UTF16_NOT, FLM_UTF16_LITTLE, FLM_UTF16_BIG };

/* Whether a text with this beginning is UTF-16: recognized by its byte order mark, or, where it has
 * none, by every second byte being 0, as in ASCII. */
enum flm_utf16 flm_utf16_detect(struct flm_bytes head);

/* The text in UTF-8, without the mark; unpaired surrogates become U+FFFD. `to` has room for
 * flm_utf16_room(size) bytes; returns how many were written. */
size_t flm_utf16_room(size_t size);
size_t flm_utf16_convert(struct flm_bytes text, enum flm_utf16 order, char *to);

/* Takes the first character off UTF-8 text that is not empty, as one or two units of UTF-16;
 * returns how many. */
int flm_utf16_take(struct flm_bytes *utf8, uint16_t units[2]);

/* The size of the UTF-8 sequence at the beginning of `text` (1 to 4 bytes); 0 where there is none,
 * for overlong forms, surrogates and values above U+10FFFF. *code receives the character. */
size_t flm_utf8_sequence(struct flm_bytes text, uint32_t *code);

/* Characters that are not seen, or that make other text look different from what it is: controls
 * (C0, DEL and C1, which terminals obey), marks that turn the direction of writing (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069), line and paragraph separators, characters without a
 * width, and code points that XML does not allow. */
bool flm_is_hidden(uint32_t code);

/* Puts a '?' in place of each such character and of each byte that is no UTF-8; the text becomes
 * no longer. Returns its size. For a line that goes to a terminal. */
size_t flm_utf8_mask_hidden(char *text, size_t size);

/* Writes a character (at most U+10FFFF) as UTF-8: 1 to 4 bytes, returned. */
size_t flm_utf8_put(uint32_t code, char *to);

#endif
