/* string.h - what pure code may use of it, for wasm.
 *
 * The macros bring back what -ffreestanding takes away: a copy of 8 bytes is one load and one
 * store, not a call. The functions stand in libc.c. */
#ifndef FLAMEL_LIBC_STRING_H
#define FLAMEL_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *at, int byte, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);

#define memcpy(...) __builtin_memcpy(__VA_ARGS__)
#define memmove(...) __builtin_memmove(__VA_ARGS__)
#define memset(...) __builtin_memset(__VA_ARGS__)
#define memcmp(...) __builtin_memcmp(__VA_ARGS__)
#define strlen(...) __builtin_strlen(__VA_ARGS__)

#endif
