/* http_talk.h - a client of an HTTP server that says exactly what it is told to. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_HTTP_TALK_H
#define FLAMEL_TESTS_SUPPORT_CORE_HTTP_TALK_H

#include <stdint.h>

#include "base/text/text.h"

/* A connection to a port of 127.0.0.1; -1: there is none. */
int http_connect(uint16_t port);

/* Sends the bytes and returns all that comes back until the other side ends, terminated. */
struct flm_text http_exchange(uint16_t port, struct flm_bytes request);

struct http_answer {
    int status; /* 0: none came */
    struct flm_text all;
    struct flm_bytes body; /* in `all` */
};

/* METHOD TARGET with a body, and more headers ("Name: value\r\n"). The caller clears `all`. */
struct http_answer http_ask(uint16_t port, const char *method, const char *target,
                            const char *headers, struct flm_bytes body);

#endif
