#include "serve/scrape/scrape_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"

#ifdef FLAMEL_YAML

static void jobs_have_what_they_say_and_what_is_usual(void **state)
{
    (void)state;
    struct flm_text text = read_file("tests/data/scrape_config/two_jobs.yaml");
    struct flm_scrape_config config = {0};
    struct flm_error why = {0};
    if (!flm_scrape_config_read(&config, (struct flm_bytes){text.at, text.size}, &why))
        fail_msg("%s", why.text);
    flm_text_clear(&text); /* nothing of it is borrowed */
    assert_int_equal(config.count, 2);
    const struct flm_scrape_job *api = &config.at[0], *worker = &config.at[1];
    assert_string_equal(api->service, "api");
    assert_string_equal(api->tenant, "web");
    assert_null(api->token);
    assert_int_equal(api->interval_ms, 30000);
    assert_int_equal(api->targets.count, 2);
    assert_string_equal(api->targets.at[0], "http://10.0.0.7:6060");
    assert_string_equal(api->targets.at[1], "https://api.example/internal");
    assert_int_equal(api->labels.count, 2);
    assert_string_equal(api->labels.at[1].name, "zone");
    assert_string_equal(api->labels.at[1].value, "a");
    assert_int_equal(api->profiles.count, 4);
    assert_string_equal(api->profiles.at[0].path, "/debug/pprof/profile");
    assert_true(api->profiles.at[0].seconds && !api->profiles.at[0].delta);
    assert_true(!api->profiles.at[1].seconds && api->profiles.at[1].delta);
    assert_string_equal(api->profiles.at[2].path, "/debug/fgprof");
    assert_true(api->profiles.at[2].seconds && !api->profiles.at[2].delta);
    assert_true(!api->profiles.at[3].seconds && api->profiles.at[3].delta);
    assert_int_equal(worker->interval_ms, 15000);
    assert_string_equal(worker->tenant, "");
    assert_int_equal(worker->profiles.count, 5); /* cpu, heap, goroutine, mutex, block */
    flm_scrape_config_clear(&config);
}

/* examples/serve/flamel.yaml, without its files of tokens, which are not on this machine. */
static void the_example_is_one(void **state)
{
    (void)state;
    struct flm_text text = read_file("examples/serve/flamel.yaml"), here = {0};
    struct flm_scrape_config config = {0};
    struct flm_error why = {0};
    for (size_t at = 0, size; at < text.size; at += size) {
        const char *end = memchr(text.at + at, '\n', text.size - at);
        size = end ? (size_t)(end - text.at) - at + 1 : text.size - at;
        const struct flm_bytes line = {text.at + at, size};
        if (!flm_bytes_contain(line, "token_file"))
            flm_text_add(&here, line);
    }
    if (!flm_scrape_config_read(&config, (struct flm_bytes){here.at, here.size}, &why))
        fail_msg("%s", why.text);
    assert_int_equal(config.count, 3);
    assert_int_equal(config.at[0].targets.count, 2);
    assert_int_equal(config.at[1].interval_ms, 60000);
    assert_string_equal(config.at[2].tenant, "batch");
    flm_scrape_config_clear(&config);
    flm_text_clear(&text);
    flm_text_clear(&here);
}

static void a_token_is_read_from_its_file(void **state)
{
    (void)state;
    struct flm_scrape_config config = {0};
    struct flm_error why = {0};
    char text[300];
    snprintf(text, sizeof text,
             "scrape: [{service: a, targets: [a:1], token_file: %s}, "
             "{service: a, targets: [a:1], token_file: %s}]",
             write_temporary("token", flm_bytes_of("secret\n")),
             write_temporary("two", flm_bytes_of("one two\n")));
    assert_false(flm_scrape_config_read(&config, flm_bytes_of(text), &why));
    assert_non_null(strstr(why.text, "has one word"));
    assert_null(strstr(why.text, "one two"));
    assert_string_equal(config.at[0].token, "secret");
    flm_scrape_config_clear(&config);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "line 1: there is no 'scrape:'"},
        {"a: [", "this is no YAML"},
        {"\xff\xfe\xff", "this is no YAML"},
        {"targets: []", "line 1: there is 'scrape:' at the top"},
        {"scrape: []\nmore: 1", "line 2: there is 'scrape:' at the top"},
        {"scrape: []", "scrape is a list"},
        {"scrape: [1]", "an item of scrape"},
        {"scrape:\n - service: a", "line 2: 'targets' is missing"},
        {"scrape:\n - targets: [a:1]", "line 2: 'service' is missing"},
        {"scrape:\n - service: a\n   targets: a:1", "line 3: targets is a list"},
        {"scrape:\n - service: a\n   targets: []", "line 3: targets is a list"},
        {"scrape:\n - service: a\n   url: a", "line 3: there is no 'url' here"},
        {"scrape:\n - service: a\n   service: b", "line 3: 'service' is there twice"},
        {"scrape:\n - service: a\n   targets: [file:///etc/passwd]", "line 3: a target is HOST"},
        {"scrape:\n - service: a\n   targets: [a/b]", "line 3: a target is HOST"},
        {"scrape:\n - service: a\n   targets: ['http://u:p@a']", "line 3: a target is HOST"},
        {"scrape:\n - service: a\n   targets: [\"a\\nb\"]", "a control character"},
        {"scrape:\n - service: a\n   interval: 0s", "line 3: interval is a duration"},
        {"scrape:\n - service: a\n   interval: -5s", "line 3: interval is a duration"},
        {"scrape:\n - service: a\n   interval: 2d", "line 3: interval is a duration"},
        {"scrape:\n - service: a\n   interval: soon", "line 3: interval is a duration"},
        {"scrape:\n - service: a\n   profiles: [cpus]", "line 3: there is no profile 'cpus'"},
        {"scrape:\n - service: a\n   profiles: [{path: x}]", "line 3: the path of a profile"},
        {"scrape:\n - service: a\n   profiles: [{}]", "line 3: the path of a profile"},
        {"scrape:\n - service: a\n   profiles: [{path: /x, delta: 1}]", "delta is true or false"},
        {"scrape:\n - service: a\n   profiles: [{path: /x, every: 1}]", "not 'every'"},
        {"scrape:\n - service: a\n   labels: {service: b}", "the label 'service' is given"},
        {"scrape:\n - service: a\n   labels: [b]", "line 3: labels are NAME: VALUE"},
        {"scrape:\n - service: a\n   tenant: a b", "line 3: a tenant has"},
        {"scrape:\n - service: a\n   token_file: /nowhere", "line 3: /nowhere: "},
        /* An alias of what it is in: a document is a graph. */
        {"scrape: &s\n - *s", "an item of scrape"},
        {"scrape:\n - &j\n   service: a\n   targets: [*j]", "line 2: a target is a text"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_scrape_config config = {0};
        struct flm_error why = {0};
        bool good = flm_scrape_config_read(&config, flm_bytes_of(cases[i].text), &why);
        flm_scrape_config_clear(&config);
        if (good || !strstr(why.text, cases[i].reason))
            fail_msg("%s: %s, not: %s", cases[i].text, why.text, cases[i].reason);
    }
}

static void there_are_so_many_targets_at_most(void **state)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    (void)state;
    flm_text_puts(&text, "scrape:\n - {service: a, targets: [a:1");
    for (int i = 1; i < FLM_SCRAPE_MOST_TARGETS; i++)
        flm_text_puts(&text, ", a:1");
    for (int more = 0; more < 2; more++) {
        struct flm_scrape_config config = {0};
        struct flm_text whole = {0};
        flm_text_add(&whole, (struct flm_bytes){text.at, text.size});
        flm_text_puts(&whole, more ? ", a:1]}" : "]}");
        bool good = flm_scrape_config_read(&config, (struct flm_bytes){whole.at, whole.size}, &why);
        assert_int_equal(good, !more);
        flm_scrape_config_clear(&config);
        flm_text_clear(&whole);
    }
    assert_non_null(strstr(why.text, "more than 1000 targets"));
    flm_text_clear(&text);
}

static void every_shortened_copy_is_read_or_refused(void **state)
{
    struct flm_text text = read_file("tests/data/scrape_config/two_jobs.yaml");
    (void)state;
    for (size_t size = 0; size < text.size; size++) {
        struct flm_scrape_config config = {0};
        struct flm_error why = {0};
        if (!flm_scrape_config_read(&config, (struct flm_bytes){text.at, size}, &why))
            assert_true(why.text[0]);
        flm_scrape_config_clear(&config);
    }
    flm_text_clear(&text);
}

static bool read_whole(void *context, struct flm_error *why)
{
    const struct flm_text *text = context;
    struct flm_scrape_config config = {0};
    bool good = flm_scrape_config_read(&config, (struct flm_bytes){text->at, text->size}, why);
    flm_scrape_config_clear(&config);
    return good;
}

static void every_failed_allocation_is_survived(void **state)
{
    struct flm_text text = read_file("tests/data/scrape_config/two_jobs.yaml");
    (void)state;
    assert_true(assert_survives_failures(read_whole, &text) > 10);
    flm_text_clear(&text);
}

#else

static void without_libyaml_that_is_said(void **state)
{
    struct flm_scrape_config config = {0};
    struct flm_error why = {0};
    (void)state;
    assert_false(flm_scrape_config_read(&config, flm_bytes_of("scrape: []"), &why));
    assert_non_null(strstr(why.text, "without libyaml"));
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FLAMEL_YAML
        cmocka_unit_test(jobs_have_what_they_say_and_what_is_usual),
        cmocka_unit_test(the_example_is_one),
        cmocka_unit_test(a_token_is_read_from_its_file),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(there_are_so_many_targets_at_most),
        cmocka_unit_test(every_shortened_copy_is_read_or_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
#else
        cmocka_unit_test(without_libyaml_that_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
