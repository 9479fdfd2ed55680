/* safepoints_test.c - with files as VMs write them, below the /tmp of a process that there is not:
 * the one that a real VM writes is looked at by thread_dumps_test.c. */
#include "record/java/safepoints.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { ENTRIES = 7, SIZE = 1024, HEADER = 32 };

/* Values of the file in the order in which they are written. */
struct counters {
    const char *version;
    int64_t count, time, sync, frequency, begun;
};

struct counter_file {
    unsigned char bytes[SIZE];
    size_t size;
    size_t time_at; /* where that value is */
};

static void put32(struct counter_file *f, size_t at, uint32_t value)
{
    memcpy(f->bytes + at, &value, sizeof value);
}

/* name, padding, value: as HotSpot has it. */
static size_t add_entry(struct counter_file *f, const char *name, char type, const void *value,
                        size_t size, uint32_t vector)
{
    size_t at = f->size, data = (20 + strlen(name) + 1 + 7) / 8 * 8,
           length = (data + size + 7) / 8 * 8;
    put32(f, at, (uint32_t)length);
    put32(f, at + 4, 20);
    put32(f, at + 8, vector);
    f->bytes[at + 12] = (unsigned char)type;
    put32(f, at + 16, (uint32_t)data);
    memcpy(f->bytes + at + 20, name, strlen(name) + 1);
    memcpy(f->bytes + at + data, value, size);
    f->size += length;
    return at + data;
}

static struct counter_file make(struct counters c)
{
    static const unsigned char start[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    struct counter_file f = {.size = HEADER};
    const uint16_t one = 1;
    int64_t other = 99;
    memcpy(f.bytes, start, sizeof start);
    f.bytes[4] = *(const unsigned char *)&one;
    put32(&f, 24, HEADER);
    put32(&f, 28, ENTRIES);
    add_entry(&f, "sun.rt.safepointTimes", 'J', &other, 8, 0);
    add_entry(&f, "sun.rt.safepoints", 'J', &c.count, 8, 0);
    f.time_at = add_entry(&f, "sun.rt.safepointTime", 'J', &c.time, 8, 0);
    add_entry(&f, "sun.rt.safepointSyncTime", 'J', &c.sync, 8, 0);
    add_entry(&f, "sun.os.hrt.frequency", 'J', &c.frequency, 8, 0);
    add_entry(&f, "sun.rt.createVmEndTime", 'J', &c.begun, 8, 0);
    add_entry(&f, "java.property.java.vm.specification.version", 'B', c.version,
              strlen(c.version) + 1, (uint32_t)strlen(c.version) + 1);
    return f;
}

/* ---- A process's /tmp ------------------------------------------------------------------------ */

static char folder[] = "/tmp/flamel-safepoints-XXXXXX";
static struct flm_java_vm_identity vm = {.process = 1234567, .process_in_itself = 7};

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static int make_folder(void **state)
{
    (void)state;
    char path[100];
    if (!mkdtemp(folder))
        return -1;
    static const char *const below[] = {"root", "root/tmp", "root/tmp/hsperfdata_a",
                                        "root/tmp/hsperfdata_b"};
    for (size_t i = 0; i < 4; i++) {
        path_of(path, sizeof path, below[i]);
        if (mkdir(path, 0700) != 0)
            return -1;
    }
    vm.folder = open(folder, O_RDONLY | O_DIRECTORY);
    vm.user = geteuid();
    return vm.folder < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const below[] = {"root/tmp/hsperfdata_b/7",
                                        "root/tmp/hsperfdata_a",
                                        "root/tmp/hsperfdata_b",
                                        "root/tmp",
                                        "root",
                                        ""};
    char path[100];
    close(vm.folder);
    for (size_t i = 0; i < 6; i++) {
        path_of(path, sizeof path, below[i]);
        remove(path);
    }
    return 0;
}

static void write_file(const struct counter_file *f, size_t size)
{
    char path[100];
    path_of(path, sizeof path, "root/tmp/hsperfdata_b/7");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(size == 0 || fwrite(f->bytes, 1, size, file) == size);
    fclose(file);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void assert_stopped(struct counters c, int64_t expected_ns)
{
    struct counter_file f = make(c);
    struct flm_stopped stopped;
    write_file(&f, f.size);
    struct flm_safepoints *s = flm_safepoints_open(&vm);
    assert_non_null(s);
    assert_true(flm_safepoints_read(s, &stopped));
    assert_int_equal(stopped.count, c.count);
    assert_int_equal(stopped.ns, expected_ns);
    flm_safepoints_close(s);
}

static void counters_become_time(void **state)
{
    (void)state;
    /* Until Java 13 the time includes that to stop. */
    assert_stopped((struct counters){"17", 5, 3000, 500, 1000000000, 1}, 3500);
    assert_stopped((struct counters){"1.8", 5, 3000, 500, 1000000000, 1}, 3000);
    assert_stopped((struct counters){"11", 5, 3000, 500, 1000000, 1}, 3000000);
    assert_stopped((struct counters){"25", 0, 0, 0, 1000000000, 1}, 0);
}

static void the_end_of_its_beginning_is_in_the_counters(void **state)
{
    (void)state;
    for (int64_t begun = 0; begun < 2; begun++) {
        struct counter_file f = make((struct counters){"1.8", 5, 3000, 500, 1000000000, begun});
        write_file(&f, f.size);
        struct flm_safepoints *s = flm_safepoints_open(&vm);
        assert_non_null(s);
        assert_int_equal(flm_safepoints_vm_has_begun(s), begun != 0);
        flm_safepoints_close(s);
    }
}

static void values_are_those_of_now(void **state)
{
    (void)state;
    struct counter_file f = make((struct counters){"17", 5, 3000, 500, 1000000000, 1});
    struct flm_stopped stopped;
    char path[100];
    write_file(&f, f.size);
    struct flm_safepoints *s = flm_safepoints_open(&vm);
    assert_non_null(s);
    path_of(path, sizeof path, "root/tmp/hsperfdata_b/7");
    int file = open(path, O_WRONLY);
    int64_t time = 9000;
    assert_int_equal(pwrite(file, &time, sizeof time, (off_t)f.time_at), sizeof time);
    assert_true(flm_safepoints_read(s, &stopped));
    assert_int_equal(stopped.ns, 9500);
    assert_int_equal(ftruncate(file, 40), 0);
    assert_false(flm_safepoints_read(s, &stopped));
    close(file);
    flm_safepoints_close(s);
    flm_safepoints_close(NULL);
}

static void files_that_cannot_be_trusted_are_not_used(void **state)
{
    (void)state;
    struct counter_file f = make((struct counters){"17", 5, 3000, 500, 1000000000, 1});
    for (size_t size = 0; size < f.size; size++) {
        write_file(&f, size);
        struct flm_safepoints *s = flm_safepoints_open(&vm);
        assert_true(!s || size + 8 > f.size); /* only the padding of the last is missing */
        flm_safepoints_close(s);
    }
    write_file(&f, f.size);
    vm.user++; /* of another user */
    assert_null(flm_safepoints_open(&vm));
    vm.user--;
    vm.process_in_itself++;
    assert_null(flm_safepoints_open(&vm));
    vm.process_in_itself--;
    f = make((struct counters){"17", 5, 3000, 500, 0});
    write_file(&f, f.size);
    assert_null(flm_safepoints_open(&vm));
}

static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 3000; round++) {
        struct counter_file f = make((struct counters){"17", 5, 3000, 500, 1000000000, 1});
        struct flm_stopped stopped;
        for (uint64_t n = 1 + random_below(&random, 6); n > 0; n--)
            f.bytes[random_below(&random, f.size)] = (unsigned char)random_below(&random, 256);
        write_file(&f, f.size);
        struct flm_safepoints *s = flm_safepoints_open(&vm);
        if (s)
            flm_safepoints_read(s, &stopped);
        flm_safepoints_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_become_time),
        cmocka_unit_test(the_end_of_its_beginning_is_in_the_counters),
        cmocka_unit_test(values_are_those_of_now),
        cmocka_unit_test(files_that_cannot_be_trusted_are_not_used),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
