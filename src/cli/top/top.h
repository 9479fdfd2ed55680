/* top.h - the forms of `flamel top` of samples: a screen, and printed tables. */
#ifndef FLAMEL_CLI_TOP_TOP_H
#define FLAMEL_CLI_TOP_TOP_H

#include "flamel/live.h"

struct flm_top {
    struct flm_live *recording;
    const char *name; /* of the target: "node 4711" */
    int rows;         /* of a printed table; 0: all */
    int tables;       /* how many to print; 0: until the target ends */
    bool json;
};

/* In the terminal, until the user quits. */
bool flm_top_screen(struct flm_top *top, struct flm_error *why);

/* On standard output, until the target ends or a signal comes. */
bool flm_top_plain(struct flm_top *top, struct flm_error *why);

/* The time of day, in a format of strftime: "15:04:05". */
enum { FLM_TOP_TIME_SIZE = 16 };
void flm_top_time(const char *format, char *text);

#endif
