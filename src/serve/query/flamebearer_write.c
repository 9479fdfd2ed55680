#include <stdio.h>

#include "format/protobuf/wire_write.h"
#include "serve/query/flamebearer.h"

enum { MOST_VALUES = 7 };

/* The numbers of a box, in their order. */
static unsigned values_of(const struct flm_flamebearer *f, const struct flm_flamebearer_box *b,
                          int64_t values[MOST_VALUES])
{
    unsigned count = 0;
    for (unsigned s = 0; s < f->side_count; s++) {
        values[count++] = b->side[s].gap;
        values[count++] = b->side[s].total;
        values[count++] = b->side[s].self;
    }
    values[count++] = b->name;
    return count;
}

static int64_t total_of(const struct flm_flamebearer *f)
{
    return f->total[0] + f->total[1];
}

/* Numbers of 64 bits are texts in the JSON of Protocol Buffers. */
static void put_number(struct flm_json_writer *json, const char *key, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    flm_json_add_text(json, key, flm_bytes_of(text));
}

static void put_names(const struct flm_flamebearer *f, struct flm_json_writer *json)
{
    flm_json_begin(json, "names", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < f->names.count; i++)
        flm_json_add_text(json, NULL, (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    flm_json_end(json);
}

/* The boxes come in the order of nodes: a list for each level of where the next one is saves a
 * pass over all of them for each level. */
static bool sort_boxes(const struct flm_flamebearer *f, size_t **order, size_t **starts)
{
    *order = malloc((f->boxes.count + 1) * sizeof **order);
    *starts = calloc((size_t)f->level_count + 2, sizeof **starts);
    if (!*order || !*starts)
        return false;
    for (size_t i = 0; i < f->boxes.count; i++)
        (*starts)[f->boxes.at[i].level + 2]++;
    for (size_t level = 2; level <= (size_t)f->level_count + 1; level++)
        (*starts)[level] += (*starts)[level - 1];
    /* starts[level + 1] moves from where a level begins to where it ends. */
    for (size_t i = 0; i < f->boxes.count; i++)
        (*order)[(*starts)[f->boxes.at[i].level + 1]++] = i;
    return true;
}

/* Calls `put` for the numbers of each box of each level. */
struct level_sink {
    void *context;
    void (*begin)(void *context);
    void (*put)(void *context, int64_t value);
    void (*end)(void *context);
};

static bool each_level(const struct flm_flamebearer *f, const struct level_sink *sink)
{
    size_t *order, *starts;
    bool good = sort_boxes(f, &order, &starts);
    for (uint32_t level = 0; good && level < f->level_count; level++) {
        sink->begin(sink->context);
        for (size_t i = starts[level]; i < starts[level + 1]; i++) {
            int64_t values[MOST_VALUES];
            unsigned count = values_of(f, &f->boxes.at[order[i]], values);
            for (unsigned k = 0; k < count; k++)
                sink->put(sink->context, values[k]);
        }
        sink->end(sink->context);
    }
    free(order);
    free(starts);
    return good;
}

/* ---- querier.v1 ------------------------------------------------------------------------------ */

static void begin_object(void *json)
{
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(json, "values", FLM_JSON_ARRAY_LINE);
}

static void put_text(void *json, int64_t value)
{
    put_number(json, NULL, value);
}

static void end_object(void *json)
{
    flm_json_end(json);
    flm_json_end(json);
}

void flm_flamebearer_write_json(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    const struct level_sink sink = {&json, begin_object, put_text, end_object};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "flamegraph", FLM_JSON_OBJECT_LINE);
    put_names(f, &json);
    flm_json_begin(&json, "levels", FLM_JSON_ARRAY_LINE);
    out->failed |= !each_level(f, &sink);
    flm_json_end(&json);
    put_number(&json, "total", total_of(f));
    put_number(&json, "maxSelf", f->max_self);
    if (f->side_count == 2) {
        put_number(&json, "leftTicks", f->total[0]);
        put_number(&json, "rightTicks", f->total[1]);
    }
    flm_json_end(&json);
    flm_json_end(&json);
}

struct wire {
    struct flm_text graph, message, packed;
};

static void begin_nothing(void *context)
{
    (void)context;
}

static void put_varint(void *wire, int64_t value)
{
    flm_wire_put_varint(&((struct wire *)wire)->packed, (uint64_t)value);
}

static void end_message(void *context)
{
    struct wire *wire = context;
    flm_wire_put_message(&wire->message, 1, &wire->packed);
    flm_wire_put_message(&wire->graph, 2, &wire->message);
}

void flm_flamebearer_write_wire(const struct flm_flamebearer *f, struct flm_text *out)
{
    struct wire wire = {.graph = {0}};
    const struct level_sink sink = {&wire, begin_nothing, put_varint, end_message};
    for (size_t i = 0; i < f->names.count; i++)
        flm_wire_put_bytes(&wire.graph, 1,
                           (struct flm_bytes){f->names.at[i].at, f->names.at[i].size});
    out->failed |= !each_level(f, &sink);
    flm_wire_put_number(&wire.graph, 3, (uint64_t)total_of(f));
    flm_wire_put_number(&wire.graph, 4, (uint64_t)f->max_self);
    for (unsigned s = 0; f->side_count == 2 && s < 2; s++)
        flm_wire_put_number(&wire.graph, 5 + s, (uint64_t)f->total[s]);
    flm_wire_put_message(out, 1, &wire.graph);
    flm_text_clear(&wire.graph);
    flm_text_clear(&wire.message);
    flm_text_clear(&wire.packed);
}

/* ---- render ---------------------------------------------------------------------------------- */

static void begin_array(void *json)
{
    flm_json_begin(json, NULL, FLM_JSON_ARRAY_LINE);
}

static void put_integer(void *json, int64_t value)
{
    flm_json_add_integer(json, NULL, value);
}

static void end_array(void *json)
{
    flm_json_end(json);
}

void flm_flamebearer_write_render(const struct flm_flamebearer *f, struct flm_json_writer *json)
{
    const struct level_sink sink = {json, begin_array, put_integer, end_array};
    flm_json_begin(json, "flamebearer", FLM_JSON_OBJECT_LINE);
    put_names(f, json);
    flm_json_begin(json, "levels", FLM_JSON_ARRAY_LINE);
    json->out->failed |= !each_level(f, &sink);
    flm_json_end(json);
    flm_json_add_integer(json, "numTicks", total_of(f));
    flm_json_add_integer(json, "maxSelf", f->max_self);
    flm_json_end(json);
}
