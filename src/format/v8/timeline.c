/* timeline.c - .heaptimeline files: snapshots of V8's heap that know where objects were allocated
 * (Chrome's "allocation instrumentation on timeline").
 *
 *     {"snapshot": {"meta": {"trace_function_info_fields": ["function_id", "name", "script_name",
 *                                                           "script_id", "line", "column"],
 *                            "trace_node_fields": ["id", "function_info_index", "count", "size",
 *                                                  "children"], ...}, ...},
 *      "nodes": [...], "edges": [...],                            objects: passed over
 *      "trace_function_infos": [0, 0, 0, 0, -1, -1, ...],         6 numbers a function
 *      "trace_tree": [1, 0, 2, 64, [2, 1, 1, 32, [], ...]],       5 values a node
 *      "strings": ["(root)", ...]}
 *
 * What a node has are the objects that are still in use: "size" in bytes and "objects". Names come
 * last, so the tree is kept until then: 24 bytes a node; of the strings those that are names. Lines
 * count from 1. A snapshot without a tree has objects, and no stacks: it is refused. */
#include "base/core/hash.h"
#include "format/core/json_head.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

struct tree_node {
    double count, size;
    uint32_t parent, function;
};

struct function {
    uint32_t name, script; /* strings of the file, then of the builder */
    int32_t line;
};

/* A string that a function refers to, or may refer to. */
struct name {
    uint32_t number, string; /* of the file; of the builder */
};

/* Where each field is, in the numbers of a function and in the values of a node. */
enum { FUNCTION_FIELDS = 6, NODE_FIELDS = 5, MOST_FIELDS = 16 };

struct layout {
    size_t size;
    size_t at[NODE_FIELDS];
};

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    struct layout function_layout, node_layout;
    struct FLM_ARRAY(struct tree_node) nodes;
    struct FLM_ARRAY(struct function) functions;
    struct FLM_ARRAY(struct name) names;
    struct flm_index name_index; /* of those that are not at their number */
    bool has_functions, has_tree;
};

static bool stopped(const struct reading *r)
{
    return r->json.failed || flm_builder_failed(r->builder);
}

static double read_number(struct reading *r)
{
    struct flm_json_number number = {{"", 0}, 0};
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_NUMBER)
        flm_json_number(&r->json, &number);
    return number.value;
}

static uint32_t index_of(double number)
{
    return number >= 0 && number < UINT32_MAX ? (uint32_t)number : FLM_NONE;
}

/* The names of the fields; those in `wanted` (ended by NULL) get their positions. */
static void read_layout(struct reading *r, struct layout *layout, const char *const *wanted)
{
    struct flm_bytes name;
    size_t position = 0;
    flm_json_enter_array(&r->json);
    for (; flm_json_next_item(&r->json) && flm_json_string(&r->json, &name); position++)
        for (size_t i = 0; wanted[i]; i++)
            if (flm_bytes_are(name, wanted[i]))
                layout->at[i] = position;
    if (position > 0 && position <= MOST_FIELDS)
        layout->size = position;
    for (size_t i = 0; wanted[i]; i++)
        if (layout->at[i] >= layout->size)
            layout->at[i] = 0;
}

static void read_meta(struct reading *r)
{
    static const char *const function[] = {"name", "script_name", "line", NULL};
    static const char *const node[] = {"function_info_index", "count", "size", "children", NULL};
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "trace_function_info_fields"))
            read_layout(r, &r->function_layout, function);
        else if (flm_bytes_are(key, "trace_node_fields"))
            read_layout(r, &r->node_layout, node);
    }
}

static void read_snapshot(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key))
        if (flm_bytes_are(key, "meta"))
            read_meta(r);
}

static void read_functions(struct reading *r)
{
    const struct layout *layout = &r->function_layout;
    double values[MOST_FIELDS] = {0};
    size_t position = 0;
    r->has_functions = true;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !stopped(r)) {
        values[position++] = read_number(r);
        if (position < layout->size)
            continue;
        position = 0;
        double line = values[layout->at[2]];
        struct function function = {index_of(values[layout->at[0]]),
                                    index_of(values[layout->at[1]]),
                                    line >= 1 && line < INT32_MAX ? (int32_t)line : 0};
        if (!FLM_ARRAY_ADD(&r->functions, function))
            flm_builder_fail_memory(r->builder);
    }
}

/* The values of a node, and inside of them those of its children. `position` is in `node`, which is
 * a child of `parent`. */
static void read_tree(struct reading *r)
{
    const struct layout *layout = &r->node_layout;
    uint32_t parent = FLM_NONE, node = FLM_NONE;
    size_t position = 0;
    r->has_tree = true;
    flm_json_enter_array(&r->json);
    while (!stopped(r)) {
        if (!flm_json_next_item(&r->json)) {
            if (parent == FLM_NONE || stopped(r))
                return;
            node = parent; /* behind its children */
            parent = r->nodes.at[node].parent;
            position = layout->at[3];
        } else {
            if (position == 0) {
                struct tree_node added = {.parent = parent, .function = FLM_NONE};
                node = (uint32_t)r->nodes.count;
                if (r->nodes.count >= FLM_MOST_NODES || !FLM_ARRAY_ADD(&r->nodes, added)) {
                    flm_builder_fail_memory(r->builder);
                    return;
                }
            }
            if (position == layout->at[3]) {
                if (!flm_json_enter_array(&r->json))
                    return;
                parent = node;
                position = 0;
                continue;
            }
            double value = read_number(r);
            if (position == layout->at[0])
                r->nodes.at[node].function = index_of(value);
            else if (position == layout->at[1])
                r->nodes.at[node].count = value;
            else if (position == layout->at[2])
                r->nodes.at[node].size = value;
        }
        position = position + 1 == layout->size ? 0 : position + 1;
    }
}

static struct name *find_name(const struct reading *r, uint32_t number)
{
    if (number < r->names.count && r->names.at[number].number == number)
        return &r->names.at[number];
    struct flm_probe at = flm_index_probe(&r->name_index, flm_hash_numbers(number, 0));
    while (flm_index_next(&r->name_index, &at))
        if (r->names.at[at.found].number == number)
            return &r->names.at[at.found];
    return NULL;
}

static void add_name(struct reading *r, uint32_t number, uint32_t string)
{
    struct name *found = find_name(r, number);
    uint32_t index = (uint32_t)r->names.count;
    if (found)
        found->string = string;
    else if (!FLM_ARRAY_ADD(&r->names, (struct name){number, string}) ||
             (index != number &&
              !flm_index_add(&r->name_index, flm_hash_numbers(number, 0), index)))
        flm_builder_fail_memory(r->builder);
}

/* Keeps the strings that functions refer to; all of them where the functions are not known yet. */
static void read_strings(struct reading *r)
{
    struct flm_bytes text;
    for (size_t i = 0; i < r->functions.count && !stopped(r); i++) {
        add_name(r, r->functions.at[i].name, 0);
        add_name(r, r->functions.at[i].script, 0);
    }
    flm_json_enter_array(&r->json);
    for (uint32_t i = 0; flm_json_next_item(&r->json) && !stopped(r); i++) {
        if (i == FLM_NONE || (r->has_functions && !find_name(r, i)))
            continue;
        if (!flm_json_string(&r->json, &text))
            return;
        add_name(r, i, flm_builder_string(r->builder, text.at, text.size).index);
    }
}

static uint32_t string_at(const struct reading *r, uint32_t number)
{
    const struct name *found = find_name(r, number);
    return found ? found->string : 0;
}

/* Nodes come after their parents. */
static void add_tree(struct reading *r)
{
    struct flm_builder *b = r->builder;
    struct flm_metric size = flm_builder_metric(b, "size", "bytes");
    struct flm_metric count = flm_builder_metric(b, "objects", "objects");
    uint32_t *stacks = malloc((r->nodes.count + 1) * sizeof *stacks);
    if (!stacks) {
        flm_builder_fail_memory(b);
        return;
    }
    for (size_t i = 0; i < r->nodes.count && !flm_builder_failed(b); i++) {
        const struct tree_node *node = &r->nodes.at[i];
        struct function function = {FLM_NONE, FLM_NONE, 0};
        if (node->function < r->functions.count)
            function = r->functions.at[node->function];
        else
            flm_builder_lost(b, "nodes without a function", "", 0, 1);
        struct flm_node parent = flm_builder_root(b);
        if (node->parent != FLM_NONE)
            parent.index = stacks[node->parent];
        struct flm_frame frame =
            flm_v8_frame(b, string_at(r, function.name), string_at(r, function.script),
                         function.line - 1, function.line);
        struct flm_node stack = flm_builder_child(b, parent, frame);
        stacks[i] = stack.index;
        flm_builder_add(b, stack, size, node->size);
        flm_builder_add(b, stack, count, node->count);
    }
    free(stacks);
}

static bool read_heaptimeline(struct flm_source *source, const struct flm_read_options *options,
                              struct flm_builder *builder, struct flm_error *why)
{
    (void)options;
    struct reading r = {.builder = builder,
                        .function_layout = {FUNCTION_FIELDS, {1, 2, 4}},
                        .node_layout = {NODE_FIELDS, {1, 2, 3, 4}}};
    struct flm_bytes key;
    flm_json_init(&r.json, source, why);
    flm_json_enter_object(&r.json);
    while (flm_json_next_key(&r.json, &key) && !stopped(&r)) {
        if (flm_bytes_are(key, "snapshot"))
            read_snapshot(&r);
        else if (flm_bytes_are(key, "trace_function_infos") && !r.has_functions)
            read_functions(&r);
        else if (flm_bytes_are(key, "trace_tree") && !r.has_tree)
            read_tree(&r);
        else if (flm_bytes_are(key, "strings"))
            read_strings(&r);
    }
    bool good = true;
    if (flm_builder_failed(builder)) /* flm_builder_finish reports it */
        flm_json_clear(&r.json);
    else
        good = flm_json_finish(&r.json);
    if (good && !flm_builder_failed(builder)) {
        if (r.nodes.count == 0)
            good = flm_error_set(why, FLM_ERROR_FORMAT,
                                 "this is a heap snapshot without stacks: record it with "
                                 "\"allocation instrumentation on timeline\" and its stacks");
        else
            add_tree(&r);
    }
    FLM_ARRAY_CLEAR(&r.nodes);
    FLM_ARRAY_CLEAR(&r.functions);
    FLM_ARRAY_CLEAR(&r.names);
    flm_index_clear(&r.name_index);
    return good;
}

static int sniff_heaptimeline(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_json_head_begins(head, '{') && flm_json_head_has(head, "snapshot") &&
                   flm_json_head_has(head, "node_fields")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_heaptimeline = {
    .name = "heaptimeline",
    .title = "V8 allocation timeline",
    .extensions = ".heaptimeline",
    .description = "allocations with their stacks, of Chrome and node",
    .sniff = sniff_heaptimeline,
    .read = read_heaptimeline,
};
