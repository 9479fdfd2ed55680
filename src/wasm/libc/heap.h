/* heap.h - what tests may ask about the memory behind malloc. */
#ifndef FLAMEL_WASM_LIBC_HEAP_H
#define FLAMEL_WASM_LIBC_HEAP_H

#include <stddef.h>

/* Walks over all of it. 0 when every promise that malloc.c makes holds; otherwise the number of the
 * first broken one, as malloc.c counts them. */
int heap_check(void);

/* Bytes in use, with their headers. 0: everything was freed. */
size_t heap_used(void);

#endif
