/* Every option of a command stands in its manual page, and the other way round. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/command/commands.h"

enum { MOST = 128, LINE = 512 };

/* An option as help or a page has it: "-o --output FILE". */
struct listed {
    char names[LINE];
    char value[LINE];
};

/* Of ".It Fl o , Fl -output Ar file": the words behind Fl, and those behind Ar. */
static bool read_item(const char *line, struct listed *listed)
{
    char copy[LINE];
    if (strncmp(line, ".It Fl ", 7) != 0)
        return false;
    *listed = (struct listed){{0}, {0}};
    snprintf(copy, sizeof copy, "%s", line + 4);
    char what = 0;
    bool is_optional = false;
    for (char *word = strtok(copy, " \n"); word; word = strtok(NULL, " \n")) {
        if (strcmp(word, "Fl") == 0 || strcmp(word, "Ar") == 0) {
            what = word[0];
        } else if (strcmp(word, "Ns") == 0) {
            continue;
        } else if (strcmp(word, "Op") == 0) { /* "Fl -name Ns Op = Ns Ar share": [=share] */
            is_optional = true;
            what = 'A';
            strcat(listed->value, "[");
        } else if (what == 'F' && strcmp(word, ",") != 0) {
            strncat(listed->names, " -", LINE - strlen(listed->names) - 1);
            strncat(listed->names, word, LINE - strlen(listed->names) - 1);
        } else if (what == 'A') {
            strncat(listed->value, word, LINE - strlen(listed->value) - 1);
        }
    }
    if (is_optional)
        strncat(listed->value, "]", LINE - strlen(listed->value) - 1);
    return true;
}

static size_t read_page(const char *name, struct listed *options)
{
    char path[LINE], line[LINE];
    snprintf(path, sizeof path, "docs/man/flamel-%s.1", name);
    FILE *page = fopen(path, "r");
    if (!page)
        fail_msg("%s: there is no such page", path);
    size_t count = 0;
    while (fgets(line, sizeof line, page))
        if (read_item(line, &options[count]))
            assert_true(++count < MOST);
    fclose(page);
    return count;
}

static struct listed listed_of(const char *name, char letter, const char *value)
{
    struct listed listed = {{0}, {0}};
    if (letter)
        snprintf(listed.names, LINE, " -%c --%s", letter, name);
    else
        snprintf(listed.names, LINE, " --%s", name);
    for (size_t i = 0; value && value[i]; i++)
        listed.value[i] = (char)tolower((unsigned char)value[i]);
    return listed;
}

static size_t read_table(const struct flm_command *command, bool more, struct listed *options)
{
    size_t count = 0, more_count = 0;
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].kind != FLM_OPTION_TITLE && command->options[i].help)
            options[count++] = listed_of(command->options[i].name, command->options[i].letter,
                                         command->options[i].value);
    const struct flm_more_option *list = more ? command->more->list(&more_count) : NULL;
    for (size_t i = 0; i < more_count; i++)
        options[count++] = listed_of(list[i].name, 0, list[i].value);
    assert_true(count < MOST);
    return count;
}

static bool contains(const struct listed *options, size_t count, const struct listed *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i].names, wanted->names) == 0 &&
            strcmp(options[i].value, wanted->value) == 0)
            return true;
    return false;
}

/* Options of pictures stand in the page of convert; other pages send their readers there. */
static bool has_pictures(const struct flm_command *command)
{
    return command->more && strcmp(command->name, "convert") == 0;
}

static void options_and_manual_pages_agree(void **state)
{
    (void)state;
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    struct listed *page = calloc(MOST, sizeof *page), *table = calloc(MOST, sizeof *table);
    assert_true(page && table);
    int wrong = 0;
    for (size_t i = 0; i < command_count; i++) {
        const struct flm_command *command = commands[i];
        size_t in_page = read_page(command->name, page);
        size_t in_table = read_table(command, has_pictures(command), table);
        for (size_t j = 0; j < in_table; j++)
            if (!contains(page, in_page, &table[j])) {
                print_error("flamel-%s.1 does not have%s %s\n", command->name, table[j].names,
                            table[j].value);
                wrong++;
            }
        for (size_t j = 0; j < in_page; j++)
            if (!contains(table, in_table, &page[j])) {
                print_error("flamel %s does not have%s %s\n", command->name, page[j].names,
                            page[j].value);
                wrong++;
            }
    }
    free(page);
    free(table);
    assert_int_equal(wrong, 0);
}

static void flamel_1_names_every_command(void **state)
{
    (void)state;
    char text[1 << 14] = {0};
    FILE *page = fopen("docs/man/flamel.1", "r");
    assert_non_null(page);
    assert_true(fread(text, 1, sizeof text - 1, page) > 0);
    fclose(page);
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    for (size_t i = 0; i < command_count; i++) {
        char item[LINE];
        snprintf(item, sizeof item, ".It Cm %s\n", commands[i]->name);
        if (!strstr(text, item))
            fail_msg("flamel.1 does not have %s", commands[i]->name);
    }
}

static void every_command_has_what_help_needs(void **state)
{
    (void)state;
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    assert_true(command_count > 0);
    for (size_t i = 0; i < command_count; i++) {
        assert_ptr_equal(flm_command_named(commands[i]->name), commands[i]);
        assert_true(strlen(commands[i]->summary) > 0 && strlen(commands[i]->summary) < 66);
        assert_non_null(commands[i]->synopsis);
        assert_non_null(commands[i]->description);
        assert_non_null(commands[i]->run);
    }
    assert_null(flm_command_named(""));
    assert_null(flm_command_named("repor"));
}

static void a_letter_stands_for_one_option_and_never_for_help(void **state)
{
    (void)state;
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    for (size_t i = 0; i < command_count; i++)
        for (size_t j = 0; j < commands[i]->option_count; j++) {
            const struct flm_option *option = &commands[i]->options[j];
            if (option->kind == FLM_OPTION_TITLE)
                continue;
            assert_true(option->letter != 'h' && option->letter != 'V' && option->letter != '-');
            assert_string_not_equal(option->name, "version");
            assert_true(!option->value == (option->kind == FLM_OPTION_FLAG));
            for (size_t k = 0; k < j; k++) {
                assert_string_not_equal(option->name, commands[i]->options[k].name);
                if (option->letter)
                    assert_int_not_equal(option->letter, commands[i]->options[k].letter);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_manual_pages_agree),
        cmocka_unit_test(flamel_1_names_every_command),
        cmocka_unit_test(every_command_has_what_help_needs),
        cmocka_unit_test(a_letter_stands_for_one_option_and_never_for_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
