#include "serve/routes.h"

#include <string.h>

#include "serve/ingest/ingest.h"
#include "serve/page/store_page.h"
#include "serve/query/query_routes.h"

#define TABLE(routes)                                                                              \
    {                                                                                              \
        routes, sizeof routes / sizeof routes[0]                                                   \
    }

static const struct {
    const struct flm_route *routes;
    size_t count;
} tables[] = {
    TABLE(flm_routes_pyroscope), TABLE(flm_routes_push),    TABLE(flm_routes_otlp),
    TABLE(flm_routes_native),    TABLE(flm_routes_datadog), TABLE(flm_routes_api),
    TABLE(flm_routes_querier),   TABLE(flm_routes_render),  TABLE(flm_routes_health),
    TABLE(flm_routes_page),      TABLE(flm_routes_parca),   TABLE(flm_routes_admin),
    TABLE(flm_routes_openapi),   TABLE(flm_routes_mcp),     TABLE(flm_routes_symbols),
};

const struct flm_route *flm_route_at(size_t index)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        if (index < tables[t].count)
            return &tables[t].routes[index];
        index -= tables[t].count;
    }
    return NULL;
}

static bool is_at(const char *pattern, const char *path)
{
    size_t size = strlen(pattern);
    return size > 0 && pattern[size - 1] == '*' ? strncmp(pattern, path, size - 1) == 0
                                                : strcmp(pattern, path) == 0;
}

const struct flm_route *flm_route_find(const char *method, const char *path, bool *has_path)
{
    const struct flm_route *route;
    *has_path = false;
    for (size_t i = 0; (route = flm_route_at(i)) != NULL; i++) {
        bool found = is_at(route->path, path);
        *has_path |= found;
        if (found && strcmp(route->method, method) == 0)
            return route;
    }
    return NULL;
}
