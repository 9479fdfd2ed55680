#include "os/library.h"

#ifdef FLAMEL_CURL

#include "net/curl.h"

#define AS_NAME(name) "curl_" #name,

bool flm_curl_open(struct flm_curl *curl, struct flm_error *why)
{
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    static const char *const names[] = {FLM_CURL_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, curl, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "http and https take libcurl, which is missing: %s",
                         missing.text);
}

#endif
