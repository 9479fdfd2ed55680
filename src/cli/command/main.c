/* main.c - `flamel COMMAND ...`: finds the command and runs it; `flamel FILE`: flamel view FILE. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/text/nearest.h"
#include "cli/command/commands.h"
#include "cli/common/messages.h"
#include "cli/common/version.h"

static void print_help(FILE *to)
{
    fprintf(to, "flamel shows where a program spends its CPU time, off-CPU time and memory.\n\n"
                "usage: flamel COMMAND [OPTION]... [FILE]...\n\n");
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    for (size_t i = 0; i < command_count; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to,
            "\nA flame graph of a program, in the browser:\n\n"
            "    flamel record --view -- ./app\n\n"
            "From perf script, or any tool that writes folded stacks:\n\n"
            "    perf script | flamel convert - -o app.svg\n\n"
            "'flamel FILE' is 'flamel view FILE'. 'flamel COMMAND --help' describes a command.\n"
            "'-' is standard input or output.\n");
}

/* Whoever types the name alone wants to begin, and not to read a list. */
static void print_beginning(void)
{
    fprintf(stderr, "flamel shows where a program spends its CPU time, off-CPU time and memory:\n\n"
                    "    flamel record -- ./app    record a program: writes flamel.flm\n"
                    "    flamel view               open the last recording in the browser\n"
                    "    flamel report             print its top functions\n\n"
                    "'flamel help' lists all commands, 'flamel COMMAND --help' describes one.\n");
}

static int no_command(const char *name)
{
    if (flm_command_is_left_out(name)) {
        flm_message("%s takes flamel for Linux: this one is WebAssembly, and reads what was "
                    "recorded ('flamel help' lists what it does)",
                    name);
        return FLM_EXIT_WRONG;
    }
    char names[200];
    size_t count;
    const struct flm_command *const *commands = flm_commands(&count);
    struct flm_nearest near = {.asked = flm_bytes_of(name)};
    struct flm_text text;
    for (size_t i = 0; i < count; i++)
        flm_nearest_add(&near, flm_bytes_of(commands[i]->name));
    flm_text_init_fixed(&text, names, sizeof names - 1);
    flm_nearest_put(&near, "", &text);
    names[text.size] = 0;
    if (near.count > 0)
        flm_message("there is no command '%s': did you mean %s? ('flamel help' lists all)", name,
                    names);
    else
        flm_message("there is no command '%s', and no such file ('flamel help' lists the commands)",
                    name);
    return FLM_EXIT_WRONG;
}

/* What is no command: a file that is there, or would be by its name. */
static bool is_file(const char *name)
{
    return strcmp(name, "-") == 0 || (name[0] != '-' && strpbrk(name, "./")) ||
           access(name, F_OK) == 0;
}

static int run_help(int count, char **words)
{
    const struct flm_command *command = count > 0 ? flm_command_named(words[0]) : NULL;
    if (count > 0 && !command)
        return no_command(words[0]);
    if (command)
        flm_options_help(command);
    else
        print_help(stdout);
    return FLM_EXIT_DONE;
}

static int run(int count, char **words)
{
    if (count < 2) {
        print_beginning();
        return FLM_EXIT_WRONG;
    }
    const char *name = words[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        flm_print_version();
        return FLM_EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return run_help(count - 2, words + 2);
    const struct flm_command *command = flm_command_named(name);
    if (command)
        return command->run(command, count - 2, words + 2);
    if (is_file(name))
        return flm_command_view.run(&flm_command_view, count - 1, words + 1);
    return no_command(name);
}

/* Large blocks are mapped, so that they are moved without being copied, and given back when they
 * are freed. Left alone, malloc takes the next ones from its heap once a mapped one was freed, and
 * arrays that grow leave holes there: a quarter of the memory, and 5 to 8 % of the time, of a large
 * JSON profile (bench/RESULTS.md). What the heap itself has stays there. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int main(int count, char **words)
{
    keep_freed_memory();
    int status = run(count, words);
    return flm_stdout_flush() ? status : FLM_EXIT_WRONG;
}
