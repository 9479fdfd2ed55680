/* curl.h - libcurl, loaded when it is needed (os/library.h): what is called of it.
 *
 * Only where flamel is built with its headers: FLAMEL_CURL. */
#ifndef FLAMEL_NET_CURL_H
#define FLAMEL_NET_CURL_H

/* The options for protocols have new forms since 7.85, which older versions lack. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "flamel/error.h"

/* clang-format off */
#define FLM_CURL_FUNCTIONS(each)                                                                  \
    each(easy_init) each(easy_setopt) each(easy_perform) each(easy_getinfo) each(easy_cleanup)    \
    each(easy_pause) each(easy_strerror) each(slist_append) each(slist_free_all)                  \
    each(multi_init) each(multi_add_handle) each(multi_perform) each(multi_wait)                  \
    each(multi_info_read) each(multi_remove_handle) each(multi_cleanup)
/* clang-format on */

#define FLM_CURL_POINTER(name) __typeof__(curl_##name) *name;

struct flm_curl {
    FLM_CURL_FUNCTIONS(FLM_CURL_POINTER)
};

/* Connecting may take so long; a response any time, because a profile of 30 seconds takes 30. */
enum { FLM_CONNECT_SECONDS = 20 };

/* False, and `why`, where it is missing. */
bool flm_curl_open(struct flm_curl *curl, struct flm_error *why);

#endif
