/* operations.h - the operations that expressions name: one profile in, a new one out.
 *
 * `marks` has a byte for each frame of the profile: the frames that a pattern matches. */
#ifndef FLAMEL_ALGEBRA_OPERATION_OPERATIONS_H
#define FLAMEL_ALGEBRA_OPERATION_OPERATIONS_H

#include "algebra/operation/classes.h"
#include "algebra/operation/rename.h"
#include "profile/columns.h"

/* Re-rooted at the outermost occurrence of a marked frame; stacks without one are left out. */
struct flm_profile *flm_focus(const struct flm_profile *p, const unsigned char *marks,
                              struct flm_error *why);

/* Marked frames are left out; their callees become callees of their caller, which also gets their
 * self value. */
struct flm_profile *flm_hide(const struct flm_profile *p, const unsigned char *marks,
                             struct flm_error *why);

/* Everything below a marked frame becomes part of it. */
struct flm_profile *flm_prune(const struct flm_profile *p, const unsigned char *marks,
                              struct flm_error *why);

/* Stacks that hold a marked frame, or the others. */
struct flm_profile *flm_keep(const struct flm_profile *p, const unsigned char *marks, bool with,
                             struct flm_error *why);

/* Stacks that begin with a path, or the others: names from the root on with semicolons between
 * them, "main;parse;lex", compared as a text, so that names that hold a semicolon need no marks.
 * *found: how many nodes are at the path. */
struct flm_profile *flm_keep_path(const struct flm_profile *p, struct flm_bytes path, bool with,
                                  uint32_t *found, struct flm_error *why);

/* Frames deeper than `most` become part of the frame at that depth. */
struct flm_profile *flm_truncate(const struct flm_profile *p, uint32_t most, struct flm_error *why);

/* At most so many nodes, without the root: those with the largest totals, in whichever metric. What
 * the others have is that of one frame, "[other]", of the frame that called them, so that all sums
 * stay; FLM_NOTE_MERGED has how many they are. */
struct flm_profile *flm_limit_nodes(const struct flm_profile *p, uint32_t most,
                                    struct flm_error *why);

/* A function called by itself is one frame: DIRECT: only where it calls itself directly; ANY:
 * however many frames are between (the stack then continues at its outermost occurrence). Only of
 * the functions whose frames are marked; NULL: of all. How many frames became one is kept, as
 * profile/recursion.h says. */
enum flm_recursion { FLM_RECURSION_DIRECT, FLM_RECURSION_ANY };
struct flm_profile *flm_collapse(const struct flm_profile *p, enum flm_recursion which,
                                 const unsigned char *marks, struct flm_error *why);

struct flm_profile *flm_quotient(const struct flm_profile *p, const struct flm_class *class,
                                 struct flm_error *why);

/* Frames that differ by the lines that ran: each location with a line is a frame of that line
 * (FLM_NOTE_LINES), at whatever addresses it was. */
struct flm_profile *flm_by_line(const struct flm_profile *p, struct flm_error *why);

/* Frames under other names. *renamed receives how many. */
struct flm_profile *flm_rename(const struct flm_profile *p, struct flm_renaming *rule,
                               uint32_t *renamed, struct flm_error *why);

/* Only one metric. */
struct flm_profile *flm_select(const struct flm_profile *p, uint32_t metric, struct flm_error *why);

/* Only the samples with this label (an empty value: with any value of the key; several values with
 * commas between them: with one of these), or without; those in [from_ns, to_ns) of the profile's
 * clock; with INT64_MAX there is no end. Of a sample with a duration the part in the range stays
 * (profile/sample_span.h). Refused where part of the profile came without samples, because the
 * labels and times of that part are not known. */
struct flm_profile *flm_keep_label(const struct flm_profile *p, struct flm_bytes key,
                                   struct flm_bytes value, bool with, struct flm_error *why);
/* The same by a byte for each label set: 1 for those whose samples are kept, and for those whose
 * markers and counters are (flm_thread_filter_mark). */
struct flm_profile *flm_keep_sets(const struct flm_profile *p, const unsigned char *set_kept,
                                  const unsigned char *set_agreeing, const char *what,
                                  struct flm_error *why);
struct flm_profile *flm_keep_time(const struct flm_profile *p, int64_t from_ns, int64_t to_ns,
                                  struct flm_error *why);

/* Stacks with different values of a label kept apart: the value stands in front of the stack, as a
 * frame of its own ("1234 (cc1)" of tid, say). Refused as above. */
struct flm_profile *flm_split(const struct flm_profile *p, struct flm_bytes key,
                              struct flm_error *why);

/* What these refuse; `what` is "label" or "time". */
bool flm_is_sampled(const struct flm_profile *p, const char *what, struct flm_error *why);

#endif
