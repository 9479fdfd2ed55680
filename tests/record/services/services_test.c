#include "flamel/services.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/profile/profiles.h"

/* A machine with a unit, a program, and a thread of the kernel. */
static void make(int process, int parent, const char *group, const char *program)
{
    shell("rm -rf proc/%d && mkdir -p proc/%d && cd proc/%d && echo '%d (x) S %d' > stat && "
          "echo '0::%s' > cgroup && printf '%s\\000' > cmdline && : > environ && "
          "{ [ -z '%s' ] || ln -s '/bin/%s' exe; }",
          process, process, process, process, parent, group, program, program, program);
}

static void make_machine(void)
{
    shell("rm -rf proc");
    make(2, 0, "/", "");
    make(10, 1, "/system.slice/nginx.service", "nginx");
    make(11, 10, "/system.slice/nginx.service", "nginx");
    make(20, 1, "/user.slice/session-1.scope", "bash");
}

static struct flm_services *services_of(size_t most)
{
    const struct flm_services_options how = {
        .size = sizeof how, .most = most, .root = temporary_path("")};
    struct flm_error why;
    struct flm_services *s = flm_services_new(&how, &why);
    assert_non_null(s);
    return s;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static struct flm_label_set labels_of(struct flm_builder *b, int process, const char *command)
{
    char number[16];
    int size = snprintf(number, sizeof number, "%d", process);
    const struct flm_string pairs[] = {
        flm_builder_string(b, "process", 7), flm_builder_string(b, number, (size_t)size),
        flm_builder_string(b, "command", 7), flm_builder_string(b, command, strlen(command))};
    return flm_builder_label_set(b, pairs, 2);
}

static void add(struct flm_builder *b, int process, const char *command, const char *function,
                double value)
{
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    node = flm_builder_child(b, node, flm_builder_function(b, function, strlen(function)));
    struct flm_metric metric = flm_builder_metric(b, "cpu-clock", "ns");
    flm_builder_sample(b, 1, node, labels_of(b, process, command), metric, value);
}

static void mark(struct flm_builder *b, const char *name, const char *detail, int process)
{
    flm_builder_marker(b, 1, 0, flm_builder_string(b, name, strlen(name)),
                       flm_builder_string(b, detail, strlen(detail)), labels_of(b, process, ""));
}

static struct flm_builder *new_builder(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    return b;
}

/* "nginx unit=nginx 2: main;a 3,main;b 4 | ..." */
static bool describe(void *context, const struct flm_service *service,
                     const struct flm_profile *profile, struct flm_error *why)
{
    struct flm_text *text = context;
    (void)why;
    if (text->size > 0)
        flm_text_puts(text, "| ");
    flm_text_puts(text, service->name);
    for (size_t i = 0; i < service->label_count; i++)
        flm_text_format(text, " %s", service->labels[i]);
    flm_text_format(text, " %zu", service->processes);
    if (profile) {
        assert_sound(profile);
        assert_int_equal(flm_profile_sample_count(profile), 0);
        assert_int_equal(flm_profile_marker_count(profile), 0);
        char *folded = folded_of(profile);
        for (char *at = folded; *at; at++)
            if (*at == '\n')
                *at = at[1] ? ',' : ' ';
        flm_text_format(text, ": %s", folded);
        free(folded);
    } else {
        flm_text_putc(text, ' ');
    }
    return true;
}

static void assert_split(struct flm_services *s, struct flm_builder *b, const char *expected)
{
    struct flm_error why;
    struct flm_text text = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    if (!flm_services_split(s, p, describe, &text, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_profile_free(p);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void each_service_has_what_its_processes_did(void **state)
{
    (void)state;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_builder *b = new_builder();
    add(b, 10, "nginx", "a", 3);
    add(b, 11, "nginx", "a", 1);
    add(b, 11, "nginx", "b", 4);
    add(b, 20, "bash", "a", 2);
    add(b, 2, "kthreadd", "a", 5);
    add(b, 0, "swapper/1", "a", 7);
    assert_split(s, b,
                 "nginx unit=nginx 2: main;a 4,main;b 4 | kernel 2: main;a 12 | bash 1: main;a 2 ");
    flm_services_free(s);
}

static void who_has_ended_is_known_when_it_was_seen(void **state)
{
    (void)state;
    struct flm_error why;
    make_machine();
    struct flm_services *s = services_of(0);
    assert_true(flm_services_look(s, &why));
    shell("rm -r proc/20 proc/10");
    struct flm_builder *b = new_builder();
    add(b, 20, "renamed", "a", 2);
    add(b, 10, "renamed", "a", 1);
    assert_split(s, b, "bash 1: main;a 2 | nginx unit=nginx 1: main;a 1 ");
    /* It is forgotten then: the number may be that of another one. */
    b = new_builder();
    add(b, 20, "other", "a", 2);
    assert_split(s, b, "other 1: main;a 2 ");
    flm_services_free(s);
}

static void who_was_not_seen_is_of_the_unit_that_started_it(void **state)
{
    (void)state;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_builder *b = new_builder();
    mark(b, "fork", "of 10", 101);
    mark(b, "fork", "of 101", 102);
    mark(b, "fork", "of 20", 103);
    mark(b, "fork", "of 999", 104);
    add(b, 102, "sh", "a", 1);
    add(b, 101, "worker", "a", 2);
    add(b, 103, "ls", "a", 4);
    add(b, 104, "gone", "a", 8);
    assert_split(s, b, "nginx unit=nginx 2: main;a 3 | gone 1: main;a 8 | ls 1: main;a 4 ");
    flm_services_free(s);
}

static void a_loop_of_parents_ends(void **state)
{
    (void)state;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_builder *b = new_builder();
    mark(b, "fork", "of 102", 101);
    mark(b, "fork", "of 101", 102);
    add(b, 101, "x", "a", 1);
    assert_split(s, b, "x 1: main;a 1 ");
    flm_services_free(s);
}

static void who_became_another_program_is_read_again(void **state)
{
    (void)state;
    struct flm_error why;
    make_machine();
    struct flm_services *s = services_of(0);
    assert_true(flm_services_look(s, &why));
    make(20, 1, "/system.slice/cron.service", "cron");
    struct flm_builder *b = new_builder();
    add(b, 20, "cron", "a", 2);
    mark(b, "exec", "cron", 20);
    assert_split(s, b, "cron unit=cron 1: main;a 2 ");
    flm_services_free(s);
}

static void small_ones_beyond_the_limit_are_one(void **state)
{
    (void)state;
    make_machine();
    struct flm_services *s = services_of(3);
    struct flm_builder *b = new_builder();
    for (int process = 1000; process < 1010; process++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", process);
        for (int i = 0; i < process - 999; i++)
            add(b, process, name, "a", 1);
    }
    assert_split(s, b, "p1009 1: main;a 10 | p1008 1: main;a 9 | other 8: main;a 36 ");
    flm_services_free(s);
}

static void a_profile_without_samples_has_no_parts(void **state)
{
    (void)state;
    struct flm_error why;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_text text = {0};
    struct flm_profile *p = profile_of("");
    assert_true(flm_services_split(s, p, describe, &text, &why));
    assert_int_equal(text.size, 0);
    flm_profile_free(p);
    flm_services_free(s);
}

static bool refuse(void *context, const struct flm_service *service,
                   const struct flm_profile *profile, struct flm_error *why)
{
    (void)context;
    (void)service;
    (void)profile;
    return flm_error_set(why, FLM_ERROR_SYSTEM, "enough");
}

static void a_visitor_stops_it(void **state)
{
    (void)state;
    struct flm_error why;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_builder *b = new_builder();
    add(b, 10, "nginx", "a", 1);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_false(flm_services_split(s, p, refuse, NULL, &why));
    assert_string_equal(why.text, "enough");
    assert_false(flm_services_visit(s, refuse, NULL, &why));
    flm_profile_free(p);
    flm_services_free(s);
}

static void those_that_run_are_listed_by_name(void **state)
{
    (void)state;
    struct flm_error why;
    make_machine();
    struct flm_services *s = services_of(0);
    struct flm_text text = {0};
    assert_true(flm_services_look(s, &why));
    shell("rm -r proc/20");
    assert_true(flm_services_visit(s, describe, &text, &why));
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "kernel 1 | nginx unit=nginx 2 ");
    flm_text_clear(&text);
    flm_services_free(s);
}

static void a_machine_without_proc_is_an_error(void **state)
{
    (void)state;
    const struct flm_services_options how = {.size = sizeof how, .root = temporary_path("none")};
    const struct flm_services_options unknown = {.size = sizeof how + 1};
    struct flm_error why;
    struct flm_services *s = flm_services_new(&how, &why);
    assert_false(flm_services_look(s, &why));
    assert_non_null(strstr(why.text, "none/proc: No such file"));
    flm_services_free(s);
    assert_null(flm_services_new(&unknown, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_service_has_what_its_processes_did),
        cmocka_unit_test(who_has_ended_is_known_when_it_was_seen),
        cmocka_unit_test(who_was_not_seen_is_of_the_unit_that_started_it),
        cmocka_unit_test(a_loop_of_parents_ends),
        cmocka_unit_test(who_became_another_program_is_read_again),
        cmocka_unit_test(small_ones_beyond_the_limit_are_one),
        cmocka_unit_test(a_profile_without_samples_has_no_parts),
        cmocka_unit_test(a_visitor_stops_it),
        cmocka_unit_test(those_that_run_are_listed_by_name),
        cmocka_unit_test(a_machine_without_proc_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
