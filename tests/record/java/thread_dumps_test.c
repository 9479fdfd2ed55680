/* thread_dumps_test.c - with a process that plays the VM, whose dumps are known; and with a real
 * one, where a JDK is installed. */
#include "flamel/record.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/aggregate.h"
#include "profile/columns.h"

static const int64_t millisecond = 1000000;

/* ---- The process that plays the VM ----------------------------------------------------------- */

/* A VM listens already where somebody attached to it before. `most`: it ends before the dump after
 * these; `slow_ms`: how long a dump takes. */
struct role {
    int most, slow_ms;
    const char *instead; /* what it answers; NULL: dumps */
};

static void map_library(void)
{
    char folder[] = "/tmp/flamel-dumps-XXXXXX", path[100];
    if (!mkdtemp(folder))
        _exit(1);
    snprintf(path, sizeof path, "%s/libjvm.so", folder);
    int file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 4096) != 0 ||
        mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
        _exit(2);
    unlink(path);
    rmdir(folder);
}

/* Of dump `number`: main has used 20 ms more each time, and pool nothing. */
static void print_dump(int connection, int number, const struct role *role)
{
    char text[1000];
    struct timespec pause = {0, role->slow_ms * millisecond};
    nanosleep(&pause, NULL);
    snprintf(text, sizeof text,
             "0\n2026-11-28 02:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n"
             "\"main\" #1 prio=5 cpu=%d.00ms elapsed=1.00s tid=0x1 nid=0x10 runnable [0x1]\n"
             "   java.lang.Thread.State: RUNNABLE\n\tat A.%s(A.java:3)\n\tat A.main(A.java:9)\n\n"
             "\"pool\" #2 prio=5 cpu=5.00ms elapsed=1.00s tid=0x2 nid=0x20 waiting [0x1]\n"
             "   java.lang.Thread.State: WAITING (parking)\n\tat B.take(B.java:5)\n\n\n",
             1000 + 20 * number, number % 2 ? "odd" : "even");
    const char *answer = role->instead ? role->instead : text;
    if (write(connection, answer, strlen(answer)) < 0)
        _exit(3);
}

static void play(const struct role *role, int listening)
{
    int connection;
    for (int number = 0; (connection = accept(listening, NULL, NULL)) >= 0;) {
        char words[200];
        size_t size = 0, ends = 0;
        while (ends < 5 && size < sizeof words && read(connection, words + size, 1) == 1)
            ends += words[size++] == 0;
        if (ends == 5 && number == role->most)
            _exit(0);
        if (ends == 5 && strcmp(words + 2, "threaddump") == 0)
            print_dump(connection, number++, role);
        close(connection);
    }
}

static pid_t start(const struct role *role)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        alarm(100);
        map_library();
        snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", getpid());
        int listening = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 ||
            listen(listening, 5) != 0 || write(ready[1], "y", 1) != 1)
            _exit(4);
        play(role, listening);
        _exit(5);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void end(pid_t child)
{
    char path[60];
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    snprintf(path, sizeof path, "/tmp/.java_pid%d", child);
    unlink(path);
}

/* ---- Recording it ---------------------------------------------------------------------------- */

/* Stops after so many calls; negative: never. */
static bool count_down(void *context)
{
    int *left = context;
    return *left < 0 || (*left)-- > 0;
}

static struct flm_profile *record(const struct flm_thread_dumps_options *o,
                                  struct flm_thread_dumps_result *result)
{
    struct flm_error why = {0};
    *result = (struct flm_thread_dumps_result){.size = sizeof *result};
    struct flm_profile *p = flm_record_thread_dumps(o, result, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_true(flm_profile_check(p, &why));
    return p;
}

static void assert_refused(const struct flm_thread_dumps_options *o, const char *words)
{
    struct flm_error why = {0};
    struct flm_thread_dumps_result result = {.size = sizeof result};
    assert_null(flm_record_thread_dumps(o, &result, &why));
    if (!strstr(why.text, words))
        fail_msg("'%s' is not in '%s'", words, why.text);
}

static double total(const struct flm_profile *p, const char *metric)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    assert_true(m.index != FLM_NONE);
    return flm_profile_total(p, m);
}

/* The last dump is of the VM that ends then. */
static void many_dumps_are_one_profile(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.most = 6});
    struct flm_thread_dumps_result result;
    struct flm_thread_dumps_options o = {
        .size = sizeof o, .process = child, .interval_ns = 5 * millisecond};
    struct flm_profile *p = record(&o, &result);
    end(child);
    assert_true(result.ended && !result.is_silent);
    assert_int_equal(result.dumps, 6);
    assert_int_equal(flm_profile_sample_count(p), 12);
    assert_true(result.stopped_s < 0 && result.frameless_cpu_s == 0);
    assert_true(result.dump_s > 0 && result.longest_s <= result.dump_s);
    /* Two threads at all times, and 20 ms from each dump to the next. */
    double span = 2e9 * result.duration_s;
    assert_true(total(p, "wall") <= span && total(p, "wall") > 0.5 * span);
    assert_true(total(p, "cpu") == 5 * 20e6);
    struct flm_name dumps = flm_profile_note_named(p, "dumps");
    assert_true(dumps.size == 1 && dumps.at[0] == '6');
    flm_profile_free(p);
}

static void it_ends_with_its_time_and_when_told(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.most = -1});
    struct flm_thread_dumps_result result;
    int left = -1;
    struct flm_thread_dumps_options o = {.size = sizeof o,
                                         .process = child,
                                         .interval_ns = 10 * millisecond,
                                         .duration_ns = 60 * millisecond,
                                         .tick = count_down,
                                         .context = &left};
    struct flm_profile *p = record(&o, &result);
    assert_true(result.dumps >= 1 && result.dumps <= 6 && !result.ended);
    assert_true(result.duration_s >= 0.06);
    flm_profile_free(p);
    o.duration_ns = 0;
    left = 12;
    p = record(&o, &result);
    assert_true(result.dumps >= 1 && result.dumps <= 12 && !result.ended && !result.is_silent);
    flm_profile_free(p);
    left = 0;
    assert_refused(&o, "interrupted before the first dump");
    end(child);
}

static void slow_dumps_take_half_of_the_time_at_most(void **state)
{
    (void)state;
    pid_t child = start(&(struct role){.most = 8, .slow_ms = 20});
    struct flm_thread_dumps_result result;
    struct flm_thread_dumps_options o = {
        .size = sizeof o, .process = child, .interval_ns = millisecond};
    struct flm_profile *p = record(&o, &result);
    end(child);
    assert_int_equal(result.dumps, 8);
    assert_true(result.dump_s >= 8 * 0.02);
    assert_true(result.duration_s >= 2 * result.dump_s * 0.99);
    assert_true(result.left_out > 0);
    flm_profile_free(p);
}

static void what_cannot_be_recorded_is_refused(void **state)
{
    (void)state;
    struct flm_thread_dumps_options o = {.size = sizeof o, .process = getpid()};
    assert_refused(&o, "is no Java VM: it has no libjvm.so");
    o.process = 0x3FFFFFFF;
    assert_refused(&o, "there is none");
    pid_t child = start(&(struct role){.most = -1, .instead = "0\nHello\n"});
    o.process = child;
    o.duration_ns = 20 * millisecond;
    assert_refused(&o, "the VM's answer has no threads");
    end(child);
    child = start(&(struct role){.most = -1, .instead = "101\nno\n"});
    o.process = child;
    assert_refused(&o, "the VM refuses 'threaddump': result 101: no");
    end(child);
    o.size = 0;
    assert_refused(&o, "flm_thread_dumps_options");
}

/* ---- A real VM ------------------------------------------------------------------------------- */

static const char program[] =
    "class Known {\n"
    "    static final Object lock = new Object();\n"
    "    static volatile double sink;\n"
    "    static void compute() { while (true) sink += Math.sqrt(sink + 1); }\n"
    "    static void contend() { synchronized (lock) { sink++; } }\n"
    "    public static void main(String[] a) throws Exception {\n"
    "        synchronized (lock) {\n"
    "            Thread[] t = {new Thread(Known::compute, \"computes\"),\n"
    "                          new Thread(Known::contend, \"contends\")};\n"
    "            for (Thread one : t) { one.setDaemon(true); one.start(); }\n"
    "            while (t[1].getState() != Thread.State.BLOCKED) Thread.sleep(1);\n"
    "            System.out.println(\"ready\");\n"
    "            System.in.read();\n"
    "        }\n"
    "    }\n"
    "}\n";

struct java {
    char folder[40], path[100];
    pid_t process;
    int in, out;
};

/* False: there is no JDK. */
static bool start_java(struct java *java)
{
    int out[2], in[2];
    char byte;
    strcpy(java->folder, "/tmp/flamel-hotspot-XXXXXX");
    assert_non_null(mkdtemp(java->folder));
    snprintf(java->path, sizeof java->path, "%s/Known.java", java->folder);
    FILE *file = fopen(java->path, "w");
    assert_non_null(file);
    fputs(program, file);
    fclose(file);
    assert_true(pipe(out) == 0 && pipe(in) == 0);
    java->process = fork();
    if (java->process == 0) {
        dup2(out[1], 1);
        dup2(in[0], 0);
        close(out[0]);
        close(out[1]);
        close(in[1]);
        alarm(200);
        execlp("java", "java", "-Xshare:auto", java->path, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    close(in[0]);
    java->in = in[1];
    java->out = out[0];
    return read(out[0], &byte, 1) == 1;
}

static void end_java(struct java *java)
{
    close(java->in); /* what it reads ends, and so does it, with its files in /tmp */
    waitpid(java->process, NULL, 0);
    close(java->out);
    unlink(java->path);
    rmdir(java->folder);
}

/* The samples with a label of this key and value. */
static double value_of(const struct flm_profile *p, const char *metric, const char *key,
                       const char *value)
{
    const double *values = flm_profile_sample_values(p, flm_profile_metric_named(p, metric));
    double sum = 0;
    for (uint32_t i = 0; i < flm_profile_sample_count(p); i++) {
        uint32_t count;
        const uint32_t *labels = flm_profile_label_set(
            p, (struct flm_label_set){flm_profile_sample_label_sets(p)[i]}, &count);
        for (uint32_t k = 0; k < count; k++)
            if (flm_bytes_are(flm_string_bytes(p, p->labels[labels[k]].key), key) &&
                flm_bytes_are(flm_string_bytes(p, p->labels[labels[k]].value), value))
                sum += values[i];
    }
    return sum;
}

static void a_real_vm_is_seen_with_states_and_cpu_time(void **state)
{
    (void)state;
    struct java java;
    bool runs = start_java(&java);
    struct flm_thread_dumps_result result = {.size = sizeof result};
    struct flm_thread_dumps_options o = {.size = sizeof o,
                                         .process = java.process,
                                         .interval_ns = 50 * millisecond,
                                         .duration_ns = 1000 * millisecond};
    struct flm_error why = {0};
    struct flm_profile *p = runs ? flm_record_thread_dumps(&o, &result, &why) : NULL;
    end_java(&java);
    if (!runs) {
        print_message("there is no JDK here\n");
        skip();
    }
    if (!p)
        fail_msg("%s", why.text);
    double span = value_of(p, "wall", "thread name", "computes");
    assert_true(span > 0.5 * 1e9 * result.duration_s && span <= 1e9 * result.duration_s);
    assert_true(value_of(p, "wall", "thread name", "contends") == span);
    assert_true(value_of(p, "wall", "state", "BLOCKED") == span);
    if (flm_profile_metric_count(p) > 1 && result.dumps > 2) {
        /* Whatever the load of the machine is: one computes, the other waits. */
        assert_true(value_of(p, "cpu", "thread name", "computes") > 0);
        assert_true(value_of(p, "cpu", "thread name", "contends") <
                    value_of(p, "cpu", "thread name", "computes"));
    }
    if (result.stopped_s >= 0)
        assert_true(result.stopped_s > 0 && result.stopped_s < result.duration_s);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_dumps_are_one_profile),
        cmocka_unit_test(it_ends_with_its_time_and_when_told),
        cmocka_unit_test(slow_dumps_take_half_of_the_time_at_most),
        cmocka_unit_test(what_cannot_be_recorded_is_refused),
        cmocka_unit_test(a_real_vm_is_seen_with_states_and_cpu_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
