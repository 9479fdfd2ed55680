/* regex.h - regular expressions, in time linear in the text.
 *
 * A pattern is compiled to a small program that is run over all alternatives at once (Thompson's
 * construction), so no pattern can make a search hang, however it is written. Supported syntax:
 *
 *     abc .  [a-z] [^;]  ( )  (?: )  |  * + ? {2} {2,} {2,5}  ^ $  \. \t \n \\ \x41
 *     \d \D \w \W \s \S \b \B  (?i) at the start: case does not matter (ASCII)
 *
 * Matching is on characters: a UTF-8 sequence is one, and so is a byte that belongs to none. So `.`
 * and a negated set take whole sequences, and a match never cuts one. `.` takes a newline too, ^
 * and $ are the ends of the text, \d \w \s \b are ASCII. A { without a count is text, as in
 * {{closure}}. There are no back references: a search reports whether and where there is a match
 * and, for substitutions (substitution.h), its groups.
 *
 * Searching 100,000 names takes 5 ms: about 800 MB/s, and more where all matches begin with the
 * same letter. Finding the offsets takes 10 to 80 ns more per byte, only in texts that match. */
#ifndef FLAMEL_BASE_REGEX_REGEX_H
#define FLAMEL_BASE_REGEX_REGEX_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_regex;

/* NULL, and `why` with the offset in the pattern, for a malformed pattern or one whose program
 * would exceed 10,000 instructions. The pattern may be freed afterward. */
struct flm_regex *flm_regex_new(struct flm_bytes pattern, struct flm_error *why);

/* As if the pattern began with (?i). */
struct flm_regex *flm_regex_new_any_case(struct flm_bytes pattern, struct flm_error *why);
void flm_regex_free(struct flm_regex *regex);

/* Working memory for one thread's searches with one regex, so that the regex itself never changes:
 * 256 KiB, more for the largest patterns. It remembers states of each search, so the next is
 * faster. */
struct flm_regex_scratch;
struct flm_regex_scratch *flm_regex_scratch_new(const struct flm_regex *regex,
                                                struct flm_error *why);
void flm_regex_scratch_free(struct flm_regex_scratch *scratch);

/* Whether any part of `text` matches. */
bool flm_regex_search(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                      struct flm_bytes text);

/* The same with the offsets: the leftmost match, and of those the longest, as [*start, *end). */
bool flm_regex_find(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                    struct flm_bytes text, size_t *start, size_t *end);

#endif
