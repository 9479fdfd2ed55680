#ifndef FLAMEL_WASI_LIBC_SYS_RESOURCE_H
#define FLAMEL_WASI_LIBC_SYS_RESOURCE_H

typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
#define RLIMIT_DATA 2
#define RLIMIT_NOFILE 7
#define RLIM_INFINITY (~0ULL)

/* Both fail: there are no limits. */
int getrlimit(int what, struct rlimit *limit);
int setrlimit(int what, const struct rlimit *limit);

#endif
