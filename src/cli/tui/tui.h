/* tui.h - the viewer in a terminal.
 *
 *     flamel  app.flm  cpu  flame chart sandwich tree top compare          / search        ? keys
 *     [focus:parse_json x] [hide:libc.so.6 x]                                 18.2 % · 3 of 41
 *      main                                        ▋ idle
 *      parse_json            ▍ read                ▋ +41, 0.6 %               the flame graph,
 *      next_token      ▊+7   ▍                                                or a table
 *     parse_json  libjson.so  json.c:812                                      what is selected,
 *     total 1.24 s, 38.2 % of total, 51 % of view   self 318 ms, 9.8 %        or under the pointer
 *     1,204,331 stacks  12.4 s cpu  drawn 5,312  merged 41 (0.6 %)  lost 0
 *
 * The state is the viewer's: this forwards keys, pointer and wheel to it, draws its picture in
 * cells (terminal/cell_boxes.h), and puts its responses into the lines and tables around that. Only
 * state of the terminal is here: the rows of the lines, the typed line, the current row
 * of a table. */
#ifndef FLAMEL_CLI_TUI_TUI_H
#define FLAMEL_CLI_TUI_TUI_H

#include "flamel/error.h"
#include "viewer/viewer.h"

/* Whether there is a suitable terminal: call it before a large profile is read. False, and `why`,
 * if there is none, or it has no cursor positioning. */
bool flm_tui_is_possible(struct flm_error *why);

/* A live profile. The loop fetches a newer one a few times a second, and has keys of its own: Space
 * or p freezes, s saves, w widens. */
struct flm_tui_live {
    void *context;
    const char *name; /* of the target */

    /* A newer profile, which the viewer takes; NULL: there is none now. */
    struct flm_profile *(*next)(void *context);

    /* The state of the recording, in two parts: "live", "last 10 s: 9,870 samples ..."; and the
     * message while there is nothing to show. */
    void (*describe)(void *context, struct flm_text *word, struct flm_text *sentence);
    void (*describe_empty)(void *context, struct flm_text *sentence);

    void (*freeze)(void *context); /* or resume */
    void (*widen)(void *context);  /* to everything, or back */

    /* A name for a file; and saves the shown profile. */
    void (*propose)(void *context, struct flm_text *name);
    bool (*save)(void *context, const char *path, struct flm_error *why);
};

/* Where the view of code gets its text: what is wanted, as the bytes of a store (code_store.h).
 * False, and `why`, if memory ran out; what was not found is in the store. */
struct flm_response_code_wanted;
struct flm_tui_code_source {
    void *context;
    bool (*find)(void *context, const struct flm_response_code_wanted *wanted,
                 struct flm_text *store, struct flm_error *why);
};

/* Shows the viewer until the user quits. False, and `why`, on failure; the terminal is then as it
 * was. */
bool flm_tui_run(struct flm_viewer *viewer, struct flm_error *why);

/* The same, with the text of code. */
bool flm_tui_run_with_code(struct flm_viewer *viewer, const struct flm_tui_code_source *code,
                           struct flm_error *why);

/* The same, live. */
bool flm_tui_run_live(struct flm_viewer *viewer, const struct flm_tui_live *live,
                      struct flm_error *why);

#endif
