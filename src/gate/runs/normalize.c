#include "gate/runs/normalize.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/compare/comparable.h"
#include "algebra/operation/rebuild.h"
#include "base/text/clone_name.h"
#include "draw/text/cells.h"
#include "flamel/compare.h"

/* As the kernel keeps names of commands: with the zero at the end 16 bytes. */
enum { MOST_COMMAND = 15 };

struct making {
    const struct flm_profile *p;
    struct flm_builder *builder;
    bool lines;
    struct flm_bytes command; /* "": none is to be renamed */
    uint32_t command_string;  /* its new name */
    bool is_part;             /* the last frame was made of a part of its function */
};

static uint32_t last_part_string(struct making *m, uint32_t string)
{
    struct flm_bytes path = flm_string_bytes(m->p, string), end = flm_path_end(path);
    if (end.size == path.size)
        return string;
    return flm_builder_string(m->builder, end.at, end.size).index;
}

static bool is_command(const struct making *m, struct flm_bytes name)
{
    return m->command.size > 0 && flm_bytes_equal(name, m->command);
}

/* A command and a thread have what fits of it. */
static bool is_short_command(const struct making *m, struct flm_bytes name)
{
    struct flm_bytes cut = m->command;
    cut.size = cut.size < MOST_COMMAND ? cut.size : MOST_COMMAND;
    return m->command.size > 0 && flm_bytes_equal(name, cut);
}

/* A frame that a JIT compiler inlined: it has no module. */
static bool is_inlined_script(const struct flm_frame_record *r)
{
    return r->kind == FLM_KIND_INLINED && r->module == 0;
}

static uint32_t kind_of(const struct flm_frame_record *r)
{
    switch (r->kind) {
    case FLM_KIND_INLINED:
        return is_inlined_script(r) ? FLM_KIND_JIT : FLM_KIND_NATIVE;
    case FLM_KIND_JIT_TIER1:
    case FLM_KIND_INTERPRETED:
        return FLM_KIND_JIT;
    default:
        return r->kind;
    }
}

/* Whether the text is all digits and ':', at least one of them. */
static bool is_number(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((text.at[i] < '0' || text.at[i] > '9') && text.at[i] != ':')
            return false;
    return text.size > 0;
}

/* A label that is only the number of a process or a thread. */
static bool is_number_alone(struct flm_bytes label)
{
    return label.size > 1 && (label.at[0] == 'P' || label.at[0] == 'T') &&
           is_number((struct flm_bytes){label.at + 1, label.size - 1});
}

/* "worker 124" is "worker". */
static struct flm_bytes without_number(struct flm_bytes label)
{
    for (size_t size = label.size; size > 1; size--) {
        if (label.at[size - 1] != ' ')
            continue;
        if (!is_number((struct flm_bytes){label.at + size, label.size - size}))
            break;
        label.size = size - 1;
    }
    return label;
}

/* The name of a label; FLM_NONE: it is left out. */
static uint32_t label_string(struct making *m, uint32_t string)
{
    struct flm_bytes name = flm_string_bytes(m->p, string), named = without_number(name);
    if (is_number_alone(named))
        return FLM_NONE;
    if (is_short_command(m, named))
        return m->command_string;
    return named.size == name.size ? string
                                   : flm_builder_string(m->builder, named.at, named.size).index;
}

/* Whether a frame of the module has the name. Frames are sorted by name, then by module, and names
 * by their bytes. */
static bool has_function(const struct flm_profile *p, struct flm_bytes name, uint32_t module)
{
    uint32_t low = 1, high = p->sizes.frame_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct flm_frame_record *r = &p->frames[middle];
        int order = flm_bytes_compare(flm_string_bytes(p, r->function), name);
        if (order < 0 || (order == 0 && r->module < module))
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->sizes.frame_count && p->frames[low].module == module &&
           flm_bytes_equal(flm_string_bytes(p, p->frames[low].function), name);
}

/* The function that a clone is one of. */
static uint32_t function_string(struct making *m, const struct flm_frame_record *r)
{
    bool is_compiled = r->kind == FLM_KIND_PLAIN || r->kind == FLM_KIND_NATIVE ||
                       r->kind == FLM_KIND_KERNEL ||
                       (r->kind == FLM_KIND_INLINED && !is_inlined_script(r));
    struct flm_bytes name = flm_string_bytes(m->p, r->function), base = name;
    base.size = is_compiled ? flm_clone_base(name) : name.size;
    if (base.size == name.size || (flm_bytes_are(flm_bytes_from(name, base.size), ".cold") &&
                                   !has_function(m->p, base, r->module)))
        return r->function;
    m->is_part = flm_clone_kinds(name) & FLM_CLONE_PART;
    return flm_builder_string(m->builder, base.at, base.size).index;
}

static uint32_t make_frame(struct making *m, const struct flm_frame_record *r)
{
    m->is_part = false;
    struct flm_frame_record made = {
        .function = function_string(m, r), .kind = kind_of(r), .flags = r->flags};
    if (r->module)
        made.module = is_command(m, flm_path_end(flm_string_bytes(m->p, r->module)))
                          ? m->command_string
                          : last_part_string(m, r->module);
    if (!r->module || m->lines)
        made.file = last_part_string(m, r->file);
    if (m->lines)
        made.line = r->line;
    if (r->kind == FLM_KIND_LABEL)
        made.function = label_string(m, r->function);
    if (made.function == FLM_NONE)
        return FLM_NONE;
    return flm_builder_frame(m->builder, &made).index;
}

struct flm_profile *flm_normalize_frames(const struct flm_profile *p, bool lines,
                                         struct flm_error *why)
{
    assert(p);
    static const char name[] = "[command]";
    struct flm_rebuild r;
    uint32_t *frame = malloc(p->sizes.frame_count * sizeof *frame);
    bool *is_part = calloc(p->sizes.frame_count, sizeof *is_part);
    if (!frame || !is_part || !flm_rebuild_start(&r, p, why)) {
        free(frame);
        free(is_part);
        flm_error_memory(why);
        return NULL;
    }
    struct making making = {p,
                            r.builder,
                            lines,
                            flm_profile_note(p, FLM_NOTE_GATE_COMMAND),
                            flm_builder_string(r.builder, name, sizeof name - 1).index,
                            false};
    frame[0] = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        frame[i] = make_frame(&making, &p->frames[i]);
        is_part[i] = making.is_part;
    }
    for (uint32_t i = 1; i < p->sizes.node_count && !flm_builder_failed(r.builder); i++) {
        uint32_t above = r.moved[r.parent[i]], here = frame[p->node_frame[i]];
        uint32_t caller = p->node_frame[r.parent[i]];
        bool continues = is_part[p->node_frame[i]] && !is_part[caller] && frame[caller] == here;
        r.moved[i] = here == FLM_NONE || continues ? above : flm_rebuild_child(&r, above, here);
    }
    free(frame);
    free(is_part);
    return flm_rebuild_finish(&r, why);
}
