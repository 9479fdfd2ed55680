/* lock_names.h - which lock it is, for people: by its name, or the variable that it is, or where it
 * was initialized, or where it was first taken.
 *
 * Many locks that are initialized at one place (one for each connection, say) are one. Those with a
 * name come first. Then variables of the program: what initializes a lock is often a library's
 * function, the same for all. What is known of a lock is in a table of fixed size, by its address,
 * until it is destroyed; what has no room there is called by the place where it is taken. Nothing
 * waits for another thread, and nothing is asked of the loader, whose lock somebody may have who
 * waits for this one: symbols are for whoever reads the file. */
#ifndef FLAMEL_PROBE_LOCK_NAMES_H
#define FLAMEL_PROBE_LOCK_NAMES_H

#include "internal.h"

/* A lock was initialized, or is destroyed. */
FLM_HIDDEN void flm_lock_begins(const void *lock, const void *caller);
FLM_HIDDEN void flm_lock_ends(const void *lock);

/* The site of a lock, as it is taken at a place; `operation` of enum flm_probe_operation. NULL:
 * there is no memory. */
FLM_HIDDEN struct flm_site *flm_lock_site(const void *lock, const void *caller, int operation);

#endif
