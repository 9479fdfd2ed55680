#ifndef FLAMEL_WASI_LIBC_FCNTL_H
#define FLAMEL_WASI_LIBC_FCNTL_H

#include_next <fcntl.h>

/* Descriptors cannot be copied: fails. */
#define F_DUPFD_CLOEXEC 1030

#endif
