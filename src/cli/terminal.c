#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* The locale's character set, by the rule of POSIX: the first of these that is set decides. The
 * library does not depend on the locale, so there is no need to load it. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !*locale; i++)
        locale = variable(names[i]);
    return strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8") ||
           strstr(locale, "utf-8");
}

static int color_count(void)
{
    const char *terminal = variable("TERM");
    if (*variable("NO_COLOR") || !*terminal || strcmp(terminal, "dumb") == 0)
        return 0;
    return strstr(terminal, "256") || *variable("COLORTERM") ? 256 : 16;
}

struct flm_look flm_look_of_output(void)
{
    enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20 };
    struct flm_look look = {0};
    if (!isatty(STDOUT_FILENO))
        return look;
    struct winsize size = {0};
    look.width = USUAL_WIDTH;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        look.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
    look.charset = is_utf8() ? FLM_CHARSET_UTF8 : FLM_CHARSET_ASCII;
    look.colors = color_count();
    return look;
}
