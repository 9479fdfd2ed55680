/* notes.c - the query "notes", and the notes of one frame for the query "detail". */
#include <string.h>

#include "algebra/notes/noted.h"
#include "draw/text/note_subject.h"
#include "viewer/query/internal.h"
#include "viewer/query/subject.h"

static struct flm_bytes bytes_of(struct flm_name name)
{
    return (struct flm_bytes){name.at, name.size};
}

static struct flm_response_written written_of(struct flm_query *q,
                                              const struct flm_written_note *note)
{
    struct flm_response_written made = {.id = flm_query_text(q, note->id),
                                        .about =
                                            flm_query_text(q, flm_note_about_name(note->about)),
                                        .text = flm_query_copy(q, bytes_of(note->text))};
    flm_note_subject_add(flm_query_scratch(q), note,
                         flm_note_first_ns(q->viewer->model.operations.opened));
    made.subject = flm_query_scratch_copy(q);
    return made;
}

/* Whether the stack of a node is the one of a note: leaf first. */
static bool is_stack(const struct flm_subject *s, struct flm_bytes stack)
{
    struct flm_node node = s->node;
    while (node.index != 0 && node.index != FLM_NONE) {
        struct flm_bytes name =
            flm_frame_function(s->pane->profile, s->pane->tree.frame[node.index]);
        if (name.size > stack.size ||
            memcmp(stack.at + stack.size - name.size, name.at, name.size) != 0)
            return false;
        stack.size -= name.size;
        node = flm_layout_parent(s->pane->layout, node);
        bool is_last = node.index == 0 || node.index == FLM_NONE;
        if (is_last || stack.size == 0 || stack.at[stack.size - 1] != ';')
            return is_last && stack.size == 0;
        stack.size--;
    }
    return false;
}

bool flm_query_is_noted(const struct flm_subject *s, const struct flm_written_note *note)
{
    if (s->merged || s->frame == 0)
        return false;
    if (note->about == FLM_NOTE_ABOUT_STACK)
        return s->pane->kind == FLM_PANE_STACKS && is_stack(s, bytes_of(note->stack));
    return note->about == FLM_NOTE_ABOUT_FUNCTION &&
           flm_note_is_on_function(s->pane->profile, s->frame, note);
}

struct flm_response_written *flm_query_written(struct flm_query *q, const struct flm_subject *s,
                                               size_t *count)
{
    const struct flm_kept_notes *notes = &q->viewer->model.notes;
    size_t all = flm_kept_notes_count(notes);
    struct flm_response_written *made = all > 0 ? flm_query_take(q, all, sizeof *made) : NULL;
    *count = 0;
    for (size_t i = 0; made && i < all; i++)
        if (!s || flm_query_is_noted(s, flm_kept_notes_at(notes, i)))
            made[(*count)++] = written_of(q, flm_kept_notes_at(notes, i));
    return *count > 0 ? made : NULL;
}

bool flm_query_notes(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_notes *made = flm_query_take(&q, 1, sizeof *made);
    response->notes = made;
    if (made) {
        made->changed = v->model.notes.is_changed;
        made->notes.at = flm_query_written(&q, NULL, &made->notes.count);
    }
    return flm_query_end(&q, why);
}
