/* losses_test.c - what a format cannot hold of a profile is what is missing after reading it
 * again. */
#include "flamel/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/notes.h"
#include "load/all_formats.h"
#include "profile/internal.h"
#include "profile/sample_span.h"
#include "support/profile/profiles.h"

/* One of everything that a profile can have. */
static struct flm_profile *full(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_frame_record record = {.function = flm_builder_string(b, "main", 4).index,
                                      .module = flm_builder_string(b, "app", 3).index,
                                      .file = flm_builder_string(b, "app.c", 5).index,
                                      .kind = FLM_KIND_KERNEL};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
    struct flm_string label[] = {flm_builder_string(b, "thread", 6), flm_builder_string(b, "7", 1)};
    struct flm_label_set set = flm_builder_label_set(b, label, 1);
    flm_builder_sample(b, 100, node, set, cpu, 5);
    flm_builder_sample_add(b, bytes, 64);
    flm_builder_sample(b, 200, node, (struct flm_label_set){0}, cpu, 6);
    flm_builder_add(b, flm_builder_root(b), cpu, 7);
    flm_builder_marker(b, 150, 0, flm_builder_string(b, "gc", 2), (struct flm_string){0}, set);
    struct flm_counter counter = flm_builder_counter(b, flm_builder_string(b, "heap", 4),
                                                     flm_builder_string(b, "bytes", 5), set);
    flm_builder_counter_point(b, counter, 100, 1);
    return flm_builder_finish(b, NULL);
}

static const char *losses_of(const struct flm_profile *p, const char *format, bool annotate)
{
    static char losses[FLM_SAVE_LOSSES_SIZE];
    struct flm_save_options options = {
        .size = sizeof options, .format = format, .annotate = annotate};
    size_t size = flm_save_losses(p, "-", &options, losses);
    assert_int_equal(size, strlen(losses));
    return losses;
}

static void every_part_that_is_not_held_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = full();
    assert_string_equal(losses_of(p, "flm", false), "");
    assert_string_equal(losses_of(p, "svg", false), ""); /* a picture is for people */
    assert_string_equal(losses_of(p, "none", false), "");
    assert_string_equal(losses_of(p, "folded", false),
                        "1 other metric (alloc), times of 2 samples, labels of 1 sample, 1 marker, "
                        "1 counter, modules of 1 frame, files of 1 frame, kinds of 1 frame");
    assert_string_equal(losses_of(p, "folded", true),
                        "1 other metric (alloc), times of 2 samples, labels of 1 sample, 1 marker, "
                        "1 counter, modules of 1 frame, files of 1 frame");
    flm_profile_free(p);
    p = profile_of("main 1\n 1234\n");
    assert_string_equal(losses_of(p, "folded", false), "");
    assert_string_equal(losses_of(p, "speedscope", false), "1,234 samples without a stack");
    assert_string_equal(losses_of(p, "pprof", false), "");
    flm_profile_free(p);
    p = profile_of("main 1.5\nmain;a 2\nmain;b 0.25\n"); /* pprof has whole numbers */
    assert_string_equal(losses_of(p, "pprof", false), "fractions of 2 values");
    assert_string_equal(losses_of(p, "folded", false), "");
    flm_profile_free(p);
}

static void fractions_of_a_nanosecond_are_told(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric time = flm_builder_metric(b, "time", "ms");
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < 3; i++) {
        node = flm_builder_child(b, node, flm_builder_function(b, &"abc"[i], 1));
        flm_builder_add(b, node, time, (double[]){1.5, 0.000002, 0.1234567}[i]);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const char *const whole[] = {"pprof", "otlp", "otlp-json", "callgrind"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_string_equal(losses_of(p, whole[i], false), "fractions of 1 value");
    flm_profile_free(p);
}

static void notes_that_people_wrote_are_told(void **state)
{
    (void)state;
    static const char *const holding[] = {"flm", "json", "pprof"};
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_written_note note = {.text = {"slow", 4}};
    struct flm_profile *noted = flm_note_add(p, &note, NULL, NULL);
    assert_string_equal(losses_of(noted, "folded", false), "1 note");
    assert_string_equal(losses_of(noted, "speedscope", false), "1 note");
    for (size_t i = 0; i < sizeof holding / sizeof holding[0]; i++)
        assert_string_equal(losses_of(noted, holding[i], false), "");
    flm_profile_free(noted);
    flm_profile_free(p);
}

/* A trace has calls that last: of bytes, there is only that they were allocated. */
static void inlined_frames_without_their_function_are_told(void **state)
{
    static const char *const modules[] = {"app", "other"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        struct flm_frame_record caller = {.function = flm_builder_string(b, "f", 1).index,
                                          .module = flm_builder_string(b, "app", 3).index,
                                          .kind = FLM_KIND_NATIVE},
                                callee = {.function = flm_builder_string(b, "g", 1).index,
                                          .kind = FLM_KIND_INLINED};
        callee.module = flm_builder_string(b, modules[i], strlen(modules[i])).index;
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &caller));
        node = flm_builder_child(b, node, flm_builder_frame(b, &callee));
        flm_builder_add(b, node, cpu, 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_string_equal(losses_of(p, "pprof", false), i == 0 ? "" : "kinds of 1 frame");
        flm_profile_free(p);
    }
}

static void values_that_become_times_are_told(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_sample(b, 100, node, (struct flm_label_set){0}, bytes, 64);
    flm_builder_sample(b, 200, node, (struct flm_label_set){0}, bytes, 32);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_string_equal(losses_of(p, "trace", false), "values of 2 samples");
    flm_profile_free(p);
}

/* Of thread 7, on a CPU, in a state: one sample of each of two metrics. */
static struct flm_profile *labeled(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric[] = {flm_builder_metric(b, "execution", "samples"),
                                  flm_builder_metric(b, "lock", "ns")};
    static const char *const words[] = {"command", "app", "cpu",         "000",
                                        "process", "1",   "state",       "runnable",
                                        "thread",  "7",   "thread name", "main"};
    enum { WORDS = sizeof words / sizeof *words };
    struct flm_string labels[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        labels[i] = flm_builder_string(b, words[i], strlen(words[i]));
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    struct flm_label_set every = flm_builder_label_set(b, labels, WORDS / 2);
    flm_builder_sample(b, 100, node, every, metric[0], 1);
    flm_builder_sample(b, 200, node, every, metric[1], 50);
    flm_builder_sample_lasts(b, 50);
    return flm_builder_finish(b, NULL);
}

static void labels_and_times_that_are_not_held_are_told(void **state)
{
    (void)state;
    struct flm_profile *p = labeled();
    assert_string_equal(losses_of(p, "gecko", false),
                        "1 other metric (lock), labels of 1 sample (command, cpu, state)");
    assert_string_equal(losses_of(p, "trace", false),
                        "1 other metric (lock), labels of 1 sample (command, cpu, state), values "
                        "of 1 sample");
    /* Of what is no time, speedscope has the order. */
    assert_string_equal(losses_of(p, "speedscope", false),
                        "times of 1 sample, labels of 2 samples (command, cpu, process, state), "
                        "durations of 1 sample");
    assert_string_equal(losses_of(p, "otlp", false), "durations of 1 sample");
    flm_profile_free(p);
}

struct parts {
    uint32_t metrics, samples, markers, counters, modules, files, kinds;
    bool has_time, has_labels;
};

static struct parts parts_of(const struct flm_profile *p)
{
    struct parts parts = {.metrics = p->sizes.metric_count,
                          .samples = p->sizes.sample_count,
                          .markers = p->sizes.marker_count,
                          .counters = p->sizes.counter_count};
    for (uint32_t i = 0; i < parts.samples; i++) {
        parts.has_time |= p->sample_time[i] != FLM_NO_TIME;
        parts.has_labels |= p->sample_labels[i] != 0;
    }
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        parts.modules += p->frames[i].module != 0;
        parts.files += p->frames[i].file != 0;
        parts.kinds += p->frames[i].kind == FLM_KIND_KERNEL;
    }
    return parts;
}

/* The profile, written in that format and read again. */
static struct flm_profile *written_and_read(const struct flm_profile *p, const struct flm_format *f)
{
    struct flm_error why = {0};
    struct flm_save_options save = {.size = sizeof save, .format = f->name, .annotate = true};
    struct flm_load_options load = {.size = sizeof load, .format = f->name};
    size_t size;
    void *bytes = flm_save_memory(p, &size, &save, &why);
    struct flm_profile *again = bytes ? flm_load_memory(bytes, size, &load, &why) : NULL;
    if (!again)
        fail_msg("%s: %s", f->name, why.text);
    free(bytes);
    return again;
}

/* What is said to be lost of stacks is what differs when the file is read again. */
static void stacks_of_pairs_are_told(void **state)
{
    static const struct {
        const char *stacks, *losses;
    } cases[] = {
        {"main;a;b 1\nmain;a;c;d 2\nmain 3\n", ""},
        {"main;a;c 1\nmain;b;c 2\n", ""}, /* c calls nothing */
        {"main;a;c;d 1\nmain;b;c;e 2\nmain;b;c 5\n", "exact callers of 2 stacks"},
        {"a;c;d;f 1\nc;d 2\n", "exact callers of 2 stacks"},
        {"a;a;c 1\na;c 2\n", "exact callers of 2 stacks"}, /* a calls a */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_profile *p = profile_of(cases[i].stacks);
        assert_string_equal(losses_of(p, "callgrind", false), cases[i].losses);
        assert_string_equal(losses_of(p, "pprof", false), "");
        struct flm_profile *again =
            written_and_read(p, flm_format_named(&flm_formats_all, "callgrind"));
        char *folded = folded_of(p);
        if (!*cases[i].losses)
            assert_folded(again, folded);
        free(folded);
        flm_profile_free(again);
        flm_profile_free(p);
    }
}

/* A format that claims to hold a part still has it when its file is read. */
static void what_a_format_claims_to_hold_is_there_when_it_is_read_again(void **state)
{
    (void)state;
    struct flm_profile *p = full();
    const struct flm_format *f;
    size_t tried = 0;
    for (size_t i = 0; (f = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        if (!flm_format_can_be_read(f) || !flm_format_can_be_written(f, NULL))
            continue;
        struct flm_profile *again = written_and_read(p, f);
        struct parts parts = parts_of(again);
        const struct {
            const char *what;
            bool claimed, there;
        } all[] = {
            {"metrics", f->metrics == FLM_METRICS_ALL, parts.metrics >= 2},
            {"times", f->has_times, parts.has_time},
            {"labels", f->keeps_labels, parts.has_labels},
            {"markers", f->holds & FLM_HOLDS_MARKERS, parts.markers > 0},
            {"counters", f->holds & FLM_HOLDS_COUNTERS, parts.counters > 0},
            {"modules", f->holds & FLM_HOLDS_MODULES, parts.modules > 0},
            {"files", f->holds & FLM_HOLDS_FILES, parts.files > 0},
            /* Of pprof's the reader leaves it out, and counts it. */
            {"the empty stack", f->holds & FLM_HOLDS_EMPTY_STACK,
             flm_self_column(again, 0)[0] == 7 || flm_profile_loss_count(again) > 0},
            {"kinds",
             f->holds & (FLM_HOLDS_KINDS | FLM_HOLDS_KINDS_ANNOTATED | FLM_HOLDS_KERNEL_INLINED),
             parts.kinds > 0},
        };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k].claimed && !all[k].there)
                fail_msg("%s does not hold %s", f->name, all[k].what);
        tried++;
        flm_profile_free(again);
    }
    assert_true(tried >= 4);
    flm_profile_free(p);
}

/* A profile with each thing that a format may leave out, and that can be looked for afterward. */
static struct flm_profile *rich(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ms");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_string app = flm_builder_string(b, "app", 3), file = flm_builder_string(b, "a.c", 3);
    struct flm_frame_record record = {.function = flm_builder_string(b, "main", 4).index,
                                      .module = app.index,
                                      .file = file.index,
                                      .line = 3,
                                      .kind = FLM_KIND_NATIVE};
    const struct flm_location place = {.address = 0x1234, .file = file.index, .line = 77};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_located(b, &record, place));
    static const struct {
        const char *name;
        uint32_t kind;
    } inner[] = {{"kernel", FLM_KIND_KERNEL}, {"inlined", FLM_KIND_INLINED}, {"jit", FLM_KIND_JIT}};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        record = (struct flm_frame_record){
            .function = flm_builder_string(b, inner[i].name, strlen(inner[i].name)).index,
            .module = app.index,
            .kind = inner[i].kind};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    }
    record = (struct flm_frame_record){
        .function = flm_builder_string(b, "f", 1).index, .module = app.index, .address = 0x4321};
    node = flm_builder_child(b, node, flm_builder_frame(b, &record));
    static const char *const paths[2][3] = {{"g", "c", "x"}, {"h", "c", "y"}};
    for (size_t i = 0; i < 2; i++) {
        struct flm_node leaf = flm_builder_root(b);
        for (size_t k = 0; k < 3; k++)
            leaf = flm_builder_child(b, leaf, flm_builder_function(b, paths[i][k], 1));
        flm_builder_add(b, leaf, cpu, 1);
    }
    struct flm_string labels[] = {flm_builder_string(b, "thread", 6), flm_builder_string(b, "7", 1),
                                  flm_builder_string(b, "color", 5),
                                  flm_builder_string(b, "red", 3)};
    struct flm_label_set set = flm_builder_label_set(b, labels, 2);
    flm_builder_sample(b, 100000000, node, set, cpu, 5);
    flm_builder_sample_lasts(b, 7000000); /* the value is not how long it was */
    flm_builder_sample_add(b, bytes, 64);
    flm_builder_sample(b, 200000000, node, set, cpu, 6);
    flm_builder_sample_lasts(b, 6000000);
    flm_builder_add(b, flm_builder_root(b), cpu, 7);
    flm_builder_add(b, node, cpu, 1000);
    flm_builder_add(b, node, bytes, 0.5);
    flm_builder_marker(b, 150000000, 0, flm_builder_string(b, "gc", 2), (struct flm_string){0},
                       set);
    struct flm_counter counter = flm_builder_counter(b, flm_builder_string(b, "heap", 4),
                                                     flm_builder_string(b, "pages", 5), set);
    flm_builder_counter_point(b, counter, 100000000, 1);
    flm_builder_note(b, "color of the sky", "blue", 4);
    return flm_builder_finish(b, NULL);
}

struct again {
    const struct flm_profile *p;
    double cpu, empty, bytes; /* totals: of the first metric in ms, of it without a stack */
    bool has_time, lasts, has_thread, has_color;
    unsigned kinds; /* bits */
    bool has_modules, has_files, has_address, has_line, has_code_address, has_stack;
};

static bool is_called(const struct flm_profile *p, uint32_t node, const char *name)
{
    return flm_bytes_are(flm_string_bytes(p, p->frames[p->node_frame[node]].function), name);
}

static struct again look_again(const struct flm_profile *p)
{
    struct again a = {.p = p};
    double ms = flm_time_unit_ns(flm_string_bytes(p, p->metrics[0].unit)) / 1e6;
    a.cpu = flm_profile_total(p, (struct flm_metric){0}) * (ms > 0 ? ms : 1);
    a.empty = flm_self_column(p, 0)[0] * (ms > 0 ? ms : 1);
    for (uint32_t m = 1; m < p->sizes.metric_count; m++)
        if (flm_bytes_are(flm_string_bytes(p, p->metrics[m].name), "alloc"))
            a.bytes = flm_profile_total(p, (struct flm_metric){m});
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        a.has_time |= p->sample_time[i] != FLM_NO_TIME;
        a.lasts |= flm_sample_duration(p, i) == 7000000; /* not what its value says */
    }
    for (uint32_t i = 0; i < p->sizes.label_count; i++) {
        a.has_thread |= flm_bytes_are(flm_string_bytes(p, p->labels[i].key), "thread");
        a.has_color |= flm_bytes_are(flm_string_bytes(p, p->labels[i].key), "color");
    }
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        a.kinds |= 1u << f->kind;
        a.has_modules |= f->module != 0;
        a.has_files |= f->file != 0;
        a.has_code_address |= f->address == 0x4321;
        a.has_line |= f->line == 77;
    }
    for (uint32_t i = 0; i < p->sizes.location_count; i++) {
        a.has_address |= p->location_address[i] == 0x1234;
        a.has_line |= p->location_line[i] == 77;
    }
    /* Of pairs of caller and callee alone, c may have called y for g. */
    uint32_t parents[64];
    assert_true(p->sizes.node_count < 64);
    flm_profile_parents(p, parents);
    a.has_stack = true;
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        for (uint32_t node = i; node != 0 && is_called(p, i, "y"); node = parents[node])
            a.has_stack &= !is_called(p, node, "g");
    return a;
}

static bool has_kind(const struct again *a, uint32_t kind)
{
    return a->kinds >> kind & 1;
}

/* Each phrase of what formats lack, and whether that is so. */
static bool lacks(const struct again *a, struct flm_bytes what)
{
    static const char *const untried[] = {
        "addresses at which code was mapped", /* of recordings alone */
        "bytes of names that are not UTF-8",  /* tests/format/json/json_test.c */
        "depths of collapsed recursion",
        "numbers of calls that are not a metric",
        "the name of the metric where there is one", /* this profile has two */
        "times where the metric is none", /* labels_and_times_that_are_not_held_are_told */
    };
    for (size_t i = 0; i < sizeof untried / sizeof *untried; i++)
        if (flm_bytes_are(what, untried[i]))
            return true;
    const struct flm_profile *p = a->p;
    bool has_units = p->sizes.counter_count > 0 &&
                     flm_bytes_are(flm_string_bytes(p, p->counters[0].unit), "pages");
    bool kernel = has_kind(a, FLM_KIND_KERNEL), inlined = has_kind(a, FLM_KIND_INLINED);
    bool jit = has_kind(a, FLM_KIND_JIT);
    bool has_note = flm_profile_note_named(p, "color of the sky").at != NULL;
    bool is_named = flm_bytes_are(flm_string_bytes(p, p->metrics[0].name), "cpu");
    const struct {
        const char *phrase;
        bool is_lost;
    } facts[] = {
        {"other metrics", a->bytes == 0},
        {"stacks (a function and its callers are kept)", !a->has_stack},
        {"fractions of values", a->bytes != 64.5},
        {"values of samples (how long they lasted is kept)", a->cpu != 11},
        {"what has no time", a->cpu < 1000},
        {"samples without a stack", a->empty == 0},
        {"single samples", !a->has_time && !a->has_thread && !a->has_color},
        {"times", !a->has_time},
        {"durations", !a->lasts},
        {"markers", p->sizes.marker_count == 0},
        {"counters", p->sizes.counter_count == 0},
        {"units of counters", !has_units},
        {"modules", !a->has_modules},
        {"files and lines", !a->has_files},
        {"lines that ran and addresses", !a->has_line && !a->has_address},
        {"addresses", !a->has_address},
        {"addresses of functions", !a->has_code_address},
        {"kinds of frames", !kernel && !inlined && !jit},
        {"kinds of frames but kernel and inlined", kernel && inlined && !jit},
        {"kinds of frames but inlined", !kernel && inlined && !jit},
        {"labels other than the thread", a->has_thread && !a->has_color},
        {"labels other than of threads and processes", a->has_thread && !a->has_color},
        {"notes", !has_note},
        {"notes but the command", !has_note},
        {"notes that profile.proto has no field for", !has_note},
        {"the name of the metric", !is_named},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (flm_bytes_are(what, facts[i].phrase))
            return facts[i].is_lost;
    fail_msg("'%.*s' is a phrase that is not checked", (int)what.size, what.at);
    return false;
}

static bool says(const char *loses, const char *what)
{
    return strstr(loses, what) != NULL;
}

/* Nothing is lost without a word: by what is gone, the words of which one must be there. */
static unsigned untold(const struct again *a, const struct flm_format *f, const char *loses)
{
    unsigned failures = 0;
    const struct flm_profile *p = a->p;
    bool has_note = flm_profile_note_named(p, "color of the sky").at != NULL;
    bool has_samples = !says(loses, "single samples");
    const struct {
        const char *words;
        bool is_lost;
    } all[] = {
        {"other metrics", a->bytes == 0},
        {"without a stack", a->empty == 0},
        {"times", has_samples && !a->has_time},
        {"durations", has_samples && !a->lasts},
        {"labels", has_samples && !a->has_color},
        {"markers", p->sizes.marker_count == 0},
        {"counters", p->sizes.counter_count == 0},
        {"modules", !a->has_modules},
        {"files", !a->has_files},
        {"lines", !a->has_line},
        {"addresses", !a->has_address && !says(loses, "files and lines")},
        {"kinds of frames", !has_kind(a, FLM_KIND_KERNEL) || !has_kind(a, FLM_KIND_JIT)},
        {"notes", !has_note},
        {"stacks (", !a->has_stack},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_lost && !says(loses, all[i].words)) {
            print_error("%s loses %s, and does not say so: %s\n", f->name, all[i].words, loses);
            failures++;
        }
    return failures;
}

/* Each line of `flamel formats`: what it says is lost is lost, and what is lost is said. */
static void formats_lose_what_they_say(void **state)
{
    (void)state;
    struct flm_profile *p = rich();
    const struct flm_format *f;
    size_t tried = 0;
    unsigned failures = 0;
    for (size_t i = 0; (f = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        if (!flm_format_can_be_read(f) || !flm_format_can_be_written(f, NULL))
            continue;
        struct flm_text loses = {0};
        struct flm_profile *read = written_and_read(p, f);
        struct again a = look_again(read);
        flm_format_add_loses(f, &loses);
        flm_text_putc(&loses, 0);
        for (const char *at = loses.at; *at;) {
            const char *end = strstr(at, ", ");
            size_t length = end ? (size_t)(end - at) : strlen(at);
            if (!lacks(&a, (struct flm_bytes){at, length})) {
                print_error("%s keeps, and says that it loses: %.*s\n", f->name, (int)length, at);
                failures++;
            }
            at += length + (end ? 2 : 0);
        }
        failures += untold(&a, f, loses.at);
        tried++;
        flm_text_clear(&loses);
        flm_profile_free(read);
    }
    assert_true(tried >= 9);
    assert_int_equal(failures, 0);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_of_a_nanosecond_are_told),
        cmocka_unit_test(notes_that_people_wrote_are_told),
        cmocka_unit_test(every_part_that_is_not_held_is_told),
        cmocka_unit_test(inlined_frames_without_their_function_are_told),
        cmocka_unit_test(values_that_become_times_are_told),
        cmocka_unit_test(labels_and_times_that_are_not_held_are_told),
        cmocka_unit_test(stacks_of_pairs_are_told),
        cmocka_unit_test(what_a_format_claims_to_hold_is_there_when_it_is_read_again),
        cmocka_unit_test(formats_lose_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
