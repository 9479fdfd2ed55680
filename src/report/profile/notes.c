/* notes.c - the table of written notes in reports. */
#include <assert.h>

#include "draw/text/note_subject.h"
#include "report/profile/internal.h"

static struct flm_bytes bytes_of(struct flm_name name)
{
    return (struct flm_bytes){name.at, name.size};
}

static void add_times(struct flm_report *report, const struct flm_written_note *note,
                      int64_t first_ns)
{
    if (note->about != FLM_NOTE_ABOUT_TIME || first_ns == FLM_NO_TIME) {
        flm_report_cell_absent(report);
        flm_report_cell_absent(report);
        return;
    }
    flm_report_cell_number(report, (double)note->from_ns - (double)first_ns);
    flm_report_cell_number(report, (double)note->to_ns - (double)first_ns);
}

static void add_text(struct flm_report *report, struct flm_name text)
{
    if (text.size > 0)
        flm_report_cell_bytes(report, bytes_of(text));
    else
        flm_report_cell_absent(report);
}

static void add_row(struct flm_report *report, const struct flm_written_note *note,
                    int64_t first_ns)
{
    flm_report_begin_row(report, 0, FLM_IN_PROGRAMS | FLM_IN_MARKDOWN);
    flm_report_cell_bytes(report, flm_bytes_of(note->id));
    flm_note_subject_add(flm_report_cell_text(report), note, first_ns);
    flm_report_cell_bytes(report, flm_bytes_of(flm_note_about_name(note->about)));
    add_text(report, note->function);
    add_text(report, note->module);
    add_text(report, note->stack);
    add_times(report, note, first_ns);
    add_text(report, note->state);
    add_text(report, note->text);
}

void flm_report_add_written(struct flm_report *report, const struct flm_profile *p)
{
    struct flm_written_notes *notes = flm_written_notes_read(p, NULL);
    int64_t first_ns = flm_note_first_ns(p);
    report->failed |= !notes;
    for (size_t i = 0; notes && i < flm_written_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_written_notes_at(notes, i);
        struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, i == 0, FLM_TONE_PLAIN);
        flm_note_line_add(line, note, first_ns);
    }
    flm_written_notes_free(notes);
}

struct flm_report *flm_report_notes(const struct flm_profile *profile, struct flm_error *why)
{
    static const char *const columns[] = {"id",    "on",      "about", "function", "module",
                                          "stack", "from_ns", "to_ns", "state",    "text"};
    enum { ON = 1, COLUMNS = sizeof columns / sizeof columns[0] };
    assert(profile);
    struct flm_written_notes *notes = flm_written_notes_read(profile, why);
    struct flm_report *report = notes ? flm_report_new(why) : NULL;
    if (!report) {
        flm_written_notes_free(notes);
        return NULL;
    }
    int64_t first_ns = flm_note_first_ns(profile);
    size_t count = flm_written_notes_count(notes);
    for (size_t i = 0; i < count; i++) {
        const struct flm_written_note *note = flm_written_notes_at(notes, i);
        struct flm_text *line = flm_report_add_line(report, FLM_IN_TEXT, false, FLM_TONE_PLAIN);
        flm_text_format(line, "%s  ", note->id);
        flm_note_subject_add(line, note, first_ns);
        flm_text_puts(line, ": ");
        flm_text_add(line, bytes_of(note->text));
    }
    flm_report_begin_table(report, "notes", FLM_IN_PROGRAMS | FLM_IN_MARKDOWN, false);
    for (size_t i = 0; i < COLUMNS; i++)
        flm_report_add_column(report, columns[i], i == ON ? 0 : FLM_IN_PROGRAMS);
    static const size_t seen[] = {0, ON, COLUMNS - 1};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        flm_report_add_view(
            report, (struct flm_report_view){.heading = columns[seen[i]], .column = seen[i]});
    for (size_t i = 0; i < count; i++)
        add_row(report, flm_written_notes_at(notes, i), first_ns);
    flm_written_notes_free(notes);
    return flm_report_finish(report, why);
}
