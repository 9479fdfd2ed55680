/* terminal.h - the terminal behind standard output: its width, colors and character set. */
#ifndef FLAMEL_CLI_COMMON_TERMINAL_H
#define FLAMEL_CLI_COMMON_TERMINAL_H

#include "draw/terminal/screen.h"
#include "flamel/report.h"

/* A file or a pipe: plain, whatever the environment says. A terminal: as wide as its window, in
 * UTF-8 where the locale says so, with as many colors as TERM promises; none with NO_COLOR or on a
 * "dumb" one. */
struct flm_report_style flm_style_of_output(void);

/* The same of another file: standard error. */
struct flm_report_style flm_style_of(int file);

/* Colors and character set of the terminal, from the environment. COLORTERM promises all colors;
 * ssh does not pass it on, so some terminals are known by their names. */
enum flm_color_depth flm_terminal_depth(void);
enum flm_charset flm_terminal_charset(void);

/* Whether the page is dark, as far as the environment says: COLORFGBG, "15;0". */
bool flm_terminal_is_dark(void);

#endif
