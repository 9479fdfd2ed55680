/* One thread: no other can be started. */
#ifndef FLAMEL_WASI_LIBC_PTHREAD_H
#define FLAMEL_WASI_LIBC_PTHREAD_H

#include <sys/types.h> /* pthread_t, pthread_mutex_t */

int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);

#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

#endif
