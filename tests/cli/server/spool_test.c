#include "cli/server/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/file_bytes.h"
#include "support/core/failures.h"

struct place {
    char root[40], folder[60];
};

static struct place place_new(void)
{
    struct place p;
    snprintf(p.root, sizeof p.root, "/tmp/flamel-spool-XXXXXX");
    assert_non_null(mkdtemp(p.root));
    snprintf(p.folder, sizeof p.folder, "%s/spool", p.root);
    return p;
}

static void place_remove(const struct place *p)
{
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", p->root);
    assert_int_equal(system(command), 0);
}

static struct flm_spool open_at(const struct place *p, uint64_t most)
{
    struct flm_spool s;
    struct flm_error why;
    if (!flm_spool_open(&s, p->folder, most, &why))
        fail_msg("%s", why.text);
    return s;
}

static bool add(struct flm_spool *s, int64_t time_ms, const char *profile)
{
    struct flm_error why;
    return flm_spool_add(s, time_ms, flm_bytes_of("/push?a=b"), NULL, flm_bytes_of(profile), &why);
}

static bool first(struct flm_spool *s, struct flm_spooled *spooled)
{
    struct flm_error why;
    return flm_spool_first(s, spooled, &why);
}

static void remove_first(struct flm_spool *s)
{
    struct flm_error why;
    assert_true(flm_spool_remove_first(s, &why));
}

/* Compares the oldest one, and removes it. */
static void assert_next(struct flm_spool *s, const char *profile)
{
    struct flm_spooled spooled = {.target = NULL};
    assert_true(first(s, &spooled));
    assert_string_equal(spooled.target, "/push?a=b");
    assert_null(spooled.tenant);
    assert_true(flm_bytes_are(spooled.profile, profile));
    flm_text_clear(&spooled.text);
    remove_first(s);
}

static void profiles_come_back_oldest_first_also_after_a_restart(void **state)
{
    struct place p = place_new();
    struct flm_spool s = open_at(&p, 1000);
    struct flm_spooled spooled = {.target = NULL};
    (void)state;
    assert_false(first(&s, &spooled));
    assert_true(add(&s, 3000, "one") && add(&s, 4000, "two") && add(&s, 4000, "three"));
    assert_next(&s, "one");
    assert_true(first(&s, &spooled)); /* read, and not removed: it was not sent */
    flm_text_clear(&spooled.text);
    flm_spool_close(&s);
    s = open_at(&p, 1000);
    assert_int_equal(flm_spool_count(&s), 2);
    assert_true(add(&s, 4000, "four"));
    assert_next(&s, "two");
    assert_next(&s, "three");
    assert_next(&s, "four");
    assert_int_equal(flm_spool_dropped(&s), 0);
    flm_spool_close(&s);
    place_remove(&p);
}

static void an_empty_folder_is_removed_by_who_made_it(void **state)
{
    struct place p = place_new();
    (void)state;
    struct flm_spool s = open_at(&p, 1000);
    assert_true(add(&s, 1000, "one"));
    assert_next(&s, "one");
    flm_spool_close(&s);
    assert_int_not_equal(access(p.folder, F_OK), 0);
    assert_int_equal(mkdir(p.folder, 0700), 0);
    s = open_at(&p, 1000);
    assert_true(add(&s, 1000, "one"));
    assert_next(&s, "one");
    flm_spool_close(&s);
    assert_int_equal(access(p.folder, F_OK), 0);
    place_remove(&p);
}

static void a_profile_is_of_its_tenant_whoever_sends_it(void **state)
{
    struct place p = place_new();
    struct flm_spool s = open_at(&p, 1000);
    struct flm_spooled spooled = {.target = NULL};
    struct flm_error why;
    (void)state;
    assert_true(
        flm_spool_add(&s, 1000, flm_bytes_of("/push?a=b"), "team-1", flm_bytes_of("one"), &why));
    flm_spool_close(&s);
    s = open_at(&p, 1000);
    assert_true(flm_spool_first(&s, &spooled, &why));
    assert_string_equal(spooled.target, "/push?a=b");
    assert_string_equal(spooled.tenant, "team-1");
    assert_true(flm_bytes_are(spooled.profile, "one"));
    flm_text_clear(&spooled.text);
    flm_spool_close(&s);
    place_remove(&p);
}

static void beyond_its_bound_the_oldest_are_dropped_and_counted(void **state)
{
    struct place p = place_new();
    struct flm_spool s = open_at(&p, 40);
    struct flm_spooled spooled = {.target = NULL};
    (void)state;
    assert_true(add(&s, 1000, "11111") && add(&s, 2000, "22222")); /* 15 bytes each */
    assert_true(add(&s, 3000, "33333"));
    assert_int_equal(flm_spool_dropped(&s), 1);
    /* The one that is being sent stays. */
    assert_true(first(&s, &spooled));
    assert_true(flm_bytes_are(spooled.profile, "22222"));
    flm_text_clear(&spooled.text);
    assert_true(add(&s, 4000, "44444"));
    assert_int_equal(flm_spool_dropped(&s), 2);
    assert_next(&s, "22222");
    assert_next(&s, "44444");
    assert_false(add(&s, 5000, "this one is larger than the whole spool may be"));
    assert_int_equal(flm_spool_dropped(&s), 3);
    assert_int_equal(flm_spool_count(&s), 0);
    flm_spool_close(&s);
    place_remove(&p);
}

static void write_file(const struct place *p, const char *name, const char *text)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    assert_true(flm_file_write(path, flm_bytes_of(text), NULL));
}

static void what_is_torn_or_damaged_is_not_sent(void **state)
{
    struct place p = place_new();
    char path[120];
    (void)state;
    assert_int_equal(mkdir(p.folder, 0700), 0);
    write_file(&p, "0000000000001000-000003.push", "/push?a=b x\r\ny: z\nprofile");
    write_file(&p, "0000000000001000-000004.push", "no target");
    write_file(&p, "0000000000002000-000005.push.new", "/push?a=b\nhal");
    write_file(&p, "notes", "of somebody");
    write_file(&p, "notes.push.new", "of somebody");
    write_file(&p, "1-000005.push.new", "of somebody");
    struct flm_spool s = open_at(&p, 1000);
    assert_int_equal(flm_spool_count(&s), 2);
    assert_true(add(&s, 1000, "good"));
    assert_next(&s, "good");
    assert_int_equal(flm_spool_dropped(&s), 2);
    flm_spool_close(&s);
    snprintf(path, sizeof path, "%s/0000000000002000-000005.push.new", p.folder);
    assert_int_not_equal(access(path, F_OK), 0);
    static const char *const others[] = {"notes", "notes.push.new", "1-000005.push.new"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", p.folder, others[i]);
        assert_int_equal(access(path, F_OK), 0);
    }
    place_remove(&p);
}

/* A file whose place a folder has taken: it can be neither read nor removed, as on a disk that
 * fails; also for root. */
static void what_cannot_be_read_or_removed_now_stays_and_that_is_said(void **state)
{
    struct place p = place_new();
    struct flm_spool s = open_at(&p, 1000);
    struct flm_spooled spooled = {.target = NULL};
    struct flm_error why = {0};
    char path[120], aside[120];
    (void)state;
    assert_true(add(&s, 1000, "one"));
    snprintf(path, sizeof path, "%s/%s", p.folder, s.files.at[0].name);
    snprintf(aside, sizeof aside, "%s/aside", p.root);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(flm_spool_first(&s, &spooled, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_int_equal(flm_spool_dropped(&s), 0);
    assert_int_equal(flm_spool_count(&s), 1);
    assert_false(flm_spool_remove_first(&s, &why));
    assert_non_null(strstr(why.text, "cannot be removed"));
    assert_int_equal(flm_spool_count(&s), 0);
    /* Back again, it is found by the next one; and is dropped where it is gone. */
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(aside, path), 0);
    flm_spool_close(&s);
    s = open_at(&p, 1000);
    assert_next(&s, "one");
    assert_true(add(&s, 2000, "two"));
    snprintf(path, sizeof path, "%s/%s", p.folder, s.files.at[0].name);
    assert_int_equal(unlink(path), 0);
    assert_false(flm_spool_first(&s, &spooled, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    assert_int_equal(flm_spool_dropped(&s), 1);
    flm_text_clear(&spooled.text);
    flm_spool_close(&s);
    place_remove(&p);
}

static void one_process_has_the_folder(void **state)
{
    struct place p = place_new();
    struct flm_spool s = open_at(&p, 1000), other;
    struct flm_error why = {0};
    (void)state;
    assert_false(flm_spool_open(&other, p.folder, 1000, &why));
    assert_non_null(strstr(why.text, "another flamel pushes from this folder"));
    assert_true(add(&s, 1000, "one"));
    flm_spool_close(&s);
    s = open_at(&p, 1000);
    assert_next(&s, "one");
    flm_spool_close(&s);
    assert_false(flm_spool_open(&other, "/dev/null/x", 1000, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    place_remove(&p);
}

static bool add_and_read(void *context, struct flm_error *why)
{
    struct flm_spool s;
    struct flm_spooled spooled = {.target = NULL};
    if (!flm_spool_open(&s, ((const struct place *)context)->folder, 1000, why))
        return false;
    bool good =
        flm_spool_add(&s, 1000, flm_bytes_of("/push?a=b"), "a", flm_bytes_of("profile"), why) &&
        flm_spool_first(&s, &spooled, why);
    if (good)
        assert_true(flm_bytes_are(spooled.profile, "profile"));
    flm_text_clear(&spooled.text);
    assert_int_equal(flm_spool_dropped(&s), !good && flm_spool_count(&s) == 0);
    while (flm_spool_count(&s) > 0)
        remove_first(&s);
    flm_spool_close(&s);
    return good;
}

static void nothing_is_lost_when_memory_runs_out(void **state)
{
    struct place p = place_new();
    (void)state;
    assert_true(assert_survives_failures(add_and_read, &p) > 3);
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_come_back_oldest_first_also_after_a_restart),
        cmocka_unit_test(beyond_its_bound_the_oldest_are_dropped_and_counted),
        cmocka_unit_test(what_is_torn_or_damaged_is_not_sent),
        cmocka_unit_test(an_empty_folder_is_removed_by_who_made_it),
        cmocka_unit_test(a_profile_is_of_its_tenant_whoever_sends_it),
        cmocka_unit_test(what_cannot_be_read_or_removed_now_stays_and_that_is_said),
        cmocka_unit_test(one_process_has_the_folder),
        cmocka_unit_test(nothing_is_lost_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
