/* tui.h - the viewer in a terminal.
 *
 *     flamel  app.flm  cpu  flame chart sandwich tree top compare          / search        ? keys
 *     [focus:parse_json x] [hide:libc.so.6 x]                                 18.2 % · 3 of 41
 *      main                                        ▋ idle
 *      parse_json            ▍ read                ▋ +41, 0.6 %               the flame graph,
 *      next_token      ▊+7   ▍                                                or a table
 *     parse_json  libjson.so  json.c:812                                      what is selected,
 *     total 1.24 s, 38.2 % of all, 51 % of view   self 318 ms, 9.8 %          or under the pointer
 *     1,204,331 stacks  12.4 s cpu  drawn 5,312  merged 41 (0.6 %)  lost 0
 *
 * All state is the viewer's: this forwards keys, pointer and wheel to it, has its picture drawn in
 * cells (terminal/cell_boxes.h), and puts its answers into the lines and tables around that. What
 * is of the terminal's own is here: where the lines are, the line that is typed, the row of a table
 * that one is on. */
#ifndef FLAMEL_CLI_TUI_TUI_H
#define FLAMEL_CLI_TUI_TUI_H

#include "flamel/error.h"
#include "viewer/viewer.h"

/* Whether there is a terminal for it, to be asked before a large profile is read. False, and `why`,
 * where there is none or one that cannot place text. */
bool flm_tui_is_possible(struct flm_error *why);

/* A profile that goes on. The loop asks for a newer one at each turn, a few times a second, and has
 * keys of its own: Space or p freezes, s saves, w widens. */
struct flm_tui_live {
    void *context;
    const char *name; /* of what is looked at */

    /* A newer profile, which the viewer takes; NULL: there is none now. */
    struct flm_profile *(*next)(void *context);

    /* How it stands, in two parts: "live", "last 10 s: 9,870 samples ..."; and what to say where
     * there is nothing to be shown. */
    void (*tell)(void *context, struct flm_text *word, struct flm_text *sentence);
    void (*tell_empty)(void *context, struct flm_text *sentence);

    void (*freeze)(void *context); /* or go on */
    void (*widen)(void *context);  /* to everything, or back */

    /* A name for the file, and what is shown into a file. */
    void (*propose)(void *context, struct flm_text *name);
    bool (*save)(void *context, const char *path, struct flm_error *why);
};

/* Shows the viewer until the person quits. False, and `why`, where that is not possible,
 * or when it failed; the terminal is then as it was. */
bool flm_tui_run(struct flm_viewer *viewer, struct flm_error *why);

/* The same, live. */
bool flm_tui_run_live(struct flm_viewer *viewer, const struct flm_tui_live *live,
                      struct flm_error *why);

#endif
