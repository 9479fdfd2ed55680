/* collection.h - one profile of many files: those of a folder, of a pattern, of an archive.
 *
 *     struct flm_collection c = {0};
 *     flm_collection_add(&c, "a.pb.gz", profile, NULL, why)      it is part of the sum
 *     flm_collection_add(&c, "README", NULL, &reason, why)       it is counted, the first is named
 *     return flm_collection_finish(&c, why);
 *
 * Stacks are added up, metrics of one name are one. Notes say how many files were merged; files
 * that are no profiles are a loss of the result. Memory is needed for the sum and a batch of
 * profiles, not for all. */
#ifndef FLAMEL_LOAD_COLLECTION_H
#define FLAMEL_LOAD_COLLECTION_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/profile.h"

/* Profiles that are merged at a time. */
enum { FLM_COLLECTION_BATCH = 64 };

struct flm_collection {
    struct flm_profile *batch[FLM_COLLECTION_BATCH];
    struct flm_text names[FLM_COLLECTION_BATCH]; /* of their files; of a sum: of its first */
    size_t held;
    size_t merged, passed_over;
    size_t folders;          /* in a folder: they are a loss too */
    struct flm_text first;   /* of those that were passed over: its name */
    struct flm_error reason; /* and why */
    struct flm_text known;   /* the first of them that is a known other file ("this is ..."), which
                                tells more about a folder: its name, and what it is */
    struct flm_error known_reason;
    bool is_of_instruments; /* one of them is of a trace of Instruments: a folder, or an archive */
    bool failed;            /* nothing more is taken: `why` was filled */
};

/* Takes `profile`; or, where that is NULL, counts the file as passed over, for `reason`. False, and
 * `why`, when memory ran out, or when profiles cannot be added up (the units of a metric differ:
 * files are named). */
bool flm_collection_add(struct flm_collection *collection, const char *name,
                        struct flm_profile *profile, const struct flm_error *reason,
                        struct flm_error *why);

/* The sum; the collection is empty then. NULL, and `why`, if there was no profile, or an error
 * before. `what` is what the files are in, for that message: "folder". */
struct flm_profile *flm_collection_finish(struct flm_collection *collection, const char *what,
                                          struct flm_error *why);

void flm_collection_clear(struct flm_collection *collection);

/* The paths of the files in a folder, or of those that match a pattern (*, ?, [...]), in the order
 * of their bytes; hidden files and folders are left out: a folder may be the root of a disk. The
 * caller clears the list. False, and `why`, when it cannot be read, or there are more than
 * 100,000. */
struct flm_path_list {
    struct FLM_ARRAY(char *) paths;
    size_t folder_count; /* that were left out */
};
bool flm_paths_in(const char *folder, struct flm_path_list *list, struct flm_error *why);
bool flm_paths_matching(const char *pattern, struct flm_path_list *list, struct flm_error *why);
void flm_paths_clear(struct flm_path_list *list);

/* Whether a path is a pattern: it has *, ? or [...]. */
bool flm_is_pattern(const char *path);

#endif
