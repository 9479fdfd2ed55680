#include "format/core/location_tables.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "profile/chains.h"

/* ---- Functions ------------------------------------------------------------------------------- */

static bool add_function(struct flm_location_tables *t, uint32_t frame)
{
    const struct flm_frame_record *f = &t->p->frames[frame];
    uint32_t name = flm_location_is_address(t->p, frame) ? 0 : f->function;
    struct flm_written_function wanted = {name, f->file, t->lines_ran ? 0 : f->line};
    if (t->place[frame].file != 0 && t->place[frame].file != f->file)
        wanted = (struct flm_written_function){name, t->place[frame].file, 0};
    uint32_t hash = flm_hash_numbers(flm_hash_numbers(wanted.name, wanted.file), wanted.line);
    for (struct flm_probe at = flm_index_probe(&t->function_index, hash);
         flm_index_next(&t->function_index, &at);) {
        const struct flm_written_function *known = &t->functions.at[at.found];
        if (known->name == wanted.name && known->file == wanted.file &&
            known->line == wanted.line) {
            t->function_of[frame] = at.found;
            return true;
        }
    }
    t->function_of[frame] = (uint32_t)t->functions.count;
    return flm_index_add(&t->function_index, hash, (uint32_t)t->functions.count) &&
           FLM_ARRAY_ADD(&t->functions, wanted);
}

/* ---- Mappings -------------------------------------------------------------------------------- */

/* The mappings of a module, from its note; one without addresses, where it has none. */
static bool add_mappings(struct flm_location_tables *t, uint32_t module)
{
    struct flm_text key = {0};
    flm_text_puts(&key, FLM_NOTE_MAPPED);
    flm_text_add(&key, flm_string_bytes(t->p, module));
    flm_text_putc(&key, 0);
    if (key.failed) {
        flm_text_clear(&key);
        return false;
    }
    struct flm_name note = flm_profile_note_named(t->p, key.at);
    struct flm_bytes value = {note.at ? note.at : "", note.size}, id = flm_mapped_id(value);
    flm_text_clear(&key);
    struct flm_mapped range;
    size_t before = t->mappings.count;
    while (flm_mapped_next(&value, &range)) {
        range.build_id = id;
        if (!FLM_ARRAY_ADD(&t->mappings, (struct flm_written_mapping){range, module, false}))
            return false;
    }
    return t->mappings.count > before ||
           FLM_ARRAY_ADD(&t->mappings,
                         (struct flm_written_mapping){{.build_id = id}, module, false});
}

/* The program comes first: pprof takes the first mapping for it. */
static bool is_program(const struct flm_profile *p, uint32_t module)
{
    struct flm_bytes path = flm_string_bytes(p, module);
    return path.size > 0 && path.at[0] != '[' && !flm_bytes_contain(path, ".so");
}

/* Of a module's mappings, from `first` on, the one with the address; `first` where none has. */
static uint32_t mapping_at(const struct flm_location_tables *t, uint32_t first,
                           const struct flm_frame_record *f, uint64_t address)
{
    for (size_t m = first; m > 0 && m <= t->mappings.count; m++) {
        const struct flm_written_mapping *mapping = &t->mappings.at[m - 1];
        if (mapping->module != f->module)
            break;
        if (mapping->range.start <= address && address < mapping->range.limit)
            return (uint32_t)m;
    }
    return first;
}

static bool make_mappings(struct flm_location_tables *t)
{
    const struct flm_profile *p = t->p;
    unsigned char *used = calloc(p->sizes.string_count, 1);
    uint32_t *first = calloc(p->sizes.string_count, sizeof *first); /* index + 1 */
    bool good = used && first;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        used[p->frames[i].module] = p->frames[i].module != 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; good && i < p->sizes.string_count; i++) {
            if (!used[i] || is_program(p, i) != (round == 0))
                continue;
            first[i] = (uint32_t)t->mappings.count + 1;
            good = add_mappings(t, i);
        }
    }
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        t->mapping_of[i] = f->module ? mapping_at(t, first[f->module], f, t->place[i].address) : 0;
        if (t->mapping_of[i] && f->flags & FLM_FRAME_UNSYMBOLIZED)
            t->mappings.at[t->mapping_of[i] - 1].has_unsymbolized = true;
    }
    free(used);
    free(first);
    return good;
}

/* ---- Locations ------------------------------------------------------------------------------- */

/* The index of a location, or FLM_NONE. */
static uint32_t find_location(struct flm_location_tables *t, struct flm_written_location wanted)
{
    uint32_t hash = flm_hash_numbers(wanted.frame, wanted.outer);
    for (struct flm_probe at = flm_index_probe(&t->location_index, hash);
         flm_index_next(&t->location_index, &at);) {
        const struct flm_written_location *known = &t->locations.at[at.found];
        if (known->frame == wanted.frame && known->outer == wanted.outer)
            return at.found;
    }
    uint32_t index = (uint32_t)t->locations.count;
    return FLM_ARRAY_ADD(&t->locations, wanted) && flm_index_add(&t->location_index, hash, index)
               ? index
               : FLM_NONE;
}

/* A location has one address and one module: what perf script says to be inlined may have those of
 * its own, where its caller was left out. It is a location then. */
static bool is_inlined(const struct flm_location_tables *t, uint32_t frame, uint32_t caller)
{
    const struct flm_frame_record *frames = t->p->frames;
    uint64_t address = t->place[frame].address, other = t->place[caller].address;
    return frames[frame].kind == FLM_KIND_INLINED &&
           frames[frame].module == frames[caller].module &&
           (address == 0 || other == 0 || address == other);
}

static bool make_locations(struct flm_location_tables *t)
{
    const struct flm_profile *p = t->p;
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return false;
    flm_profile_parents(p, parent);
    bool good = true;
    t->location[0] = t->up[0] = FLM_NONE;
    for (uint32_t i = 1; good && i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i], above = parent[i];
        bool inlined = above != 0 && is_inlined(t, frame, p->node_frame[above]);
        t->location[i] = find_location(
            t, (struct flm_written_location){frame, inlined ? t->location[above] + 1 : 0});
        t->up[i] = inlined ? t->up[above] : above;
        good = t->location[i] != FLM_NONE;
    }
    free(parent);
    return good;
}

struct flm_location *flm_location_places(const struct flm_profile *p, bool lines_ran)
{
    struct flm_location *places = calloc(p->sizes.frame_count, sizeof *places);
    for (uint32_t i = 1; places && i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        uint32_t location = flm_frame_location(f);
        if (location != 0)
            places[i] = flm_location_at(p, location - 1);
        if (places[i].line == 0)
            places[i].file = places[i].column = 0;
        if (places[i].line == 0 && lines_ran && f->line != 0) {
            places[i].line = f->line;
            places[i].file = f->file;
        }
        if (places[i].address == 0)
            places[i].address = f->address;
    }
    return places;
}

static bool make_tables(struct flm_location_tables *t)
{
    const struct flm_profile *p = t->p;
    t->location = malloc(p->sizes.node_count * sizeof(uint32_t));
    t->up = malloc(p->sizes.node_count * sizeof(uint32_t));
    t->function_of = calloc(p->sizes.frame_count, sizeof(uint32_t));
    t->mapping_of = calloc(p->sizes.frame_count, sizeof(uint32_t));
    t->place = flm_location_places(p, t->lines_ran);
    bool good =
        t->location && t->up && t->function_of && t->mapping_of && t->place && make_locations(t);
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        good = add_function(t, i);
    return good && make_mappings(t);
}

bool flm_location_tables_make(struct flm_location_tables *t, const struct flm_profile *p,
                              struct flm_error *why)
{
    *t = (struct flm_location_tables){
        .p = p, .lines_ran = flm_profile_note_named(p, FLM_NOTE_LINES).at != NULL};
    if (flm_has_chains(p)) {
        t->p = t->split = flm_profile_split(p, why);
        if (!t->split)
            return false;
    }
    return make_tables(t) || flm_error_memory(why);
}

void flm_location_tables_clear(struct flm_location_tables *t)
{
    free(t->location);
    free(t->up);
    free(t->function_of);
    free(t->mapping_of);
    free(t->place);
    flm_profile_free(t->split);
    FLM_ARRAY_CLEAR(&t->locations);
    FLM_ARRAY_CLEAR(&t->functions);
    FLM_ARRAY_CLEAR(&t->mappings);
    flm_index_clear(&t->location_index);
    flm_index_clear(&t->function_index);
}

bool flm_location_is_address(const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *f = &p->frames[frame];
    char buffer[128];
    struct flm_text name;
    if (!(f->flags & FLM_FRAME_UNSYMBOLIZED))
        return false;
    flm_text_init_fixed(&name, buffer, sizeof buffer);
    flm_mapped_frame_name(&name, f->address, flm_string_bytes(p, f->module));
    return flm_bytes_equal(flm_frame_function(p, frame), (struct flm_bytes){name.at, name.size});
}

bool flm_location_has_line(const struct flm_location_tables *t, uint32_t frame)
{
    const struct flm_written_function *f = &t->functions.at[t->function_of[frame]];
    return f->name != 0 || f->file != 0 || f->line != 0 || t->place[frame].line != 0;
}
