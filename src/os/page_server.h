/* page_server.h - an HTTP server of a few files in memory, for one browser on this machine.
 *
 * It listens on the loopback address only, and the files are at an address that nobody can guess:
 * 128 random bits are part of the path. A request without them gets nothing. A page of another
 * site that knows the port cannot read either: a request whose Host is another (a name that was
 * made to point here) or that comes from another Origin is refused, whatever its path. */
#ifndef FLAMEL_OS_PAGE_SERVER_H
#define FLAMEL_OS_PAGE_SERVER_H

#include "flamel/page.h"

struct flm_page_server;

/* Serves until it is stopped, with threads of its own. A file's path follows the token: the page's
 * address ends in a slash. `files`, their bytes, and `policy` (the value of
 * Content-Security-Policy) are borrowed until then. `port` 0: any that is free. */
struct flm_page_server *flm_page_server_start(int port, const struct flm_page_file *files,
                                              size_t count, const char *policy,
                                              struct flm_error *why);
void flm_page_server_stop(struct flm_page_server *server);

/* The address of the file whose path is "". */
const char *flm_page_server_url(const struct flm_page_server *server);

#endif
