/* The table of operations, and that flamel-expressions(7) says the same. */
#include "algebra/expression/operation_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/profile/profiles.h"

enum { MOST = 64, LINE = 256 };

/* What the page lists: operations as "label:key=value", below them the words of a choice. */
struct page {
    char operations[MOST][LINE];
    size_t operation_count;
    char words[MOST][LINE]; /* "by:class=module" */
    size_t word_count;
    char *text;
};

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: there is no such page", path);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void add(char (*list)[LINE], size_t *count, const char *prefix, const char *text)
{
    assert_true(*count < MOST);
    if (*text)
        snprintf(list[(*count)++], LINE, "%s%s", prefix, text);
}

/* Of ".It Cm label : Ns Ar key Ns = Ns Ar value , Cm unlabel : ..." the items, without macros. */
static void read_items(struct page *page, const char *line, const char *outer)
{
    static const char *const macros[] = {"It", "Cm", "Ar", "Ns", "No"};
    char copy[LINE], item[LINE] = "", prefix[2 * LINE] = "";
    snprintf(copy, sizeof copy, "%s", line + 1);
    if (outer)
        snprintf(prefix, sizeof prefix, "%s=", outer);
    char(*list)[LINE] = outer ? page->words : page->operations;
    size_t *count = outer ? &page->word_count : &page->operation_count;
    for (char *part = strtok(copy, " "); part; part = strtok(NULL, " ")) {
        bool is_macro = false;
        for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
            is_macro |= strcmp(part, macros[i]) == 0;
        if (strcmp(part, ",") == 0) {
            add(list, count, prefix, item);
            item[0] = 0;
        } else if (!is_macro) {
            strncat(item, part, LINE - strlen(item) - 1);
        }
    }
    add(list, count, prefix, item);
}

static struct page *read_page(void)
{
    struct page *page = calloc(1, sizeof *page);
    assert_non_null(page);
    page->text = read_all("docs/man/flamel-expressions.7");
    char *copy = strdup(page->text);
    int depth = 0;
    bool is_list = false;
    for (char *line = copy, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        if (strncmp(line, ".Ss ", 4) == 0)
            is_list = strcmp(line, ".Ss Operations") == 0;
        depth += (strncmp(line, ".Bl", 3) == 0) - (strncmp(line, ".El", 3) == 0);
        if (is_list && strncmp(line, ".It ", 4) == 0)
            read_items(page, line, depth == 2 ? page->operations[page->operation_count - 1] : NULL);
    }
    free(copy);
    return page;
}

static void free_page(struct page *page)
{
    free(page->text);
    free(page);
}

static bool contains(char (*list)[LINE], size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], wanted) == 0)
            return true;
    print_error("flamel-expressions.7 does not have %s\n", wanted);
    return false;
}

static void syntax_of(const struct flm_operation_entry *operation, char *syntax)
{
    snprintf(syntax, LINE, "%s", operation->name);
    for (size_t i = 0; i < flm_operation_argument_count(operation); i++) {
        strncat(syntax, i ? "," : ":", LINE - strlen(syntax) - 1);
        strncat(syntax, operation->arguments[i].name, LINE - strlen(syntax) - 1);
    }
}

static void operations_and_the_manual_page_agree(void **state)
{
    (void)state;
    struct page *page = read_page();
    const struct flm_operation_entry *operation;
    const char *word;
    size_t count = 0, words = 0;
    int wrong = 0;
    for (; (operation = flm_operation_at(count)); count++) {
        char syntax[LINE];
        syntax_of(operation, syntax);
        wrong += !contains(page->operations, page->operation_count, syntax);
        for (size_t i = 0; i < flm_operation_argument_count(operation); i++) {
            const struct flm_argument *argument = &operation->arguments[i];
            if (argument->type != FLM_ARGUMENT_CHOICE)
                continue;
            for (size_t k = 0; (word = argument->choice(k, NULL)); k++, words++) {
                char wanted[2 * LINE];
                snprintf(wanted, sizeof wanted, "%s=%s", syntax, word);
                wrong += !contains(page->words, page->word_count, wanted);
            }
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(page->operation_count, count); /* and no others */
    assert_int_equal(page->word_count, words);
    free_page(page);
}

static void the_manual_page_shows_every_example(void **state)
{
    (void)state;
    struct page *page = read_page();
    const struct flm_operation_entry *operation;
    for (size_t i = 0; (operation = flm_operation_at(i)); i++) {
        char line[LINE];
        snprintf(line, sizeof line, "\n.Dl %s\n", operation->example);
        if (!strstr(page->text, line))
            fail_msg("flamel-expressions.7 does not have %s", line);
    }
    free_page(page);
}

/* A profile with what the examples name: a metric, a label, a time and functions. */
static struct flm_profile *example_profile(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                  flm_builder_string(b, "main", 4)};
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_sample(b, 1000000000, node, flm_builder_label_set(b, label, 1), cpu, 5);
    return flm_builder_finish(b, NULL);
}

static void every_entry_is_complete_and_its_example_works(void **state)
{
    (void)state;
    struct flm_profile *p = example_profile();
    const struct flm_operation_entry *operation;
    for (size_t i = 0; (operation = flm_operation_at(i)); i++) {
        struct flm_error why = {0};
        size_t count = flm_operation_argument_count(operation), size = strlen(operation->name);
        assert_true(strlen(operation->summary) > 10 && strlen(operation->summary) < 66);
        assert_memory_equal(operation->example, operation->name, size);
        assert_int_equal(operation->example[size], count > 0 ? ':' : 0);
        struct flm_profile *q = flm_apply(p, operation->example, NULL, &why);
        if (!q)
            fail_msg("%s: %s", operation->example, why.text);
        flm_profile_free(q);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(!operation->arguments[k].choice,
                             operation->arguments[k].type != FLM_ARGUMENT_CHOICE);
    }
    flm_profile_free(p);
}

static void an_operation_without_its_argument_is_refused_with_the_example(void **state)
{
    (void)state;
    struct flm_profile *p = example_profile();
    const struct flm_operation_entry *operation;
    for (size_t i = 0; (operation = flm_operation_at(i)); i++) {
        struct flm_error why = {0};
        if (flm_operation_argument_count(operation) == 0)
            continue;
        assert_null(flm_apply(p, operation->name, NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_int_equal(why.offset, 0);
        assert_non_null(strstr(why.text, operation->example));
    }
    flm_profile_free(p);
}

static void operations_are_found_by_their_name_alone(void **state)
{
    (void)state;
    const struct flm_operation_entry *operation;
    for (size_t i = 0; (operation = flm_operation_at(i)); i++)
        assert_ptr_equal(flm_operation_named(flm_bytes_of(operation->name)), operation);
    assert_null(flm_operation_named(flm_bytes_of("")));
    assert_null(flm_operation_named(flm_bytes_of("focu")));
    assert_null(flm_operation_named(flm_bytes_of("Focus")));
}

static void programs_can_list_the_operations(void **state)
{
    (void)state;
    const struct flm_operation_entry *operation;
    size_t i = 0;
    for (; (operation = flm_operation_at(i)); i++) {
        assert_string_equal(flm_operation_name(i), operation->name);
        assert_string_equal(flm_operation_summary(i), operation->summary);
        assert_string_equal(flm_operation_example(i), operation->example);
        assert_ptr_equal(flm_operation_argument(i, 0), operation->arguments[0].name);
        assert_null(flm_operation_argument(i, flm_operation_argument_count(operation)));
        assert_null(flm_operation_argument(i, 99));
    }
    assert_null(flm_operation_name(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_and_the_manual_page_agree),
        cmocka_unit_test(the_manual_page_shows_every_example),
        cmocka_unit_test(every_entry_is_complete_and_its_example_works),
        cmocka_unit_test(an_operation_without_its_argument_is_refused_with_the_example),
        cmocka_unit_test(operations_are_found_by_their_name_alone),
        cmocka_unit_test(programs_can_list_the_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
