/* module_notes.c - which builds of its modules a recording is of: notes (format/core/mapped.h).
 *
 * Names and lines are looked up once, and stay; but the machine code that is shown beside them is
 * read from the file when somebody asks, and another build has other code at the same address. */
#include <stdlib.h>

#include "format/core/mapped.h"
#include "record/symbols/internal.h"

static bool add_mapped(struct flm_session *s, struct flm_mapped *mapped, size_t *count,
                       struct flm_text *ids)
{
    size_t known = s->locations.owners.count, *ends = calloc(known + 1, sizeof *ends);
    for (size_t i = 0; ends && i < known; i++) {
        const struct flm_location_owner *owner = &s->locations.owners.at[i];
        bool is_kernel = owner->kind == FLM_OWNER_KERNEL;
        if (!owner->module || (owner->kind != FLM_OWNER_MODULE && !is_kernel) ||
            flm_module_build_id(owner->module)->size == 0)
            continue;
        flm_build_id_print(flm_module_build_id(owner->module), ids);
        ends[*count] = ids->size;
        /* The kernel's addresses are those from its start on (record/session/finish.c). */
        mapped[(*count)++] =
            (struct flm_mapped){.path = flm_module_path(owner->module), .in_file = !is_kernel};
    }
    for (size_t i = 0; ends && i < *count && !ids->failed; i++) {
        size_t start = i > 0 ? ends[i - 1] : 0;
        mapped[i].build_id = (struct flm_bytes){ids->at + start, ends[i] - start};
    }
    free(ends);
    return ends && !ids->failed;
}

static bool note_modules(struct flm_session *s, struct flm_builder *builder)
{
    if (!s->options.locations)
        return true;
    struct flm_text ids = {0};
    size_t count = 0;
    struct flm_mapped *mapped = calloc(s->locations.owners.count + 1, sizeof *mapped);
    bool good = mapped && add_mapped(s, mapped, &count, &ids);
    if (good)
        flm_mapped_note(builder, mapped, count);
    free(mapped);
    flm_text_clear(&ids);
    return good;
}

bool flm_symbols_explain(struct flm_session *s, const bool *is_unsymbolized,
                         struct flm_builder *builder)
{
    return note_modules(s, builder) && flm_symbols_note_code(s, builder) &&
           flm_session_explain(s, is_unsymbolized, builder);
}
