/* No other processes. */
#ifndef FLAMEL_WASI_LIBC_SYS_WAIT_H
#define FLAMEL_WASI_LIBC_SYS_WAIT_H

#include <sys/types.h>

#define WNOHANG 1
#define WIFEXITED(status) (((status)&0x7F) == 0)
#define WEXITSTATUS(status) ((status) >> 8 & 0xFF)
#define WIFSIGNALED(status) (((status)&0x7F) != 0)
#define WTERMSIG(status) ((status)&0x7F)

pid_t waitpid(pid_t process, int *status, int options);

#endif
