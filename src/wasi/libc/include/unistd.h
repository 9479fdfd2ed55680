#ifndef FLAMEL_WASI_LIBC_UNISTD_H
#define FLAMEL_WASI_LIBC_UNISTD_H

#include_next <unistd.h>

/* A standard file, which the host keeps open whoever closes it; others cannot be copied. */
int dup(int file);

#endif
