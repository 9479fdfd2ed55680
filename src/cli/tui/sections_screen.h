/* sections_screen.h - the sections of a program that measures itself, in the terminal: a tab each,
 * and a table that is sorted, searched and scrolled while it is renewed. */
#ifndef FLAMEL_CLI_TUI_SECTIONS_SCREEN_H
#define FLAMEL_CLI_TUI_SECTIONS_SCREEN_H

#include "cli/report/live_sections.h"

struct flm_tui_sections {
    void *context;
    const char *name;              /* of the program */
    struct flm_sections *sections; /* the caller's; `look` adds to it */

    /* Called often: looks, if it is time to. False, and `why`, where the file cannot be read. */
    bool (*look)(void *context, struct flm_error *why);
    void (*describe)(void *context, struct flm_text *word); /* "running" */
    void (*freeze)(void *context);

    /* Saves what is shown, under a name that is added to `name`. */
    bool (*save)(void *context, struct flm_text *name, struct flm_error *why);
};

/* Until the user quits. False, and `why`, where there is no terminal, or looking failed. */
bool flm_tui_run_sections(const struct flm_tui_sections *what, struct flm_error *why);

#endif
