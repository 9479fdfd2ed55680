/* page_server.h - an HTTP server of a few files in memory, for one browser on this machine.
 *
 * It listens on the loopback address only, and the files are at an address that nobody can guess:
 * 128 random bits are part of the path. A request without them gets nothing. A page of another
 * site that knows the port cannot read either: a request whose Host is another (a name that was
 * made to point here) or that comes from another Origin is refused, whatever its path.
 *
 * The command line of a browser is read by every user of the machine, with ps. So a browser is
 * given another address, /open/ and 128 other random bits, which redirects to the page: for one
 * request, and only where the other end of the connection is a socket of this user, which the
 * kernel says (/proc/net/tcp). A file that redirects would do the same, but browsers in a sandbox
 * (snap, flatpak) cannot read it.
 *
 * A page may post a file that it cannot read itself, as perf.data, and gets what the program makes
 * of it. Such a request needs the address of the page and its Origin as well; what it sends are
 * bytes, never a path. It is read by the one thread of the server, so other requests wait.
 *
 * Connections that say nothing, or very slowly, keep nobody out: of those on which no request has
 * had the token yet, the oldest is closed when there are more than 128. One that says nothing for
 * 30 seconds is closed in any case. All run in one thread around poll. */
#ifndef FLAMEL_NET_PAGE_SERVER_H
#define FLAMEL_NET_PAGE_SERVER_H

#include "base/text/text.h"
#include "flamel/page.h"

struct flm_page_server;

/* What is posted to `path`, `most_bytes` of it at most. `read` appends what is answered, or fails
 * with a sentence for the user; a thread of the server calls it. */
struct flm_page_reader {
    const char *path;
    uint64_t most_bytes;
    const char *too_large; /* what to do where it is more; NULL: nothing */
    bool (*read)(void *context, struct flm_bytes file, struct flm_text *answer,
                 struct flm_error *why);
    void *context;
};

/* Serves until it is stopped, with threads of its own. A file's path follows the token: the page's
 * address ends in a slash. `files`, their bytes, `policy` (the value of Content-Security-Policy)
 * and `readers` (each with a path of its own) are borrowed until then. `port` 0: any that is
 * free. */
struct flm_page_server *flm_page_server_start(int port, const struct flm_page_file *files,
                                              size_t count, const char *policy,
                                              const struct flm_page_reader *readers,
                                              size_t reader_count, struct flm_error *why);
void flm_page_server_stop(struct flm_page_server *server);

/* The address of the file whose path is "". */
const char *flm_page_server_url(const struct flm_page_server *server);

/* An address that leads there once, and for this user only: for a command line. */
const char *flm_page_server_exchange_url(const struct flm_page_server *server);

#endif
