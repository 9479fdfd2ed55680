/* options.h - the command line of every command, described by a table.
 *
 *     static const struct flm_option options[] = {
 *         {"output", 'o', "FILE", "where to write", FLM_OPTION_TEXT,
 *          offsetof(struct fields, output)},
 *
 * Options and operands may be mixed; "--" ends options; --name=VALUE and --name VALUE are the same;
 * a unique prefix of a long name is enough. An option of kind WORDS takes all arguments that follow
 * it, up to the next option, so that a shell may expand them: --base runs/base/?.flm. Where the
 * operands are another command with options of its own, the first one ends ours. The same table
 * prints the command's help, and a test compares it with the manual page. */
#ifndef FLAMEL_CLI_COMMON_OPTIONS_H
#define FLAMEL_CLI_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "flamel/error.h"

enum flm_option_kind {
    FLM_OPTION_TITLE, /* no option: its help stands above those that follow; its name is "" */
    FLM_OPTION_FLAG,  /* bool: becomes true */
    FLM_OPTION_TEXT,  /* const char *: the value */
    FLM_OPTION_FORMAT_TO_READ,  /* the same: the name of a format; help and completion list them */
    FLM_OPTION_FORMAT_TO_WRITE, /* likewise */
    FLM_OPTION_NUMBER,          /* double */
    FLM_OPTION_COUNT,           /* int, not negative */
    FLM_OPTION_SHARE,           /* double: of "1%" and of "0.01" 0.01 */
    FLM_OPTION_MAYBE_SHARE,     /* struct flm_option_share: --name, or --name=1% */
    FLM_OPTION_MAYBE_TEXT,      /* const char *: --name: "", or --name=TEXT */
    FLM_OPTION_LIST,            /* struct flm_option_list: may be given several times */
    FLM_OPTION_WORDS /* struct flm_option_words: the same, and several values each time */
};

enum { FLM_OPTION_MOST_ITEMS = 32 };
struct flm_option_list {
    const char *items[FLM_OPTION_MOST_ITEMS];
    size_t count;
};

/* A share that may be left out keeps its first value then. */
struct flm_option_share {
    bool is_given;
    double share;
};

/* As many as there are; the array is owned, the values are those of the command line. */
struct flm_option_words FLM_ARRAY(const char *);
void flm_option_words_clear(struct flm_option_words *words);

struct flm_option {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* how help calls it; NULL for flags; "[=SHARE]": may be left out */
    const char *help;  /* NULL: another name of an option, which is accepted and not listed */
    enum flm_option_kind kind;
    size_t offset; /* of the field in the command's own struct */
};

/* Options that another part of the program knows (those of pictures): listed and set by name. */
struct flm_more_option {
    const char *name;
    const char *value; /* how help calls it; NULL: takes none */
    const char *help;
};

struct flm_option_group {
    const char *title; /* above them in the help */
    const struct flm_more_option *(*list)(size_t *count);
    bool (*set)(void *fields, const char *name, const char *value, struct flm_error *why);
};

struct flm_command {
    const char *name;
    const char *synopsis;     /* "[OPTION]... FILE" */
    const char *summary;      /* one line for `flamel help` */
    const char *description;  /* what help prints above the options: a few sentences */
    void (*print_list)(void); /* what help lists below the description; may be NULL */
    const char *examples;     /* and what it prints below the options */
    const struct flm_option *options;
    size_t option_count;
    const struct flm_option_group *more; /* may be NULL */
    size_t more_offset;                  /* in the fields: of the argument of its `set` */
    bool ends_at_operand; /* options end at the first operand: the rest is another command's */
    int (*run)(const struct flm_command *command, int count, char **words);
};

/* Parses the arguments `words` (without the command's name): options go into `fields`, operands to
 * the front of `words`; returns how many operands there are. -1, and `why`, for an unknown option
 * or a malformed value; -2 when --help or --version was given, and was printed. Options of kind
 * WORDS must be cleared in any case. */
int flm_options_parse(const struct flm_command *command, void *fields, int count, char **words,
                      struct flm_error *why);

/* Help of one command on standard output. */
void flm_options_help(const struct flm_command *command);

/* The names of all formats that an option of that kind takes, with `gap` between them. */
void flm_option_formats_add(struct flm_text *out, enum flm_option_kind kind, const char *gap);

#endif
