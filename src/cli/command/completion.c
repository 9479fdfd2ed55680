/* completion.c - `flamel completion`: what a shell needs to complete flamel's command line.
 *
 * The scripts are made from the tables of commands, options, formats and operations, so they offer
 * what this flamel takes. They are plain data for the shell: pressing Tab starts no flamel, but for
 * the labels of a profile, which only the profile knows: `flamel completion labels TEXT FILE`. In
 * place of a command they offer files too, and behind a file the options of view. */
#include <stdio.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/last_recording.h"
#include "cli/common/load_options.h"
#include "cli/common/messages.h"
#include "flamel/algebra.h"
#include "os/output.h"

/* The candidates for the value of an option. */
enum values {
    NO_VALUE, /* a flag */
    ANY_VALUE,
    FILES,
    FOLDERS,
    READ_FORMATS,
    WRITTEN_FORMATS,
    OPERATIONS,
    VALUES
};

struct completed {
    const char *name, *help;
    const char *value; /* NULL: a flag */
    char letter;       /* 0: none */
    enum flm_option_kind kind;
};

/* An option of the command's table or of its group; false behind the last. Titles have no name. */
static bool option_at(const struct flm_command *command, size_t i, struct completed *option)
{
    if (i < command->option_count) {
        const struct flm_option *o = &command->options[i];
        /* Other names of options are not offered. */
        *option = (struct completed){o->help ? o->name : "", o->help, o->value, o->letter, o->kind};
        return true;
    }
    size_t count = 0;
    const struct flm_more_option *more = command->more ? command->more->list(&count) : NULL;
    i -= command->option_count;
    if (i >= count)
        return false;
    *option = (struct completed){more[i].name, more[i].help, more[i].value, 0, FLM_OPTION_TEXT};
    return true;
}

static enum values values_of(const struct completed *option)
{
    const char *value = option->value;
    if (!value || option->kind == FLM_OPTION_MAYBE_SHARE || option->kind == FLM_OPTION_MAYBE_TEXT)
        return NO_VALUE;
    if (option->kind == FLM_OPTION_FORMAT_TO_READ || option->kind == FLM_OPTION_FORMAT_TO_WRITE)
        return option->kind == FLM_OPTION_FORMAT_TO_READ ? READ_FORMATS : WRITTEN_FORMATS;
    return strcmp(value, "EXPRESSION") == 0 ? OPERATIONS
           : strcmp(value, "DIR") == 0      ? FOLDERS
           : strncmp(value, "FILE", 4) == 0 ? FILES
                                            : ANY_VALUE;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static void add_formats(struct flm_text *out, enum values values)
{
    flm_option_formats_add(
        out, values == READ_FORMATS ? FLM_OPTION_FORMAT_TO_READ : FLM_OPTION_FORMAT_TO_WRITE, " ");
}

/* Those with an argument end in a colon, behind which the argument comes. */
static void add_operations(struct flm_text *out)
{
    const char *name;
    for (size_t i = 0; (name = flm_operation_name(i)); i++)
        flm_text_format(out, "%s%s%s", i ? " " : "", name, flm_operation_argument(i, 0) ? ":" : "");
}

static void add_commands(struct flm_text *out)
{
    size_t count;
    const struct flm_command *const *commands = flm_commands(&count);
    for (size_t i = 0; i < count; i++)
        flm_text_format(out, "%s ", commands[i]->name);
    flm_text_puts(out, "help version");
}

/* Text in single quotes, on one line, with a backslash before each of `special`; a quote in it is
 * written as the shell wants it. */
static void add_quoted(struct flm_text *out, const char *text, const char *special,
                       const char *quote)
{
    flm_text_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') {
            flm_text_puts(out, quote);
            continue;
        }
        if (strchr(special, *text))
            flm_text_putc(out, '\\');
        flm_text_putc(out, *text == '\n' ? ' ' : *text);
    }
    flm_text_putc(out, '\'');
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Behind this word: the options of a command, and of each kind of value those that take it: "--to
 * -t". */
static void add_bash_command(struct flm_text *out, const char *word,
                             const struct flm_command *command)
{
    static const char *const lists[VALUES] = {
        [ANY_VALUE] = "any",
        [FILES] = "files",
        [FOLDERS] = "folders",
        [READ_FORMATS] = "readable",
        [WRITTEN_FORMATS] = "writable",
        [OPERATIONS] = "operations",
    };
    struct completed option;
    flm_text_format(out, "    %s)\n        options='", word);
    for (size_t i = 0; option_at(command, i, &option); i++)
        if (option.name[0])
            flm_text_format(out, "--%s ", option.name);
    flm_text_puts(out, "--help'\n");
    for (int kind = ANY_VALUE; kind < VALUES; kind++) {
        bool any = false;
        for (size_t i = 0; option_at(command, i, &option); i++) {
            if (!option.name[0] || (int)values_of(&option) != kind)
                continue;
            if (!any)
                flm_text_format(out, "        %s='", lists[kind]);
            flm_text_format(out, any ? " --%s" : "--%s", option.name);
            if (option.letter)
                flm_text_format(out, " -%c", option.letter);
            any = true;
        }
        if (any)
            flm_text_puts(out, "'\n");
    }
    flm_text_puts(out, "        ;;\n");
}

static void write_bash(struct flm_text *out)
{
    size_t count;
    const struct flm_command *const *commands = flm_commands(&count);
    flm_text_puts(
        out, "# bash completion of flamel, made by: flamel completion bash\n\n"
             "_flamel_has()\n{\n    [[ \" $1 \" == *\" $2 \"* ]]\n}\n\n"
             "# Readline divides at : and =, and wants what is behind the last.\n"
             "_flamel_labels()\n{\n"
             "    local typed=${COMP_LINE:0:COMP_POINT} file= word\n"
             "    typed=${typed##*[[:blank:]\\\"\\'|]}\n"
             "    [[ $typed == @(label|unlabel|split):* ]] || return 1\n"
             "    for word in \"${COMP_WORDS[@]:2}\"; do\n"
             "        [[ -f $word ]] && file=$word\n    done\n"
             "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" completion labels "
             "\"$typed\" ${file:+\"$file\"} 2> /dev/null)\n"
             "    COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"${typed##*[:=]}\"}\"}\")\n"
             "    # A thread may call itself anything: what a shell would run is not offered.\n"
             "    local i quoted=${COMP_WORDS[COMP_CWORD]:0:1}\n"
             "    for i in \"${!COMPREPLY[@]}\"; do\n"
             "        if [[ ${COMPREPLY[i]} == *[^[:alnum:]_.,/:+=@%#\\ -]* ]]; then\n"
             "            unset \"COMPREPLY[i]\"\n"
             "        elif [[ ${COMPREPLY[i]} == *[\\ #]* && $quoted != [\\\"\\'] ]]; then\n"
             "            printf -v \"COMPREPLY[i]\" %q \"${COMPREPLY[i]}\"\n"
             "        fi\n    done\n"
             "    COMPREPLY=(\"${COMPREPLY[@]}\")\n"
             "    compopt -o nospace 2> /dev/null\n    return 0\n}\n\n"
             "_flamel_offer()\n{\n"
             "    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$current\")\n}\n\n"
             "_flamel()\n{\n"
             "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
             "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
             "    local options= any= files= folders= readable= writable= operations=\n"
             "    _flamel_labels && return\n"
             "    # bash makes three words of --to=svg\n"
             "    if [[ $current == = ]]; then\n        current=\n"
             "    elif [[ $previous == = ]]; then\n"
             "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
             "    if [[ $COMP_CWORD == 1 || $command == help ]]; then\n"
             "        _flamel_offer -W '");
    add_commands(out);
    /* A folder that is called as a command is no reason to put a slash behind that. */
    flm_text_puts(out, "'\n        [[ $command == help ]] && return\n"
                       "        [[ ${#COMPREPLY[@]} == 0 ]] && compopt -o filenames 2> /dev/null\n"
                       "        local file\n"
                       "        while IFS= read -r file; do\n"
                       "            _flamel_has \"${COMPREPLY[*]}\" \"$file\" || "
                       "COMPREPLY+=(\"$file\")\n"
                       "        done < <(compgen -f -- \"$current\")\n"
                       "        return\n    fi\n    case $command in\n");
    for (size_t i = 0; i < count; i++)
        add_bash_command(out, commands[i]->name, commands[i]);
    add_bash_command(out, "*", &flm_command_view);
    flm_text_puts(out, "    esac\n    if _flamel_has \"$any\" \"$previous\"; then\n"
                       "        COMPREPLY=()\n"
                       "    elif _flamel_has \"$readable\" \"$previous\"; then\n"
                       "        _flamel_offer -W '");
    add_formats(out, READ_FORMATS);
    flm_text_puts(out, "'\n    elif _flamel_has \"$writable\" \"$previous\"; then\n"
                       "        _flamel_offer -W '");
    add_formats(out, WRITTEN_FORMATS);
    flm_text_puts(out, "'\n    elif _flamel_has \"$operations\" \"$previous\"; then\n"
                       "        compopt -o nospace 2> /dev/null\n"
                       "        _flamel_offer -W '");
    add_operations(out);
    flm_text_puts(out, "'\n    elif _flamel_has \"$folders\" \"$previous\"; then\n"
                       "        compopt -o filenames 2> /dev/null\n"
                       "        _flamel_offer -d\n"
                       "    elif [[ $current == -* ]] && ! _flamel_has \"$files\" \"$previous\"; "
                       "then\n"
                       "        _flamel_offer -W \"$options\"\n"
                       "    else\n"
                       "        compopt -o filenames 2> /dev/null\n"
                       "        _flamel_offer -f\n"
                       "    fi\n}\ncomplete -F _flamel flamel\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* "'--to[help]:FORMAT:(folded flm)'"; a letter is an alternative of its own. */
static void add_zsh_option(struct flm_text *out, const struct completed *option, const char *name)
{
    struct flm_text spec = {0};
    flm_text_format(&spec, "%s[", name);
    for (const char *at = option->help; *at; at++) {
        if (strchr("[]\\", *at))
            flm_text_putc(&spec, '\\');
        flm_text_putc(&spec, *at);
    }
    flm_text_putc(&spec, ']');
    enum values values = values_of(option);
    if (values != NO_VALUE) {
        flm_text_format(&spec, ":%s:", option->value);
        if (values == READ_FORMATS || values == WRITTEN_FORMATS) {
            flm_text_putc(&spec, '(');
            add_formats(&spec, values);
            flm_text_putc(&spec, ')');
        } else {
            flm_text_puts(&spec, values == FILES        ? "_files"
                                 : values == FOLDERS    ? "_files -/"
                                 : values == OPERATIONS ? "_flamel_operations"
                                                        : " ");
        }
    }
    flm_text_putc(&spec, 0);
    flm_text_puts(out, " \\\n            ");
    if (spec.failed)
        out->failed = true;
    else
        add_quoted(out, spec.at, "", "'\\''");
    flm_text_clear(&spec);
}

static void add_zsh_command(struct flm_text *out, const char *word,
                            const struct flm_command *command)
{
    struct completed option;
    flm_text_format(out, "    %s)\n        _arguments -s", word);
    for (size_t i = 0; option_at(command, i, &option); i++) {
        char name[80];
        if (!option.name[0])
            continue;
        if (option.letter) {
            snprintf(name, sizeof name, "*-%c", option.letter);
            add_zsh_option(out, &option, name);
        }
        snprintf(name, sizeof name, "*--%s%s", option.name, option.value ? "=" : "");
        add_zsh_option(out, &option, name);
    }
    flm_text_puts(out, " \\\n            '--help[help]' '*:file:_files'\n        ;;\n");
}

static void write_zsh(struct flm_text *out)
{
    size_t count;
    const struct flm_command *const *commands = flm_commands(&count);
    flm_text_puts(out, "#compdef flamel\n# zsh completion of flamel, made by: flamel completion "
                       "zsh\n\n_flamel_operations()\n{\n    local file= word\n"
                       "    if [[ $PREFIX == (label|unlabel|split):* ]]; then\n"
                       "        for word in $words; do\n"
                       "            [[ -f $word ]] && file=$word\n        done\n"
                       "        compadd -S '' -- ${(f)\"$(flamel completion labels $PREFIX $file "
                       "2> /dev/null)\"}\n        return\n    fi\n    compadd -S '' -- ");
    add_operations(out);
    flm_text_puts(out, "\n}\n\n_flamel()\n{\n"
                       "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
                       "        local -a commands=(");
    for (size_t i = 0; i < count; i++) {
        struct flm_text line = {0};
        flm_text_format(&line, "%s:%s", commands[i]->name, commands[i]->summary);
        flm_text_putc(&line, 0);
        flm_text_puts(out, "\n            ");
        if (line.failed)
            out->failed = true;
        else
            add_quoted(out, line.at, "", "'\\''");
        flm_text_clear(&line);
    }
    flm_text_puts(out, "\n            'help:commands, or the options of one' 'version:its version'"
                       ")\n        _describe command commands\n"
                       "        (( CURRENT == 2 )) && _files\n        return\n    fi\n"
                       "    local command=$words[2]\n"
                       "    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (size_t i = 0; i < count; i++)
        add_zsh_command(out, commands[i]->name, commands[i]);
    add_zsh_command(out, "*", &flm_command_view);
    flm_text_puts(out, "    esac\n}\n\n"
                       "# Autoloaded, this file is the function; sourced, it registers it.\n"
                       "if [[ $funcstack[1] == _flamel ]]; then\n    _flamel \"$@\"\n"
                       "else\n    compdef _flamel flamel\nfi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void add_fish_option(struct flm_text *out, const char *condition,
                            const struct completed *option)
{
    enum values values = values_of(option);
    flm_text_format(out, "complete -c flamel -n '%s' -l %s", condition, option->name);
    if (option->letter)
        flm_text_format(out, " -s %c", option->letter);
    if (values == FILES)
        flm_text_puts(out, " -r -F");
    else if (values != NO_VALUE)
        flm_text_puts(out, " -x");
    if (values == FOLDERS)
        flm_text_puts(out, " -a '(__fish_complete_directories)'");
    if (values == READ_FORMATS || values == WRITTEN_FORMATS || values == OPERATIONS) {
        flm_text_puts(out, " -a '");
        if (values == OPERATIONS) {
            add_operations(out);
            flm_text_puts(out, " (__flamel_labels)");
        } else {
            add_formats(out, values);
        }
        flm_text_putc(out, '\'');
    }
    flm_text_puts(out, " -d ");
    add_quoted(out, option->help, "\\", "\\'");
    flm_text_putc(out, '\n');
}

static void add_fish_options(struct flm_text *out, const char *condition,
                             const struct flm_command *command)
{
    struct completed option;
    for (size_t i = 0; option_at(command, i, &option); i++)
        if (option.name[0])
            add_fish_option(out, condition, &option);
}

static void write_fish(struct flm_text *out)
{
    size_t count;
    const struct flm_command *const *commands = flm_commands(&count);
    flm_text_puts(out, "# fish completion of flamel, made by: flamel completion fish\n"
                       "function __flamel_shows_file\n"
                       "    set -l words (commandline -opc)\n"
                       "    test (count $words) -gt 1; and not contains -- $words[2] ");
    add_commands(out);
    flm_text_puts(out, "\nend\n"
                       "function __flamel_labels\n"
                       "    set -l typed (commandline -ct)\n    set -l file\n"
                       "    string match -qr '^(label|unlabel|split):' -- $typed; or return\n"
                       "    for word in (commandline -opc)[3..-1]\n"
                       "        test -f $word; and set file $word\n    end\n"
                       "    flamel completion labels $typed $file 2> /dev/null\nend\n");
    for (size_t i = 0; i < count; i++) {
        char condition[100];
        flm_text_format(out, "complete -c flamel -n __fish_use_subcommand -a %s -d ",
                        commands[i]->name);
        add_quoted(out, commands[i]->summary, "\\", "\\'");
        flm_text_putc(out, '\n');
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", commands[i]->name);
        add_fish_options(out, condition, commands[i]);
    }
    add_fish_options(out, "__flamel_shows_file", &flm_command_view);
    flm_text_puts(out, "complete -c flamel -n __fish_use_subcommand -a 'help version'\n");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static struct flm_bytes string_of(const struct flm_profile *p, uint32_t string)
{
    struct flm_name name = flm_profile_string(p, (struct flm_string){string});
    return (struct flm_bytes){name.at, name.size};
}

/* What separates operations or values, or quotes them. */
static bool needs_quotes(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.at[i] < ' ' || memchr("|\",", text.at[i], 3))
            return true;
    return false;
}

/* What "label:", "label:th" or "label:thread=ma" may become: first the keys, then the values of
 * one; of split: only keys. A value that an expression has to quote is left out: shells have quotes
 * of their own. */
static void write_label(struct flm_text *out, const char *typed, struct flm_bytes key,
                        const struct flm_bytes *value)
{
    struct flm_text line = {0};
    bool has_values = strncmp(typed, "split:", 6) != 0;
    flm_text_add(&line, (struct flm_bytes){typed, strcspn(typed, ":")});
    flm_text_putc(&line, ':');
    flm_text_add(&line, key);
    flm_text_puts(&line, has_values ? "=" : "");
    if (value)
        flm_text_add(&line, *value);
    bool fits = line.size >= strlen(typed) && memcmp(line.at, typed, strlen(typed)) == 0;
    if (fits && !line.failed) {
        flm_text_putc(&line, '\n');
        flm_text_add(out, (struct flm_bytes){line.at, line.size});
    }
    out->failed = out->failed || line.failed;
    flm_text_clear(&line);
}

/* Keys by their own name and by perf's, "thread=" and "tid=". */
static void write_labels(struct flm_text *out, const struct flm_profile *p, const char *typed)
{
    uint32_t count = flm_profile_label_count(p);
    const struct flm_label_record *labels = flm_profile_labels(p);
    bool has_key = strncmp(typed, "split:", 6) != 0 && strchr(typed, '=') != NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_bytes key = string_of(p, labels[i].key), value = string_of(p, labels[i].value);
        bool is_new = has_key || i == 0 || labels[i].key != labels[i - 1].key;
        if (!is_new || (has_key && needs_quotes(value)))
            continue;
        const char *other = flm_label_alias(p, key.at, key.size);
        write_label(out, typed, key, has_key ? &value : NULL);
        if (other)
            write_label(out, typed, flm_bytes_of(other), has_key ? &value : NULL);
    }
}

/* Of the file, or of the last recording in this folder. */
static int print_labels(const char *typed, const char *path)
{
    struct flm_load_fields load = {.quiet = true};
    struct flm_text last = {0};
    struct flm_output output;
    struct flm_error why;
    path = path ? path : flm_last_recording_taken(&last, true);
    struct flm_profile *profile = path ? flm_load_with(&load, path) : NULL;
    flm_text_clear(&last);
    if (!profile)
        return FLM_EXIT_WRONG;
    if (!flm_output_open(&output, "-", &why)) {
        flm_profile_free(profile);
        return flm_message_error(&why);
    }
    write_labels(&output.text, profile, typed);
    flm_profile_free(profile);
    return flm_output_close(&output, true, &why) ? FLM_EXIT_DONE : flm_message_error(&why);
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(struct flm_text *out);
} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run(const struct flm_command *command, int count, char **words)
{
    struct flm_error why;
    int status, operands = flm_command_start(command, NULL, count, words, &status);
    if (operands < 0)
        return status;
    if (operands >= 2 && operands <= 3 && strcmp(words[0], "labels") == 0)
        return print_labels(words[1], operands == 3 ? words[2] : NULL);
    for (size_t i = 0; operands == 1 && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, words[0]) != 0)
            continue;
        struct flm_output output;
        if (!flm_output_open(&output, "-", &why))
            return flm_message_error(&why);
        shells[i].write(&output.text);
        return flm_output_close(&output, true, &why) ? FLM_EXIT_DONE : flm_message_error(&why);
    }
    return operands == 1
               ? flm_message_usage("there is no completion for '%s': bash, zsh or fish", words[0])
               : flm_message_usage("completion takes a shell: bash, zsh or fish");
}

const struct flm_command flm_command_completion = {
    .name = "completion",
    .synopsis = "SHELL | labels TEXT [FILE]",
    .summary = "print a completion script for bash, zsh or fish",
    .description = "Prints a script by which bash, zsh or fish completes the commands, options, "
                   "formats and\noperations of flamel. 'make install' installs all three. They "
                   "ask 'completion labels'\nfor what label:, unlabel: and split: can be of a "
                   "profile.",
    .examples = "  source <(flamel completion bash)                       in ~/.bashrc\n"
                "  flamel completion fish | source                        in config.fish\n",
    .run = run,
};
