#include "cli/common/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf.h"
#include "cli/common/memory_limit.h"

static void print(const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    line[flm_utf8_mask_hidden(line, strlen(line))] = 0;
    fprintf(stderr, "flamel: %s\n", line);
}

void flm_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

int flm_message_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    return FLM_EXIT_WRONG;
}

int flm_message_error(const struct flm_error *why)
{
    struct flm_error explained = *why;
    flm_memory_limit_explain(&explained);
    flm_message("%s", explained.text);
    return FLM_EXIT_WRONG;
}

bool flm_stdout_flush(void)
{
    bool failed = ferror(stdout) != 0;
    const char *reason = fflush(stdout) != 0 ? strerror(errno) : NULL;
    clearerr(stdout);
    if (reason)
        flm_message("standard output: cannot be written: %s", reason);
    else if (failed)
        flm_message("standard output: cannot be written");
    return !reason && !failed;
}
