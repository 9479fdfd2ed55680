#include <stdio.h>

#include "base/text/json_write.h"
#include "format/protobuf/wire_write.h"
#include "serve/query/flamebearer.h"

void flm_flamebearer_write_json(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    char number[32];
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "flamegraph", FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "names", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < f->names.count; i++)
        flm_json_add_text(&json, NULL, (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    flm_json_end(&json);
    flm_json_begin(&json, "levels", FLM_JSON_ARRAY_LINE);
    for (uint32_t level = 0; level < f->level_count; level++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(&json, "values", FLM_JSON_ARRAY_LINE);
        for (size_t i = 0; i < f->boxes.count; i++) {
            const struct flm_flamebearer_box *b = &f->boxes.at[i];
            const int64_t values[] = {b->gap, b->total, b->self, b->name};
            for (int k = 0; b->level == level && k < 4; k++) {
                snprintf(number, sizeof number, "%lld", (long long)values[k]);
                flm_json_add_text(&json, NULL, flm_bytes_of(number));
            }
        }
        flm_json_end(&json);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    snprintf(number, sizeof number, "%lld", (long long)f->total);
    flm_json_add_text(&json, "total", flm_bytes_of(number));
    snprintf(number, sizeof number, "%lld", (long long)f->max_self);
    flm_json_add_text(&json, "maxSelf", flm_bytes_of(number));
    flm_json_end(&json);
    flm_json_end(&json);
}

void flm_flamebearer_write_wire(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct flm_text graph = {0}, message = {0}, packed = {0};
    for (size_t i = 0; i < f->names.count; i++)
        flm_wire_put_bytes(&graph, 1, (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    for (uint32_t level = 0; level < f->level_count; level++) {
        for (size_t i = 0; i < f->boxes.count; i++) {
            const struct flm_flamebearer_box *b = &f->boxes.at[i];
            if (b->level != level)
                continue;
            flm_wire_put_varint(&packed, (uint64_t)b->gap);
            flm_wire_put_varint(&packed, (uint64_t)b->total);
            flm_wire_put_varint(&packed, (uint64_t)b->self);
            flm_wire_put_varint(&packed, b->name);
        }
        flm_wire_put_message(&message, 1, &packed);
        flm_wire_put_message(&graph, 2, &message);
    }
    flm_wire_put_number(&graph, 3, (uint64_t)f->total);
    flm_wire_put_number(&graph, 4, (uint64_t)f->max_self);
    flm_wire_put_message(out, 1, &graph);
    flm_text_clear(&graph);
    flm_text_clear(&message);
    flm_text_clear(&packed);
}
