/* profile_json.c - nodes, samples and times of a profile of V8, read from JSON. */
#include "format/v8/profile.h"

#include "profile/internal.h"

static bool stopped(const struct flm_v8_profile *p, const struct flm_json *json)
{
    return json->failed || flm_builder_failed(p->builder);
}

/* A number of any kind, or a text of digits; 0 for anything else. */
static double read_number(struct flm_json *json)
{
    struct flm_json_number number = {{"", 0}, 0};
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
        flm_json_number(json, &number);
    return number.value;
}

/* FLM_NONE for what is no id. */
static uint32_t id_of(double number)
{
    return number >= 0 && number < UINT32_MAX ? (uint32_t)number : FLM_NONE;
}

static uint32_t read_id(struct flm_json *json)
{
    return id_of(read_number(json));
}

static uint32_t read_string(struct flm_v8_profile *p, struct flm_json *json)
{
    struct flm_bytes text;
    if (flm_json_type(json) != FLM_JSON_TYPE_STRING || !flm_json_string(json, &text))
        return 0;
    return flm_builder_string(p->builder, text.at, text.size).index;
}

enum {
    ID,
    CALL_FRAME,
    HIT_COUNT,
    SELF_SIZE,
    POSITION_TICKS,
    PARENT,
    CHILDREN,
    FUNCTION_NAME, /* this and the next ones: of callFrame, which older nodes have themselves */
    URL,
    LINE_NUMBER,
    NODE_KEY_COUNT
};
static const struct flm_bytes node_keys[] = {
    {"id", 2},     {"callFrame", 9}, {"hitCount", 8},      {"selfSize", 8}, {"positionTicks", 13},
    {"parent", 6}, {"children", 8},  {"functionName", 12}, {"url", 3},      {"lineNumber", 10}};

enum { TICK_LINE, TICK_COUNT, TICK_KEY_COUNT };
static const struct flm_bytes tick_keys[] = {{"line", 4}, {"ticks", 5}};

static void begin_keys(struct flm_v8_profile *p)
{
    p->node_keys.names = p->frame_keys.names = node_keys;
    p->node_keys.count = p->frame_keys.count = NODE_KEY_COUNT;
    p->tick_keys.names = tick_keys;
    p->tick_keys.count = TICK_KEY_COUNT;
}

static void read_call_frame_member(struct flm_v8_profile *p, struct flm_json *json, size_t node,
                                   size_t key)
{
    if (key == FUNCTION_NAME) {
        p->nodes.at[node].function = read_string(p, json);
    } else if (key == URL) {
        p->nodes.at[node].url = read_string(p, json);
    } else if (key == LINE_NUMBER) {
        double line = flm_json_type(json) == FLM_JSON_TYPE_NUMBER ? read_number(json) : -1;
        p->nodes.at[node].line = line >= 0 && line < INT32_MAX ? (int32_t)line : -1;
    }
}

static void read_call_frame(struct flm_v8_profile *p, struct flm_json *json, size_t node)
{
    flm_json_enter_object(json);
    for (size_t key; (key = flm_json_next_known_key(json, &p->frame_keys)) != FLM_JSON_NO_KEY;)
        read_call_frame_member(p, json, node, key);
}

static void read_ticks(struct flm_v8_profile *p, struct flm_json *json, size_t node)
{
    p->nodes.at[node].ticks = (uint32_t)p->ticks.count;
    flm_json_enter_array(json);
    while (flm_json_next_item(json) && !stopped(p, json)) {
        struct flm_v8_tick tick = {0, 0};
        flm_json_enter_object(json);
        for (size_t key; (key = flm_json_next_known_key(json, &p->tick_keys)) != FLM_JSON_NO_KEY;) {
            if (key == TICK_LINE)
                tick.line = read_id(json);
            else if (key == TICK_COUNT)
                tick.count = read_id(json);
        }
        if (!stopped(p, json) && !FLM_ARRAY_ADD(&p->ticks, tick))
            flm_builder_fail_memory(p->builder);
    }
    p->nodes.at[node].tick_count = (uint32_t)p->ticks.count - p->nodes.at[node].ticks;
}

/* Any other member but children. */
static void read_member(struct flm_v8_profile *p, struct flm_json *json, size_t node, size_t key)
{
    enum flm_json_type type = flm_json_type(json);
    if (key == CALL_FRAME && type == FLM_JSON_TYPE_OBJECT) {
        read_call_frame(p, json, node);
    } else if (key == ID) {
        p->nodes.at[node].id = read_id(json);
    } else if (key == HIT_COUNT || key == SELF_SIZE) {
        p->nodes.at[node].hits = read_number(json);
    } else if (key == POSITION_TICKS && type == FLM_JSON_TYPE_ARRAY) {
        read_ticks(p, json, node);
    } else if (key == PARENT && type == FLM_JSON_TYPE_NUMBER) {
        struct flm_v8_edge edge = {(uint32_t)node, read_id(json), true};
        if (!FLM_ARRAY_ADD(&p->edges, edge))
            flm_builder_fail_memory(p->builder);
    } else {
        read_call_frame_member(p, json, node, key);
    }
}

static size_t add_node(struct flm_v8_profile *p, uint32_t parent)
{
    struct flm_v8_node node = {.id = FLM_NONE, .parent = parent, .line = -1, .node = FLM_NONE};
    if (p->nodes.count >= FLM_MOST_NODES || !FLM_ARRAY_ADD(&p->nodes, node)) {
        flm_builder_fail_memory(p->builder);
        return 0;
    }
    return p->nodes.count - 1;
}

static void read_children(struct flm_v8_profile *p, struct flm_json *json, size_t node)
{
    flm_json_enter_array(json);
    while (flm_json_next_item(json) && !stopped(p, json)) {
        struct flm_v8_edge edge = {(uint32_t)node, read_id(json), false};
        if (!FLM_ARRAY_ADD(&p->edges, edge))
            flm_builder_fail_memory(p->builder);
    }
}

void flm_v8_read_nodes(struct flm_v8_profile *p, struct flm_json *json)
{
    size_t key;
    begin_keys(p);
    flm_json_enter_array(json);
    while (flm_json_next_item(json) && !stopped(p, json)) {
        size_t node = add_node(p, FLM_NONE);
        flm_json_enter_object(json);
        while (!stopped(p, json) &&
               (key = flm_json_next_known_key(json, &p->node_keys)) != FLM_JSON_NO_KEY) {
            if (key == CHILDREN && flm_json_type(json) == FLM_JSON_TYPE_ARRAY)
                read_children(p, json, node);
            else
                read_member(p, json, node, key);
        }
    }
}

void flm_v8_read_tree(struct flm_v8_profile *p, struct flm_json *json)
{
    size_t key, top = add_node(p, FLM_NONE), node = top;
    bool in_children = false;
    begin_keys(p);
    flm_json_enter_object(json);
    while (!stopped(p, json)) {
        if (in_children) {
            in_children = flm_json_next_item(json);
            if (in_children && !stopped(p, json)) {
                node = add_node(p, (uint32_t)node);
                flm_json_enter_object(json);
                in_children = false;
            }
        } else if ((key = flm_json_next_known_key(json, &p->node_keys)) == FLM_JSON_NO_KEY) {
            if (node == top)
                break;
            node = p->nodes.at[node].parent;
            in_children = true;
        } else if (key == CHILDREN && flm_json_type(json) == FLM_JSON_TYPE_ARRAY) {
            flm_json_enter_array(json);
            in_children = true;
        } else {
            read_member(p, json, node, key);
        }
    }
}

enum { COLUMN_CHUNK = 512 }; /* values that are read at once */

static void read_ids(struct flm_v8_profile *p, struct flm_json *json, struct flm_v8_ids *ids)
{
    double values[COLUMN_CHUNK];
    flm_json_enter_array(json);
    for (size_t count;
         !stopped(p, json) && (count = flm_json_next_doubles(json, values, COLUMN_CHUNK, 0)) > 0;) {
        if (!FLM_ARRAY_RESERVE(ids, count)) {
            flm_builder_fail_memory(p->builder);
            return;
        }
        for (size_t i = 0; i < count; i++)
            ids->at[ids->count++] = id_of(values[i]);
    }
}

void flm_v8_read_samples(struct flm_v8_profile *p, struct flm_json *json)
{
    read_ids(p, json, &p->samples);
}

void flm_v8_read_lines(struct flm_v8_profile *p, struct flm_json *json)
{
    read_ids(p, json, &p->lines);
}

void flm_v8_read_deltas(struct flm_v8_profile *p, struct flm_json *json)
{
    flm_json_enter_array(json);
    for (size_t count = 1; count > 0 && !stopped(p, json); p->deltas.count += count) {
        if (!FLM_ARRAY_RESERVE(&p->deltas, COLUMN_CHUNK)) {
            flm_builder_fail_memory(p->builder);
            return;
        }
        count = flm_json_next_doubles(json, p->deltas.at + p->deltas.count, COLUMN_CHUNK, 0);
    }
}
