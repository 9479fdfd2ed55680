#include "support/profile/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "format/folded/folded.h"
#include "format/formats.h"
#include "profile/chains.h"
#include "profile/internal.h"
#include "support/core/random.h"

static struct flm_profile *read_folded(const char *folded, int columns)
{
    struct flm_error why = {0};
    struct flm_source source = flm_source_of(flm_bytes_of(folded));
    struct flm_read_options options = {.columns = columns, .allow_negative = true};
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    if (!flm_format_folded.read(&source, &options, b, &why))
        fail_msg("%s", why.text);
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

struct flm_profile *profile_of(const char *folded)
{
    return read_folded(folded, 1);
}

struct flm_profile *profile_of_two(const char *folded)
{
    return read_folded(folded, 2);
}

static char *text_of(struct flm_text *text)
{
    flm_text_putc(text, 0);
    assert_false(text->failed);
    return text->at;
}

char *folded_of(const struct flm_profile *p)
{
    struct flm_error why = {0};
    struct flm_text text = {0};
    struct flm_write_options options = {.annotate = true};
    if (!flm_folded_write(p, &options, &text, &why))
        fail_msg("%s", why.text);
    return text_of(&text);
}

void assert_folded(const struct flm_profile *p, const char *expected)
{
    char *text = folded_of(p);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- Everything as text ---------------------------------------------------------------------- */

static void add_string(struct flm_text *text, const struct flm_profile *p, uint32_t string)
{
    struct flm_bytes bytes = flm_string_bytes(p, string);
    flm_text_putc(text, '"');
    flm_text_add(text, bytes);
    flm_text_putc(text, '"');
}

static void add_number(struct flm_text *text, double value)
{
    char number[FLM_NUMBER_SIZE];
    flm_text_putc(text, ' ');
    flm_text_add(text, (struct flm_bytes){number, flm_number_print(value, number)});
}

static void add_frame(struct flm_text *text, const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *f = &p->frames[frame];
    add_string(text, p, f->function);
    if (f->module || f->file || f->line || f->address)
        flm_text_format(text, " in \"%.*s\" at \"%.*s\":%u 0x%llx",
                        (int)flm_string_bytes(p, f->module).size, flm_string_bytes(p, f->module).at,
                        (int)flm_string_bytes(p, f->file).size, flm_string_bytes(p, f->file).at,
                        f->line, (unsigned long long)f->address);
    flm_text_format(text, " %s", flm_kind_name(f->kind));
    if (f->flags)
        flm_text_format(text, " flags %u", f->flags);
}

static void add_labels(struct flm_text *text, const struct flm_profile *p, uint32_t set)
{
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        flm_text_putc(text, ' ');
        add_string(text, p, p->labels[p->set_members[i]].key);
        flm_text_putc(text, '=');
        add_string(text, p, p->labels[p->set_members[i]].value);
    }
}

void assert_rounded(const struct flm_profile *p, const char *count)
{
    struct flm_name note = flm_profile_note_named(p, FLM_NOTE_ROUNDED);
    if (!flm_bytes_are((struct flm_bytes){note.at, note.size}, count))
        fail_msg("'%.*s' values are rounded, not '%s'", (int)note.size, note.at, count);
}

char *described(const struct flm_profile *p)
{
    struct flm_text text = {0};
    for (uint32_t i = 0; i < p->sizes.metric_count; i++) {
        flm_text_puts(&text, "metric ");
        add_string(&text, p, p->metrics[i].name);
        flm_text_puts(&text, " in ");
        add_string(&text, p, p->metrics[i].unit);
        flm_text_putc(&text, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_text_puts(&text, "note ");
        add_string(&text, p, p->notes[i].key);
        flm_text_puts(&text, " is ");
        add_string(&text, p, p->notes[i].value);
        flm_text_putc(&text, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_text_puts(&text, "lost");
        add_number(&text, p->losses[i].count);
        flm_text_putc(&text, ' ');
        add_string(&text, p, p->losses[i].what);
        flm_text_puts(&text, " at ");
        add_string(&text, p, p->losses[i].where);
        flm_text_putc(&text, '\n');
    }
    uint32_t *depth = malloc(p->sizes.node_count * sizeof *depth);
    assert_non_null(depth);
    flm_profile_depths(p, depth);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        flm_text_format(&text, "node %u ", i);
        for (uint32_t d = 0; d < depth[i] && d < 40; d++)
            flm_text_puts(&text, "  ");
        add_frame(&text, p, p->node_frame[i]);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            add_number(&text, flm_self_column(p, m)[i]);
        flm_text_putc(&text, '\n');
    }
    free(depth);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        if (p->sample_time[i] == FLM_NO_TIME)
            flm_text_puts(&text, "sample at no time");
        else
            flm_text_format(&text, "sample at %lld ns", (long long)p->sample_time[i]);
        if (flm_sample_duration(p, i) > 0)
            flm_text_format(&text, " for %lld ns", (long long)flm_sample_duration(p, i));
        flm_text_format(&text, " of node %u:", p->sample_node[i]);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            add_number(&text, flm_sample_value(p, m, i));
        add_labels(&text, p, p->sample_labels[i]);
        flm_text_putc(&text, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *m = &p->markers[i];
        flm_text_format(&text, "marker at %lld ns for %lld ns: ", (long long)m->time_ns,
                        (long long)m->duration_ns);
        add_string(&text, p, m->name);
        flm_text_putc(&text, ' ');
        add_string(&text, p, m->detail);
        add_labels(&text, p, m->label_set);
        flm_text_putc(&text, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        flm_text_puts(&text, "counter ");
        add_string(&text, p, c.name.index);
        flm_text_puts(&text, " in ");
        add_string(&text, p, c.unit.index);
        add_labels(&text, p, c.label_set.index);
        flm_text_putc(&text, ':');
        for (uint32_t k = 0; k < c.point_count; k++) {
            add_number(&text, c.value[k]);
            flm_text_format(&text, " from %lld ns", (long long)c.time_ns[k]);
        }
        flm_text_putc(&text, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.recursion_count; i++)
        flm_text_format(&text, "node %u stands for %u to %u frames\n", p->recursions[i].node,
                        p->recursions[i].least, p->recursions[i].most);
    flm_text_format(&text, "%u strings, %u frames, %u labels, %u label sets\n",
                    p->sizes.string_count, p->sizes.frame_count, p->sizes.label_count,
                    p->sizes.label_set_count);
    return text_of(&text);
}

/* ---- Equal profiles are equal bytes ---------------------------------------------------------- */

static bool add_bytes(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

struct flm_text bytes_of(const struct flm_profile *p)
{
    struct flm_text text = {0};
    assert_true(flm_profile_write(p, add_bytes, &text));
    assert_false(text.failed);
    return text;
}

bool profiles_equal(const struct flm_profile *a, const struct flm_profile *b)
{
    struct flm_text x = bytes_of(a), y = bytes_of(b);
    bool equal = x.size == y.size && memcmp(x.at, y.at, x.size) == 0;
    flm_text_clear(&x);
    flm_text_clear(&y);
    return equal;
}

void assert_profiles_equal(const struct flm_profile *a, const struct flm_profile *b)
{
    if (profiles_equal(a, b))
        return;
    char *x = described(a), *y = described(b);
    if (strlen(x) + strlen(y) < 6000)
        fail_msg("two profiles should be equal bytes, and are\n%s\nand\n%s", x, y);
    size_t same = 0;
    while (x[same] && x[same] == y[same])
        same++;
    size_t from = same > 200 ? same - 200 : 0;
    fail_msg("two profiles should be equal bytes, and differ behind\n%.200s\n%.800s\nand\n%.800s",
             x + from, x + same, y + same);
}

static uint32_t *new_map(size_t count)
{
    uint32_t *map = malloc((count + 1) * sizeof *map);
    assert_non_null(map);
    return map;
}

static void pour_words(const struct flm_profile *p, struct flm_builder *b, uint32_t *strings,
                       uint32_t *frames)
{
    for (uint32_t i = p->sizes.string_count; i-- > 0;) {
        struct flm_bytes text = flm_string_bytes(p, i);
        strings[i] = flm_builder_string(b, text.at, text.size).index;
    }
    for (uint32_t i = p->sizes.frame_count; i-- > 0;) {
        struct flm_frame_record record = p->frames[i];
        record.function = strings[record.function];
        record.module = strings[record.module];
        record.file = strings[record.file];
        uint32_t location = flm_frame_location(&record);
        record = flm_frame_located(&record, 0);
        struct flm_frame frame = flm_builder_frame(b, &record);
        if (location) {
            struct flm_location where = flm_location_at(p, location - 1);
            where.file = strings[where.file];
            frame = flm_builder_frame_at(b, frame, &where);
        }
        frames[i] = frame.index;
    }
}

static void add_facts(const struct flm_profile *p, struct flm_builder *b, const uint32_t *strings)
{
    for (uint32_t i = 0; i < p->sizes.metric_count; i++)
        flm_builder_metric_of(b, strings[p->metrics[i].name], strings[p->metrics[i].unit]);
    for (uint32_t i = p->sizes.note_count; i-- > 0;)
        flm_builder_agree_note(b, strings[p->notes[i].key], strings[p->notes[i].value]);
    for (uint32_t i = p->sizes.loss_count; i-- > 0;)
        flm_builder_add_loss(b, (struct flm_builder_loss){.what = strings[p->losses[i].what],
                                                          .where = strings[p->losses[i].where],
                                                          .count = p->losses[i].count,
                                                          .resolved = true});
}

/* `value` in up to two parts that sum to it exactly: integers in other integers. */
static void pour_value(struct flm_builder *b, uint32_t node, uint32_t metric, double value,
                       uint64_t *random)
{
    struct flm_node to = {node};
    struct flm_metric m = {metric};
    if (value > 1 && value < 0x1p53 && value == (double)(long long)value &&
        random_below(random, 2)) {
        double part = (double)random_below(random, 1 + (unsigned)(value < 1e6 ? value : 1e6));
        flm_builder_add(b, to, m, part);
        value -= part;
    }
    flm_builder_add(b, to, m, value);
}

static void pour_nodes(const struct flm_profile *p, struct flm_builder *b, const uint32_t *frames,
                       uint32_t *nodes, uint64_t *random)
{
    uint32_t count = p->sizes.node_count, *parent = new_map(count), *order = new_map(count);
    struct flm_frame *path = malloc((count + (size_t)1) * sizeof *path);
    assert_non_null(path);
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = random_below(random, i), swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    uint32_t deepest = 0;
    assert_true(flm_profile_depth(p, &deepest, NULL));
    nodes[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        /* A deep tree would be a sum of depths: its nodes come in order then, one child each. */
        uint32_t i = deepest > 1000 ? k : order[k];
        if (deepest > 1000 && i > 0) {
            nodes[i] = flm_builder_child(b, (struct flm_node){nodes[parent[i]]},
                                         (struct flm_frame){frames[p->node_frame[i]]})
                           .index;
        } else {
            size_t depth = 0, at = count;
            for (uint32_t node = i; node != 0; node = parent[node], depth++)
                path[--at].index = frames[p->node_frame[node]];
            nodes[i] = flm_builder_stack(b, path + at, depth).index;
        }
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            pour_value(b, nodes[i], m, flm_self_column(p, m)[i], random);
    }
    free(parent);
    free(order);
    free(path);
}

static struct flm_label_set pour_labels(const struct flm_profile *p, struct flm_builder *b,
                                        const uint32_t *strings, uint32_t set)
{
    struct flm_string labels[256];
    uint32_t first = set ? p->label_set_ends[set - 1] : 0;
    size_t count = 0;
    for (uint32_t j = p->label_set_ends[set]; j-- > first; count++) {
        labels[2 * count].index = strings[p->labels[p->set_members[j]].key];
        labels[2 * count + 1].index = strings[p->labels[p->set_members[j]].value];
    }
    return flm_builder_label_set(b, labels, count);
}

static void pour_markers(const struct flm_profile *p, struct flm_builder *b,
                         const uint32_t *strings)
{
    for (uint32_t i = p->sizes.marker_count; i-- > 0;) {
        const struct flm_marker_record *m = &p->markers[i];
        flm_builder_marker(b, m->time_ns, m->duration_ns, (struct flm_string){strings[m->name]},
                           (struct flm_string){strings[m->detail]},
                           pour_labels(p, b, strings, m->label_set));
    }
    for (uint32_t i = p->sizes.counter_count; i-- > 0;) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        struct flm_counter to = flm_builder_counter(b, (struct flm_string){strings[c.name.index]},
                                                    (struct flm_string){strings[c.unit.index]},
                                                    pour_labels(p, b, strings, c.label_set.index));
        for (uint32_t k = c.point_count; k-- > 0;)
            flm_builder_counter_point(b, to, c.time_ns[k], c.value[k]);
    }
}

static void pour_samples(const struct flm_profile *p, struct flm_builder *b,
                         const uint32_t *strings, const uint32_t *nodes)
{
    for (uint32_t i = p->sizes.sample_count; i-- > 0;) {
        uint32_t sample =
            flm_builder_keep_sample(b, p->sample_time[i], nodes[p->sample_node[i]],
                                    pour_labels(p, b, strings, p->sample_labels[i]).index);
        flm_builder_sample_lasts(b, flm_sample_duration(p, i));
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            flm_builder_keep_value(b, m, sample, flm_sample_value(p, m, i));
    }
}

static void pour_depths(const struct flm_profile *p, struct flm_builder *b, const uint32_t *nodes)
{
    struct flm_depths *depths = flm_depths_new(b->node_count);
    assert_non_null(depths);
    for (uint32_t i = 0; i < p->sizes.recursion_count; i++)
        depths[nodes[p->recursions[i].node]] = flm_recursion_at(p, p->recursions[i].node);
    flm_builder_take_depths(b, depths);
}

struct flm_profile *poured(const struct flm_profile *whole, uint64_t *random)
{
    struct flm_error why = {0};
    struct flm_profile *split = flm_has_chains(whole) ? flm_profile_split(whole, &why) : NULL;
    const struct flm_profile *p = split ? split : whole;
    struct flm_builder *b = flm_builder_new(&why);
    uint32_t *strings = new_map(p->sizes.string_count), *frames = new_map(p->sizes.frame_count);
    uint32_t *nodes = new_map(p->sizes.node_count);
    assert_non_null(b);
    pour_words(p, b, strings, frames);
    add_facts(p, b, strings);
    pour_nodes(p, b, frames, nodes, random);
    pour_samples(p, b, strings, nodes);
    pour_markers(p, b, strings);
    pour_depths(p, b, nodes);
    struct flm_profile *result = flm_builder_finish(b, &why);
    if (!result)
        fail_msg("poured: %s", why.text);
    flm_profile_free(split);
    free(strings);
    free(frames);
    free(nodes);
    return result;
}

void assert_sound(const struct flm_profile *p)
{
    struct flm_error why = {0};
    uint64_t random = 20;
    assert_non_null(p);
    if (!flm_profile_check(p, &why))
        fail_msg("%s", why.text);
    struct flm_profile *again = poured(p, &random);
    assert_profiles_equal(p, again);
    flm_profile_free(again);
}

double unsampled(const struct flm_profile *p)
{
    double missing = 0, *left = malloc(p->sizes.node_count * sizeof *left);
    assert_non_null(left);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        memcpy(left, flm_self_column(p, m), p->sizes.node_count * sizeof *left);
        for (uint32_t i = 0; i < p->sizes.sample_count; i++)
            left[p->sample_node[i]] -= flm_sample_value(p, m, i);
        for (uint32_t i = 0; i < p->sizes.node_count; i++)
            missing += left[i] < 0 ? -left[i] : left[i];
    }
    free(left);
    return missing;
}
