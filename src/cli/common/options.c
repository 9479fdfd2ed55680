#include "cli/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/number.h"
#include "base/text/nearest.h"
#include "cli/common/version.h"
#include "flamel/file.h"
#include "flamel/flamel.h"

enum { MOST_COUNT = 1000000000 };

/* An option of either kind: of the command's table, or of its group of more. */
struct found {
    const struct flm_option *option;
    const struct flm_more_option *more;
    const char *name, *value; /* `value` as help calls it; NULL: a flag */
    bool may_be_left_out;     /* the value, which then is behind a '=' */
};

static struct found found_option(const struct flm_option *option)
{
    return (struct found){option, NULL, option->name, option->value,
                          option->kind == FLM_OPTION_MAYBE_SHARE ||
                              option->kind == FLM_OPTION_MAYBE_TEXT};
}

/* The i-th of all long options; name NULL behind the last. */
static struct found option_at(const struct flm_command *command, size_t i)
{
    if (i < command->option_count)
        return found_option(&command->options[i]);
    size_t count = 0;
    const struct flm_more_option *more = command->more ? command->more->list(&count) : NULL;
    i -= command->option_count;
    return i < count ? (struct found){NULL, &more[i], more[i].name, more[i].value, false}
                     : (struct found){0};
}

/* Not another name of one that is. */
static bool is_listed(struct found found)
{
    return found.more || found.option->help;
}

/* "--metric, --min": all that begin so. */
static void add_beginnings(const struct flm_command *command, struct flm_bytes name,
                           struct flm_text *out)
{
    struct found at;
    bool any = false;
    for (size_t i = 0; (at = option_at(command, i)).name; i++)
        if (strncmp(at.name, name.at, name.size) == 0 && at.name[0] && is_listed(at)) {
            flm_text_format(out, "%s--%s", any ? ", " : "", at.name);
            any = true;
        }
}

/* Names what could have been meant. */
static void refuse_name(const struct flm_command *command, struct flm_bytes name, bool is_beginning,
                        struct flm_error *why)
{
    char advice[300];
    struct flm_text text;
    struct found at;
    struct flm_nearest near = {.asked = name};
    flm_text_init_fixed(&text, advice, sizeof advice);
    if (is_beginning) {
        add_beginnings(command, name, &text);
        flm_error_set(why, FLM_ERROR_USAGE, "--%.*s could be several options: %.*s", (int)name.size,
                      name.at, (int)text.size, text.at);
        return;
    }
    for (size_t i = 0; (at = option_at(command, i)).name; i++)
        if (is_listed(at))
            flm_nearest_add(&near, flm_bytes_of(at.name));
    flm_text_puts(&text, near.count > 0 ? ": did you mean " : "");
    flm_nearest_put(&near, "--", &text);
    flm_text_puts(&text, near.count > 0 ? "?" : "");
    flm_error_set(why, FLM_ERROR_USAGE,
                  "there is no option --%.*s%.*s ('flamel %s --help' lists them)", (int)name.size,
                  name.at, (int)text.size, text.at, command->name);
}

/* The option called `name`, or the only one that begins so. */
static struct found find(const struct flm_command *command, const char *name, size_t size,
                         struct flm_error *why)
{
    struct found found = {0}, at;
    int count = 0;
    for (size_t i = 0; (at = option_at(command, i)).name; i++) {
        if (strncmp(at.name, name, size) != 0 || at.name[0] == 0)
            continue;
        if (at.name[size] == 0)
            return at;
        if (is_listed(at)) {
            found = at;
            count++;
        }
    }
    if (count == 1)
        return found;
    refuse_name(command, (struct flm_bytes){name, size}, count > 0, why);
    return (struct found){0};
}

void flm_option_words_clear(struct flm_option_words *words)
{
    FLM_ARRAY_CLEAR(words);
}

static bool add_word(struct flm_option_words *words, const char *value, struct flm_error *why)
{
    return FLM_ARRAY_ADD(words, value) || flm_error_memory(why);
}

/* "1%", "0.01": 0.01. */
static bool parse_share(const char *value, double *share)
{
    struct flm_bytes text = flm_bytes_of(value);
    bool is_percent = flm_bytes_end_with(text, "%");
    text.size -= is_percent;
    enum flm_number_kind kind = flm_number_parse(text, share);
    if (is_percent)
        *share /= 100;
    return (kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL) && *share >= 0 &&
           (is_percent || *share <= 1);
}

static bool set(const struct flm_option *option, void *fields, const char *value,
                struct flm_error *why)
{
    char *field = (char *)fields + option->offset;
    double number = 0;
    bool good = true;
    if (option->kind == FLM_OPTION_NUMBER || option->kind == FLM_OPTION_COUNT) {
        enum flm_number_kind kind = flm_number_parse(flm_bytes_of(value), &number);
        good = kind == FLM_NUMBER_INTEGER ||
               (kind == FLM_NUMBER_DECIMAL && option->kind == FLM_OPTION_NUMBER);
    }
    switch (option->kind) {
    case FLM_OPTION_TITLE:
        break;
    case FLM_OPTION_FLAG:
        *(bool *)(void *)field = true;
        break;
    case FLM_OPTION_TEXT:
    case FLM_OPTION_FORMAT_TO_READ:
    case FLM_OPTION_FORMAT_TO_WRITE:
        memcpy(field, &value, sizeof value);
        break;
    case FLM_OPTION_LIST: {
        struct flm_option_list *list = (void *)field;
        if (list->count == FLM_OPTION_MOST_ITEMS)
            return flm_error_set(why, FLM_ERROR_USAGE, "--%s is given too often", option->name);
        list->items[list->count++] = value;
        break;
    }
    case FLM_OPTION_WORDS:
        return add_word((void *)field, value, why);
    case FLM_OPTION_MAYBE_TEXT:
        value = value ? value : "";
        memcpy(field, &value, sizeof value);
        break;
    case FLM_OPTION_MAYBE_SHARE: {
        struct flm_option_share *share = (void *)field;
        share->is_given = true;
        field = (char *)&share->share;
    }
        /* fall through */
    case FLM_OPTION_SHARE:
        if (value && !parse_share(value, (double *)(void *)field))
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--%s takes a share, such as 1%% or 0.01, not '%s'", option->name,
                                 value);
        break;
    case FLM_OPTION_NUMBER:
        *(double *)(void *)field = number;
        break;
    case FLM_OPTION_COUNT:
        good = good && number >= 0 && number <= MOST_COUNT;
        *(int *)(void *)field = good ? (int)number : 0;
        if (!good)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--%s takes a whole number, %d at most, not '%s'", option->name,
                                 MOST_COUNT, value);
        break;
    }
    return good || flm_error_set(why, FLM_ERROR_USAGE, "--%s takes a number, not '%s'",
                                 option->name, value);
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != 0;
}

/* The words behind the first value, up to the next option. */
static bool add_words(const struct flm_option *option, void *fields, int count, char **words,
                      int *used, struct flm_error *why)
{
    struct flm_option_words *all = (void *)((char *)fields + option->offset);
    while (*used < count && !is_option(words[*used]))
        if (!add_word(all, words[(*used)++], why))
            return false;
    return true;
}

/* One word that begins with '-'. *used receives how many words it took. */
static bool parse_option(const struct flm_command *command, void *fields, int count, char **words,
                         int *used, struct flm_error *why)
{
    const char *word = words[0], *value = NULL;
    struct found found = {0};
    *used = 1;
    if (word[1] == '-') {
        const char *name = word + 2, *equals = strchr(name, '=');
        found = find(command, name, equals ? (size_t)(equals - name) : strlen(name), why);
        if (!found.name)
            return false;
        value = equals ? equals + 1 : NULL;
    } else {
        for (size_t i = 0; i < command->option_count && !found.name; i++)
            if (command->options[i].letter == word[1])
                found = found_option(&command->options[i]);
        if (!found.name)
            return flm_error_set(
                why, FLM_ERROR_USAGE, "there is no option %s%s ('flamel %s --help' lists them)",
                word, word[1] == 'o' ? ": 'flamel convert FILE -o OUT' writes a file" : "",
                command->name);
        value = word[2] ? word + 2 : NULL;
    }
    if (value && !found.value)
        return flm_error_set(why, FLM_ERROR_USAGE, "--%s takes no value: %s", found.name, word);
    if (!value && found.value && !found.may_be_left_out) {
        bool takes_words = found.option && found.option->kind == FLM_OPTION_WORDS;
        if (count >= 2 && takes_words && is_option(words[1]))
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--%s needs a value right behind it, before %s: --%s %s",
                                 found.name, words[1], found.name, found.value);
        if (count < 2)
            return flm_error_set(why, FLM_ERROR_USAGE, "--%s needs a value: %s", found.name,
                                 found.value);
        value = words[1];
        *used = 2;
    }
    if (!found.option)
        return command->more->set((char *)fields + command->more_offset, found.name, value, why);
    return set(found.option, fields, value, why) &&
           (found.option->kind != FLM_OPTION_WORDS || *used == 1 ||
            add_words(found.option, fields, count, words, used, why));
}

int flm_options_parse(const struct flm_command *command, void *fields, int count, char **words,
                      struct flm_error *why)
{
    int operands = 0;
    bool ended = false;
    for (int i = 0; i < count;) {
        if (ended || !is_option(words[i])) {
            words[operands++] = words[i++];
            ended = ended || command->ends_at_operand;
        } else if (strcmp(words[i], "--") == 0) {
            ended = true;
            i++;
        } else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            flm_options_help(command);
            return -2;
        } else if (strcmp(words[i], "--version") == 0 || strcmp(words[i], "-V") == 0) {
            flm_print_version();
            return -2;
        } else {
            int used;
            if (!parse_option(command, fields, count - i, words + i, &used, why))
                return -1;
            i += used;
        }
    }
    return operands;
}

/* Help in lines, each below the first, broken at blanks; the lines of the source are none of it. */
static void print_text(const char *text, int column)
{
    enum { WIDTH = 80 };
    size_t room = (size_t)(WIDTH - column);
    while (*text) {
        size_t size = strlen(text), fits = size;
        if (size > room) {
            fits = room;
            while (fits > 0 && !strchr(" \n", text[fits]))
                fits--;
            fits = fits > 0 ? fits : strcspn(text, " \n");
        }
        for (size_t i = 0; i < fits; i++)
            putchar(text[i] == '\n' ? ' ' : text[i]);
        putchar('\n');
        text += fits + (text[fits] != 0);
        if (*text)
            printf("%*s", column, "");
    }
}

void flm_option_formats_add(struct flm_text *out, enum flm_option_kind kind, const char *gap)
{
    struct flm_format_info info = {.size = sizeof info};
    bool any = false;
    for (size_t i = 0; flm_format_at(i, &info); i++)
        if (kind == FLM_OPTION_FORMAT_TO_READ ? info.reads : info.writes) {
            flm_text_format(out, "%s%s", any ? gap : "", info.name);
            any = true;
        }
}

static bool takes_format(enum flm_option_kind kind)
{
    return kind == FLM_OPTION_FORMAT_TO_READ || kind == FLM_OPTION_FORMAT_TO_WRITE;
}

/* "write this format: flm, folded, svg" */
static void print_with_formats(const struct flm_option *option, int column)
{
    struct flm_text out = {0};
    flm_text_format(&out, "%s: ", option->help);
    flm_option_formats_add(&out, option->kind, ", ");
    flm_text_putc(&out, 0);
    print_text(out.failed ? option->help : out.at, column);
    flm_text_clear(&out);
}

static void print_option(struct found found, const char *help, int column)
{
    char left[80], letter = found.option ? found.option->letter : 0;
    int size =
        snprintf(left, sizeof left, "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                 letter ? ',' : ' ', found.name, found.value && !found.may_be_left_out ? " " : "",
                 found.value ? found.value : "");
    printf("%-*s", column, left);
    if (size >= column)
        printf("\n%*s", column, "");
    if (found.option && takes_format(found.option->kind))
        print_with_formats(found.option, column);
    else
        print_text(help, column);
}

void flm_options_help(const struct flm_command *command)
{
    enum { COLUMN = 26 };
    printf("usage: flamel %s %s\n\n%s\n", command->name, command->synopsis, command->description);
    if (command->print_list)
        command->print_list();
    if (command->option_count > 0)
        printf("\noptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct flm_option *option = &command->options[i];
        if (option->kind == FLM_OPTION_TITLE)
            printf("\n%s\n", option->help);
        else if (option->help)
            print_option(found_option(option), option->help, COLUMN);
    }
    if (command->more)
        printf("\n%s\n", command->more->title);
    struct found more;
    for (size_t i = command->option_count; (more = option_at(command, i)).name; i++)
        print_option(more, more.more->help, COLUMN);
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
    printf("\n'man flamel-%s' says more.\n", command->name);
}
