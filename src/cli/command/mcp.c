/* mcp.c - `flamel mcp`: what flamel says, for coding assistants: the Model Context Protocol. */
#include <stdio.h>

#include "cli/command/commands.h"
#include "cli/common/memory_limit.h"
#include "cli/common/messages.h"
#include "cli/mcp/server.h"

static int run(const struct flm_command *command, int count, char **words)
{
    struct flm_error why;
    int status, operands = flm_command_start(command, NULL, count, words, &status);
    if (operands < 0)
        return status;
    if (operands > 0)
        return flm_message_usage("mcp takes no file: the assistant names files when it asks");
    return flm_memory_limit_begin(&why) && flm_mcp_serve(stdin, stdout, &why)
               ? FLM_EXIT_DONE
               : flm_message_error(&why);
}

const struct flm_command flm_command_mcp = {
    .name = "mcp",
    .synopsis = "",
    .summary = "answer coding assistants: the Model Context Protocol",
    .description =
        "Answers requests of the Model Context Protocol on standard input and output, as coding\n"
        "assistants make them: reports, call trees, callers, lines of source, differences and\n"
        "gates of profiles, and what a running program that measures itself does now. It reads\n"
        "files that the assistant names, changes nothing, and uses no network. Answers are short,\n"
        "and say what they leave out.",
    .examples = "  claude mcp add flamel -- flamel mcp     Claude Code\n"
                "  {\"mcpServers\": {\"flamel\": {\"command\": \"flamel\", \"args\": [\"mcp\"]}}}\n"
                "                                          others: in their file of servers\n",
    .run = run,
};
