/* The document has what the server has: each route of our own API, and nothing else. That it is an
 * OpenAPI document is tested by tests/clients/openapi.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "serve/query/query_routes.h"
#include "serve/routes.h"
#include "support/core/json_tree.h"

static const char api[] = "/api/v1/";

static struct json_tree *document(void)
{
    const struct flm_http_request request = {.tenant = ""};
    struct flm_http_response response = {0};
    flm_routes_openapi[0].answer(NULL, &request, &response);
    assert_false(response.body.failed);
    flm_text_putc(&response.body, 0);
    struct json_tree *tree = json_tree_parse(response.body.at);
    flm_text_clear(&response.body);
    return tree;
}

static const struct json_tree *operation(const struct json_tree *paths, const char *path,
                                         const char *method)
{
    char lower[16];
    size_t size = 0;
    for (; method[size]; size++)
        lower[size] = (char)(method[size] | 0x20);
    lower[size] = 0;
    const struct json_tree *entry = json_tree_find(paths, path);
    return entry ? json_tree_find(entry, lower) : NULL;
}

static void each_route_is_in_the_document(void **state)
{
    static const char *const rights[] = {"", "\"write\"", "\"read\"", "", "\"admin\""};
    struct json_tree *tree = document();
    const struct json_tree *paths = json_tree_get(tree, "paths");
    const struct flm_route *route;
    size_t routes = 0, operations = 0;
    (void)state;
    for (size_t i = 0; (route = flm_route_at(i)) != NULL; i++) {
        if (strncmp(route->path, api, sizeof api - 1) != 0)
            continue;
        routes++;
        const struct json_tree *o = operation(paths, route->path, route->method);
        if (!o)
            fail_msg("%s %s is not in the document", route->method, route->path);
        const struct json_tree *says = json_tree_find(o, "description");
        assert_int_equal(says != NULL, route->right != FLM_RIGHT_NONE);
        if (says)
            assert_non_null(strstr(says->text, rights[route->right]));
    }
    for (size_t i = 0; i < paths->count; i++)
        operations += paths->items[i].count;
    assert_int_equal(routes, operations);
    json_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_route_is_in_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
