/* java_end.h - the agent's end of the connection, for tests that play the agent in a Java VM. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_JAVA_END_H
#define FLAMEL_TESTS_SUPPORT_RECORD_JAVA_END_H

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/java/wire.h"

/* What the agent was sent. */
struct java_end {
    int socket;
    struct flm_java_config config;
    struct flm_java_ring *ring;
    char *records;
};

static inline struct java_end java_end_receive(int file)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct java_end e = {.socket = file};
    struct iovec into = {&e.config, sizeof e.config};
    struct msghdr message = {.msg_iov = &into,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int memory;
    assert_int_equal(recvmsg(file, &message, 0), sizeof e.config);
    memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof memory);
    e.ring = mmap(NULL, FLM_JAVA_RING_START + e.config.ring_size, PROT_READ | PROT_WRITE,
                  MAP_SHARED, memory, 0);
    assert_true(e.ring != MAP_FAILED);
    close(memory);
    e.records = (char *)e.ring + FLM_JAVA_RING_START;
    return e;
}

static inline void java_end_clear(struct java_end *e)
{
    munmap(e->ring, FLM_JAVA_RING_START + e->config.ring_size);
    close(e->socket);
}

#endif
