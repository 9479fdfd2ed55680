#include "base/text/line_reader.h"

#include <assert.h>

#include "base/core/scan.h"

enum { REPORT_EVERY = 4 << 20 };

static bool report(struct flm_line_reader *l)
{
    size_t bytes = l->unreported;
    l->unreported = 0;
    return flm_source_progress(l->source, bytes, l->why);
}

/* The size of the line at source->at, with its end: the rest of the input if it has no end. False,
 * and why, when the stream failed. */
static bool find_end(struct flm_line_reader *l, size_t *size)
{
    struct flm_source *s = l->source;
    for (size_t searched = 0;;) {
        const char *newline = flm_find(s->at + searched, s->end, '\n');
        *size = (size_t)(newline - s->at) + (newline < s->end);
        if (newline < s->end || s->last)
            return true;
        searched = *size;
        if (!flm_source_more(s, l->why))
            return false;
    }
}

bool flm_line_next(struct flm_line_reader *l, struct flm_bytes *line)
{
    assert(l->source && line);
    if (l->failed)
        return false;
    if (!l->is_repeated) {
        l->source->at += l->size;
        l->unreported += l->size;
        l->size = 0;
        if ((l->unreported >= REPORT_EVERY && !report(l)) || !find_end(l, &l->size)) {
            l->failed = true;
            return false;
        }
        if (l->size == 0) {
            l->failed = !report(l);
            return false;
        }
        l->number++;
    }
    l->is_repeated = false;
    *line = (struct flm_bytes){l->source->at, l->size};
    l->is_ended = line->at[line->size - 1] == '\n';
    line->size -= l->is_ended;
    if (line->size > 0 && line->at[line->size - 1] == '\r')
        line->size--;
    return true;
}

void flm_line_repeat(struct flm_line_reader *l)
{
    assert(l->size > 0);
    l->is_repeated = true;
}
