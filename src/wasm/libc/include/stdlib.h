/* stdlib.h - what pure code may use of it, for wasm: memory, and giving up. See malloc.c. */
#ifndef FLAMEL_LIBC_STDLIB_H
#define FLAMEL_LIBC_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);

_Noreturn void abort(void);

#endif
