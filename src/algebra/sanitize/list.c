/* list.c - what a profile shows to who reads it. */
#include <stdlib.h>

#include "algebra/sanitize/pseudonyms.h"
#include "base/text/text.h"
#include "flamel/sanitize.h"
#include "profile/columns.h"

enum { MOST_SHOWN = 8, MOST_SHOWN_BYTES = 70 };

struct listing {
    const struct flm_profile *p;
    struct flm_text *out;
    double *cost; /* by string: what is listed first */
};

/* ---- A line ---------------------------------------------------------------------------------- */

/* Whether a control character is here, which could move the cursor: of ASCII, or in UTF-8 one of
 * U+0080 to U+009F. */
static bool is_control(struct flm_bytes name, size_t at)
{
    const unsigned char *c = (const unsigned char *)name.at + at;
    return *c < ' ' || *c == 127 || (*c == 0xC2 && at + 1 < name.size && c[1] < 0xA0);
}

/* Adds a name; one that is long is shortened behind a whole character. */
static void add_name(struct flm_text *out, struct flm_bytes name)
{
    size_t size = name.size;
    if (size > MOST_SHOWN_BYTES)
        for (size = MOST_SHOWN_BYTES; size > 0 && ((unsigned char)name.at[size] & 0xC0) == 0x80;)
            size--;
    for (size_t i = 0; i < size; i++) {
        bool controls = is_control(name, i);
        flm_text_putc(out, controls ? ' ' : name.at[i]);
        i += controls && (unsigned char)name.at[i] == 0xC2;
    }
    if (size < name.size)
        flm_text_puts(out, "...");
}

/* "  modules          " */
static void add_title(struct flm_text *out, const char *title)
{
    enum { WIDTH = 17 };
    size_t size = strlen(title);
    flm_text_format(out, "  %s", title);
    flm_text_repeat(out, ' ', size < WIDTH ? WIDTH - size : 1);
}

/* The kinds of pseudonyms that there are; NULL: it is none. */
static const char *pseudonym_kind(struct flm_bytes name)
{
    static const char *const kinds[] = {"fn",      "module",  "label", "thread",
                                        "process", "command", "name"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (flm_is_pseudonym(name, kinds[i]))
            return kinds[i];
    return NULL;
}

/* "functions    1,234: main, parse, ..., 12 pseudonyms": those that cost most first. The strings
 * that are listed have a cost of 0 or more. */
static void add_line(struct listing *l, const char *title)
{
    uint32_t shown[MOST_SHOWN] = {0}, count = 0, pseudonyms = 0, shown_count = 0;
    for (uint32_t s = 0; s < l->p->sizes.string_count; s++) {
        struct flm_bytes name = flm_string_bytes(l->p, s);
        if (l->cost[s] < 0 || name.size == 0)
            continue;
        if (pseudonym_kind(name)) {
            pseudonyms++;
            continue;
        }
        count++;
        uint32_t at = shown_count < MOST_SHOWN ? shown_count++ : MOST_SHOWN;
        for (; at > 0 && l->cost[shown[at - 1]] < l->cost[s]; at--)
            if (at < MOST_SHOWN)
                shown[at] = shown[at - 1];
        if (at < MOST_SHOWN)
            shown[at] = s;
    }
    if (count + pseudonyms == 0)
        return;
    add_title(l->out, title);
    for (uint32_t i = 0; i < shown_count; i++) {
        flm_text_puts(l->out, i ? ", " : "");
        add_name(l->out, flm_string_bytes(l->p, shown[i]));
    }
    if (count > shown_count)
        flm_text_format(l->out, " and %u more", count - shown_count);
    if (pseudonyms > 0)
        flm_text_format(l->out, "%s%u pseudonym%s", count ? "; " : "", pseudonyms,
                        pseudonyms == 1 ? "" : "s");
    flm_text_putc(l->out, '\n');
}

static void forget(struct listing *l)
{
    for (uint32_t s = 0; s < l->p->sizes.string_count; s++)
        l->cost[s] = -1;
}

static void see(struct listing *l, uint32_t string, double cost)
{
    l->cost[string] = (l->cost[string] < 0 ? 0 : l->cost[string]) + cost;
}

/* ---- What there is --------------------------------------------------------------------------- */

enum field { FUNCTION, MODULE, FILE_NAME };

static void list_frames(struct listing *l, enum field field, const char *title)
{
    const struct flm_profile *p = l->p;
    forget(l);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        const struct flm_frame_record *f = &p->frames[p->node_frame[i]];
        uint32_t string = field == FUNCTION ? f->function : field == MODULE ? f->module : f->file;
        see(l, string, p->sizes.metric_count ? flm_self_column(p, 0)[i] : 0);
    }
    for (uint32_t i = 0; field == FILE_NAME && i < p->sizes.location_count; i++)
        see(l, p->location_file[i], 0);
    add_line(l, title);
}

/* "label thread    41 pseudonyms" */
static void list_labels(struct listing *l)
{
    const struct flm_profile *p = l->p;
    struct flm_text title = {0};
    for (uint32_t i = 0; i < p->sizes.label_count;) {
        uint32_t key = p->labels[i].key;
        forget(l);
        for (; i < p->sizes.label_count && p->labels[i].key == key; i++)
            see(l, p->labels[i].value, 0);
        title.size = 0;
        flm_text_puts(&title, "label ");
        add_name(&title, flm_string_bytes(p, key));
        flm_text_putc(&title, 0);
        l->out->failed |= title.failed;
        if (!title.failed)
            add_line(l, title.at);
    }
    flm_text_clear(&title);
}

static void list_metrics(struct listing *l)
{
    const struct flm_profile *p = l->p;
    forget(l);
    for (uint32_t i = 0; i < p->sizes.metric_count; i++)
        see(l, p->metrics[i].name, 0);
    add_line(l, "metrics");
    forget(l);
    for (uint32_t i = 0; i < p->sizes.marker_count; i++)
        see(l, p->markers[i].name, 1);
    add_line(l, "markers");
    forget(l);
    for (uint32_t i = 0; i < p->sizes.marker_count; i++)
        see(l, p->markers[i].detail, 1);
    add_line(l, "details");
    forget(l);
    for (uint32_t i = 0; i < p->sizes.counter_count; i++)
        see(l, p->counters[i].name, 0);
    add_line(l, "counters");
}

/* "note frequency  999 Hz" */
static void list_notes(struct listing *l)
{
    const struct flm_profile *p = l->p;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_text_puts(l->out, "  note ");
        add_name(l->out, flm_string_bytes(p, p->notes[i].key));
        flm_text_puts(l->out, ": ");
        add_name(l->out, flm_string_bytes(p, p->notes[i].value));
        flm_text_putc(l->out, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_text_puts(l->out, "  lost ");
        add_name(l->out, flm_string_bytes(p, p->losses[i].what));
        flm_text_putc(l->out, '\n');
    }
}

static void list_times(struct listing *l)
{
    const struct flm_profile *p = l->p;
    uint32_t timed = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        timed += p->sample_time[i] != FLM_NO_TIME;
    if (timed > 0) {
        add_title(l->out, "times");
        flm_text_format(l->out, "of %u samples\n", timed);
    }
}

bool flm_sanitize_list(const struct flm_profile *p, flm_profile_sink sink, void *context)
{
    struct flm_text out;
    flm_text_init(&out, sink, context);
    struct listing l = {p, &out, malloc(p->sizes.string_count * sizeof *l.cost)};
    if (l.cost) {
        list_frames(&l, FUNCTION, "functions");
        list_frames(&l, MODULE, "modules");
        list_frames(&l, FILE_NAME, "files");
        list_labels(&l);
        list_metrics(&l);
        list_times(&l);
        list_notes(&l);
    }
    bool good = l.cost && flm_text_flush(&out);
    free(l.cost);
    flm_text_clear(&out);
    return good;
}
