#include "cli/command/commands.h"

#include <string.h>

#include "cli/common/messages.h"

/* Those that need more than files: processes, a kernel, sockets. */
#ifdef __wasi__
#define ON_LINUX(...)
#else
#define ON_LINUX(...) __VA_ARGS__,
#endif

/* clang-format off */
static const struct flm_command *const commands[] = {
    ON_LINUX(&flm_command_record, &flm_command_probe, &flm_command_top)
    &flm_command_view,
    &flm_command_convert,
    &flm_command_info,
    &flm_command_report,
    ON_LINUX(&flm_command_annotate)
    &flm_command_diff,
    &flm_command_gate,
    &flm_command_series,
    &flm_command_similarity,
    &flm_command_merge,
    &flm_command_filter,
    ON_LINUX(&flm_command_store, &flm_command_query, &flm_command_serve)
    &flm_command_formats,
    ON_LINUX(&flm_command_mcp)
    &flm_command_completion,
};
/* clang-format on */

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
