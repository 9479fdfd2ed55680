/* profiles.h - small profiles for tests, and what must be true of every profile. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_PROFILES_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_PROFILES_H

#include "base/text/text.h"
#include "profile/columns.h"

/* A profile from folded text; the test fails when it is refused. With two values a line, its
 * metrics are "after" and "before". */
struct flm_profile *profile_of(const char *folded);
struct flm_profile *profile_of_two(const char *folded);

/* The first metric as folded text, kinds marked. The caller frees it. */
char *folded_of(const struct flm_profile *p);
void assert_folded(const struct flm_profile *p, const char *expected);

/* How many values are noted as rounded (FLM_NOTE_ROUNDED); "": there is no note. */
void assert_rounded(const struct flm_profile *p, const char *count);

/* Everything that a profile holds, as text: for golden files, and to see what differs. */
char *described(const struct flm_profile *p);

/* The .flm file. The caller clears the text. */
struct flm_text bytes_of(const struct flm_profile *p);
bool profiles_equal(const struct flm_profile *a, const struct flm_profile *b);
void assert_profiles_equal(const struct flm_profile *a, const struct flm_profile *b);

/* The same profile, poured into a new builder in another order and in pieces. */
struct flm_profile *poured(const struct flm_profile *p, uint64_t *random);

/* It passes flm_profile_check, and it is canonical: poured it is the same bytes. */
void assert_sound(const struct flm_profile *p);

/* Sum over nodes of |self - what its samples say|, over all metrics. */
double unsampled(const struct flm_profile *p);

#endif
