/* menu.c - the menu of the selected frame: which actions it has, in which order. */
#include "viewer/input/actions.h"

static const struct flm_menu_entry entries[] = {
    {"expand-function", "Expand its recursion", 0},
    {"collapse-function", "Collapse its recursion", 0},
    {"zoom-selected", "Zoom", 1},
    {"focus", "Focus: only what is below", 1},
    {"callers", "Callers and callees", 1},
    {"hide", "Hide the function", 2},
    {"hide-module", "Hide its module", 2},
    {"drop", "Drop stacks that have it", 2},
    {"prune", "Nothing below it", 2},
    {"collapse-any", "Collapse recursion", 2},
    {"expand-all", "Expand all recursion", 2},
    {"processes", "Collapse the process", 2},
    {"search-selected", "Search for it", 3},
    {"copy-name", "Copy the name", 3},
    {"copy-stack", "Copy the stack", 3},
    {"open-source", "Open the source", 3},
    {"fit", "Show everything", 4},
    {"transform", "Add a transform \xE2\x80\xA6", 4},
    {"palette", "All actions \xE2\x80\xA6", 4},
};

const struct flm_menu_entry *flm_menu_at(size_t index)
{
    return index < sizeof entries / sizeof entries[0] ? &entries[index] : NULL;
}
