#include "cli/common/terminal.h"

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

enum flm_color_depth flm_terminal_depth(void)
{
    static const char *const true_colors[] = {"-direct", "kitty", "alacritty",
                                              "ghostty", "foot",  "wezterm"};
    const char *terminal = variable("TERM"), *promise = variable("COLORTERM");
    if (*variable("NO_COLOR") || !*terminal || strcmp(terminal, "dumb") == 0)
        return FLM_DEPTH_NONE;
    if (strcmp(promise, "truecolor") == 0 || strcmp(promise, "24bit") == 0)
        return FLM_DEPTH_TRUE;
    for (size_t i = 0; i < sizeof true_colors / sizeof true_colors[0]; i++)
        if (strstr(terminal, true_colors[i]))
            return FLM_DEPTH_TRUE;
    return strstr(terminal, "256") || *promise ? FLM_DEPTH_256 : FLM_DEPTH_16;
}

enum flm_charset flm_terminal_charset(void)
{
    return is_utf8() ? FLM_CHARSET_UTF8 : FLM_CHARSET_ASCII;
}

bool flm_terminal_is_dark(void)
{
    const char *colors = variable("COLORFGBG"), *last = strrchr(colors, ';');
    int page = last ? atoi(last + 1) : 0; /* of the 16: 7 and all from 9 on are light */
    return !last || page < 7 || page == 8;
}

struct flm_report_style flm_style_of_output(void)
{
    return flm_style_of(STDOUT_FILENO);
}

struct flm_report_style flm_style_of(int file)
{
    enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20 };
    struct flm_report_style style = {.size = sizeof style};
    if (!isatty(file))
        return style;
    struct winsize size = {0};
    style.width = USUAL_WIDTH;
    if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
    style.charset = is_utf8() ? FLM_REPORT_UTF8 : FLM_REPORT_ASCII;
    enum flm_color_depth depth = flm_terminal_depth();
    style.colors = depth == FLM_DEPTH_NONE ? 0 : depth == FLM_DEPTH_16 ? 16 : 256;
    return style;
}
