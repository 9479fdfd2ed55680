#include "support/gate/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/files.h"
#include "support/core/random.h"

struct making {
    struct flm_builder **builder; /* by run */
    struct flm_metric metric;
    uint32_t count;
};

static struct making start(uint32_t count, const char *metric, const char *unit)
{
    struct making m = {calloc(count, sizeof *m.builder), {0}, count};
    assert_non_null(m.builder);
    for (uint32_t i = 0; i < count; i++) {
        m.builder[i] = flm_builder_new(NULL);
        m.metric = flm_builder_metric(m.builder[i], metric, unit);
    }
    return m;
}

static void add(struct making *m, uint32_t run, const char *path, size_t size, double value)
{
    struct flm_builder *b = m->builder[run];
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i <= size && size > 0;) {
        size_t part = 0;
        while (i + part < size && path[i + part] != ';')
            part++;
        node = flm_builder_child(b, node, flm_builder_function(b, path + i, part));
        i += part + 1;
    }
    if (value != 0)
        flm_builder_add(b, node, m->metric, value);
}

static struct table_of_runs finish(struct making *m, uint32_t base_count)
{
    struct table_of_runs table = {.input = calloc(m->count, sizeof *table.input),
                                  .profile = calloc(m->count, sizeof *table.profile),
                                  .name = calloc(m->count, sizeof *table.name),
                                  .count = m->count};
    assert_true(table.input && table.profile && table.name);
    for (uint32_t i = 0; i < m->count; i++) {
        bool is_new = i >= base_count;
        snprintf(table.name[i], sizeof table.name[i], "%s %u", is_new ? "new" : "base",
                 i + 1 - (is_new ? base_count : 0));
        table.profile[i] = flm_builder_finish(m->builder[i], NULL);
        assert_non_null(table.profile[i]);
        table.input[i] = (struct flm_run_input){table.profile[i], table.name[i], is_new, 0};
    }
    free(m->builder);
    return table;
}

struct table_of_runs runs_table_parse(const char *text, uint32_t base_count, uint32_t new_count,
                                      const char *metric, const char *unit)
{
    struct making m = start(base_count + new_count, metric, unit);
    while (*text) {
        size_t size = strcspn(text, " \n");
        const char *path = text;
        text += size;
        for (uint32_t i = 0; i < m.count; i++) {
            char *end;
            double value = strtod(text, &end);
            if (end == text || *text != ' ')
                fail_msg("%.*s: a value for each run", (int)size, path);
            text = end;
            add(&m, i, path, size, value);
        }
        text += strspn(text, " ");
        if (*text++ != '\n')
            fail_msg("%.*s: too many values", (int)size, path);
    }
    return finish(&m, base_count);
}

struct table_of_runs runs_table_read(const char *path)
{
    struct flm_text file = read_file(path);
    flm_text_putc(&file, 0);
    char *text = file.at, *at;
    uint32_t base_count = (uint32_t)strtoul(text, &at, 10);
    uint32_t new_count = (uint32_t)strtoul(at, &at, 10);
    assert_true(base_count > 0 && new_count > 0 && *at == '\n');
    struct table_of_runs table =
        runs_table_parse(at + 1, base_count, new_count, "samples", "samples");
    flm_text_clear(&file);
    return table;
}

/* The next number of a text; the byte behind it is taken too, and returned. */
static char next_number(char **at, unsigned long *number)
{
    char *end;
    *number = strtoul(*at, &end, 10);
    assert_true(end > *at);
    *at = end + 1;
    return *end;
}

static void add_sparse_stack(struct making *m, char **at, char **frame, unsigned long frame_count)
{
    struct flm_text path = {0};
    unsigned long number, run;
    char behind;
    do {
        behind = next_number(at, &number);
        assert_true(number < frame_count);
        flm_text_puts(&path, path.size ? ";" : "");
        flm_text_puts(&path, frame[number]);
    } while (behind == ';');
    while (behind == ' ') {
        assert_int_equal(next_number(at, &run), ':');
        behind = next_number(at, &number);
        assert_true(run < m->count);
        add(m, (uint32_t)run, path.at, path.size, (double)number);
    }
    assert_int_equal(behind, '\n');
    flm_text_clear(&path);
}

struct table_of_runs runs_table_read_sparse(const char *path)
{
    struct flm_text file = read_file(path);
    flm_text_putc(&file, 0);
    char *at = file.at;
    unsigned long base_count, new_count, frame_count;
    next_number(&at, &base_count);
    next_number(&at, &new_count);
    next_number(&at, &frame_count);
    char **frame = calloc(frame_count, sizeof *frame);
    assert_non_null(frame);
    for (unsigned long i = 0; i < frame_count; i++) {
        frame[i] = at;
        at += strcspn(at, "\n");
        *at++ = 0;
    }
    struct making m = start((uint32_t)(base_count + new_count), "wall", "us");
    while (*at)
        add_sparse_stack(&m, &at, frame, frame_count);
    free(frame);
    flm_text_clear(&file);
    return finish(&m, (uint32_t)base_count);
}

struct table_of_runs runs_table_drawn(const struct run_stack *stacks, size_t count, uint32_t base,
                                      uint32_t new, double scale, uint64_t seed)
{
    enum { MOST_RUNS = 40 };
    struct flm_text text = {0};
    double size[MOST_RUNS];
    uint64_t random = seed;
    assert_true(base + new <= MOST_RUNS);
    for (uint32_t r = 0; r < base + new; r++)
        size[r] = 1 + scale * (random_below(&random, 2001) / 1000.0 - 1);
    for (size_t i = 0; i < count; i++) {
        flm_text_puts(&text, stacks[i].path);
        for (uint32_t r = 0; r < base + new; r++) {
            double mean = r < base ? stacks[i].base : stacks[i].new;
            double noise = 1 + stacks[i].noise * (random_below(&random, 2001) / 1000.0 - 1);
            flm_text_format(&text, " %u", (unsigned)(mean * noise * size[r] + 0.5));
        }
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    struct table_of_runs table = runs_table_parse(text.at, base, new, "samples", "samples");
    flm_text_clear(&text);
    return table;
}

void runs_table_clear(struct table_of_runs *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        flm_profile_free(table->profile[i]);
    free(table->input);
    free(table->profile);
    free(table->name);
    *table = (struct table_of_runs){0};
}

struct flm_runs runs_of_table(const struct table_of_runs *table)
{
    struct flm_runs runs;
    struct flm_error why = {0};
    if (!flm_runs_init(&runs, table->input, table->count, NULL, &why))
        fail_msg("%s", why.text);
    return runs;
}

struct flm_runs runs_of(const char *text, uint32_t base_count, uint32_t new_count)
{
    static const struct flm_bytes unnamed = {"a run", 5};
    struct table_of_runs table =
        runs_table_parse(text, base_count, new_count, "samples", "samples");
    struct flm_runs runs = runs_of_table(&table);
    for (uint32_t i = 0; i < runs.run_count; i++)
        runs.run[i].name = unnamed; /* theirs goes with the table */
    runs_table_clear(&table);
    return runs;
}

struct table_of_runs runs_by_chance(uint64_t *random, uint32_t base_count, uint32_t new_count,
                                    unsigned stacks)
{
    struct making m = start(base_count + new_count, "samples", "samples");
    for (unsigned s = 0; s < stacks; s++) {
        char path[64];
        size_t size = 0;
        unsigned depth = 1 + random_below(random, 5);
        for (unsigned d = 0; d < depth; d++)
            size += (size_t)snprintf(path + size, sizeof path - size, "%sf%u", d ? ";" : "",
                                     random_below(random, 4));
        unsigned level = 1 + random_below(random, 300), rare = random_below(random, 3);
        for (uint32_t i = 0; i < m.count; i++)
            if (rare > 0 || random_below(random, 2))
                add(&m, i, path, size, level + random_below(random, 1 + level / 4));
    }
    return finish(&m, base_count);
}

char *runs_path(const struct flm_profile *tree, uint32_t node)
{
    struct flm_text text = {0};
    for (uint32_t i = 1; i <= node; i++) {
        if (tree->node_end[i] <= node)
            continue;
        flm_text_puts(&text, text.size ? ";" : "");
        flm_text_add(&text, flm_frame_function(tree, tree->node_frame[i]));
    }
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

uint32_t runs_node(const struct flm_profile *tree, const char *path)
{
    for (uint32_t i = 0; i < tree->sizes.node_count; i++) {
        char *its = runs_path(tree, i);
        bool same = strcmp(its, path) == 0;
        free(its);
        if (same)
            return i;
    }
    return FLM_NONE;
}
