/* api_admin.c - what keeps a store in order, for whoever looks after the server: what is in it, and
 * sealing, merging, removing and backing up while it runs. They are of all tenants together. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/json_write.h"
#include "net/tenant.h"
#include "os/clock.h"
#include "serve/query/api.h"
#include "serve/query/query_routes.h"
#include "store/labels/time_text.h"

static void answer_number(struct flm_http_response *response, const char *name, uint64_t number)
{
    struct flm_json_writer json = {.out = &response->body};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    if (name)
        flm_json_add_integer(&json, name, (int64_t)number);
    flm_json_end(&json);
    response->type = "application/json";
}

static void answer_store(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    struct flm_json_writer json = {.out = &response->body};
    struct flm_error why;
    if (!flm_serve_parameters(request, "", &why)) {
        flm_api_fail(request, response, &why);
        return;
    }
    const struct flm_store_stats stats = flm_store_stats(s->store);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_integer(&json, "segments", (int64_t)stats.segments);
    flm_json_add_integer(&json, "damaged_segments", (int64_t)stats.damaged_segments);
    flm_json_add_integer(&json, "rows", (int64_t)stats.rows);
    flm_json_add_integer(&json, "bytes", (int64_t)stats.bytes);
    flm_json_add_integer(&json, "pending_batches", (int64_t)stats.pending_batches);
    flm_json_add_integer(&json, "memory_bytes", (int64_t)stats.memory_bytes);
    flm_json_add_integer(&json, "from_ms", stats.from_ms);
    flm_json_add_integer(&json, "until_ms", stats.until_ms);
    flm_json_end(&json);
    response->type = "application/json";
}

static void seal(struct flm_serving *s, const struct flm_http_request *request,
                 struct flm_http_response *response)
{
    struct flm_error why;
    if (flm_serve_parameters(request, "", &why) && flm_store_seal(s->store, &why))
        answer_number(response, NULL, 0);
    else
        flm_api_fail(request, response, &why);
}

static void compact(struct flm_serving *s, const struct flm_http_request *request,
                    struct flm_http_response *response)
{
    struct flm_error why;
    uint64_t merged = 0;
    if (flm_serve_parameters(request, "", &why) && flm_store_seal(s->store, &why) &&
        flm_store_compact(s->store, flm_wall_ms(), &merged, &why))
        answer_number(response, "merged_segments", merged);
    else
        flm_api_fail(request, response, &why);
}

static void retain(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_error why;
    const char *before = flm_http_parameter(request, "before");
    int64_t before_ms = 0;
    uint64_t removed = 0;
    bool good = flm_serve_parameters(request, "before", &why);
    if (good && !before)
        good = flm_error_set(&why, FLM_ERROR_USAGE, "the parameter 'before' is missing: a time");
    good = good && flm_time_parse(flm_bytes_of(before), flm_wall_ms(), &before_ms, &why);
    if (good && flm_store_retain(s->store, before_ms, &removed, &why)) {
        flm_series_limit_forget(&s->series);
        answer_number(response, "removed_segments", removed);
    } else {
        flm_api_fail(request, response, &why);
    }
}

/* Into the folder of the store, and nowhere else: a request names no path. */
static bool back_up(struct flm_serving *s, const char *name, struct flm_error *why)
{
    char folder[1200];
    struct stat file;
    int size = snprintf(folder, sizeof folder, "%s/backups", s->folder);
    if (size < 0 || (size_t)size + strlen(name) + 2 > sizeof folder)
        return flm_error_set(why, FLM_ERROR_USAGE, "the path of the store is too long");
    if (mkdir(folder, 0750) != 0 && errno != EEXIST)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    snprintf(folder + size, sizeof folder - (size_t)size, "/%s", name);
    if (stat(folder, &file) == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is a backup '%s' already", name);
    return flm_store_backup(s->store, folder, why);
}

static void backup(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_error why;
    const char *name = flm_http_parameter(request, "name");
    bool good = flm_serve_parameters(request, "name", &why);
    if (good && (!name || !flm_is_tenant(name) || name[0] == '.'))
        good = flm_error_set(&why, FLM_ERROR_USAGE,
                             "the parameter 'name' is what the backup is called: 1 to 128 letters, "
                             "digits, and _ - . in it, and no . first");
    if (good && strstr(s->folder, "://"))
        good = flm_error_set(&why, FLM_ERROR_USAGE, "a database is backed up by its own means");
    if (good && back_up(s, name, &why))
        answer_number(response, NULL, 0);
    else
        flm_api_fail(request, response, &why);
}

#define ADMIN(method, path, answer)                                                                \
    {                                                                                              \
        method, path, FLM_RIGHT_ADMIN, answer, flm_fail_json, true                                 \
    }

const struct flm_route flm_routes_admin[5] = {
    ADMIN("GET", "/api/v1/admin/store", answer_store),
    ADMIN("POST", "/api/v1/admin/seal", seal),
    ADMIN("POST", "/api/v1/admin/compact", compact),
    ADMIN("POST", "/api/v1/admin/retain", retain),
    ADMIN("POST", "/api/v1/admin/backup", backup),
};
