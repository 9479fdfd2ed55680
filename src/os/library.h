/* library.h - libraries that are loaded when they are needed, not when the program starts.
 *
 * A linked library is loaded by every command, with all its dependencies: cairo and libmicrohttpd
 * bring 26 others, and took 3.4 of the 6.3 ms of CPU of `flamel --version`. So a library that few
 * commands need is loaded by name where it is used; a missing one is an error of that use alone. */
#ifndef FLAMEL_OS_LIBRARY_H
#define FLAMEL_OS_LIBRARY_H

#include <stdbool.h>

#include "flamel/error.h"

/* Loads the first of `files` that exists ("libz.so.1"), and finds `functions` in it; NULL ends both
 * lists. `pointers` is a structure of pointers to functions and nothing else, as many and in the
 * same order, and valid only if all of them were found.
 *
 * The library stays loaded: its threads and handlers would outlive closing it.
 *
 * False when no file can be loaded, with the system's reason for the first one, or when a function
 * is missing. */
bool flm_library_open(const char *const *files, const char *const *functions, void *pointers,
                      struct flm_error *why);

/* One more function of a library that was loaded before, into the pointer to a function that
 * `pointer` points to: for callbacks, which are not given the structure of pointers. False when the
 * library is not loaded, or has no such function. */
bool flm_library_loaded_function(const char *file, const char *function, void *pointer);

#endif
