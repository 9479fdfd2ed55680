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

bool flm_site_is_own(const struct flm_http_request *request, bool host_is_proof)
{
    const char *host = flm_http_header(request, "Host");
    const char *origin = flm_http_header(request, "Origin");
    const char *site = flm_http_header(request, "Sec-Fetch-Site");
    if (!host || (site && strcmp(site, "cross-site") == 0) ||
        (host_is_proof && !flm_site_is_loopback(host)))
        return false;
    const char *slashes = origin ? strstr(origin, "://") : NULL;
    return !origin || (slashes && strcasecmp(slashes + 3, host) == 0);
}
