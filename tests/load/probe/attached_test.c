#include "load/probe/attached.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/probe_format.h"
#include "support/core/failures.h"

enum { FIRST_USED = 8192, LATER_USED = 3 << 20, ROOM = 4 << 20 };

/* A process with the file of one that measures itself; it does what it is told, and says when it
 * has done so. */
struct program {
    pid_t process;
    int tell, hear;
};

static void obey(int hear, int tell)
{
    int other = open("/dev/zero", 2), file = memfd_create("flamel-probe", MFD_CLOEXEC);
    if (other < 0 || file < 0 || ftruncate(file, ROOM) != 0)
        _exit(1);
    struct flm_probe_header *header = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *header = (struct flm_probe_header){.version = FLM_PROBE_VERSION,
                                        .header_size = sizeof *header,
                                        .pid = (uint32_t)getpid(),
                                        .state = FLM_PROBE_RUNNING,
                                        .size = ROOM,
                                        .used = FIRST_USED,
                                        .now_ticks = 5,
                                        .ns_per_tick = (uint64_t)1 << 32};
    memcpy(header->magic, FLM_PROBE_MAGIC, sizeof header->magic);
    for (char word = 0;;) {
        if (write(tell, &word, 1) != 1 || read(hear, &word, 1) != 1)
            _exit(1);
        if (word == 'g') { /* grow */
            ((char *)header)[LATER_USED - 1] = 'x';
            __atomic_store_n(&header->used, LATER_USED, __ATOMIC_RELEASE);
        } else if (word == 'e') {
            header->state = FLM_PROBE_ENDED;
        } else if (word == 'c') {
            close(file);
        } else if (word == 'h') {
            prctl(PR_SET_DUMPABLE, 0);
        } else if (word == 'b') { /* what a killed one may have left */
            header->used = UINT64_MAX;
        }
    }
}

static struct program start(void)
{
    int to[2], from[2];
    char word;
    assert_int_equal(pipe(to) | pipe(from), 0);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(to[1]);
        close(from[0]);
        obey(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    assert_int_equal(read(from[0], &word, 1), 1);
    return (struct program){process, to[1], from[0]};
}

static void tell(const struct program *program, char word)
{
    assert_int_equal(write(program->tell, &word, 1), 1);
    assert_int_equal(read(program->hear, &word, 1), 1);
}

static void stop(const struct program *program)
{
    kill(program->process, SIGKILL);
    waitpid(program->process, NULL, 0);
    close(program->tell);
    close(program->hear);
}

static struct flm_probe_header header_of(struct flm_bytes file)
{
    struct flm_probe_header header;
    assert_true(file.size >= sizeof header);
    memcpy(&header, file.at, sizeof header);
    return header;
}

static void a_snapshot_is_what_the_file_has_in_use(void **state)
{
    (void)state;
    struct program program = start();
    struct flm_error why;
    struct flm_bytes file;
    enum flm_attached_state is;
    struct flm_attached *a = flm_attached_open(program.process, &is, &why);
    assert_non_null(a);
    assert_int_equal(is, FLM_ATTACHED_MEASURES);
    assert_true(flm_attached_read(a, &file, &why));
    assert_int_equal(file.size, FIRST_USED);
    uint64_t moment = header_of(file).now_ticks;
    assert_true(moment > 5); /* the program's own is old */
    tell(&program, 'g');
    assert_true(flm_attached_read(a, &file, &why));
    assert_int_equal(file.size, LATER_USED);
    assert_int_equal(file.at[LATER_USED - 1], 'x');
    assert_true(header_of(file).now_ticks >= moment);
    flm_attached_close(a);
    stop(&program);
}

static void the_file_outlives_the_program(void **state)
{
    (void)state;
    struct program program = start();
    struct flm_error why;
    struct flm_bytes file;
    struct flm_attached *a = flm_attached_open(program.process, NULL, &why);
    assert_non_null(a);
    assert_true(flm_attached_read(a, &file, &why));
    uint64_t moment = header_of(file).now_ticks;
    stop(&program);
    assert_int_equal(flm_attached_state(a), FLM_ATTACHED_KILLED);
    assert_true(flm_attached_read(a, &file, &why));
    assert_int_equal(file.size, FIRST_USED);
    assert_int_equal(header_of(file).now_ticks, moment); /* when it was seen last */
    flm_attached_close(a);
}

static void the_end_and_another_program_are_seen(void **state)
{
    (void)state;
    struct program program = start();
    struct flm_error why;
    struct flm_bytes file;
    struct flm_attached *a = flm_attached_open(program.process, NULL, &why);
    assert_non_null(a);
    tell(&program, 'c');
    assert_int_equal(flm_attached_state(a), FLM_ATTACHED_REPLACED);
    tell(&program, 'e');
    assert_int_equal(flm_attached_state(a), FLM_ATTACHED_ENDED);
    assert_true(flm_attached_read(a, &file, &why));
    assert_int_equal(header_of(file).now_ticks, 5);
    tell(&program, 'b');
    assert_false(flm_attached_read(a, &file, &why));
    assert_non_null(strstr(why.text, "damaged"));
    flm_attached_close(a);
    stop(&program);
}

static void expect_nothing(pid_t process, enum flm_attached_state state, const char *sentence)
{
    struct flm_error why;
    enum flm_attached_state is;
    assert_null(flm_attached_open(process, &is, &why));
    assert_int_equal(is, state);
    if (!strstr(why.text, sentence))
        fail_msg("%s", why.text);
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    expect_nothing(0x3FFFFFFF, FLM_ATTACHED_NO_PROCESS, "there is no process 1073741823");
    expect_nothing(getpid(), FLM_ATTACHED_WITHOUT, "does not measure itself");
    struct program program = start();
    tell(&program, 'c');
    expect_nothing(program.process, FLM_ATTACHED_WITHOUT, "flamel/probe.h");
    stop(&program);
}

/* Root may look at all: so another user looks, or the program hides. */
static void a_process_that_may_not_be_looked_at_is_said(void **state)
{
    (void)state;
    struct program program = start();
    tell(&program, 'h');
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        enum flm_attached_state is;
        struct flm_error why;
        const uid_t nobody = 65534;
        if (geteuid() == 0 && setuid(nobody) != 0)
            _exit(2);
        bool good = !flm_attached_open(program.process, &is, &why) &&
                    is == FLM_ATTACHED_NOT_ALLOWED && strstr(why.text, "may not be looked at");
        _exit(good ? 0 : 1);
    }
    int status;
    waitpid(other, &status, 0);
    assert_int_equal(status, 0);
    stop(&program);
}

static bool attach_and_read(void *context, struct flm_error *why)
{
    struct flm_bytes file;
    struct flm_attached *a = flm_attached_open(*(pid_t *)context, NULL, why);
    bool good = a && flm_attached_read(a, &file, why);
    flm_attached_close(a);
    return good;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct program program = start();
    assert_true(assert_survives_failures(attach_and_read, &program.process) >= 2);
    stop(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_is_what_the_file_has_in_use),
        cmocka_unit_test(the_file_outlives_the_program),
        cmocka_unit_test(the_end_and_another_program_are_seen),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(a_process_that_may_not_be_looked_at_is_said),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
