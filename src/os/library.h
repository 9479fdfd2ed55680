/* library.h - libraries that are loaded when they are needed, not when the program starts.
 *
 * A library that is linked is loaded, with all that it is linked with, by every command: cairo and
 * libmicrohttpd bring 26 others, and took 3.4 of the 6.3 ms of CPU of `flamel --version`. So
 * what few commands use is opened by name where it is used; that it is not there is an error then,
 * of that use alone. */
#ifndef FLAMEL_OS_LIBRARY_H
#define FLAMEL_OS_LIBRARY_H

#include <stdbool.h>

#include "flamel/error.h"

/* Loads the first of `files` that is there ("libz.so.1"), and finds `functions` in it; NULL ends
 * both lists. `pointers` is a structure of pointers to functions and nothing else, as many and in
 * the same order, and of use only if all of them were found.
 *
 * The library stays loaded: what it began, threads and handlers, would outlive closing it.
 *
 * False, and what the system says of the first file, when there is none, or a function is not in
 * it. */
bool flm_library_open(const char *const *files, const char *const *functions, void *pointers,
                      struct flm_error *why);

/* One more function of a library that was loaded before, into the pointer to a function that
 * `pointer` points to: for callbacks, which are not given the structure of pointers. False when the
 * library is not loaded, or has no such function. */
bool flm_library_loaded_function(const char *file, const char *function, void *pointer);

#endif
