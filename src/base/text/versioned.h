/* versioned.h - option structs that begin with their size: include/flamel/file.h gives the
 * reason. */
#ifndef FLAMEL_BASE_TEXT_VERSIONED_H
#define FLAMEL_BASE_TEXT_VERSIONED_H

#include "flamel/error.h"

/* Copies the caller's options `from`, whose first member is a size_t with their size, to `to` of
 * `size` bytes: members that the caller does not know are zero. `from` may be NULL: all are zero
 * but the size. False, and `why` with the struct's name, for a size of 0, a size that no version of
 * the struct has, and a larger one: of a newer version, whose members would be ignored. */
bool flm_versioned_copy(void *to, size_t size, const void *from, const char *name,
                        struct flm_error *why);

#endif
