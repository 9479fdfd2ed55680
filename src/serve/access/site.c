#include "serve/access/site.h"

#include <arpa/inet.h>
#include <strings.h>

#include "base/number/number.h"

/* As an address: 127.evil.example is a name, and may point anywhere. */
bool flm_site_is_loopback(const char *host)
{
    bool is_six = *host == '[';
    size_t size = strcspn(host + is_six, is_six ? "]" : ":");
    const char *rest = host + is_six + size;
    char name[64];
    uint64_t port;
    if (size >= sizeof name || (is_six && *rest++ != ']'))
        return false;
    if (*rest && (*rest != ':' || !flm_number_parse_uint(flm_bytes_of(rest + 1), &port)))
        return false;
    memcpy(name, host + is_six, size);
    name[size] = 0;
    struct in6_addr six;
    struct in_addr four;
    if (is_six)
        return inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
    if (strcasecmp(name, "localhost") == 0)
        return true;
    return inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == 127;
}

static bool has(const struct flm_http_request *request, const char *header, const char *value)
{
    const char *given = flm_http_header(request, header);
    return given && strcmp(given, value) == 0;
}

/* Not in a frame, not by a script. */
static bool is_link_to_page(const struct flm_http_request *request)
{
    return request->method && strcmp(request->method, "GET") == 0 && request->path &&
           strcmp(request->path, "/") == 0 && has(request, "Sec-Fetch-Mode", "navigate") &&
           has(request, "Sec-Fetch-Dest", "document");
}

bool flm_site_is_own(const struct flm_http_request *request, bool host_is_proof)
{
    const char *host = flm_http_header(request, "Host");
    const char *origin = flm_http_header(request, "Origin");
    bool is_other = has(request, "Sec-Fetch-Site", "cross-site") && !is_link_to_page(request);
    if (!host || is_other || (host_is_proof && !flm_site_is_loopback(host)))
        return false;
    const char *slashes = origin ? strstr(origin, "://") : NULL;
    return !origin || (slashes && strcasecmp(slashes + 3, host) == 0);
}
