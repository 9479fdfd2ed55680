/* breaking_proxy.h - a proxy of HTTP in front of a server, whose connections break at the worst
 * moments. */
#ifndef FLAMEL_TESTS_SUPPORT_STORE_BREAKING_PROXY_H
#define FLAMEL_TESTS_SUPPORT_STORE_BREAKING_PROXY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct breaking_proxy {
    uint16_t port, server_port;
    const char *breaks; /* of requests whose first line has this in it, every other one */
    int listener;
    pthread_t thread;
    atomic_bool is_ending;
    atomic_uint lost_responses, cut_requests;
};

/* Passes requests on, but of those that have `breaks` in their first line it loses the response of
 * the first, cuts the body of the second in half, passes the third on, and so forth. */
void proxy_start(struct breaking_proxy *proxy, uint16_t server_port, const char *breaks);
void proxy_stop(struct breaking_proxy *proxy);

#endif
