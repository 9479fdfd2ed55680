/* download.h - a file from a web server, read while it arrives.
 *
 *     download = flm_download_open("http://localhost:6060/debug/pprof/heap", NULL, NULL, &why);
 *     input = flm_input_open_stream(flm_download_read, download, &why);
 *
 * http and https, by libcurl, which is loaded when it is needed: redirects, proxies and
 * certificates are those of the system (https_proxy, SSL_CERT_FILE ...). A server may take as long
 * as it likes to respond, because a profile of 30 seconds takes 30 seconds; connecting may take 20.
 * Memory is needed for 256 KiB: a server that is faster than its reader waits. */
#ifndef FLAMEL_NET_DOWNLOAD_H
#define FLAMEL_NET_DOWNLOAD_H

#include <stddef.h>

#include "flamel/error.h"

struct flm_download;

/* Sends the request, and waits for the first bytes of the file. NULL, and `why`, when there is no
 * server, it refuses (with its status, and the first line of what it says), or libcurl is missing.
 *
 * `waiting` is called about ten times a second while nothing arrives; false from it gives up, as
 * FLM_ERROR_CANCELED. It may be NULL. */
struct flm_download *flm_download_open(const char *url, bool (*waiting)(void *context),
                                       void *context, struct flm_error *why);

/* A flm_stream_read for a download. After it failed, flm_download_error says why. */
bool flm_download_read(void *download, void *buffer, size_t room, size_t *size);
const struct flm_error *flm_download_error(const struct flm_download *download);

/* The size that the server announced; 0: it did not. */
uint64_t flm_download_size(const struct flm_download *download);

void flm_download_close(struct flm_download *download);

#endif
