#include "support/profile/format_laws.h"

static const struct flm_format *const nsight = &flm_format_nsight;

/* The stacks of one metric. */
static void assert_stacks(const struct flm_profile *p, const char *metric, const char *expected)
{
    uint32_t m = 0;
    while (m < p->sizes.metric_count && !is_string(p, p->metrics[m].name, metric))
        m++;
    assert_true(m < p->sizes.metric_count);
    struct flm_text text = {0};
    struct flm_error why = {0};
    assert_true(
        flm_format_folded.write(p, &(struct flm_write_options){.metric = {m}}, &text, &why));
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void work_is_below_the_stack_that_launched_it(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/full.sqlite");
    assert_sound(p);
    assert_metric(p, 0, "GPU time", "ns", 1615, 5);
    assert_stacks(p, "GPU time",
                  "[CUDA memset] 10\nsaxpy(float*) 100\n"
                  "step;aten::mm;main;run;cudaLaunchKernel;saxpy(float*) 1000\n"
                  "step;cudaMemcpy;[CUDA graph 3] 5\n"
                  "step;cudaMemcpy;[CUDA memcpy Host-to-Device] 500\n");
    assert_stacks(p, "copied", "step;cudaMemcpy;[CUDA memcpy Host-to-Device] 4096\n");
    assert_true(lost(p, "launches of GPU work, which is shown without its callers", "") == 2);
    assert_int_equal(frame_named(p, "saxpy(float*)")->kind, FLM_KIND_GPU);
    assert_true(is_string(p, frame_named(p, "saxpy(float*)")->module, "kernel"));
    assert_true(is_string(p, frame_named(p, "step")->module, "NVTX"));
    assert_true(is_string(p, frame_named(p, "MPI_Recv")->module, "MPI"));
    flm_profile_free(p);
}

static void calls_and_ranges_are_nested_by_thread(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/full.sqlite");
    assert_stacks(p, "event time",
                  "MPI_Recv 1000\nMPI_Recv;poll 1000\nstep 3000\nstep;aten::mm 3500\n"
                  "step;aten::mm;main;run;cudaLaunchKernel 500\nstep;cudaMemcpy 1000\n");
    assert_true(lost(p, "payloads of NVTX ranges", "") == 1);
    assert_true(lost(p, "events of the table SCHED_EVENTS", "") == 2);
    flm_profile_free(p);
}

static void samples_have_their_stacks(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/full.sqlite");
    assert_stacks(p, "samples", " 1\n0xffffffff81252feb 1\nmain;run 1\n");
    const struct flm_frame_record *kernel = frame_named(p, "0xffffffff81252feb");
    assert_int_equal(kernel->kind, FLM_KIND_KERNEL);
    assert_int_equal(kernel->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_true(kernel->address == 0xffffffff81252feb);
    assert_int_equal(frame_named(p, "run")->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame_named(p, "run")->module, "/opt/libapp.so"));
    assert_true(lost(p, "callers of CPU samples that were taken without a backtrace", "") == 1);
    assert_true(lost(p, "stacks of CPU samples", "") == 1);
    flm_profile_free(p);
}

static void the_recording_is_described(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/full.sqlite");
    assert_note(p, "command", "./app --fast");
    assert_note(p, "producer", "Nsight Systems 2024.5.1");
    assert_note(p, "host", "box");
    assert_note(p, "gpu", "NVIDIA A100");
    assert_note(p, "recorded", "2023-10-04T04:13:59");
    assert_note(p, "warning 1", "Some events were lost.");
    assert_note(p, "error 2", "No driver.");
    flm_profile_free(p);
}

/* The label of a sample; NULL: it has none of that key. */
static const char *label_of(const struct flm_profile *p, uint32_t sample, const char *key)
{
    static char value[80];
    uint32_t count, set = flm_profile_sample_label_sets(p)[sample];
    const uint32_t *labels = flm_profile_label_set(p, (struct flm_label_set){set}, &count);
    for (uint32_t i = 0; i < count; i++)
        if (is_string(p, p->labels[labels[i]].key, key)) {
            struct flm_bytes text = flm_string_bytes(p, p->labels[labels[i]].value);
            snprintf(value, sizeof value, "%.*s", (int)text.size, text.at);
            return value;
        }
    return NULL;
}

static void streams_and_threads_are_tracks(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("nsight/full.sqlite");
    struct flm_profile *p = read_bytes(
        nsight, bytes,
        &(struct flm_read_options){.keep_times = true, .locations = true, .lines = true});
    int kernels = 0, polls = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t frame = p->node_frame[p->sample_node[i]];
        if (is_string(p, p->frames[frame].function, "saxpy(float*)")) {
            kernels++;
            assert_string_equal(label_of(p, i, "thread"), "GPU 0 stream 7 of process 100");
            assert_string_equal(label_of(p, i, "stream"), "7");
            assert_string_equal(label_of(p, i, "device"), "0");
            assert_string_equal(label_of(p, i, "process name"), "./app");
        } else if (is_string(p, p->frames[frame].function, "poll")) {
            polls++;
            assert_string_equal(label_of(p, i, "thread"), "101");
            assert_string_equal(label_of(p, i, "thread name"), "worker");
            assert_true(p->sample_time[i] == 1500 && flm_sample_duration(p, i) == 1000);
        }
    }
    assert_true(kernels == 2 && polls == 1);
    assert_int_equal(p->sizes.marker_count, 3); /* a mark, a range of two threads, a wait */
    /* With lines a range has its numbers. */
    frame_named(p, "aten::mm, seq = 3, op_id = 44");
    flm_profile_free(p);
    free((void *)bytes.at);
}

/* No processes in the tables of the GPU, calls that are there twice, numbers of stacks that are too
 * small by one. */
static void old_exports_are_read(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/old.sqlite");
    assert_stacks(p, "GPU time", "main;cudaMemcpy;[CUDA memcpy Device-to-Host] 20\n");
    assert_stacks(p, "event time", "main;cudaMalloc 30\nmain;cudaMemcpy 40\n");
    assert_stacks(p, "cycles", " 3000\n");
    flm_profile_free(p);
}

static void other_databases_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes music = file_bytes("nsight/music.sqlite"),
                     cut = file_bytes("nsight/cut.sqlite");
    assert_null(try_bytes(nsight, music, &reader_options[0], &why));
    assert_string_equal(why.text, "this SQLite database is no profile of Nsight Systems or "
                                  "rocprofiler: its tables are albums, songs");
    assert_null(try_bytes(nsight, cut, &reader_options[0], &why));
    assert_string_equal(why.text, "the database was cut: it has 17 of 39 pages (--lenient reads "
                                  "those that are there)");
    struct flm_profile *p =
        try_bytes(nsight, cut, &(struct flm_read_options){.lenient = true}, &why);
    assert_non_null(p);
    assert_true(lost(p, "pages of the database that the file lacks: it was cut", "page 18") == 22);
    flm_profile_free(p);
    free((void *)music.at);
    free((void *)cut.at);
}

static void a_table_without_rows_of_numbers_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes bytes = file_bytes("nsight/rowless.sqlite");
    assert_null(try_bytes(nsight, bytes, &reader_options[0], &why));
    assert_non_null(strstr(why.text, "its table OSRT_API is one WITHOUT ROWID"));
    struct flm_profile *p =
        try_bytes(nsight, bytes, &(struct flm_read_options){.lenient = true}, &why);
    assert_non_null(p);
    assert_true(lost(p, "tables WITHOUT ROWID", "") == 1);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(nsight, "nsight/odd.sqlite");
    assert_note(p, "warning 20", "lost 20");
    assert_true(lost(p, "warnings and errors of the recording, after the 20th", "") == 2);
    assert_true(lost(p, "stacks of calls with numbers above 2^32", "") == 1);
    assert_stacks(p, "event time", "main;poll 40\npoll 30\n");
    flm_profile_free(p);
}

static void the_laws_hold(void **state)
{
    (void)state;
    assert_reader_laws_of_file(nsight, "nsight/full.sqlite");
    assert_reader_laws_of_file(nsight, "nsight/old.sqlite");
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("nsight/full.sqlite");
    assert_survives_little_memory(nsight, bytes);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_below_the_stack_that_launched_it),
        cmocka_unit_test(calls_and_ranges_are_nested_by_thread),
        cmocka_unit_test(samples_have_their_stacks),
        cmocka_unit_test(the_recording_is_described),
        cmocka_unit_test(streams_and_threads_are_tracks),
        cmocka_unit_test(old_exports_are_read),
        cmocka_unit_test(other_databases_are_refused),
        cmocka_unit_test(a_table_without_rows_of_numbers_is_refused),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(the_laws_hold),
        cmocka_unit_test(little_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
