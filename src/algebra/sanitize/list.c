/* list.c - what a profile shows to who reads it. */
#include <stdlib.h>

#include "algebra/sanitize/pseudonyms.h"
#include "base/core/sort.h"
#include "base/text/text.h"
#include "flamel/sanitize.h"
#include "profile/columns.h"

enum { MOST_SHOWN = 8, MOST_SHOWN_BYTES = 70 };

struct listing {
    const struct flm_profile *p;
    struct flm_text *out;
    double *cost;    /* by string: what is listed first */
    uint32_t *order; /* twice as many as there are strings */
    bool is_whole;   /* every name, on a line of its own */
};

/* ---- A line ---------------------------------------------------------------------------------- */

/* Whether a control character is here, which could move the cursor: of ASCII, or in UTF-8 one of
 * U+0080 to U+009F. */
static bool is_control(struct flm_bytes name, size_t at)
{
    const unsigned char *c = (const unsigned char *)name.at + at;
    return *c < ' ' || *c == 127 || (*c == 0xC2 && at + 1 < name.size && c[1] < 0xA0);
}

/* Adds a name; one of more than `most` bytes is shortened behind a whole character. */
static void add_name(struct flm_text *out, struct flm_bytes name, size_t most)
{
    size_t size = name.size;
    if (size > most)
        for (size = most; size > 0 && ((unsigned char)name.at[size] & 0xC0) == 0x80;)
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

static int more_cost(const void *context, uint32_t a, uint32_t b)
{
    const double *cost = context;
    return cost[a] != cost[b] ? (cost[a] < cost[b] ? 1 : -1) : (a > b) - (a < b);
}

/* "  functions        main, parse and 12 more; 3 pseudonyms": those that cost most first. */
static void add_short(struct listing *l, const char *title, uint32_t count, uint32_t pseudonyms)
{
    add_title(l->out, title);
    for (uint32_t i = 0; i < count && i < MOST_SHOWN; i++) {
        flm_text_puts(l->out, i ? ", " : "");
        add_name(l->out, flm_string_bytes(l->p, l->order[i]), MOST_SHOWN_BYTES);
    }
    if (count > MOST_SHOWN)
        flm_text_format(l->out, " and %u more", count - MOST_SHOWN);
    if (pseudonyms > 0)
        flm_text_format(l->out, "%s%u pseudonym%s", count ? "; " : "", pseudonyms,
                        pseudonyms == 1 ? "" : "s");
    flm_text_putc(l->out, '\n');
}

/* "  functions", and each below it. */
static void add_whole(struct listing *l, const char *title, uint32_t count, uint32_t pseudonyms)
{
    flm_text_format(l->out, "  %s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(l->out, "    ");
        add_name(l->out, flm_string_bytes(l->p, l->order[i]), SIZE_MAX);
        flm_text_putc(l->out, '\n');
    }
    if (pseudonyms > 0)
        flm_text_format(l->out, "    %u pseudonym%s\n", pseudonyms, pseudonyms == 1 ? "" : "s");
}

/* Lists the strings that have a cost of 0 or more; nothing if there are none. */
static void add_line(struct listing *l, const char *title)
{
    uint32_t count = 0, pseudonyms = 0, all = l->p->sizes.string_count;
    for (uint32_t s = 0; s < all; s++) {
        struct flm_bytes name = flm_string_bytes(l->p, s);
        if (l->cost[s] < 0 || name.size == 0)
            continue;
        if (pseudonym_kind(name))
            pseudonyms++;
        else
            l->order[count++] = s;
    }
    if (count + pseudonyms == 0)
        return;
    flm_sort(l->order, count, l->order + all, more_cost, l->cost);
    if (l->is_whole)
        add_whole(l, title, count, pseudonyms);
    else
        add_short(l, title, count, pseudonyms);
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
        add_name(&title, flm_string_bytes(p, key), MOST_SHOWN_BYTES);
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

/* "note frequency: 999 Hz" */
static void list_notes(struct listing *l)
{
    const struct flm_profile *p = l->p;
    size_t most = l->is_whole ? SIZE_MAX : MOST_SHOWN_BYTES;
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        flm_text_puts(l->out, "  note ");
        add_name(l->out, flm_string_bytes(p, p->notes[i].key), most);
        flm_text_puts(l->out, ": ");
        add_name(l->out, flm_string_bytes(p, p->notes[i].value), most);
        flm_text_putc(l->out, '\n');
    }
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        flm_text_puts(l->out, "  lost ");
        add_name(l->out, flm_string_bytes(p, p->losses[i].what), most);
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

static bool list(const struct flm_profile *p, bool is_whole, flm_profile_sink sink, void *context)
{
    size_t strings = p->sizes.string_count;
    struct flm_text out;
    flm_text_init(&out, sink, context);
    struct listing l = {p, &out, malloc(strings * sizeof *l.cost),
                        malloc((2 * strings + 1) * sizeof *l.order), is_whole};
    bool good = l.cost && l.order;
    if (good) {
        list_frames(&l, FUNCTION, "functions");
        list_frames(&l, MODULE, "modules");
        list_frames(&l, FILE_NAME, "files");
        list_labels(&l);
        list_metrics(&l);
        list_times(&l);
        list_notes(&l);
    }
    good = good && flm_text_flush(&out);
    free(l.cost);
    free(l.order);
    flm_text_clear(&out);
    return good;
}

bool flm_sanitize_list(const struct flm_profile *p, flm_profile_sink sink, void *context)
{
    return list(p, false, sink, context);
}

bool flm_sanitize_list_all(const struct flm_profile *p, flm_profile_sink sink, void *context)
{
    return list(p, true, sink, context);
}
