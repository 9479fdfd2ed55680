/* page_client.h - a server of a page (net/page_server.h) with three files, and requests to it. */
#ifndef FLAMEL_TESTS_SUPPORT_NET_PAGE_CLIENT_H
#define FLAMEL_TESTS_SUPPORT_NET_PAGE_CLIENT_H

#include "base/text/text.h"
#include "net/page_server.h"

struct page_served {
    struct flm_page_server *server;
    char url[128], host[64], token[64];
    uint16_t port;
};

enum { PAGE_LARGE_SIZE = 300000 };
extern const char page_large[PAGE_LARGE_SIZE];

/* The files are "", flamel.wasm and after.flm, which is page_large; what is posted to "read" is
 * answered backwards, and refused where it begins with 'x' or has more than 100,000 bytes. Port 0:
 * any. */
struct flm_page_server *page_try(uint16_t port, struct flm_error *why);
struct page_served page_start(void);

int page_connect(const struct page_served *s);

/* Sends the bytes as they are, and returns all that comes back, until the other side ends. */
struct flm_text page_talk(const struct page_served *s, const char *request);

/* The answer to METHOD PATH with a Host and further headers. */
struct flm_text page_ask(const struct page_served *s, const char *method, const char *path,
                         const char *host, const char *more);

int page_status(const struct flm_text *answer);
void assert_page_status(const struct page_served *s, const char *method, const char *path,
                        const char *host, const char *more, int expected);

/* /TOKEN/NAME; good until the fourth call after it. */
const char *page_path(const struct page_served *s, const char *name);

#endif
