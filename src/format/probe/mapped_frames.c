/* mapped_frames.c - frames of addresses, by what is mapped. */
#include "format/probe/mapped_frames.h"

#include "base/text/text.h"
#include "format/core/mapped.h"
#include "format/perf/frame.h"

enum { HEX_ID = 2 * sizeof((struct flm_probe_mapping){0}.build_id) };

/* The profile has addresses in the file, which are the same in each run; where it is mapped is
 * not. */
struct flm_probe_mapped {
    struct flm_mapped range; /* in the file */
    uint64_t start, size;    /* in memory */
    uint32_t module;         /* string */
    char build_id[HEX_ID];
};

static bool add_mapping(struct flm_probe_mappings *m, const struct flm_probe_mapping *from,
                        struct flm_bytes path)
{
    static const char digit[] = "0123456789abcdef";
    uint64_t bytes = from->end > from->start ? from->end - from->start : 0;
    if (from->offset > UINT64_MAX - bytes) /* no file is so large */
        return true;
    struct flm_probe_mapped mapped = {.range = {.start = from->offset,
                                                .limit = from->offset + bytes,
                                                .offset = from->offset,
                                                .path = path},
                                      .start = from->start,
                                      .size = bytes,
                                      .module =
                                          flm_builder_string(m->builder, path.at, path.size).index};
    size_t size = from->build_id_size < HEX_ID / 2 ? from->build_id_size : HEX_ID / 2;
    for (size_t i = 0; i < size; i++) {
        mapped.build_id[2 * i] = digit[from->build_id[i] >> 4];
        mapped.build_id[2 * i + 1] = digit[from->build_id[i] & 15];
    }
    mapped.range.build_id.size = 2 * size; /* where it is is known at the end */
    return FLM_ARRAY_ADD(&m->mapped, mapped);
}

bool flm_probe_mappings_read(struct flm_probe_mappings *m, const struct flm_probe_decoded *decoded,
                             struct flm_builder *builder, struct flm_error *why)
{
    struct flm_probe_mapping mapping;
    struct flm_bytes path;
    bool good = true;
    *m = (struct flm_probe_mappings){.builder = builder};
    for (uint32_t place = decoded->header.first_mapping;
         good && flm_probe_mapping_at(decoded->all, place, &mapping, &path); place = mapping.next)
        good = add_mapping(m, &mapping, path);
    struct FLM_ARRAY(struct flm_mapped) ranges = {0};
    for (size_t i = 0; i < m->mapped.count && good; i++) {
        struct flm_probe_mapped *known = &m->mapped.at[i];
        known->range.build_id.at = known->build_id;
        good = FLM_ARRAY_ADD(&ranges, known->range);
    }
    if (good)
        flm_mapped_note(builder, ranges.at, ranges.count);
    FLM_ARRAY_CLEAR(&ranges);
    return good || flm_error_memory(why);
}

void flm_probe_mappings_clear(struct flm_probe_mappings *m)
{
    FLM_ARRAY_CLEAR(&m->mapped);
}

struct flm_frame flm_probe_mapped_frame(const struct flm_probe_mappings *m, uint64_t address)
{
    char buffer[160];
    struct flm_text text;
    const struct flm_probe_mapped *mapped = NULL;
    for (size_t i = 0; i < m->mapped.count && !mapped; i++)
        if (address - m->mapped.at[i].start < m->mapped.at[i].size)
            mapped = &m->mapped.at[i];
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    if (mapped) {
        address = address - mapped->start + mapped->range.offset;
        flm_mapped_place_name(&text, address, mapped->range.path);
    } else {
        flm_mapped_frame_name(&text, address, (struct flm_bytes){"", 0});
    }
    const struct flm_frame_record record = {
        .function = flm_builder_string(m->builder, text.at, text.size).index,
        .module = mapped ? mapped->module : 0,
        .address = address,
        .kind = mapped ? flm_perf_module_kind(mapped->range.path) : FLM_KIND_NATIVE,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    return flm_builder_frame(m->builder, &record);
}
