/* tui.h - the viewer in a terminal.
 *
 *     flamel  app.flm  cpu  Flame Chart Sandwich Tree Top                  / search        ? keys
 *     [focus:parse_json x] [hide:libc.so.6 x]                                 18.2 % · 3 of 41
 *      main                                        ▋ idle
 *      parse_json            ▍ read                ▋ +41, 0.6 %               the flame graph,
 *      next_token      ▊+7   ▍                                                or a table
 *     parse_json  libjson.so  json.c:812                                      what is selected,
 *     total 1.24 s, 38.2 % of all, 51 % of view   self 318 ms, 9.8 %          or under the pointer
 *     1,204,331 stacks  12.4 s cpu  drawn 5,312  merged 41 (0.6 %)  lost 0
 *
 * All state is the viewer's: this forwards keys, pointer and wheel to it, has its picture drawn in
 * cells (box_cells.h), and puts its answers into the lines and tables around that. What is of the
 * terminal's own is here: where the lines are, the line that is typed, the row of a table that one
 * is on. */
#ifndef FLAMEL_CLI_TUI_H
#define FLAMEL_CLI_TUI_H

#include "flamel/error.h"
#include "view/viewer.h"

/* Whether there is a terminal for it, to be asked before a large profile is read. False, and `why`,
 * where there is none or one that cannot place text. */
bool flm_tui_is_possible(struct flm_error *why);

/* Shows the viewer until the person quits. False, and `why`, where that is not possible,
 * or when it failed; the terminal is then as it was. */
bool flm_tui_run(struct flm_viewer *viewer, struct flm_error *why);

#endif
