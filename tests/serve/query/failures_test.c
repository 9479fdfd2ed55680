/* What a query answers when memory runs out: the whole answer, or 503; never a part of it. */
#include "serve/query/query_routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/file.h"
#include "serve/routes.h"
#include "support/core/failures.h"

struct asked {
    struct flm_serving serving;
    const char *method, *path, *query; /* "a=b c=d" */
    const char *body;
    struct flm_text wanted;
};

static bool add(struct flm_http_fields *fields, const char *name, const char *value)
{
    return flm_http_field_add(fields, flm_bytes_of(name), flm_bytes_of(value));
}

static bool add_query(struct flm_http_fields *fields, const char *query)
{
    for (const char *at = query; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " "), name = strcspn(at, "=");
        if (!flm_http_field_add(fields, (struct flm_bytes){at, name},
                                (struct flm_bytes){at + name + 1, size - name - 1}))
            return false;
        at += size;
    }
    return true;
}

static bool ask(void *context, struct flm_error *why)
{
    struct asked *a = context;
    struct flm_http_request request = {.tenant = "", .body = flm_bytes_of(a->body)};
    struct flm_http_response response = {0};
    bool has_path;
    const struct flm_route *route = flm_route_find(a->method, a->path, &has_path);
    assert_non_null(route);
    bool good = add(&request.headers, "Content-Type", "application/json") &&
                add_query(&request.query, a->query);
    if (good)
        route->answer(&a->serving, &request, &response);
    unsigned status = !good || response.body.failed ? 503 : response.status ? response.status : 200;
    if (status != 200 && status != 503)
        fail_msg("%s: the status is %u: %.*s", a->path, status, (int)response.body.size,
                 response.body.at);
    if (status == 200 && a->wanted.size == 0)
        flm_text_add(&a->wanted, (struct flm_bytes){response.body.at, response.body.size});
    if (status == 200) {
        assert_int_equal(response.body.size, a->wanted.size);
        assert_memory_equal(response.body.at, a->wanted.at, a->wanted.size);
    } else {
        flm_error_memory(why);
    }
    flm_http_request_clear(&request);
    flm_text_clear(&response.body);
    return status == 200;
}

#define CPU "\"profileTypeID\": \"process_cpu:cpu:nanoseconds:cpu:nanoseconds\", "
#define RANGE "\"start\": 1000, \"end\": 9000"
#define QUERIER "/querier.v1.QuerierService/"
#define RENDER "query=process_cpu:cpu:nanoseconds:cpu:nanoseconds{} from=1 until=9"

static const struct {
    const char *method, *path, *query, *body;
} asked[] = {
    {"POST", QUERIER "ProfileTypes", "", "{" RANGE "}"},
    {"POST", QUERIER "LabelNames", "", "{\"matchers\": [\"{pod=~\\\"p.*\\\"}\"]}"},
    {"POST", QUERIER "LabelValues", "", "{\"name\": \"pod\"}"},
    {"POST", QUERIER "LabelValues", "",
     "{\"name\": \"pod\", \"matchers\": [\"{__profile_type__=~\\\"p.*\\\"}\"]}"},
    {"POST", QUERIER "Series", "", "{" RANGE ", \"labelNames\": [\"pod\"]}"},
    {"POST", QUERIER "SelectSeries", "",
     "{" CPU RANGE ", \"groupBy\": [\"pod\"], \"step\": 1, \"limit\": 1}"},
    {"POST", QUERIER "SelectMergeStacktraces", "", "{" CPU RANGE ", \"maxNodes\": 3}"},
    {"POST", QUERIER "Diff", "", "{\"left\": {" CPU RANGE "}, \"right\": {" CPU RANGE "}}"},
    {"GET", "/pyroscope/render", RENDER " groupBy=pod", ""},
    {"GET", "/pyroscope/render-diff",
     "leftQuery=process_cpu:cpu:nanoseconds:cpu:nanoseconds leftFrom=1 leftUntil=9 "
     "rightQuery=process_cpu:cpu:nanoseconds:cpu:nanoseconds rightFrom=1 rightUntil=2",
     ""},
    {"GET", "/api/v1/timeline", "from=1 until=9 step=1 type=cpu by=pod groups=1", ""},
    {"GET", "/api/v1/types", "from=1", ""},
    {"GET", "/api/v1/values", "label=pod selector=pod!=p2", ""},
    {"GET", "/api/v1/series", "", ""},
    {"GET", "/api/v1/merge", "from=1 format=folded", ""},
    {"GET", "/api/v1/views", "", ""},
    {"POST", "/api/v1/views", "name=a", "?b"},
};

static void queries_answer_all_of_it_or_nothing(void **state)
{
    struct asked a = {.serving = {.most_plain = 1 << 20}};
    struct flm_load_options load = {.size = sizeof load};
    char folder[] = "/tmp/flamel-queries-XXXXXX", command[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    a.serving.store = flm_store_open(folder, NULL, NULL);
    assert_non_null(a.serving.store);
    struct flm_profile *p = flm_load_memory("main;a 5\nmain;b 7\nmain;c 1\n", 27, &load, NULL);
    const struct flm_combination cpu = {"cpu", "ns", &(double){1}};
    struct flm_profile *q = flm_combine(p, &cpu, 1, NULL);
    for (int i = 0; i < 3; i++) {
        const struct flm_store_label_text labels[] = {{"pod", i ? "p1" : "p2"}};
        const struct flm_store_batch batch = {q, NULL, labels, 1, 1500 + i * 1000};
        assert_true(flm_store_append(a.serving.store, &batch, 1, NULL));
        assert_true(i > 0 || flm_store_seal(a.serving.store, NULL));
    }
    flm_profile_free(p);
    flm_profile_free(q);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        atomic_store(&a.serving.decompressed.left, (size_t)2 << 20);
        a.method = asked[i].method;
        a.path = asked[i].path;
        a.query = asked[i].query;
        a.body = asked[i].body;
        a.wanted.size = 0;
        struct flm_error why;
        assert_true(ask(&a, &why));
        assert_true(assert_survives_failures(ask, &a) > 0);
        assert_int_equal(atomic_load(&a.serving.decompressed.left), (size_t)2 << 20);
    }
    flm_text_clear(&a.wanted);
    flm_store_close(a.serving.store);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_answer_all_of_it_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
