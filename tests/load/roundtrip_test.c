/* roundtrip_test.c - every profile that one format has written is written by every other one, and
 * read again: the stacks and weights are the same, and so is what the entry of the format claims to
 * hold. A claim that is not true fails. */
#include "flamel/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/aggregate/line_costs.h"
#include "flamel/builder.h"
#include "load/all_formats.h"
#include "profile/sample_span.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "support/profile/timed.h"

/* ---- Stacks as texts ------------------------------------------------------------------------- */

struct stack {
    char *key;
    double value;
};

struct stacks {
    struct stack *at;
    size_t count;
};

static void add_frame(struct flm_text *out, const struct flm_profile *p, uint32_t frame,
                      unsigned holds)
{
    const struct flm_frame_record *f = &p->frames[frame];
    struct flm_bytes name = flm_string_bytes(p, f->function);
    /* A frame without a name is called by its address or its module in pprof and OTLP; as that of a
     * thread it is none in Gecko's threads. */
    if (name.size == 0 || name.at[0] == '[' || flm_bytes_start_with(name, "0x") ||
        flm_bytes_are(name, "(unnamed)"))
        return;
    flm_text_puts(out, ";");
    flm_text_add(out, name);
    if (holds & FLM_HOLDS_MODULES) {
        flm_text_puts(out, " in ");
        flm_text_add(out, flm_string_bytes(p, f->module));
    }
    /* speedscope has no modules, so they stand for files that are not known. */
    uint32_t file = f->file || holds & FLM_HOLDS_MODULES ? f->file : f->module;
    if (holds & FLM_HOLDS_FILES && file) {
        flm_text_puts(out, " at ");
        flm_text_add(out, flm_string_bytes(p, file));
        flm_text_format(out, ":%u", f->line);
    }
    /* Frames without a mark are of these three. */
    bool is_basic = f->kind == FLM_KIND_KERNEL || f->kind == FLM_KIND_INLINED;
    bool is_held = holds & FLM_HOLDS_KINDS || (holds & FLM_HOLDS_KERNEL_INLINED && is_basic);
    if (is_held && f->kind != FLM_KIND_PLAIN && f->kind != FLM_KIND_NATIVE &&
        f->kind != FLM_KIND_LABEL)
        flm_text_format(out, " %s", flm_kind_name(f->kind));
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct stack *)a)->key, ((const struct stack *)b)->key);
}

/* By their texts; those with the same one are one. */
static void sort_stacks(struct stacks *s)
{
    qsort(s->at, s->count, sizeof *s->at, compare);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (kept > 0 && strcmp(s->at[kept - 1].key, s->at[i].key) == 0) {
            s->at[kept - 1].value += s->at[i].value;
            free(s->at[i].key);
        } else {
            s->at[kept++] = s->at[i];
        }
    }
    s->count = kept;
}

/* The stacks that have a value in the metric, times unit_ns; what becomes the same text is one.
 * `timed`: only the samples with a time. */
static struct stacks stacks_of(const struct flm_profile *p, uint32_t metric, unsigned holds,
                               bool timed, double unit_ns)
{
    uint32_t count = p->sizes.node_count;
    uint32_t *parent = malloc(count * sizeof *parent);
    double *values = calloc(count, sizeof *values);
    struct stacks stacks = {calloc(count, sizeof *stacks.at), 0};
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < count && !timed; i++)
        values[i] = flm_self_column(p, metric)[i];
    for (uint32_t i = 0; i < p->sizes.sample_count && timed; i++)
        if (p->sample_time[i] != FLM_NO_TIME)
            values[p->sample_node[i]] += flm_sample_value(p, metric, i);
    for (uint32_t node = holds & FLM_HOLDS_EMPTY_STACK ? 0 : 1; node < count; node++) {
        struct flm_text key = {0};
        uint32_t path[256], depth = 0;
        if (values[node] == 0)
            continue;
        for (uint32_t i = node; i != 0 && depth < 256; i = parent[i])
            path[depth++] = i;
        while (depth > 0)
            add_frame(&key, p, p->node_frame[path[--depth]], holds);
        flm_text_putc(&key, 0);
        stacks.at[stacks.count++] = (struct stack){key.at, values[node] * unit_ns};
    }
    sort_stacks(&stacks);
    free(parent);
    free(values);
    return stacks;
}

static void clear(struct stacks *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->at[i].key);
    free(s->at);
}

/* What each line costs; line 0 has what is at none, and what is in functions without a name is left
 * out as above. */
static struct stacks lines_of(const struct flm_profile *p, uint32_t metric, double unit_ns)
{
    struct flm_line_costs costs;
    assert_true(flm_line_costs_init(&costs, p, (struct flm_metric){metric},
                                    (struct flm_metric){FLM_NONE}, NULL, NULL));
    struct stacks lines = {calloc(costs.count + 1, sizeof *lines.at), 0};
    for (size_t i = 0; i < costs.count; i++) {
        const struct flm_line_cost *line = &costs.line[i];
        struct flm_bytes name = flm_string_bytes(p, line->function);
        if (name.size == 0 || name.at[0] == '[' || flm_bytes_start_with(name, "0x"))
            continue;
        struct flm_text key = {0};
        flm_text_add(&key, name);
        flm_text_puts(&key, " at ");
        flm_text_add(&key, flm_string_bytes(p, line->file));
        flm_text_format(&key, ":%u", line->line);
        flm_text_putc(&key, 0);
        lines.at[lines.count++] = (struct stack){key.at, line->self * unit_ns};
    }
    flm_line_costs_clear(&costs);
    sort_stacks(&lines);
    return lines;
}

/* Clears both. */
static void assert_same_stacks(struct stacks *a, struct stacks *b, const struct flm_format *f,
                               const char *way)
{
    size_t i = 0;
    while (i < a->count && i < b->count && strcmp(a->at[i].key, b->at[i].key) == 0)
        i++;
    if (i < a->count || i < b->count)
        fail_msg("%s: stack %zu of %zu is [%s], and read again [%s], of %zu", way, i, a->count,
                 i < a->count ? a->at[i].key : "", i < b->count ? b->at[i].key : "", b->count);
    for (i = 0; i < a->count && f->holds & FLM_HOLDS_VALUES; i++) {
        double x = a->at[i].value, y = b->at[i].value;
        double room = fabs(x) * 1e-9 + (f->whole_values ? 0.5 : 0);
        if (fabs(x - y) > room)
            fail_msg("%s: [%s] has %.17g, and read again %.17g", way, a->at[i].key, x, y);
    }
    clear(a);
    clear(b);
}

static void assert_same(const struct flm_profile *p, const struct flm_profile *again,
                        const struct flm_format *f, uint32_t metric, const char *way)
{
    bool timed = !(f->holds & FLM_HOLDS_SUMS);
    double ns = flm_time_unit_ns(flm_string_bytes(p, p->metrics[metric].unit));
    double ns_again = flm_time_unit_ns(flm_string_bytes(again, again->metrics[metric].unit));
    bool are_times = ns > 0 && ns_again > 0; /* fractions of one may be written in another unit */
    /* Where only functions have files, code from another file makes another function. */
    unsigned of_stacks = f->holds & ~(p->sizes.location_count > 0 ? FLM_HOLDS_FILES : 0u);
    struct stacks a = stacks_of(p, metric, of_stacks, timed, are_times ? ns : 1);
    struct stacks b = stacks_of(again, metric, of_stacks, timed, are_times ? ns_again : 1);
    assert_same_stacks(&a, &b, f, way);
    if (f->holds & FLM_HOLDS_LOCATIONS && !timed) {
        a = lines_of(p, metric, are_times ? ns : 1);
        b = lines_of(again, metric, are_times ? ns_again : 1);
        assert_same_stacks(&a, &b, f, way);
    }
}

/* ---- Writing and reading --------------------------------------------------------------------- */

/* NULL where the format refuses the profile: negative values, no times. */
static struct flm_profile *again(const struct flm_profile *p, const struct flm_format *f,
                                 const char *way)
{
    struct flm_error why = {0};
    struct flm_save_options save = {.size = sizeof save, .format = f->name, .annotate = true};
    struct flm_load_options load = {.size = sizeof load, .format = f->name};
    size_t size;
    void *bytes = flm_save_memory(p, &size, &save, &why);
    if (!bytes && why.kind != FLM_ERROR_USAGE)
        fail_msg("%s is not written: %s", way, why.text);
    if (!bytes)
        return NULL;
    struct flm_profile *read = flm_load_memory(bytes, size, &load, &why);
    if (!read)
        fail_msg("%s is not read: %s", way, why.text);
    free(bytes);
    return read;
}

static void check(const struct flm_profile *p, const struct flm_format *f, const char *way,
                  const struct flm_profile *read)
{
    uint32_t metrics = f->metrics == FLM_METRICS_ALL ? p->sizes.metric_count : 1;
    if (f->metrics == FLM_METRICS_ALL && read->sizes.metric_count != p->sizes.metric_count)
        fail_msg("%s: %u metrics, not %u", way, read->sizes.metric_count, p->sizes.metric_count);
    for (uint32_t m = 0; m < metrics && f->holds & FLM_HOLDS_STACKS; m++)
        assert_same(p, read, f, m, way);
    if (f->holds & FLM_HOLDS_MARKERS && read->sizes.marker_count != p->sizes.marker_count)
        fail_msg("%s: %u markers, not %u", way, read->sizes.marker_count, p->sizes.marker_count);
    if (f->holds & FLM_HOLDS_COUNTERS && read->sizes.counter_count != p->sizes.counter_count)
        fail_msg("%s: %u counters, not %u", way, read->sizes.counter_count, p->sizes.counter_count);
}

static size_t every_pair(const struct flm_profile *p, const char *what)
{
    const struct flm_format *a, *b;
    size_t tried = 0;
    char way[200];
    for (size_t i = 0; (a = flm_formats_at(&flm_formats_all, i)) != NULL; i++) {
        if (!flm_format_can_be_read(a) || !flm_format_can_be_written(a, NULL))
            continue;
        snprintf(way, sizeof way, "%s as %s", what, a->name);
        struct flm_profile *first = again(p, a, way);
        if (first)
            check(p, a, way, first);
        /* Gecko has no thread for markers alone, and its reader wants one. */
        bool has_stacks = first && first->sizes.node_count > 1;
        for (size_t k = 0; has_stacks && (b = flm_formats_at(&flm_formats_all, k)) != NULL; k++) {
            if (!flm_format_can_be_read(b) || !flm_format_can_be_written(b, NULL))
                continue;
            snprintf(way, sizeof way, "%s as %s, then as %s", what, a->name, b->name);
            struct flm_profile *second = again(first, b, way);
            if (second)
                check(first, b, way, second);
            tried += second != NULL;
            flm_profile_free(second);
        }
        flm_profile_free(first);
    }
    return tried;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static void stacks_of_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "main 1\nmain;a 2.5\nmain;a;main;a 3\nmain;a;a;a 4\n",       /* recursion */
        "main;\xC3\xA4\xE2\x82\xAC\xF0\x9F\x94\xA5 1\nmain;a b 2\n", /* other letters, blanks */
        "main 9007199254740991\nmain;a 1\n", /* large, and small beside it */
        " 5\nmain 1\n",                      /* the empty stack */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct flm_profile *p = profile_of(texts[i]);
        assert_true(every_pair(p, texts[i]) > 30);
        flm_profile_free(p);
    }
}

static void threads_over_time(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("10 11 -        0   0 main;work\n"
                                               "10 11 -        1   0 main;work;deep\n"
                                               "10 11 sleeping 2 310 main;usleep\n"
                                               "10 11 -      312   0 main;work\n"
                                               "10 12 -        0   0 main;other\n"
                                               "10 12 -        1   0 main;other\n"
                                               "20 21 -        5   0 init\n"
                                               "marker GC 200 50 young\n"
                                               "marker exec 3 0 cc1\n"
                                               "counter memory 250 40\n"
                                               "counter memory 260 50\n");
    assert_true(every_pair(p, "threads") > 60);
    flm_profile_free(p);
}

static void profiles_by_chance(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 12; i++) {
        struct random_shape shape = {
            .stacks = 30,
            .names = 8,
            .deepest = 6,
            .metrics = 1 + (unsigned)i % 3,
            .modules = i & 1,
            .kinds = (i & 3) == 2, /* a label has no module */
            .markers = i & 4,
            .locations = i >= 8,
            .samples = (enum random_samples)(i % 3),
        };
        struct flm_profile *p = random_profile(&random, &shape);
        char what[40];
        snprintf(what, sizeof what, "random %d", i);
        assert_true(every_pair(p, what) > 20);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_text),
        cmocka_unit_test(threads_over_time),
        cmocka_unit_test(profiles_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
