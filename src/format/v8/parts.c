#include "format/v8/profile.h"

/* "data" of an event of a trace, or "cpuProfile" inside it. */
static void read_members(struct flm_v8_profile *part, struct flm_json *json, bool is_inner)
{
    struct flm_bytes key;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        enum flm_json_type type = flm_json_type(json);
        bool is_array = type == FLM_JSON_TYPE_ARRAY;
        struct flm_json_number number;
        if (flm_bytes_are(key, "cpuProfile") && type == FLM_JSON_TYPE_OBJECT && !is_inner)
            read_members(part, json, true);
        else if (flm_bytes_are(key, "timeDeltas") && is_array)
            flm_v8_read_deltas(part, json);
        else if (flm_bytes_are(key, "lines") && is_array)
            flm_v8_read_lines(part, json);
        else if (flm_bytes_are(key, "nodes") && is_array && is_inner)
            flm_v8_read_nodes(part, json);
        else if (flm_bytes_are(key, "samples") && is_array && is_inner)
            flm_v8_read_samples(part, json);
        else if (flm_bytes_are(key, "startTime") && type == FLM_JSON_TYPE_NUMBER &&
                 flm_json_number(json, &number))
            part->start_us = number.value;
    }
}

void flm_v8_read_part(struct flm_v8_profile *part, struct flm_json *json)
{
    if (flm_json_type(json) == FLM_JSON_TYPE_OBJECT)
        read_members(part, json, false);
}

/* Makes as many lines as there are samples, so that those of the next part are of its own samples:
 * the parts before it may have had none, and a malformed one may have had too many. */
static bool align_lines(struct flm_v8_profile *p)
{
    if (p->lines.count > p->samples.count)
        p->lines.count = p->samples.count;
    while (p->lines.count < p->samples.count)
        if (!FLM_ARRAY_ADD(&p->lines, 0))
            return false;
    return true;
}

#define APPEND(to, from)                                                                           \
    (FLM_ARRAY_RESERVE(to, (from)->count) &&                                                       \
     ((from)->count == 0 ||                                                                        \
      memcpy((to)->at + (to)->count, (from)->at, (from)->count * sizeof *(to)->at)) &&             \
     ((to)->count += (from)->count, true))

bool flm_v8_append(struct flm_v8_profile *to, struct flm_v8_profile *part)
{
    for (size_t i = 0; i < part->edges.count; i++)
        part->edges.at[i].from += (uint32_t)to->nodes.count;
    for (size_t i = 0; i < part->nodes.count; i++)
        part->nodes.at[i].ticks += (uint32_t)to->ticks.count;
    if (part->start_us != 0)
        to->start_us = part->start_us;
    return (part->lines.count == 0 || align_lines(to)) && APPEND(&to->nodes, &part->nodes) &&
           APPEND(&to->edges, &part->edges) && APPEND(&to->ticks, &part->ticks) &&
           APPEND(&to->samples, &part->samples) && APPEND(&to->deltas, &part->deltas) &&
           APPEND(&to->lines, &part->lines);
}
