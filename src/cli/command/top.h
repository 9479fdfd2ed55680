/* top.h - `flamel top` from inside: the same recording on a screen, or as tables one below the
 * other. */
#ifndef FLAMEL_CLI_COMMAND_TOP_H
#define FLAMEL_CLI_COMMAND_TOP_H

#include "record/live/live.h"

struct flm_top {
    struct flm_live *recording;
    const char *name; /* of what is looked at: "node 4711" */
    int rows;         /* of a plain table; 0: all */
    int tables;       /* so many of them; 0: until the end */
    bool json;
};

/* In the terminal, until the person quits. */
bool flm_top_screen(struct flm_top *top, struct flm_error *why);

/* On standard output, until the target ends or a signal comes. */
bool flm_top_plain(struct flm_top *top, struct flm_error *why);

/* The time of day: "150405", "15:04:05". */
enum { FLM_TOP_TIME_SIZE = 16 };
void flm_top_time(const char *format, char *text);

#endif
