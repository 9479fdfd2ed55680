/* The profiles here are JSON, which is easier to read than messages; these are read too. */
#include "format/otlp/otlp.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const otlp = &flm_format_otlp;

static const struct flm_read_options keeping = {.keep_times = true};

/* clang-format off */
#define DICTIONARY                                                                                  \
    "'dictionary':{'stringTable':['','cpu','nanoseconds','main','parse','main.c','/opt/app',"       \
    "'thread.name','profile.frame.type','alloc','bytes','c0ffee','process.executable.build_id.gnu',"\
    "'size'],"                                                                                      \
    "'functionTable':[{},{'nameStrindex':3,'filenameStrindex':5,'startLine':'10'},"                 \
    "{'systemNameStrindex':4}],"                                                                    \
    "'mappingTable':[{},{'memoryStart':'4096','memoryLimit':'8192','fileOffset':'16',"              \
    "'filenameStrindex':6,'attributeIndices':[3]}],"                                                \
    "'locationTable':[{},{'mappingIndex':1,'lines':[{'functionIndex':2,'line':7},"                  \
    "{'functionIndex':1,'line':12}]},{'mappingIndex':1,'address':'5000'},"                          \
    "{'attributeIndices':[2],'lines':[{'functionIndex':1}]}],"                                      \
    "'linkTable':[{},{'traceId':'0aFF','spanId':'12'}],"                                            \
    "'attributeTable':[{},{'keyStrindex':7,'value':{'stringValue':'worker'}},"                      \
    "{'keyStrindex':8,'value':{'stringValue':'kernel'}},"                                           \
    "{'keyStrindex':12,'value':{'stringValue':'c0ffee'}},"                                          \
    "{'keyStrindex':13,'value':{'intValue':'-5'},'unitStrindex':10}],"                              \
    "'stackTable':[{},{'locationIndices':[2,1]},{'locationIndices':[3]}]}"
/* clang-format on */

/* Times of a sample, two Profiles of one type, and one of another. */
static const char small[] =
    "{'resourceProfiles':[{'resource':{'attributes':[{'key':'process.pid','value':{'intValue':42}},"
    "{'key':'list','value':{'arrayValue':{'values':[]}}}]},"
    "'scopeProfiles':[{'scope':{'name':'x'},'profiles':["
    "{'sampleType':{'typeStrindex':1,'unitStrindex':2},'timeUnixNano':'1000','durationNano':'50',"
    "'periodType':{'typeStrindex':1,'unitStrindex':2},'period':'10','samples':["
    "{'stackIndex':1,'attributeIndices':[1,4],'linkIndex':1,'values':['3','4'],"
    "'timestampsUnixNano':['1001','1002']},"
    "{'stackIndex':2,'timestampsUnixNano':[1003,1004,1005]}]},"
    "{'sampleType':{'typeStrindex':1,'unitStrindex':2},'samples':[{'stackIndex':2,'values':[100]}]}"
    ","
    "{'sampleType':{'typeStrindex':1,'unitStrindex':10},'samples':[{'stackIndex':2,'values':[9]}]}"
    "]}]}]," DICTIONARY "}";

/* With double quotes. The caller frees `at`. */
static struct flm_bytes json(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return flm_bytes_of(copy);
}

static void free_bytes(struct flm_bytes bytes)
{
    free((void *)bytes.at);
}

/* The same as a message after its size, a varint; `skipped`: the size's bytes. */
static struct flm_bytes message(const char *text, size_t *skipped)
{
    struct flm_bytes from = json(text);
    struct flm_source source = flm_source_of(from);
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_otlp_from_json(&source, &out, &why))
        fail_msg("%s", why.text);
    free_bytes(from);
    *skipped = 0;
    while (out.at[(*skipped)++] & 0x80)
        ;
    return (struct flm_bytes){out.at, out.size};
}

static struct flm_profile *read_json(const char *text, const struct flm_read_options *options)
{
    struct flm_bytes bytes = json(text);
    struct flm_profile *p = read_bytes(otlp, bytes, options);
    free_bytes(bytes);
    return p;
}

static void assert_json_refused(const char *text, const char *words)
{
    struct flm_bytes bytes = json(text);
    assert_refused(otlp, bytes.at, 0, words);
    free_bytes(bytes);
}

static const char small_folded[] = "main;parse_[i];0x1388 7\nmain_[k] 103\n";

static void profiles_of_a_type_are_added_and_other_types_are_metrics(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(small, &(struct flm_read_options){0});
    assert_sound(p);
    assert_metric(p, 0, "cpu", "ns", 110, 2);
    assert_metric(p, 1, "cpu bytes", "bytes", 9, 1);
    assert_note(p, "recorded", "1970-01-01T00:00:00.000001Z");
    assert_note(p, "duration_ns", "50");
    assert_note(p, "period", "10 ns");
    assert_note(p, "period type", "cpu");
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);
}

static void frames_have_modules_lines_and_kinds(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(small, &(struct flm_read_options){0});
    const struct flm_frame_record *parse = frame_named(p, "parse");
    assert_int_equal(parse->kind, FLM_KIND_INLINED);
    assert_true(is_string(p, parse->module, "/opt/app"));
    const struct flm_frame_record *unknown = frame_named(p, "0x1388");
    assert_int_equal(unknown->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(unknown->address, 5000);
    assert_note(p, "mapped /opt/app", "1000-2000@10 id=c0ffee");
    flm_profile_free(p);
    p = read_json(small, &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "parse")->line, 7);
    flm_profile_free(p);
    p = read_json(
        "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{'sampleType':{'typeStrindex'"
        ":1},'samples':[{'stackIndex':2,'values':[1]}]}]}]}]," DICTIONARY "}",
        &(struct flm_read_options){0});
    assert_int_equal(frame_named(p, "main")->kind, FLM_KIND_KERNEL);
    assert_int_equal(frame_named(p, "main")->line, 10);
    flm_profile_free(p);
}

static bool has_label(const struct flm_profile *p, const char *key, const char *value)
{
    const struct flm_label_record *labels = flm_profile_labels(p);
    for (uint32_t i = 0; i < p->sizes.label_count; i++)
        if (is_string(p, labels[i].key, key) && is_string(p, labels[i].value, value))
            return true;
    return false;
}

static void samples_have_times_and_labels(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(small, &keeping);
    assert_sound(p);
    assert_int_equal(p->sizes.sample_count, 7);
    const int64_t *times = flm_profile_sample_times(p);
    size_t without = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        without += times[i] == FLM_NO_TIME;
    assert_int_equal(without, 2);
    assert_true(has_label(p, "process", "42"));
    assert_true(has_label(p, "thread name", "worker"));
    assert_true(has_label(p, "size", "-5 bytes"));
    assert_true(has_label(p, "trace_id", "0aff"));
    assert_true(has_label(p, "span_id", "12"));
    assert_false(has_label(p, "list", ""));
    flm_profile_free(p);
}

static void threads_are_frames_on_request(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(small, &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "42;main_[k] 103\nworker;main;parse_[i];0x1388 7\n");
    flm_profile_free(p);
}

/* A message alone, after its size in both ways, twice; and JSON twice, a value after the other. */
static void messages_may_follow_their_sizes(void **state)
{
    (void)state;
    size_t skipped;
    struct flm_bytes framed = message(small, &skipped), text = json(small);
    size_t size = framed.size - skipped;
    char *twice = malloc(2 * (text.size + framed.size) + 16);
    assert_non_null(twice);
    struct flm_read_options none = {0};
    for (int form = 0; form < 4; form++) {
        char prefix[4] = {0, 0, (char)(size >> 8), (char)size};
        struct flm_bytes parts[][2] = {{{"", 0}, flm_bytes_from(framed, skipped)},
                                       {{"", 0}, framed},
                                       {{prefix, 4}, flm_bytes_from(framed, skipped)},
                                       {{"\n", 1}, text}};
        size_t end = 0;
        for (int i = 0; i < (form == 0 ? 1 : 2); i++)
            for (int part = 0; part < 2; part++) {
                memcpy(twice + end, parts[form][part].at, parts[form][part].size);
                end += parts[form][part].size;
            }
        struct flm_bytes all = {twice, end};
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, all, true, &why), otlp);
        struct flm_profile *p = read_bytes(otlp, all, &none);
        assert_sound(p);
        assert_metric(p, 0, "cpu", "ns", form == 0 ? 110 : 220, 2);
        if (form == 0)
            assert_folded(p, small_folded);
        flm_profile_free(p);
    }
    free(twice);
    free_bytes(text);
    free_bytes(framed);
}

static void what_cannot_be_counted_is_a_loss(void **state)
{
    (void)state;
    struct flm_profile *p = read_json(
        "{'resource_profiles':[{'scope_profiles':[{'profiles':[{'samples':[{'values':[1]},"
        "{'stackIndex':1},{'stackIndex':1,'values':[-2]},"
        "{'stackIndex':2,'values':[1,2],'timestampsUnixNano':[5]}]}]}]}]," DICTIONARY "}",
        &keeping);
    assert_metric(p, 0, "value", "", 2, 3);
    assert_int_equal((int64_t)flm_self_column(p, 0)[0], 1); /* without a stack */
    assert_int_equal(lost(p, "samples without values and times", ""), 1);
    assert_int_equal(lost(p, "times of samples that are not one for each value", ""), 1);
    flm_profile_free(p);
}

#define WITH(profile, dictionary)                                                                  \
    "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[" profile "]}]}]" dictionary "}"

static void wrong_files_are_refused(void **state)
{
    (void)state;
    assert_json_refused(WITH("{'samples':[{'values':[1]}]}", ""),
                        "this is an older draft of OTLP profiles: write it with a newer version");
    assert_json_refused(WITH("{'samples':[{'stackIndex':3,'values':[1]}]}", "," DICTIONARY),
                        "the index of a stack is beyond the table of stacks");
    assert_json_refused(WITH("{'sampleType':{'typeStrindex':-1}}", "," DICTIONARY),
                        "the index of a string is beyond the table of strings");
    assert_json_refused(WITH("{'timeUnixNano':'x'}", ""), "a number that is not one of 64 bits");
    assert_json_refused("{'resourceProfiles':[]}", "no profile is in it");
    assert_json_refused("{'dictionary':{'linkTable':[{'traceId':'xy'}]}}",
                        "an identifier that is not hexadecimal");
    assert_json_refused(WITH("{'sample':[{'locationsLength':2,'value':[1]}]}", "," DICTIONARY),
                        "this is an older draft of OTLP profiles");
    assert_json_refused("{'dictionary\\u0000\\u0000':{},'resourceProfiles':[]}",
                        "no profile is in it");
    /* Lenient: the sample is a loss. */
    struct flm_profile *p =
        read_json(WITH("{'samples':[{'stackIndex':3,'values':[1]}]}", "," DICTIONARY),
                  &(struct flm_read_options){.lenient = true});
    assert_int_equal(lost(p, "indices beyond their tables", ""), 1);
    flm_profile_free(p);
}

/* Of the drafts of 2024 and 2025: field 3 of a profile was a list of locations; field 3 of a sample
 * was its values; in 1.9 these were field 2. */
static void older_drafts_are_told_apart(void **state)
{
    (void)state;
    static const char locations[] = "\x0a\x08\x12\x06\x12\x04\x1a\x02\x01\x02\x12\x00",
                      values[] = "\x0a\x0a\x12\x08\x12\x06\x12\x04\x1a\x02\x01\x02\x12\x00";
    static const char first_values[] = "\x0a\x0b\x12\x09\x12\x07\x12\x05\x08\x01\x12\x01\x00"
                                       "\x12\x0a\x32\x00\x32\x00\x3a\x00\x3a\x02\x08\x00";
    struct flm_bytes drafts[] = {{locations, sizeof locations - 1},
                                 {values, sizeof values - 1},
                                 {first_values, sizeof first_values - 1}};
    for (size_t i = 0; i < 3; i++) {
        struct flm_error why = {0};
        assert_null(try_bytes(otlp, drafts[i], &keeping, &why));
        assert_non_null(strstr(why.text, "older draft of OTLP profiles"));
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, drafts[i], true, &why), otlp);
    }
}

static void files_of_other_programs_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name, *metric, *unit;
        double total;
        int stacks;
    } files[] = {{"otlp/async-profiler.otlp", "wall", "count", 5836, 208},
                 {"otlp/times.otlp", "samples", "count", 83, 30},
                 {"otlp/go.json", "cpu", "ns", 860000000, 35}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_error why = {0};
        struct flm_bytes bytes = file_bytes(files[i].name);
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), otlp);
        struct flm_profile *p = read_bytes(otlp, bytes, &keeping);
        assert_sound(p);
        assert_metric(p, 0, files[i].metric, files[i].unit, files[i].total, files[i].stacks);
        flm_profile_free(p);
        free_bytes(bytes);
    }
}

static void pprof_is_another_format(void **state)
{
    (void)state;
    static const char *const files[] = {"pprof/go-cpu-labels.pb", "pprof/go-heap.pb",
                                        "pprof/node-wall.pb", "pprof/speedscope-simple.pb"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_int_equal(otlp->sniff(bytes, true), FLM_SNIFF_NO);
        free_bytes(bytes);
    }
}

static void a_shortened_file_is_read_or_refused(void **state)
{
    (void)state;
    size_t skipped;
    struct flm_bytes all[] = {message(small, &skipped), json(small), file_bytes("otlp/times.otlp")};
    for (size_t i = 0; i < 3; i++) {
        for (size_t size = 0; size < all[i].size; size++) {
            struct flm_error why = {0};
            struct flm_bytes part = {all[i].at, size};
            otlp->sniff(part, true);
            struct flm_profile *p = try_bytes(otlp, part, &keeping, &why);
            if (p)
                assert_sound(p);
            else
                assert_int_equal(why.kind, FLM_ERROR_FORMAT);
            flm_profile_free(p);
        }
        free_bytes(all[i]);
    }
}

static bool read_small(void *context, struct flm_error *why)
{
    struct flm_profile *p = try_bytes(otlp, *(struct flm_bytes *)context, &keeping, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = json(small);
    assert_true(assert_survives_failures(read_small, &bytes) > 20);
    free_bytes(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_of_a_type_are_added_and_other_types_are_metrics),
        cmocka_unit_test(frames_have_modules_lines_and_kinds),
        cmocka_unit_test(samples_have_times_and_labels),
        cmocka_unit_test(threads_are_frames_on_request),
        cmocka_unit_test(messages_may_follow_their_sizes),
        cmocka_unit_test(what_cannot_be_counted_is_a_loss),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(older_drafts_are_told_apart),
        cmocka_unit_test(files_of_other_programs_are_read),
        cmocka_unit_test(pprof_is_another_format),
        cmocka_unit_test(a_shortened_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
