#include <stdlib.h>
#include <string.h>

#include "algebra/operation/pattern.h"
#include "algebra/sanitize/internal.h"
#include "base/core/path_name.h"
#include "profile/recursion.h"

/* Sets the bytes of frames that one of the patterns matches. One that matches none is an error, or
 * its bit is set where comparisons look at both profiles: patterns have bits from `first` on.
 * `field` is in front of them. */
static bool mark(struct flm_sanitizing *w, const struct flm_texts *patterns, const char *rule,
                 const char *field, size_t first, unsigned char *marks, struct flm_error *why)
{
    uint32_t count = w->p->sizes.frame_count, matched = 1;
    unsigned char *one = malloc(count);
    bool good = one || flm_error_memory(why);
    struct flm_text pattern = {0}, said = {0};
    for (size_t i = 0; good && i < patterns->count; i++) {
        pattern.size = 0;
        if (!flm_bytes_start_with(patterns->at[i], field))
            flm_text_puts(&pattern, field);
        flm_text_add(&pattern, patterns->at[i]);
        struct flm_bytes text = {pattern.at, pattern.size};
        good = (!pattern.failed || flm_error_memory(why)) &&
               flm_pattern_mark(w->p, text, one, &matched, why);
        for (uint32_t f = 0; good && f < count; f++)
            marks[f] |= one[f];
        if (good && matched == 0 && w->unmatched && first + i < 64) {
            *w->unmatched |= UINT64_C(1) << (first + i);
        } else if (good && matched == 0) {
            flm_pattern_suggest(w->p, text, rule, &said);
            if (said.size == 0 && memchr(patterns->at[i].at, ',', patterns->at[i].size))
                flm_text_format(&said, " (a rule has one pattern: '%s:A | %s:B')", rule, rule);
            good = flm_error_set(why, FLM_ERROR_USAGE, "%s:%.*s: no frame matches%.*s", rule,
                                 (int)patterns->at[i].size, patterns->at[i].at, (int)said.size,
                                 said.size ? said.at : "");
        }
    }
    flm_text_clear(&pattern);
    flm_text_clear(&said);
    free(one);
    return good;
}

/* "libacme.so+0x12" has the module in its name. */
static uint32_t unsymbolized_name(struct flm_sanitizing *w, struct flm_bytes name,
                                  struct flm_bytes module, uint32_t new_module)
{
    struct flm_bytes last = flm_path_last(module, "/\\");
    struct flm_bytes shown = flm_path_last(name, "/\\");
    if (shown.size < last.size || memcmp(shown.at, last.at, last.size) != 0)
        return flm_sanitize_pseudonym(w, "fn", name);
    w->made.size = 0;
    flm_text_add(&w->made, flm_interner_text(&w->b->interner, new_module));
    flm_text_add(&w->made, flm_bytes_from(shown, last.size));
    if (w->made.failed) {
        flm_builder_fail_memory(w->b);
        return 0;
    }
    return flm_sanitize_text(w, (struct flm_bytes){w->made.at, w->made.size});
}

static uint32_t function_of(struct flm_sanitizing *w, uint32_t frame, uint32_t module)
{
    const struct flm_frame_record *old = &w->p->frames[frame];
    struct flm_bytes name = flm_string_bytes(w->p, old->function);
    if (w->is_named[frame])
        return flm_sanitize_pseudonym(w, "fn", name);
    if (old->kind == FLM_KIND_LABEL && !w->rules->keeps_labels)
        return flm_sanitize_pseudonym(w, "label", name);
    if (w->is_moduled[frame] && (old->flags & FLM_FRAME_UNSYMBOLIZED))
        return unsymbolized_name(w, name, flm_string_bytes(w->p, old->module), module);
    return flm_sanitize_string(w, old->function);
}

static uint32_t frame_of(struct flm_sanitizing *w, uint32_t frame)
{
    const struct flm_frame_record *old = &w->p->frames[frame];
    bool has_file = !w->is_named[frame] && !w->rules->drops_files;
    struct flm_frame_record new = {.kind = old->kind, .flags = old->flags & FLM_FRAME_FLAGS};
    new.module = flm_sanitize_path(w, old->module);
    if (w->is_moduled[frame])
        new.module = flm_sanitize_pseudonym(
            w, "module", flm_path_last(flm_string_bytes(w->p, old->module), "/\\"));
    new.function = function_of(w, frame, new.module);
    new.file = has_file ? flm_sanitize_path(w, old->file) : 0;
    new.line = has_file ? old->line : 0;
    if ((old->flags & FLM_FRAME_UNSYMBOLIZED) && !w->is_named[frame])
        new.address = old->address; /* its name has it too */
    struct flm_location where = {0};
    uint32_t location = flm_frame_location(old);
    if (location > 0 && has_file) {
        where = flm_location_at(w->p, location - 1);
        where.address = 0;
        where.file = flm_sanitize_path(w, where.file);
    }
    return flm_builder_located(w->b, &new, where).index;
}

static void copy_nodes(struct flm_sanitizing *w)
{
    const struct flm_profile *p = w->p;
    flm_profile_parents(p, w->node_of);
    for (uint32_t f = 1; f < p->sizes.frame_count; f++)
        w->frame_of[f] = frame_of(w, f);
    w->node_of[0] = 0;
    for (uint32_t i = 1; i < p->sizes.node_count && !w->b->failed; i++) /* parents become nodes */
        w->node_of[i] = flm_builder_child(w->b, (struct flm_node){w->node_of[w->node_of[i]]},
                                          (struct flm_frame){w->frame_of[p->node_frame[i]]})
                            .index;
    for (uint32_t m = 0; m < p->sizes.metric_count && !w->b->failed; m++) {
        uint32_t metric = w->metric_of[m] =
            flm_builder_metric_of(w->b, flm_sanitize_string(w, p->metrics[m].name),
                                  flm_sanitize_string(w, p->metrics[m].unit));
        for (uint32_t i = 0; i < p->sizes.node_count && !w->b->failed; i++)
            flm_builder_add_self(w->b, metric, w->node_of[i], flm_self_column(p, m)[i]);
    }
}

/* How deep the recursion was that one frame stands for. */
static void copy_depths(struct flm_sanitizing *w)
{
    const struct flm_profile *p = w->p;
    struct flm_depths *depths;
    if (p->sizes.recursion_count == 0 || w->b->failed)
        return;
    depths = flm_depths_new(w->b->node_count);
    if (!depths) {
        flm_builder_fail_memory(w->b);
        return;
    }
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        flm_depths_merge(&depths[w->node_of[i]], flm_recursion_at(p, i));
    flm_builder_take_depths(w->b, depths);
}

bool flm_sanitize_stacks(struct flm_sanitizing *w, struct flm_error *why)
{
    if (!mark(w, &w->rules->names, "names", "", 0, w->is_named, why) ||
        !mark(w, &w->rules->modules, "modules", "module=", w->rules->names.count, w->is_moduled,
              why))
        return false;
    copy_nodes(w);
    copy_depths(w);
    return true;
}
