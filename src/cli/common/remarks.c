#include "cli/common/remarks.h"

#include "base/number/number.h"

/* A file may have any number of notes: each is compared only with the others of its block. */
enum { BLOCK = 64 };

static struct flm_bytes string_of(const struct flm_profile *p, uint32_t string)
{
    struct flm_name name = flm_profile_string(p, (struct flm_string){string});
    return (struct flm_bytes){name.at, name.size};
}

/* ---- Losses ---------------------------------------------------------------------------------- */

/* The size of "outer frames" in "outer frames (corrupt stack)"; all, if there is no detail. */
static size_t size_without_detail(struct flm_bytes what)
{
    if (!flm_bytes_end_with(what, ")"))
        return what.size;
    for (size_t i = 1; i < what.size; i++)
        if (what.at[i] == '(' && what.at[i - 1] == ' ')
            return i - 1;
    return what.size;
}

bool flm_remarks_lost(struct flm_remarks *at, const struct flm_profile *p, struct flm_text *line)
{
    const struct flm_loss_record *losses = flm_profile_losses(p);
    uint32_t count = flm_profile_loss_count(p), first = at->next;
    if (first >= count)
        return false;
    struct flm_bytes what = string_of(p, losses[first].what);
    struct flm_bytes common = {what.at, size_without_detail(what)};
    bool has_detail = common.size < what.size;
    do {
        struct flm_bytes where = string_of(p, losses[at->next].where);
        if (at->next > first) {
            flm_text_puts(line, "; ");
            what = (struct flm_bytes){what.at + common.size + 1, what.size - common.size - 1};
        }
        flm_text_add(line, what);
        flm_text_puts(line, ": ");
        char digits[FLM_NUMBER_SIZE];
        size_t size = flm_number_print(losses[at->next].count, digits);
        flm_text_add(line, (struct flm_bytes){digits, size});
        flm_text_puts(line, where.size ? ", the first at " : "");
        flm_text_add(line, where);
        if (++at->next == count)
            return true;
        what = string_of(p, losses[at->next].what);
    } while (has_detail && common.size < what.size && size_without_detail(what) == common.size &&
             memcmp(what.at, common.at, common.size) == 0);
    return true;
}

bool flm_remarks_rounded(struct flm_remarks *at, const struct flm_profile *p, struct flm_text *line)
{
    struct flm_name count = flm_profile_note_named(p, FLM_NOTE_ROUNDED);
    if (at->next++ > 0 || count.size == 0)
        return false;
    flm_text_format(line, "values of 2^53 or more, to 1 part in 2^53: %.*s", (int)count.size,
                    count.at);
    return true;
}

/* ---- Modules without symbols ----------------------------------------------------------------- */

static bool has_prefix(const struct flm_profile *p, uint32_t note, const char *prefix)
{
    return flm_bytes_start_with(string_of(p, flm_profile_notes(p)[note].key), prefix);
}

/* The module's name, if the note says why it has no symbols. */
static bool is_reason(const struct flm_profile *p, uint32_t note, struct flm_bytes *module)
{
    struct flm_bytes key = string_of(p, flm_profile_notes(p)[note].key);
    size_t size = sizeof FLM_NOTE_UNSYMBOLIZED - 1;
    if (!has_prefix(p, note, FLM_NOTE_UNSYMBOLIZED))
        return false;
    *module = (struct flm_bytes){key.at + size, key.size - size};
    return true;
}

static bool is_reported(const struct flm_profile *p, uint32_t note)
{
    const struct flm_note_record *notes = flm_profile_notes(p);
    struct flm_bytes module;
    for (uint32_t i = note / BLOCK * BLOCK; i < note; i++)
        if (notes[i].value == notes[note].value && is_reason(p, i, &module))
            return true;
    return false;
}

bool flm_remarks_unsymbolized(struct flm_remarks *at, const struct flm_profile *p,
                              struct flm_text *line)
{
    const struct flm_note_record *notes = flm_profile_notes(p);
    uint32_t count = flm_profile_note_count(p);
    struct flm_bytes module;
    while (at->next < count && (!is_reason(p, at->next, &module) || is_reported(p, at->next)))
        at->next++;
    if (at->next == count)
        return false;
    uint32_t first = at->next++;
    flm_text_add(line, module);
    for (uint32_t i = first + 1; i < count && i / BLOCK == first / BLOCK; i++) {
        if (notes[i].value != notes[first].value || !is_reason(p, i, &module))
            continue;
        flm_text_puts(line, ", ");
        flm_text_add(line, module);
    }
    flm_text_puts(line, ": ");
    flm_text_add(line, string_of(p, notes[first].value));
    return true;
}

/* ---- What could be shown --------------------------------------------------------------------- */

bool flm_remarks_not_shown(struct flm_remarks *at, const struct flm_profile *p,
                           struct flm_text *line)
{
    uint32_t count = flm_profile_note_count(p);
    while (at->next < count && !has_prefix(p, at->next, FLM_NOTE_NOT_SHOWN))
        at->next++;
    if (at->next == count)
        return false;
    flm_text_add(line, string_of(p, flm_profile_notes(p)[at->next++].value));
    return true;
}
