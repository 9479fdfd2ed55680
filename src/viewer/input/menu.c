/* menu.c - what is done with the selected frame: which actions, in which order. */
#include "viewer/input/actions.h"

static const struct flm_menu_entry entries[] = {
    {"expand-function", "Expand its recursion", NULL, FLM_MENU_RECURSION},
    {"collapse-function", "Collapse its recursion", NULL, FLM_MENU_RECURSION},
    {"zoom-selected", "Zoom", NULL, FLM_MENU_VIEW},
    {"focus", "Focus: only what is below", "Focus", FLM_MENU_VIEW},
    {"callers", "Callers and callees", "Sandwich", FLM_MENU_VIEW},
    {"code", "Source and machine code", "Code", FLM_MENU_VIEW},
    {"hide", "Hide the function", "Hide", FLM_MENU_TRANSFORM},
    {"hide-module", "Hide its module", NULL, FLM_MENU_TRANSFORM},
    {"drop", "Drop stacks that have it", NULL, FLM_MENU_TRANSFORM},
    {"keep", "Keep only stacks that have it", NULL, FLM_MENU_TRANSFORM},
    {"prune", "Nothing below it", NULL, FLM_MENU_TRANSFORM},
    {"cut", "Cut this frame away", NULL, FLM_MENU_TRANSFORM},
    {"collapse-any", "Collapse all recursion", NULL, FLM_MENU_TRANSFORM},
    {"expand-all", "Expand all recursion", NULL, FLM_MENU_TRANSFORM},
    {"processes", "Collapse the process", NULL, FLM_MENU_TRANSFORM},
    {"rows", "Expand or collapse the thread", NULL, FLM_MENU_TRANSFORM},
    {"search-selected", "Search for it", NULL, FLM_MENU_COPY},
    {"copy-name", "Copy the name", NULL, FLM_MENU_COPY},
    {"copy-stack", "Copy the stack", "Copy stack", FLM_MENU_COPY},
    {"open-source", "Open the source", "Open source", FLM_MENU_COPY},
    {"note", "Write a note on it \xE2\x80\xA6", "Note", FLM_MENU_COPY},
    {"fit", "Show everything", NULL, FLM_MENU_GENERAL},
    {"transform", "Add a transform \xE2\x80\xA6", NULL, FLM_MENU_GENERAL},
    {"palette", "All actions \xE2\x80\xA6", NULL, FLM_MENU_GENERAL},
};

const struct flm_menu_entry *flm_menu_at(size_t index)
{
    return index < sizeof entries / sizeof entries[0] ? &entries[index] : NULL;
}
