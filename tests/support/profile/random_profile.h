/* random_profile.h - profiles by chance, the same in every run: few names, so that stacks share
 * their beginnings, repeat functions and become equal when frames are renamed. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_RANDOM_PROFILE_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_RANDOM_PROFILE_H

#include "flamel/builder.h"

enum random_samples {
    RANDOM_SAMPLES_NONE,
    RANDOM_SAMPLES_SOME, /* a part of the stacks comes without */
    RANDOM_SAMPLES_ALL
};

struct random_shape {
    unsigned stacks; /* how many are added; fewer are different */
    unsigned names;  /* of functions: "f0", "f1" ... and some odd ones */
    unsigned deepest;
    unsigned metrics; /* "m0" in ns, "m1" in ns, "m2" in bytes ... */
    bool modules;     /* modules, files, lines and addresses too */
    bool kinds;
    bool locations; /* of most frames, few different ones */
    bool negative;  /* values may be */
    bool markers;   /* and counters, of few names */
    bool metadata;  /* notes and losses; the same in every profile, so that merging is symmetric */
    enum random_samples samples;
};

struct flm_profile *random_profile(uint64_t *random, const struct random_shape *shape);

/* Everything at once, small. */
extern const struct random_shape random_full;

#endif
