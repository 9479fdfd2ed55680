#include "record/services/program_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

/* `arguments` with a blank where /proc has a NUL. */
static void assert_name(const char *program, const char *arguments, const char *name)
{
    char *words = strdup(arguments);
    size_t size = strlen(words);
    for (size_t i = 0; i < size; i++)
        if (words[i] == ' ')
            words[i] = 0;
    struct flm_bytes found =
        flm_program_name(flm_bytes_of(program), (struct flm_bytes){words, size + (size > 0)});
    if (!flm_bytes_are(found, name))
        fail_msg("%s %s: %.*s, not %s", program, arguments, (int)found.size, found.at, name);
    free(words);
}

static void a_program_is_its_file(void **state)
{
    (void)state;
    assert_name("/usr/sbin/nginx", "nginx: master process /usr/sbin/nginx", "nginx");
    assert_name("/usr/lib/postgresql/15/bin/postgres", "postgres: checkpointer", "postgres");
    assert_name("/opt/app/server (deleted)", "./server --port 80", "server");
    assert_name("", "/usr/bin/other-users-program -x", "other-users-program");
    assert_name("", "", "");
    assert_name("/memfd:sealed-91173 (deleted)", "tools/backend --uid 0", "backend");
}

static void an_interpreter_is_the_script_that_it_runs(void **state)
{
    (void)state;
    assert_name("/usr/bin/python3.11", "python3 -u /srv/shop/manage.py runserver", "manage.py");
    assert_name("/usr/bin/python3.11", "python3 -X dev -W error app.py", "app.py");
    assert_name("/usr/bin/python3.13t", "python3 -m http.server 80", "http.server");
    assert_name("/usr/bin/python3.11", "/usr/bin/python3 /usr/bin/gunicorn shop.wsgi", "gunicorn");
    assert_name("/usr/bin/node", "node --max-old-space-size=4096 -r dotenv/config server.js",
                "server.js");
    assert_name("/usr/bin/ruby3.1", "ruby bin/rails server", "rails");
    assert_name("/usr/lib/jvm/java-17/bin/java", "java -cp a.jar:b.jar -Xmx1g com.acme.Main x",
                "com.acme.Main");
    assert_name("/usr/lib/jvm/java-17/bin/java", "java -Xmx1g -jar /srv/app.jar x", "app.jar");
    assert_name("/usr/lib/jvm/java-17/bin/java", "java --module-path m -m shop/com.acme.Main",
                "com.acme.Main");
    assert_name("/usr/bin/dash", "/bin/sh /etc/init.d/run start", "run");
}

static void without_a_script_it_is_itself(void **state)
{
    (void)state;
    assert_name("/usr/bin/python3.11", "python3", "python3.11");
    assert_name("/usr/bin/python3.11", "python3 -c print(1) x", "python3.11");
    assert_name("/usr/bin/python3.11", "python3 -m", "python3.11");
    assert_name("/usr/bin/dash", "sh -c make;ls x", "dash");
    assert_name("/usr/bin/perl", "perl -e 1 file", "perl");
    assert_name("/usr/bin/bash", "-bash", "bash");
    assert_name("/usr/bin/bash", "bash /dev/fd/63", "bash");
    assert_name("/usr/bin/node", "node", "node");
}

static void a_name_that_only_begins_alike_is_another_program(void **state)
{
    (void)state;
    assert_name("/usr/bin/nodeclock", "nodeclock file", "nodeclock");
    assert_name("/usr/bin/shred", "shred file", "shred");
    assert_name("/usr/bin/phpunit", "phpunit file", "phpunit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_its_file),
        cmocka_unit_test(an_interpreter_is_the_script_that_it_runs),
        cmocka_unit_test(without_a_script_it_is_itself),
        cmocka_unit_test(a_name_that_only_begins_alike_is_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
