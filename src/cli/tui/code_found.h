/* code_found.h - source and machine code for the view of code (tui.h), found on this machine. */
#ifndef FLAMEL_CLI_TUI_CODE_FOUND_H
#define FLAMEL_CLI_TUI_CODE_FOUND_H

#include "cli/tui/tui.h"

struct flm_code_finder;

/* By enum flm_viewer_side; profiles are the viewer's, and stay. */
struct flm_tui_code_found {
    const struct flm_profile *profile[2];
    struct flm_code_finder *finder[2];
};

bool flm_tui_code_find(void *context, const struct flm_response_code_wanted *wanted,
                       struct flm_text *bytes, struct flm_error *why);
void flm_tui_code_found_clear(struct flm_tui_code_found *code);

#endif
