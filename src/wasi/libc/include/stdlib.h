#ifndef FLAMEL_WASI_LIBC_STDLIB_H
#define FLAMEL_WASI_LIBC_STDLIB_H

#include_next <stdlib.h>

/* The path itself where there is something: the host follows links. `resolved` is NULL. */
char *realpath(const char *path, char *resolved);

#endif
