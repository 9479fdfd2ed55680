#ifndef FLAMEL_WASI_LIBC_SYS_RANDOM_H
#define FLAMEL_WASI_LIBC_SYS_RANDOM_H

#include <sys/types.h>

ssize_t getrandom(void *bytes, size_t size, unsigned flags);

#endif
