/* site.h - whether a request comes from a page of another site.
 *
 * A page of another site can make a browser send requests to a server on this machine. It cannot
 * make it lie in Origin; nor in Host, when a name of its own is made to point here (DNS rebinding).
 * So where nothing but the address protects the server, Host is an address of loopback, or
 * localhost.
 *
 * A link may lead to the page from anywhere: what a browser shows as a document of its own, the
 * other site cannot read, and the page by itself has no profiles. */
#ifndef FLAMEL_SERVE_ACCESS_SITE_H
#define FLAMEL_SERVE_ACCESS_SITE_H

#include "serve/http/message.h"

/* `host_is_proof`: nobody has tokens. True also for a link of another site to GET /. */
bool flm_site_is_own(const struct flm_http_request *request, bool host_is_proof);

/* Whether a Host header names this machine: "localhost", 127.0.0.0/8, "[::1]"; with a port or
 * without. */
bool flm_site_is_loopback(const char *host);

#endif
