/* served.h - a whole server in a folder of its own, asked over sockets. */
#ifndef FLAMEL_TESTS_SUPPORT_SERVE_SERVED_H
#define FLAMEL_TESTS_SUPPORT_SERVE_SERVED_H

#include <stdint.h>

#include "base/text/text.h"
#include "flamel/serve.h"

struct served {
    char folder[64];
    struct flm_serve *serve;
    uint16_t port;
};

/* The options but for their size and folder. */
struct served serve_start(struct flm_serve_options options);

/* Ends it, where it was not ended (`serve` is NULL then), and removes the folder. */
void serve_stop(struct served *s);

/* Asks, and compares the status, and what the body begins with. */
void expect(const struct served *s, const char *method, const char *target, const char *headers,
            struct flm_bytes body, int status, const char *begins);
void expect_get(const struct served *s, const char *target, int status, const char *begins);
void expect_post(const struct served *s, const char *target, const char *body, int status,
                 const char *begins);

/* Folded stacks as pprof. The caller clears it. */
struct flm_text pprof_of(const char *folded);

#define FOLDED "/api/v1/merge?format=folded"

#endif
