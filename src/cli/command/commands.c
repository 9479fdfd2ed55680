#include "cli/command/commands.h"

#include <string.h>

#include "cli/common/messages.h"

/* All commands, in the order of the help. Those under `linux` need more than files: processes, a
 * kernel, sockets. */
/* clang-format off */
#define COMMANDS(any, linux)                                                                       \
    linux(record)                                                                                  \
    linux(probe)                                                                                   \
    linux(top)                                                                                     \
    any(view)                                                                                      \
    any(convert)                                                                                   \
    any(info)                                                                                      \
    any(report)                                                                                    \
    any(annotate)                                                                                  \
    any(diff)                                                                                      \
    any(gate)                                                                                      \
    any(series)                                                                                    \
    any(similarity)                                                                                \
    any(merge)                                                                                     \
    any(filter)                                                                                    \
    any(note)                                                                                      \
    linux(store)                                                                                   \
    linux(query)                                                                                   \
    linux(serve)                                                                                   \
    linux(agent)                                                                                   \
    any(formats)                                                                                   \
    linux(mcp)                                                                                     \
    any(completion)
/* clang-format on */

#define ADDRESS(name) &flm_command_##name,
#define NAME(name) #name,
#define NOTHING(name)
#ifdef __wasi__
static const struct flm_command *const commands[] = {COMMANDS(ADDRESS, NOTHING)};
static const char *const left_out[] = {COMMANDS(NOTHING, NAME) NULL};
#else
static const struct flm_command *const commands[] = {COMMANDS(ADDRESS, ADDRESS)};
static const char *const left_out[] = {NULL};
#endif

bool flm_command_is_left_out(const char *name)
{
    for (size_t i = 0; left_out[i]; i++)
        if (strcmp(left_out[i], name) == 0)
            return true;
    return false;
}

const struct flm_command *const *flm_commands(size_t *count)
{
    *count = sizeof commands / sizeof commands[0];
    return commands;
}

const struct flm_command *flm_command_named(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int flm_command_start(const struct flm_command *command, void *fields, int count, char **words,
                      int *status)
{
    struct flm_error why;
    int operands = flm_options_parse(command, fields, count, words, &why);
    *status = operands == -1 ? flm_message_error(&why) : FLM_EXIT_DONE;
    return operands >= 0 ? operands : -1;
}
