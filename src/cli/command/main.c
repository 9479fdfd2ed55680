/* main.c - `flamel COMMAND ...`: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/common/messages.h"

#ifndef FLAMEL_VERSION
#define FLAMEL_VERSION "unknown"
#endif

static void print_help(FILE *to)
{
    fprintf(to, "flamel shows where a program spends its CPU time, off-CPU time and memory.\n\n"
                "usage: flamel COMMAND [OPTION]... [FILE]...\n\n");
    size_t command_count;
    const struct flm_command *const *commands = flm_commands(&command_count);
    for (size_t i = 0; i < command_count; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\nA flame graph of a program, in the browser:\n\n"
                "    flamel record --view -- ./app\n\n"
                "From perf script, or any tool that writes folded stacks:\n\n"
                "    perf script | flamel convert - -o app.svg\n\n"
                "'flamel COMMAND --help' describes a command. '-' is standard input or output.\n");
}

static int no_command(const char *name)
{
    flm_message("there is no command '%s' ('flamel help' lists them)", name);
    return FLM_EXIT_WRONG;
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
        print_help(stderr);
        return FLM_EXIT_WRONG;
    }
    const char *name = words[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("flamel %s\n", FLAMEL_VERSION);
        return FLM_EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return run_help(count - 2, words + 2);
    const struct flm_command *command = flm_command_named(name);
    if (command)
        return command->run(command, count - 2, words + 2);
    return no_command(name);
}

int main(int count, char **words)
{
    int status = run(count, words);
    return flm_stdout_flush() ? status : FLM_EXIT_WRONG;
}
