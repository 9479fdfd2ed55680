/* ghc.c - profiles of Haskell programs as JSON: +RTS -pj of GHC.
 *
 *     {"program": "binary-trees", "total_ticks": 798, "tick_interval": 1000,
 *      "cost_centres": [{"id": 150, "label": "make", "module": "Main", "src_loc": "a.hs:5"}, ...],
 *      "profile": {"id": 144, "entries": 0, "alloc": 0, "ticks": 0, "children": [...]}}
 *
 * A tree of cost centers: its numbers are those of a center itself, below its callers. Metrics:
 * ticks, alloc (bytes), entries. The centers come before the tree. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct center {
    uint64_t id;
    struct flm_frame frame;
};

enum metric { TICKS, ALLOC, ENTRIES, METRICS };

/* A node of the tree whose object is open. */
struct level {
    struct flm_node node;
    bool has_id;
    double value[METRICS];
};

struct reading {
    struct flm_json json;
    struct flm_stack_buffer stack;
    struct flm_metric metric[METRICS];
    struct FLM_ARRAY(struct center) centers;
    struct flm_index index;
    struct FLM_ARRAY(struct level) levels;
    struct flm_text name, module, file;
    bool has_tree;
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->stack.builder;
}

static bool read_uint(struct reading *r, uint64_t *value)
{
    struct flm_json_number number;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_NUMBER || !flm_json_number(&r->json, &number)) {
        flm_json_skip(&r->json);
        return false;
    }
    return flm_number_parse_uint(number.text, value);
}

static const struct center *find_center(const struct reading *r, uint64_t id)
{
    struct flm_probe at = flm_index_probe(&r->index, flm_hash_numbers(id, 0));
    while (flm_index_next(&r->index, &at))
        if (r->centers.at[at.found].id == id)
            return &r->centers.at[at.found];
    return NULL;
}

/* Main.make; its place is "a.hs:5:1-20", "a.hs:(5,1)-(7,3)" or "<built-in>". */
static void add_center(struct reading *r, uint64_t id, struct flm_bytes label)
{
    struct flm_stack_frame frame = {0};
    struct flm_bytes file = {r->file.at, r->file.size}, number;
    flm_text_putc(&r->module, '.');
    flm_text_add(&r->module, label);
    if (r->module.failed) {
        flm_builder_fail_memory(builder_of(r));
        return;
    }
    frame.function = (struct flm_bytes){r->module.at, r->module.size};
    if (file.size > 0 && file.at[0] != '<') {
        size_t colon = 0, digits;
        while (colon < file.size && file.at[colon] != ':')
            colon++;
        frame.file = (struct flm_bytes){file.at, colon};
        number = flm_bytes_from(file, colon < file.size ? colon + 1 : colon);
        if (number.size > 0 && number.at[0] == '(')
            number = flm_bytes_from(number, 1);
        for (digits = 0;
             digits < number.size && number.at[digits] >= '0' && number.at[digits] <= '9';)
            digits++;
        flm_number_parse_uint((struct flm_bytes){number.at, digits}, &frame.line);
    }
    flm_stack_frame(&r->stack, &frame);
    if (r->stack.frames.count == 0)
        return;
    struct center added = {id, r->stack.frames.at[0]};
    r->stack.frames.count = 0;
    if (find_center(r, id))
        return;
    if (!FLM_ARRAY_ADD(&r->centers, added) ||
        !flm_index_add(&r->index, flm_hash_numbers(id, 0), (uint32_t)r->centers.count - 1))
        flm_builder_fail_memory(builder_of(r));
}

static void read_center(struct reading *r)
{
    struct flm_bytes key;
    uint64_t id = 0;
    r->name.size = r->module.size = r->file.size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "id"))
            read_uint(r, &id);
        else if (flm_bytes_are(key, "label"))
            flm_text_json_string(&r->json, builder_of(r), &r->name);
        else if (flm_bytes_are(key, "module"))
            flm_text_json_string(&r->json, builder_of(r), &r->module);
        else if (flm_bytes_are(key, "src_loc"))
            flm_text_json_string(&r->json, builder_of(r), &r->file);
    }
    if (!r->json.failed && !flm_builder_failed(builder_of(r)))
        add_center(r, id, (struct flm_bytes){r->name.at, r->name.size});
}

static void add_values(struct reading *r, struct level *level)
{
    for (int i = 0; i < METRICS; i++) {
        if (level->value[i] > 0)
            flm_builder_add(builder_of(r), level->node, r->metric[i], level->value[i]);
        level->value[i] = 0;
    }
}

static void set_center(struct reading *r, struct level *level, struct flm_node parent)
{
    uint64_t id;
    if (!read_uint(r, &id))
        return;
    const struct center *center = find_center(r, id);
    if (!center) {
        flm_json_fail(&r->json, "this cost center is not in \"cost_centres\"");
        return;
    }
    level->node = flm_builder_child(builder_of(r), parent, center->frame);
    level->has_id = true;
}

/* The tree, without recursion: a level for each open object. */
static void read_tree(struct reading *r)
{
    struct flm_bytes key;
    r->has_tree = true;
    flm_json_enter_object(&r->json);
    if (!FLM_ARRAY_ADD(&r->levels, (struct level){0}))
        flm_builder_fail_memory(builder_of(r));
    while (r->levels.count > 0 && !r->json.failed && !flm_builder_failed(builder_of(r))) {
        size_t depth = r->levels.count;
        struct level *level = &r->levels.at[depth - 1];
        struct flm_node parent =
            depth > 1 ? r->levels.at[depth - 2].node : flm_builder_root(builder_of(r));
        uint64_t number = 0;
        bool is_deeper = false;
        while (!is_deeper && flm_json_next_key(&r->json, &key)) {
            int metric = flm_bytes_are(key, "ticks")     ? TICKS
                         : flm_bytes_are(key, "alloc")   ? ALLOC
                         : flm_bytes_are(key, "entries") ? ENTRIES
                                                         : METRICS;
            if (metric < METRICS) {
                if (read_uint(r, &number))
                    level->value[metric] = (double)number;
                flm_builder_rounded(builder_of(r), flm_uint_is_rounded(number));
            } else if (flm_bytes_are(key, "id")) {
                set_center(r, level, parent);
            } else if (flm_bytes_are(key, "children") &&
                       flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY) {
                if (!level->has_id)
                    flm_json_fail(&r->json, "\"children\" before the \"id\" of their caller");
                flm_json_enter_array(&r->json);
                is_deeper = true;
            }
        }
        if (r->json.failed || flm_builder_failed(builder_of(r)))
            return;
        if (!is_deeper) {
            if (level->has_id)
                add_values(r, level);
            r->levels.count--;
        }
        /* The next child of the innermost open array; at its end the object around it goes on. */
        if (is_deeper || r->levels.count > 0) {
            if (flm_json_next_item(&r->json)) {
                flm_json_enter_object(&r->json);
                if (!FLM_ARRAY_ADD(&r->levels, (struct level){0}))
                    flm_builder_fail_memory(builder_of(r));
            }
        }
    }
}

static void read_members(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(builder_of(r))) {
        if (flm_bytes_are(key, "program")) {
            flm_text_json_string(&r->json, builder_of(r), &r->name);
            flm_builder_note(builder_of(r), "command", r->name.at ? r->name.at : "", r->name.size);
        } else if (flm_bytes_are(key, "cost_centres")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r)))
                read_center(r);
        } else if (flm_bytes_are(key, "profile")) {
            read_tree(r);
        }
    }
}

static bool read_ghc(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.stack = {.builder = builder, .options = options}};
    r.metric[TICKS] = flm_builder_metric(builder, "ticks", "ticks");
    r.metric[ALLOC] = flm_builder_metric(builder, "alloc", "bytes");
    r.metric[ENTRIES] = flm_builder_metric(builder, "entries", "entries");
    flm_json_init(&r.json, source, why);
    read_members(&r);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !r.has_tree && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no \"profile\"");
    flm_stack_clear(&r.stack);
    FLM_ARRAY_CLEAR(&r.centers);
    FLM_ARRAY_CLEAR(&r.levels);
    flm_index_clear(&r.index);
    flm_text_clear(&r.name);
    flm_text_clear(&r.module);
    flm_text_clear(&r.file);
    return good;
}

static int sniff_ghc(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"rts_arguments\"") &&
                   flm_bytes_contain(head, "\"total_ticks\"")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_ghc = {
    .name = "ghc",
    .title = "GHC",
    .extensions = "",
    .description = "profiles of Haskell programs as JSON: +RTS -pj",
    .sniff = sniff_ghc,
    .read = read_ghc,
};
