#include "symbol/registry/preloader.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -g -O1 small.c -o small && gcc -g -O2 small.c -o other");
    return 0;
}

static struct flm_module *get(struct flm_modules *modules, const char *name)
{
    char *path = strdup(temporary_path(name));
    const struct flm_module_request request = {.path = flm_bytes_of(path)};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_non_null(module);
    free(path);
    return module;
}

static struct flm_modules *new_set(void)
{
    const struct flm_modules_options options = {.debug_dir = "/nowhere"};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    assert_non_null(modules);
    return modules;
}

static void tables_are_made_by_another_thread(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    struct flm_preloader *p = flm_preloader_new(modules, 0, NULL);
    struct flm_module *wanted[] = {get(modules, "small"), get(modules, "other"),
                                   get(modules, "gone")};
    assert_non_null(p);
    assert_true(flm_preloader_request(p, wanted, 0));
    assert_false(flm_preloader_request(p, wanted, 2));
    flm_preloader_wait(p);
    assert_int_equal(flm_modules_counts(modules).code_tables, 2);
    assert_true(flm_preloader_request(p, wanted, 2));
    assert_false(flm_preloader_request(p, wanted, 3)); /* one more is wanted */
    flm_preloader_wait(p);
    assert_true(flm_preloader_request(p, wanted, 3)); /* it was tried */
    assert_int_equal(flm_module_state(wanted[0]), FLM_MODULE_COMPLETE);
    assert_int_equal(flm_module_state(wanted[2]), FLM_MODULE_MISSING);
    flm_preloader_free(p);
    flm_modules_free(modules);
}

/* The lowest nice value of the threads of this process but one. */
static int least_nice_besides(pid_t thread)
{
    int least = 20;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        int id = atoi(entry->d_name), nice = id > 0 ? getpriority(PRIO_PROCESS, (id_t)id) : 20;
        if (id != thread && nice < least)
            least = nice;
    }
    if (tasks)
        closedir(tasks);
    return least;
}

struct urgent {
    struct flm_modules *modules;
    struct flm_module *wanted;
    bool is_allowed;
    int own, others;
};

/* As the recorder, which raises the priority of its thread. */
static void *preload_urgently(void *context)
{
    enum { AHEAD = -7 };
    struct urgent *urgent = context;
    int usual = getpriority(PRIO_PROCESS, 0);
    urgent->is_allowed = setpriority(PRIO_PROCESS, 0, AHEAD) == 0;
    struct flm_preloader *p = flm_preloader_new(urgent->modules, usual, NULL);
    if (p && !flm_preloader_request(p, &urgent->wanted, 1))
        flm_preloader_wait(p);
    urgent->own = getpriority(PRIO_PROCESS, 0);
    urgent->others = least_nice_besides((pid_t)syscall(SYS_gettid));
    flm_preloader_free(p);
    return NULL;
}

static void tables_are_made_at_the_priority_of_the_program(void **state)
{
    (void)state;
    pthread_t thread;
    struct urgent urgent = {.modules = new_set()};
    urgent.wanted = get(urgent.modules, "small");
    assert_int_equal(pthread_create(&thread, NULL, preload_urgently, &urgent), 0);
    pthread_join(thread, NULL);
    flm_modules_free(urgent.modules);
    if (!urgent.is_allowed)
        skip();
    assert_int_equal(urgent.own, -7);
    assert_int_equal(urgent.others, getpriority(PRIO_PROCESS, 0));
}

static void freeing_waits_for_tables_in_progress(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    struct flm_preloader *p = flm_preloader_new(modules, 0, NULL);
    struct flm_module *module = get(modules, "small");
    assert_false(flm_preloader_request(p, &module, 1));
    flm_preloader_free(p);
    assert_int_equal(flm_modules_counts(modules).code_tables, 1);
    flm_modules_free(modules);
}

static void modules_come_and_unwind_meanwhile(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    struct flm_preloader *p = flm_preloader_new(modules, 0, NULL);
    struct flm_module *module = get(modules, "small");
    assert_false(flm_preloader_request(p, &module, 1));
    assert_non_null(flm_module_unwind_table(module));
    struct flm_module *other = get(modules, "other");
    assert_non_null(flm_module_unwind_table(other));
    flm_preloader_wait(p);
    assert_false(flm_preloader_request(p, &other, 1));
    flm_preloader_free(p);
    assert_int_equal(flm_modules_counts(modules).code_tables, 2);
    flm_modules_free(modules);
}

static void without_memory_no_table_is_preloaded(void **state)
{
    (void)state;
    struct flm_modules *modules = new_set();
    struct flm_module *module = get(modules, "small");
    struct flm_preloader *p = flm_preloader_new(modules, 0, NULL);
    allocation_fail_from(1);
    assert_true(flm_preloader_request(p, &module, 1));
    struct flm_error why = {0};
    assert_null(flm_preloader_new(modules, 0, &why));
    allocation_fail_from(0);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_int_equal(flm_modules_counts(modules).code_tables, 0);
    flm_preloader_free(p);
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_made_by_another_thread),
        cmocka_unit_test(tables_are_made_at_the_priority_of_the_program),
        cmocka_unit_test(freeing_waits_for_tables_in_progress),
        cmocka_unit_test(modules_come_and_unwind_meanwhile),
        cmocka_unit_test(without_memory_no_table_is_preloaded),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
