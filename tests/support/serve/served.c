#include "support/serve/served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "support/core/http_talk.h"

struct served serve_start(struct flm_serve_options o)
{
    struct served s = {0};
    struct flm_error why = {0};
    unsigned port;
    snprintf(s.folder, sizeof s.folder, "/tmp/flamel-serve-XXXXXX");
    assert_non_null(mkdtemp(s.folder));
    o.size = sizeof o;
    o.folder = s.folder;
    s.serve = flm_serve_start(&o, &why);
    if (!s.serve)
        fail_msg("%s", why.text);
    assert_int_equal(sscanf(flm_serve_url(s.serve),
                            o.tls_key ? "https://127.0.0.1:%u/" : "http://127.0.0.1:%u/", &port),
                     1);
    s.port = (uint16_t)port;
    return s;
}

void serve_stop(struct served *s)
{
    struct flm_error why = {0};
    char command[100];
    if (s->serve && !flm_serve_stop(s->serve, &why))
        fail_msg("%s", why.text);
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    assert_int_equal(system(command), 0);
}

void expect(const struct served *s, const char *method, const char *target, const char *headers,
            struct flm_bytes body, int status, const char *begins)
{
    struct http_answer a = http_ask(s->port, method, target, headers, body);
    if (a.status != status || !flm_bytes_start_with(a.body, begins))
        fail_msg("%s %s: %.*s", method, target, (int)a.all.size, a.all.at ? a.all.at : "");
    flm_text_clear(&a.all);
}

void expect_get(const struct served *s, const char *target, int status, const char *begins)
{
    expect(s, "GET", target, "", flm_bytes_of(""), status, begins);
}

void expect_post(const struct served *s, const char *target, const char *body, int status,
                 const char *begins)
{
    expect(s, "POST", target, "", flm_bytes_of(body), status, begins);
}

struct flm_text pprof_of(const char *folded)
{
    struct flm_load_options load = {.size = sizeof load, .format = "folded"};
    struct flm_save_options save = {.size = sizeof save, .format = "pprof"};
    struct flm_text out = {0};
    struct flm_profile *p = flm_load_memory(folded, strlen(folded), &load, NULL);
    assert_non_null(p);
    assert_true(flm_save_stream(p, flm_text_sink, &out, &save, NULL));
    flm_profile_free(p);
    return out;
}
