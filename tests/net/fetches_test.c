#include "net/fetches.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/http_talk.h"
#include "support/serve/served.h"

#ifdef FLAMEL_CURL

enum { REQUESTS = 20 };

struct seen {
    int statuses[REQUESTS], count;
    char why[200];
    struct flm_fetches *fetches;
};

static void done(void *context, void *owner, struct flm_http_reply *reply,
                 const struct flm_error *why)
{
    struct seen *seen = context;
    int *status = owner;
    assert_true(reply->status != 0 || why);
    *status = reply->status;
    if (why)
        snprintf(seen->why, sizeof seen->why, "%.150s", why->text);
    if (++seen->count == REQUESTS)
        flm_fetches_wake(seen->fetches);
}

static void many_are_under_way_at_once(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_error why = {0};
    struct seen seen = {.count = 0, .fetches = flm_fetches_open(&why)};
    char ok[80], none[80], nobody[80];
    snprintf(ok, sizeof ok, "http://127.0.0.1:%u/healthz", s.port);
    snprintf(none, sizeof none, "http://127.0.0.1:%u/none", s.port);
    snprintf(nobody, sizeof nobody, "http://127.0.0.1:1/");
    assert_non_null(seen.fetches);
    for (int i = 0; i < REQUESTS; i++) {
        const struct flm_http_call call = {.url = i == 0 ? nobody : i == 1 ? none : ok};
        assert_true(flm_fetches_start(seen.fetches, &call, &seen.statuses[i], &why));
    }
    while (seen.count < REQUESTS)
        flm_fetches_run(seen.fetches, 60000, done, &seen);
    assert_int_equal(seen.statuses[0], 0);
    assert_non_null(strstr(seen.why, "onnect"));
    assert_int_equal(seen.statuses[1], 404);
    for (int i = 2; i < REQUESTS; i++)
        assert_int_equal(seen.statuses[i], 200);
    flm_fetches_close(seen.fetches);
    serve_stop(&s);
}

static void *wake(void *fetches)
{
    flm_fetches_wake(fetches);
    return NULL;
}

static void a_wait_ends_when_it_is_woken(void **state)
{
    (void)state;
    struct flm_fetches *fetches = flm_fetches_open(NULL);
    pthread_t thread;
    assert_non_null(fetches);
    assert_int_equal(pthread_create(&thread, NULL, wake, fetches), 0);
    flm_fetches_run(fetches, 1000000000, done, NULL); /* a week and more */
    pthread_join(thread, NULL);
    flm_fetches_close(fetches);
}

static void what_is_under_way_is_given_up(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    struct flm_fetches *fetches = flm_fetches_open(NULL);
    char url[80];
    int status = 0;
    snprintf(url, sizeof url, "http://127.0.0.1:%u/healthz", s.port);
    const struct flm_http_call call = {.url = url};
    assert_true(flm_fetches_start(fetches, &call, &status, NULL));
    flm_fetches_close(fetches);
    assert_int_equal(status, 0);
    serve_stop(&s);
}

#else

static void without_libcurl_that_is_said(void **state)
{
    struct flm_error why = {0};
    (void)state;
    assert_null(flm_fetches_open(&why));
    assert_non_null(strstr(why.text, "without libcurl"));
}

#endif

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
#ifdef FLAMEL_CURL
        cmocka_unit_test(many_are_under_way_at_once),
        cmocka_unit_test(a_wait_ends_when_it_is_woken),
        cmocka_unit_test(what_is_under_way_is_given_up),
#else
        cmocka_unit_test(without_libcurl_that_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
