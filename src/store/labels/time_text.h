/* time_text.h - times as people write them in a query: "-1h", "now", "2026-11-28", "1795832400". */
#ifndef FLAMEL_STORE_LABELS_TIME_TEXT_H
#define FLAMEL_STORE_LABELS_TIME_TEXT_H

#include "base/core/bytes.h"
#include "flamel/error.h"

/* Milliseconds since 1970:
 *
 *     now, now-90s, -1h, -2d12h         before `now_ms`: ms, s, m (minutes), h, d, w
 *     2026-11-28, 2026-11-28T10:30,     UTC; with Z or without, with a blank instead of the T
 *     2026-11-28T10:30:15.250Z
 *     1795832400, 1795832400000         seconds, or milliseconds (from 10^11 on)
 *
 * False, and `why` with these forms, for anything else. */
bool flm_time_parse(struct flm_bytes text, int64_t now_ms, int64_t *time_ms, struct flm_error *why);

/* "2026-11-28T10:30:15Z", with milliseconds where there are some: at most FLM_TIME_TEXT bytes with
 * the zero at the end. */
#define FLM_TIME_TEXT 40
void flm_time_print(int64_t time_ms, char out[FLM_TIME_TEXT]);

/* A range of times: its beginning is a part of it, its end is not. */
struct flm_times {
    int64_t from_ms, until_ms;
};

/* "" is no limit: from 0, until INT64_MAX. False, and `why`, for a time that is none, and as
 * flm_times_check. */
bool flm_times_parse(struct flm_bytes from, struct flm_bytes until, int64_t now_ms,
                     struct flm_times *range, struct flm_error *why);

/* "FROM..UNTIL", such as "-25h..-24h". `name` is the option or parameter that has it, for `why`. */
bool flm_times_parse_pair(struct flm_bytes text, const char *name, int64_t now_ms,
                          struct flm_times *range, struct flm_error *why);

/* False, and `why`, where two ranges that are to be judged are not equally long: what the longer
 * one has more would be a change. They may differ by a second, as those do that begin and end
 * before now. */
bool flm_times_check_lengths(struct flm_times one, struct flm_times other, struct flm_error *why);

/* False, and `why`, where it ends before it begins, or is empty. */
bool flm_times_check(struct flm_times range, struct flm_error *why);

#endif
