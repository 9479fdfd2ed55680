/* api_views.c - views that the page saves: a name, and what stands in its address. */
#include "base/text/json_write.h"
#include "serve/query/api.h"

enum { MOST_VIEWS = 1000, LONGEST_NAME = 200, LONGEST_VIEW = 8192 };

struct listing {
    struct flm_json_writer json;
    size_t count;
    const char *name; /* whether there is one of it */
    bool is_there;
};

static bool add_view(void *context, struct flm_name name, struct flm_name view)
{
    struct listing *l = context;
    l->count++;
    l->is_there |= l->name && flm_bytes_are((struct flm_bytes){name.at, name.size}, l->name);
    if (!l->json.out)
        return true;
    flm_json_begin(&l->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&l->json, "name", (struct flm_bytes){name.at, name.size});
    flm_json_add_text(&l->json, "view", (struct flm_bytes){view.at, view.size});
    flm_json_end(&l->json);
    return true;
}

void flm_api_views(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct listing l = {.json = {.out = &response->body}};
    struct flm_error why;
    bool good = flm_serve_parameters(request, "", &why);
    flm_json_begin(&l.json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&l.json, "views", FLM_JSON_ARRAY_LINE);
    good = good && flm_store_views(s->store, request->tenant, add_view, &l, &why);
    flm_json_end(&l.json);
    flm_json_end(&l.json);
    response->type = "application/json";
    if (!good)
        flm_api_fail(request, response, &why);
}

static const char *read_name(const struct flm_http_request *request, struct flm_error *why)
{
    const char *name = flm_http_parameter(request, "name");
    if (!flm_serve_parameters(request, "name", why))
        return NULL;
    if (!name || !*name || strlen(name) > LONGEST_NAME) {
        flm_error_set(why, FLM_ERROR_USAGE, "the parameter 'name' has 1 to %d bytes", LONGEST_NAME);
        return NULL;
    }
    return name;
}

/* What stands behind the path of an address, so that it is no address of another site: "?q=...". */
static bool check_view(struct flm_bytes view, struct flm_error *why)
{
    bool good = view.size > 0 && view.at[0] == '?' && view.size <= LONGEST_VIEW;
    for (size_t i = 0; good && i < view.size; i++)
        good = view.at[i] > ' ' && view.at[i] < 0x7F;
    return good || flm_error_set(why, FLM_ERROR_USAGE,
                                 "a view is the address of the page from its '?' on, of %d bytes "
                                 "at most",
                                 LONGEST_VIEW);
}

static void finish(const struct flm_http_request *request, struct flm_http_response *response,
                   bool good, const struct flm_error *why)
{
    response->type = "application/json";
    if (good)
        flm_text_puts(&response->body, "{}\n");
    else
        flm_api_fail(request, response, why);
}

void flm_api_save_view(struct flm_serving *s, const struct flm_http_request *request,
                       struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_error why;
    const char *name = read_name(request, &why);
    struct listing l = {.name = name};
    if (!name) {
        finish(request, response, false, &why);
        return;
    }
    if (flm_serve_body(s, request, &body, flm_fail_json, response)) {
        bool good = check_view(body.plain, &why) &&
                    flm_store_views(s->store, request->tenant, add_view, &l, &why);
        if (good && l.count >= MOST_VIEWS && !l.is_there)
            good =
                flm_error_set(&why, FLM_ERROR_USAGE, "there are %d views: remove some", MOST_VIEWS);
        good =
            good && flm_store_save_view(s->store, request->tenant, name,
                                        &(struct flm_name){body.plain.at, body.plain.size}, &why);
        finish(request, response, good, &why);
    }
    flm_body_clear(&body);
}

void flm_api_remove_view(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    struct flm_error why;
    const char *name = read_name(request, &why);
    finish(request, response,
           name && flm_store_save_view(s->store, request->tenant, name, NULL, &why), &why);
}
