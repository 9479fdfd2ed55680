/* sanitize.h - profiles that may be shown to others: what they need not tell is taken out.
 *
 *     struct flm_sanitize_options how = {.size = sizeof how, .key = key, .key_size = 32};
 *     clean = flm_sanitize(profile, &how, &why);
 *     flm_sanitize_list(clean, sink, context);         what is left to see, for a look at it
 *
 * Stacks, values, kinds and lines stay as they are. Of the rest stays:
 *
 *     functions   their names, without the folders of paths in them
 *     modules     the last part of their paths; no build ids; no addresses but those of functions
 *                 without a name
 *     files       likewise
 *     labels      cpu and state; of threads, processes and commands pseudonyms; no others
 *     notes       how it was measured, and how the command ended; not the host, the command, dates
 *     markers     their names, without details
 *     metrics, counters, losses: their names, without folders
 *     times       from the first one on
 *
 * Rules change that, separated by '|':
 *
 *     names:PATTERN    functions that match get pseudonyms, and no file; a pattern of expressions
 *                      (flamel-expressions(7)): acme*, /^acme::/, module=libacme*
 *     modules:PATTERN  modules with names that match get pseudonyms: libacme*
 *     files:none       no files and lines
 *     labels:KEY,...   these labels stay; labels:all: all of them
 *     notes:KEY,...    these notes stay
 *     markers:none     no markers; markers:all: also their details
 *     times:none       no times, and no markers and counters; times:10ms: as multiples of 10 ms
 *
 * A pseudonym is a hash of the name with a key (SipHash-2-4, 50 bits of it): nobody without the
 * key can try names. The same key gives the same pseudonyms in all profiles, so that they still
 * compare; and it gives them away to who has it. */
#ifndef FLAMEL_SANITIZE_H
#define FLAMEL_SANITIZE_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_sanitize_options {
    size_t size;       /* sizeof(struct flm_sanitize_options) */
    const char *rules; /* NULL or "": none */
    const void *key;   /* any bytes, at least 16: random ones, where profiles need not compare */
    size_t key_size;

    /* NULL: a pattern that matches nothing is an error. Else it receives a bit for each of the
     * first 64 patterns, those of names and then those of modules, that matches nothing: for
     * comparisons, where it may match in one of two profiles. Set to 0 by the caller. */
    uint64_t *unmatched;
};

/* The sanitized profile. NULL, and `why`, for a rule that there is not, or that matches nothing,
 * for a key that is too short, and where memory runs out. */
struct flm_profile *flm_sanitize(const struct flm_profile *profile,
                                 const struct flm_sanitize_options *options, struct flm_error *why);

/* Whether rules are well formed, whatever the profile is; false, and `why`, likewise. */
bool flm_sanitize_check(const char *rules, struct flm_error *why);

/* What a profile shows to who reads it, a line for each kind of thing, "modules  app, libc.so.6":
 * all of what is short, and how many there are of the rest. False when the sink says so, or memory
 * runs out. */
bool flm_sanitize_list(const struct flm_profile *profile, flm_profile_sink sink, void *context);

/* The same with every name, whole, each on a line of its own. */
bool flm_sanitize_list_all(const struct flm_profile *profile, flm_profile_sink sink, void *context);

#ifdef __cplusplus
}
#endif

#endif
