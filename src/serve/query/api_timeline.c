/* api_timeline.c - values over time: of all that matches, and of the largest groups of it. */
#include <stdlib.h>

#include "base/text/json_write.h"
#include "os/clock.h"
#include "serve/query/api.h"
#include "serve/query/steps.h"

/* So many values of groups are in memory at once, and no more. */
enum { MOST_GROUPS = 10000, MOST_VALUES = 4000000, SHOWN_GROUPS = 12 };

/* ---- Its type -------------------------------------------------------------------------------- */

struct types {
    struct flm_text names; /* "cpu:ns, wall:ns" */
    unsigned count;
};

static bool add_type(void *context, struct flm_name type)
{
    struct types *t = context;
    if (t->count++ > 0)
        flm_text_puts(&t->names, ", ");
    flm_text_add(&t->names, (struct flm_bytes){type.at, type.size});
    return t->count < 6;
}

/* Nanoseconds and bytes have no sum. */
static bool check_type(struct flm_serving *s, const struct flm_store_query *query,
                       struct flm_error *why)
{
    struct types t = {.count = 0};
    bool good = flm_store_types(s->store, query, add_type, &t, why);
    if (good && t.names.failed)
        good = flm_error_memory(why);
    if (good && t.count > 1)
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "a timeline is of one type: give one of %.*s as 'type'",
                             (int)t.names.size, t.names.at);
    flm_text_clear(&t.names);
    return good;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

struct group {
    char *value;
    double *values;
    double total;
};

/* The largest ones, descending; what the others have is in the total alone. */
struct groups {
    struct flm_steps steps;
    double *total;
    struct FLM_ARRAY(struct group) largest;
    size_t most, others;
    bool failed;
};

static void clear_group(struct group *group)
{
    free(group->value);
    free(group->values);
}

static bool take_group(void *context, const char *const *labels, const double *values)
{
    struct groups *g = context;
    size_t count = g->steps.count, at = g->largest.count;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        total += values[i];
        g->total[i] += values[i];
    }
    while (at > 0 && g->largest.at[at - 1].total < total)
        at--;
    if (g->most == 0)
        return true;
    if (total == 0 || at == g->most) {
        g->others += total != 0;
        return true;
    }
    struct group group = {strdup(labels[0]), malloc((count + 1) * sizeof *values), total};
    if (!group.value || !group.values || !FLM_ARRAY_RESERVE(&g->largest, 1)) {
        clear_group(&group);
        g->failed = true;
        return false;
    }
    if (count > 0)
        memcpy(group.values, values, count * sizeof *values);
    if (g->largest.count == g->most) {
        g->others++;
        clear_group(&g->largest.at[--g->largest.count]);
    }
    memmove(g->largest.at + at + 1, g->largest.at + at,
            (g->largest.count - at) * sizeof *g->largest.at);
    g->largest.at[at] = group;
    g->largest.count++;
    return true;
}

static bool find_groups(struct flm_serving *s, const struct flm_store_query *query,
                        const char *label, struct groups *g, struct flm_error *why)
{
    size_t most = MOST_VALUES / (g->steps.count + 1);
    g->total = calloc(g->steps.count + 1, sizeof *g->total);
    if (!g->total)
        return flm_error_memory(why);
    bool good = g->steps.count == 0 ||
                flm_store_timelines(s->store, query, &label, label != NULL, g->steps.step_ms,
                                    g->steps.count, most < MOST_GROUPS ? most : MOST_GROUPS,
                                    take_group, g, why);
    return good && (!g->failed || flm_error_memory(why));
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void write_values(struct flm_json_writer *json, const double *values, size_t count)
{
    flm_json_begin(json, "values", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < count; i++)
        flm_json_add_number(json, NULL, values[i]);
    flm_json_end(json);
}

static void write_timeline(const struct groups *g, int64_t from_ms, bool is_grouped,
                           struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_integer(&json, "from_ms", from_ms);
    flm_json_add_integer(&json, "step_ms", g->steps.step_ms);
    write_values(&json, g->total, g->steps.count);
    if (is_grouped) {
        flm_json_begin(&json, "groups", FLM_JSON_ARRAY_LINE);
        for (size_t i = 0; i < g->largest.count; i++) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_add_text(&json, "value", flm_bytes_of(g->largest.at[i].value));
            write_values(&json, g->largest.at[i].values, g->steps.count);
            flm_json_end(&json);
        }
        flm_json_end(&json);
        flm_json_add_integer(&json, "more", (int64_t)g->others);
    }
    flm_json_end(&json);
}

void flm_api_timeline(struct flm_serving *s, const struct flm_http_request *request,
                      struct flm_http_response *response)
{
    struct flm_store_query query;
    struct groups g = {.total = NULL};
    struct flm_error why;
    double step_s = 15, most = SHOWN_GROUPS;
    const char *label = flm_http_parameter(request, "by");
    if (label && (!*label || strcmp(label, "service") == 0))
        label = *label ? "service_name" : NULL;
    bool good =
        flm_api_query(request, "from, until, selector, type, step, by, groups", &query, &why) &&
        flm_api_number(request, "step", &step_s, &why) &&
        flm_api_number(request, "groups", &most, &why);
    if (good && !(most >= 0 && most <= 1000))
        good = flm_error_set(&why, FLM_ERROR_USAGE, "the parameter 'groups' is 0 to 1000");
    if (good && query.until_ms == INT64_MAX)
        query.until_ms = flm_wall_ms();
    g.most = good && label ? (size_t)most : 0;
    if (good && flm_steps_make(&query, step_s, &g.steps, &why) && check_type(s, &query, &why) &&
        find_groups(s, &query, label, &g, &why)) {
        response->type = "application/json";
        write_timeline(&g, query.from_ms, label != NULL, &response->body);
    } else {
        flm_api_fail(request, response, &why);
    }
    for (size_t i = 0; i < g.largest.count; i++)
        clear_group(&g.largest.at[i]);
    FLM_ARRAY_CLEAR(&g.largest);
    free(g.total);
}
