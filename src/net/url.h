/* url.h - URLs: known by how they begin, and put together. */
#ifndef FLAMEL_NET_URL_H
#define FLAMEL_NET_URL_H

#include "base/text/text.h"

/* Whether a path is a URL that can be opened: it begins with http:// or https://. */
bool flm_is_url(const char *path);

/* Appends URL, without slashes at its end, and the path. */
void flm_url_begin(struct flm_text *out, const char *url, const char *path);

/* Appends ?NAME=VALUE, or &NAME=VALUE where there is a parameter already, as URLs have them. */
void flm_url_parameter(struct flm_text *out, const char *name, struct flm_bytes value);

#endif
