#include "flamel/sanitize.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "algebra/sanitize/folders.h"
#include "algebra/sanitize/internal.h"
#include "base/core/path_name.h"
#include "base/text/versioned.h"
#include "flamel/algebra.h"

/* ---- Texts ----------------------------------------------------------------------------------- */

uint32_t flm_sanitize_text(struct flm_sanitizing *w, struct flm_bytes text)
{
    return flm_builder_string(w->b, text.at, text.size).index;
}

/* Without folders: in a name, and in a path, which has nothing else in it. */
static uint32_t clean(struct flm_sanitizing *w, struct flm_bytes text, bool is_path)
{
    w->made.size = 0;
    flm_add_without_folders(&w->made, text);
    if (w->made.failed) {
        flm_builder_fail_memory(w->b);
        return 0;
    }
    struct flm_bytes made = {w->made.at ? w->made.at : "", w->made.size};
    return flm_sanitize_text(w, is_path ? flm_path_last(made, "/\\") : made);
}

uint32_t flm_sanitize_string(struct flm_sanitizing *w, uint32_t string)
{
    return clean(w, flm_string_bytes(w->p, string), false);
}

uint32_t flm_sanitize_path(struct flm_sanitizing *w, uint32_t string)
{
    return clean(w, flm_string_bytes(w->p, string), true);
}

uint32_t flm_sanitize_pseudonym(struct flm_sanitizing *w, const char *kind, struct flm_bytes name)
{
    char text[FLM_PSEUDONYM_SIZE];
    flm_pseudonym(&w->pseudonyms, kind, name, text);
    return flm_sanitize_text(w, flm_bytes_of(text));
}

/* ---- Notes and losses ------------------------------------------------------------------------ */

/* What says how it was measured, and nothing else. */
static bool is_about_measuring(struct flm_bytes key)
{
    static const char *const keys[] = {"architecture",
                                       FLM_NOTE_NOT_SHOWN "callers",
                                       FLM_NOTE_NOT_SHOWN "code between safepoints",
                                       "duration_ns",
                                       FLM_NOTE_NOT_SHOWN "exact stacks",
                                       "folded.annotated",
                                       "frequency",
                                       "gate block",
                                       "gate group",
                                       "gate run",
                                       "gate session",
                                       "labels with numbers",
                                       "mode",
                                       FLM_NOTE_NOT_SHOWN "native frames",
                                       FLM_NOTE_NOT_SHOWN "waiting virtual threads",
                                       FLM_NOTE_NOT_SHOWN "waits from beginning to end",
                                       "period",
                                       "period type",
                                       "period unit",
                                       "primitive calls",
                                       "processors",
                                       "stack dumps",
                                       "thread states",
                                       "time unit",
                                       FLM_NOTE_EXIT_STATUS,
                                       FLM_NOTE_LINES,
                                       FLM_NOTE_MERGED,
                                       FLM_NOTE_ROUNDED,
                                       FLM_NOTE_SAMPLE_VALUES,
                                       FLM_NOTE_SIGNAL};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (flm_bytes_are(key, keys[i]))
            return true;
    return false;
}

static void copy_notes(struct flm_sanitizing *w)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.note_count && !w->b->failed; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (is_about_measuring(key) || flm_texts_have(&w->rules->notes, key)) {
            uint32_t value = flm_sanitize_string(w, p->notes[i].value);
            flm_builder_agree_note(w->b, flm_sanitize_text(w, key), value);
        }
    }
    for (uint32_t i = 0; i < p->sizes.loss_count && !w->b->failed; i++)
        flm_builder_add_loss(w->b, (struct flm_builder_loss){
                                       .what = flm_sanitize_string(w, p->losses[i].what),
                                       .where = flm_sanitize_string(w, p->losses[i].where),
                                       .count = p->losses[i].count,
                                       .resolved = true,
                                   });
}

/* ---- All of it ------------------------------------------------------------------------------- */

static struct flm_profile *sanitize_split(const struct flm_profile *p, void *context,
                                          struct flm_error *why)
{
    struct flm_sanitizing w = *(const struct flm_sanitizing *)context;
    struct flm_profile *result = NULL;
    w.p = p;
    w.b = flm_builder_new(why);
    w.is_named = calloc(p->sizes.frame_count, 1);
    w.is_moduled = calloc(p->sizes.frame_count, 1);
    w.frame_of = calloc(p->sizes.frame_count, sizeof *w.frame_of);
    w.node_of = calloc(p->sizes.node_count, sizeof *w.node_of);
    w.metric_of = calloc((size_t)p->sizes.metric_count + 1, sizeof *w.metric_of);
    if (!w.b || !w.is_named || !w.is_moduled || !w.frame_of || !w.node_of || !w.metric_of) {
        flm_error_memory(why);
    } else if (flm_sanitize_stacks(&w, why)) {
        flm_sanitize_samples(&w);
        copy_notes(&w);
        result = flm_builder_finish(w.b, why);
        w.b = NULL;
    }
    flm_builder_free(w.b);
    free(w.is_named);
    free(w.is_moduled);
    free(w.frame_of);
    free(w.node_of);
    free(w.metric_of);
    flm_text_clear(&w.made);
    return result;
}

bool flm_sanitize_check(const char *rules, struct flm_error *why)
{
    struct flm_rules parsed;
    bool good = flm_rules_parse(&parsed, flm_bytes_of(rules ? rules : ""), why);
    flm_rules_clear(&parsed);
    return good;
}

struct flm_profile *flm_sanitize(const struct flm_profile *p,
                                 const struct flm_sanitize_options *options, struct flm_error *why)
{
    struct flm_sanitize_options how;
    struct flm_rules rules;
    struct flm_profile *result = NULL;
    assert(p);
    if (!flm_versioned_copy(&how, sizeof how, options, "flm_sanitize_options", why))
        return NULL;
    if (how.key_size < 16) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "a key for pseudonyms has at least 16 bytes, not %zu: short ones can be "
                      "tried out",
                      how.key_size);
        return NULL;
    }
    struct flm_sanitizing w = {.rules = &rules, .unmatched = how.unmatched};
    flm_pseudonyms_init(&w.pseudonyms, (struct flm_bytes){how.key, how.key_size});
    if (flm_rules_parse(&rules, flm_bytes_of(how.rules ? how.rules : ""), why))
        result = flm_with_chains(p, sanitize_split, &w, why);
    flm_rules_clear(&rules);
    return result;
}
