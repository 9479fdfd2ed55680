#include "support/profile/random_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

const struct random_shape random_full = {
    .stacks = 40,
    .names = 8,
    .deepest = 9,
    .metrics = 3,
    .modules = true,
    .kinds = true,
    .locations = true,
    .markers = true,
    .metadata = true,
    .samples = RANDOM_SAMPLES_ALL,
};

enum { FRAMES_A_NAME = 2 };

static struct flm_string string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_frame random_frame(struct flm_builder *b, uint64_t *random,
                                     const struct random_shape *shape)
{
    static const char *const odd[] = {
        "",          "run",        "run 5",         "run(int)",  "\xCE\xBB",
        "a::b<int>", "operator()", "java.util.Map", "f1.part.0", "0x7f12",
    };
    static const char *const modules[] = {"", "libc.so.6", "/usr/bin/app", "vmlinux"};
    char text[32];
    unsigned name = random_below(random, shape->names + 2);
    struct flm_frame_record record = {0};
    if (name < shape->names) {
        snprintf(text, sizeof text, "f%u", name);
        record.function = string_of(b, text).index;
    } else {
        record.function = string_of(b, odd[random_below(random, 10)]).index;
    }
    if (shape->modules && random_below(random, 2)) {
        record.module = string_of(b, modules[random_below(random, 4)]).index;
        if (random_below(random, 2)) {
            record.file = string_of(b, random_below(random, 2) ? "src/io.c" : "main.c").index;
            record.line = random_below(random, 3);
        }
        if (random_below(random, 4) == 0)
            record.address = 0x1000 + random_below(random, 2);
    }
    if (shape->kinds && random_below(random, 3) == 0)
        record.kind = random_below(random, FLM_KIND_COUNT);
    if (shape->kinds && random_below(random, 10) == 0)
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    struct flm_frame frame = flm_builder_frame(b, &record);
    if (!shape->locations || random_below(random, 4) == 0)
        return frame;
    struct flm_location where = {.line = random_below(random, 3),
                                 .address = 0x4000 + random_below(random, 2)};
    where.file = string_of(b, random_below(random, 2) ? "src/io.h" : "").index;
    where.column = where.line ? random_below(random, 2) : 0;
    return flm_builder_frame_at(b, frame, &where);
}

static double random_value(uint64_t *random, const struct random_shape *shape)
{
    double value = (double)random_below(random, 1u << random_below(random, 12));
    return shape->negative && random_below(random, 2) ? -value : value;
}

static struct flm_label_set random_labels(struct flm_builder *b, uint64_t *random)
{
    static const char *const keys[] = {"thread", "span", "cpu"};
    static const char *const values[] = {"t0", "t1", "t2"};
    struct flm_string labels[6];
    size_t count = random_below(random, 4);
    for (size_t i = 0; i < count; i++) {
        labels[2 * i] = string_of(b, keys[random_below(random, 3)]);
        labels[2 * i + 1] = string_of(b, values[random_below(random, 3)]);
    }
    return flm_builder_label_set(b, labels, count);
}

static void add_stack(struct flm_builder *b, uint64_t *random, const struct random_shape *shape,
                      const struct flm_frame *frames, const struct flm_metric *metrics)
{
    struct flm_frame path[64];
    size_t depth = random_below(random, shape->deepest + 1);
    for (size_t i = 0; i < depth; i++)
        path[i] = frames[random_below(random, FRAMES_A_NAME * shape->names)];
    struct flm_node node = flm_builder_stack(b, path, depth);
    bool sampled = shape->samples == RANDOM_SAMPLES_ALL ||
                   (shape->samples == RANDOM_SAMPLES_SOME && random_below(random, 2));
    if (sampled) {
        int64_t time =
            random_below(random, 8) ? (int64_t)random_below(random, 1000) * 1000000 : FLM_NO_TIME;
        flm_builder_sample(b, time, node, random_labels(b, random), metrics[0],
                           random_value(random, shape));
        for (unsigned m = 1; m < shape->metrics; m++)
            flm_builder_sample_add(b, metrics[m], random_value(random, shape));
        if (time != FLM_NO_TIME && time % 5 == 0)
            flm_builder_sample_lasts(b, time % 7 * 1000);
    } else {
        for (unsigned m = 0; m < shape->metrics; m++)
            flm_builder_add(b, node, metrics[m], random_value(random, shape));
    }
}

static void add_markers(struct flm_builder *b, uint64_t *random)
{
    static const char *const names[] = {"fork", "exec", "exit", "f1"};
    static const char *const details[] = {"", "cc1 -O2", "t1"};
    for (unsigned i = random_below(random, 12); i > 0; i--) {
        int64_t time = (int64_t)random_below(random, 1000) * 1000000;
        flm_builder_marker(b, time, random_below(random, 3) ? 0 : time % 7 * 500000,
                           string_of(b, names[random_below(random, 4)]),
                           string_of(b, details[random_below(random, 3)]),
                           random_labels(b, random));
    }
    for (unsigned i = random_below(random, 4); i > 0; i--) {
        struct flm_counter counter = flm_builder_counter(
            b, string_of(b, random_below(random, 2) ? "memory" : "busy"),
            string_of(b, random_below(random, 2) ? "bytes" : ""), random_labels(b, random));
        for (unsigned k = random_below(random, 20); k > 0; k--)
            flm_builder_counter_point(b, counter, (int64_t)random_below(random, 1000) * 1000000,
                                      (double)random_below(random, 1000) / 8);
    }
}

struct flm_profile *random_profile(uint64_t *random, const struct random_shape *shape)
{
    struct flm_error why = {0};
    struct flm_metric metrics[8];
    struct flm_frame frames[FRAMES_A_NAME * 32];
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    assert_true(shape->deepest < 64 && shape->names <= 32 && shape->metrics <= 8);
    for (unsigned m = 0; m < shape->metrics; m++) {
        char name[16];
        snprintf(name, sizeof name, "m%u", m);
        metrics[m] = flm_builder_metric(b, name, m < 2 ? "ns" : "bytes");
    }
    for (unsigned i = 0; i < FRAMES_A_NAME * shape->names; i++)
        frames[i] = random_frame(b, random, shape);
    for (unsigned i = 0; i < shape->stacks; i++)
        add_stack(b, random, shape, frames, metrics);
    if (shape->markers)
        add_markers(b, random);
    if (shape->metadata) {
        flm_builder_note(b, "host", "laboratory", 10);
        flm_builder_note(b, "command", "app -v", 6);
        flm_builder_lost(b, "malformed lines", "line", 12, 3);
        flm_builder_lost(b, "samples", "", 0, 0.5);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}
