#ifndef FLAMEL_WASI_LIBC_SYS_STAT_H
#define FLAMEL_WASI_LIBC_SYS_STAT_H

#include_next <sys/stat.h>

/* Does nothing: files have the permissions that the host gives to new ones. */
int fchmod(int file, mode_t mode);

#endif
