#include "support/core/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/files.h"

static char *command_of(const char *format, va_list arguments)
{
    struct flm_text command = {0};
    flm_text_format(&command, "cd '%s' && { ", temporary_path("."));
    flm_text_vformat(&command, format, arguments);
    flm_text_puts(&command, "\n}");
    flm_text_putc(&command, 0);
    assert_false(command.failed);
    return command.at;
}

void shell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *command = command_of(format, arguments);
    va_end(arguments);
    if (system(command) != 0) /* NOLINT: a test's own words */
        fail_msg("this failed: %s", command);
    free(command);
}

struct flm_text shell_output(const char *format, ...)
{
    struct flm_text output = {0};
    va_list arguments;
    va_start(arguments, format);
    char *command = command_of(format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char buffer[4096];
    for (size_t size; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        flm_text_add(&output, (struct flm_bytes){buffer, size});
    if (pclose(pipe) != 0)
        fail_msg("this failed: %s", command);
    free(command);
    assert_false(output.failed);
    return output;
}

bool has_command(const char *name)
{
    struct flm_text command = {0};
    flm_text_format(&command, "command -v %s > /dev/null 2>&1", name);
    flm_text_putc(&command, 0);
    bool has = system(command.at) == 0;
    flm_text_clear(&command);
    return has;
}

void write_small_program(void)
{
    static const char source[] = "#include <stdlib.h>\n"
                                 "#include <unistd.h>\n"
                                 "volatile int sink;\n"
                                 "static inline __attribute__((always_inline)) int inner(int x)\n"
                                 "{\n"
                                 "    sink += x;\n"
                                 "    return sink * 3;\n"
                                 "}\n"
                                 "static __attribute__((noinline)) int local_function(int x)\n"
                                 "{\n"
                                 "    return inner(x) + 1;\n"
                                 "}\n"
                                 "__attribute__((noinline)) int exported_function(int x)\n"
                                 "{\n"
                                 "    return local_function(x) + (int)getpid();\n"
                                 "}\n"
                                 "__attribute__((weak, noinline)) int weak_function(int x)\n"
                                 "{\n"
                                 "    return exported_function(x) + abs(sink);\n"
                                 "}\n"
                                 "int main(int count, char **words)\n"
                                 "{\n"
                                 "    (void)words;\n"
                                 "    return weak_function(count) == 12345 ? rand() : 0;\n"
                                 "}\n";
    write_temporary("small.c", flm_bytes_of(source));
}
