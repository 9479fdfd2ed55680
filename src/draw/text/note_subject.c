#include "draw/text/note_subject.h"

#include "draw/text/quantity.h"

static void add_name(struct flm_text *out, struct flm_name name)
{
    flm_text_add(out, (struct flm_bytes){name.at, name.size});
}

void flm_note_subject_add(struct flm_text *out, const struct flm_written_note *note,
                          int64_t first_ns)
{
    struct flm_bytes ns = flm_bytes_of("ns");
    switch (note->about) {
    case FLM_NOTE_ABOUT_PROFILE:
        flm_text_puts(out, "profile");
        break;
    case FLM_NOTE_ABOUT_FUNCTION:
        add_name(out, note->function);
        flm_text_puts(out, note->module.size ? " of " : "");
        add_name(out, note->module);
        break;
    case FLM_NOTE_ABOUT_STACK:
        add_name(out, note->stack);
        break;
    case FLM_NOTE_ABOUT_TIME:
        if (first_ns == FLM_NO_TIME) {
            flm_text_puts(out, "a time, which samples no longer have");
            break;
        }
        flm_quantity_add(out, (double)note->from_ns - (double)first_ns, ns);
        flm_text_puts(out, " to ");
        flm_quantity_add(out, (double)note->to_ns - (double)first_ns, ns);
        break;
    case FLM_NOTE_ABOUT_VIEW:
        flm_text_puts(out, "view");
        break;
    }
}

void flm_note_line_add(struct flm_text *out, const struct flm_written_note *note, int64_t first_ns)
{
    flm_text_puts(out, "note on ");
    flm_note_subject_add(out, note, first_ns);
    flm_text_puts(out, ": ");
    add_name(out, note->text);
}
