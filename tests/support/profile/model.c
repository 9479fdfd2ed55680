#include "support/profile/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Kept until the end of the program; few. */
static char **texts;
static size_t text_count;

static const char *intern(struct flm_bytes text)
{
    for (size_t i = 0; i < text_count; i++)
        if (flm_bytes_are(text, texts[i]))
            return texts[i];
    texts = realloc(texts, (text_count + 1) * sizeof *texts);
    assert_non_null(texts);
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    if (text.size)
        memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    return texts[text_count++] = copy;
}

const char *model_text(const char *text)
{
    return intern(flm_bytes_of(text));
}

struct model_frame model_frame_of(const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *f = &p->frames[frame];
    return (struct model_frame){.function = intern(flm_string_bytes(p, f->function)),
                                .module = intern(flm_string_bytes(p, f->module)),
                                .file = intern(flm_string_bytes(p, f->file)),
                                .line = f->line,
                                .kind = f->kind,
                                .flags = f->flags,
                                .address = f->address};
}

bool model_frames_equal(struct model_frame a, struct model_frame b)
{
    return a.function == b.function && a.module == b.module && a.file == b.file &&
           a.line == b.line && a.kind == b.kind && a.flags == b.flags && a.address == b.address;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_frames(const struct model_frame *a, const struct model_frame *b)
{
    int order = strcmp(a->function, b->function);
    order = order ? order : strcmp(a->module, b->module);
    order = order ? order : strcmp(a->file, b->file);
    order = order ? order : compare_numbers(a->line, b->line);
    order = order ? order : compare_numbers(a->address, b->address);
    order = order ? order : compare_numbers(a->kind, b->kind);
    return order ? order : compare_numbers(a->flags, b->flags);
}

static int compare_stacks(const void *x, const void *y)
{
    const struct model_stack *a = x, *b = y;
    for (size_t i = 0; i < a->depth && i < b->depth; i++) {
        int order = compare_frames(&a->frames[i], &b->frames[i]);
        if (order)
            return order;
    }
    return compare_numbers(a->depth, b->depth);
}

static bool is_zero(const struct model_stack *stack)
{
    for (int m = 0; m < MODEL_METRICS; m++)
        if (stack->value[m] != 0)
            return false;
    return true;
}

/* Sorted; equal stacks are one; those without a value are none. */
static void settle(struct model *m)
{
    if (m->count > 1)
        qsort(m->stacks, m->count, sizeof *m->stacks, compare_stacks);
    size_t kept = 0;
    for (size_t i = 0; i < m->count;) {
        struct model_stack stack = m->stacks[i++];
        for (; i < m->count && compare_stacks(&stack, &m->stacks[i]) == 0; i++) {
            for (int k = 0; k < MODEL_METRICS; k++)
                stack.value[k] += m->stacks[i].value[k];
            free(m->stacks[i].frames);
        }
        if (is_zero(&stack))
            free(stack.frames);
        else
            m->stacks[kept++] = stack;
    }
    m->count = kept;
}

/* The stack of a node, without values. */
static struct model_stack stack_of(const struct flm_profile *p, const uint32_t *parent,
                                   uint32_t node)
{
    struct model_stack stack = {0};
    for (uint32_t at = node; at != 0; at = parent[at])
        stack.depth++;
    stack.frames = malloc((stack.depth + 1) * sizeof *stack.frames);
    assert_non_null(stack.frames);
    size_t left = stack.depth;
    for (uint32_t at = node; at != 0; at = parent[at])
        stack.frames[--left] = model_frame_of(p, p->node_frame[at]);
    return stack;
}

static uint32_t *parents_of(const struct flm_profile *p)
{
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    assert_non_null(parent);
    flm_profile_parents(p, parent);
    return parent;
}

static struct model new_model(size_t count)
{
    struct model m = {malloc((count + 1) * sizeof *m.stacks), count};
    assert_non_null(m.stacks);
    return m;
}

struct model model_of(const struct flm_profile *p)
{
    struct model m = new_model(p->sizes.node_count);
    uint32_t *parent = parents_of(p);
    assert_true(p->sizes.metric_count <= MODEL_METRICS);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        m.stacks[i] = stack_of(p, parent, i);
        for (uint32_t k = 0; k < p->sizes.metric_count; k++)
            m.stacks[i].value[k] = flm_self_column(p, k)[i];
    }
    free(parent);
    settle(&m);
    return m;
}

struct model model_of_samples(const struct flm_profile *p)
{
    struct model m = new_model(p->sizes.sample_count);
    uint32_t *parent = parents_of(p);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        m.stacks[i] = stack_of(p, parent, p->sample_node[i]);
        for (uint32_t k = 0; k < p->sizes.metric_count; k++)
            m.stacks[i].value[k] = flm_sample_value(p, k, i);
    }
    free(parent);
    settle(&m);
    return m;
}

void model_clear(struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->stacks[i].frames);
    free(m->stacks);
    *m = (struct model){0};
}

void model_apply(struct model *m, model_change change, void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct model_stack stack = m->stacks[i];
        if (change(&stack, context))
            m->stacks[kept++] = stack;
        else
            free(stack.frames);
    }
    m->count = kept;
    settle(m);
}

static void print_model(const char *title, const struct model *m)
{
    print_error("%s\n", title);
    for (size_t i = 0; i < m->count && i < 60; i++) {
        print_error("   ");
        for (size_t d = 0; d < m->stacks[i].depth; d++) {
            const struct model_frame *f = &m->stacks[i].frames[d];
            print_error("%s%s%s%s/%u", d ? ";" : " ", f->function, f->module[0] ? "@" : "",
                        f->module, f->kind);
        }
        for (int k = 0; k < MODEL_METRICS; k++)
            print_error(" %g", m->stacks[i].value[k]);
        print_error("\n");
    }
}

void assert_models_equal(struct model *got, struct model *expected)
{
    bool equal = got->count == expected->count;
    for (size_t i = 0; equal && i < got->count; i++) {
        equal = compare_stacks(&got->stacks[i], &expected->stacks[i]) == 0;
        for (int k = 0; equal && k < MODEL_METRICS; k++)
            equal = got->stacks[i].value[k] == expected->stacks[i].value[k];
    }
    if (!equal) {
        print_model("got", got);
        print_model("expected", expected);
        fail_msg("the stacks are not those of the plain model");
    }
    model_clear(got);
    model_clear(expected);
}
