/* menu.c - the menu of the selected frame: which actions it has, in which order. */
#include "viewer/input/actions.h"

static const struct flm_menu_entry entries[] = {
    {"zoom-selected", "Zoom", 0},
    {"focus", "Focus: only what is below", 0},
    {"callers", "Callers and callees", 0},
    {"hide", "Hide the function", 1},
    {"hide-module", "Hide its module", 1},
    {"drop", "Drop stacks that have it", 1},
    {"prune", "Nothing below it", 1},
    {"collapse-any", "Collapse recursion", 1},
    {"processes", "Collapse the process", 1},
    {"search-selected", "Search for it", 2},
    {"copy-name", "Copy the name", 2},
    {"copy-stack", "Copy the stack", 2},
    {"open-source", "Open the source", 2},
    {"fit", "Show everything", 3},
    {"transform", "Add a transform \xE2\x80\xA6", 3},
    {"palette", "All actions \xE2\x80\xA6", 3},
};

const struct flm_menu_entry *flm_menu_at(size_t index)
{
    return index < sizeof entries / sizeof entries[0] ? &entries[index] : NULL;
}
