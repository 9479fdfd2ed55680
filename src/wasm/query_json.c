#include "wasm/query_json.h"

#include <math.h>
#include <stddef.h>

#include "base/text/json_write.h"

enum kind { TEXT, NUMBER, BOOL, TRISTATE, OBJECT, LIST };

/* A member of a struct. One that does not apply is null, or left out where it is optional. */
struct member {
    const char *key;
    enum kind kind;
    size_t offset;
    const struct member *of; /* OBJECT, LIST: the members of it, up to one without a key; of a list
                                of plain texts NULL */
    size_t size;             /* LIST: of an item */
    bool optional;
};

#define MEMBER(type, name, kind_)                                                                  \
    {                                                                                              \
        .key = #name, .kind = kind_, .offset = offsetof(struct flm_response_##type, name)          \
    }
#define OPTIONAL(type, name, kind_)                                                                \
    {                                                                                              \
        .key = #name, .kind = kind_, .offset = offsetof(struct flm_response_##type, name),         \
        .optional = true                                                                           \
    }
#define OBJECT_OF(type, name, members)                                                             \
    {                                                                                              \
        .key = #name, .kind = OBJECT, .offset = offsetof(struct flm_response_##type, name),        \
        .of = members                                                                              \
    }
#define LIST_OF(type, name, members)                                                               \
    {                                                                                              \
        .key = #name, .kind = LIST, .offset = offsetof(struct flm_response_##type, name),          \
        .of = members, .size = sizeof *((struct flm_response_##type *)0)->name.at                  \
    }
#define OPTIONAL_LIST(type, name, members)                                                         \
    {                                                                                              \
        .key = #name, .kind = LIST, .offset = offsetof(struct flm_response_##type, name),          \
        .of = members, .size = sizeof *((struct flm_response_##type *)0)->name.at,                 \
        .optional = true                                                                           \
    }
#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }

/* ---- The members ----------------------------------------------------------------------------- */

static const struct member action[] = {MEMBER(action, name, TEXT),     MEMBER(action, title, TEXT),
                                       MEMBER(action, keys, TEXT),     MEMBER(action, group, TEXT),
                                       MEMBER(action, argument, TEXT), END};
static const struct member hello[] = {MEMBER(hello, version, TEXT), LIST_OF(hello, actions, action),
                                      LIST_OF(hello, groups, NULL), END};

static const struct member view[] = {MEMBER(view, name, TEXT),  MEMBER(view, title, TEXT),
                                     MEMBER(view, table, TEXT), MEMBER(view, beside, BOOL),
                                     MEMBER(view, on, BOOL),    END};
static const struct member choice[] = {MEMBER(choice, name, TEXT), MEMBER(choice, title, TEXT),
                                       END};
static const struct member metric[] = {MEMBER(metric, name, TEXT), MEMBER(metric, unit, TEXT),
                                       MEMBER(metric, total, TEXT), END};
static const struct member part[] = {MEMBER(part, name, TEXT),  MEMBER(part, title, TEXT),
                                     MEMBER(part, total, TEXT), OPTIONAL(part, share, TEXT),
                                     MEMBER(part, on, BOOL),    END};
static const struct member comparison[] = {MEMBER(comparison, before, TEXT),
                                           MEMBER(comparison, after, TEXT),
                                           MEMBER(comparison, width, TEXT),
                                           MEMBER(comparison, color, TEXT),
                                           MEMBER(comparison, relative, BOOL),
                                           MEMBER(comparison, normalized, BOOL),
                                           MEMBER(comparison, normalize, TEXT),
                                           MEMBER(comparison, palette, TEXT),
                                           MEMBER(comparison, noise, BOOL),
                                           MEMBER(comparison, side_by_side, BOOL),
                                           LIST_OF(comparison, parts, part),
                                           MEMBER(comparison, similarity, NUMBER),
                                           MEMBER(comparison, summary, TEXT),
                                           MEMBER(comparison, sum, TEXT),
                                           MEMBER(comparison, parts_summary, TEXT),
                                           MEMBER(comparison, color_key, TEXT),
                                           MEMBER(comparison, note, TEXT),
                                           MEMBER(comparison, verdict, TEXT),
                                           END};
static const struct member tools[] = {MEMBER(tools, name, TEXT),
                                      MEMBER(tools, base, TEXT),
                                      MEMBER(tools, view, TEXT),
                                      LIST_OF(tools, views, view),
                                      MEMBER(tools, metric, TEXT),
                                      LIST_OF(tools, metrics, metric),
                                      MEMBER(tools, order, TEXT),
                                      LIST_OF(tools, orders, choice),
                                      MEMBER(tools, up, BOOL),
                                      MEMBER(tools, inverted, BOOL),
                                      MEMBER(tools, colors, TEXT),
                                      LIST_OF(tools, color_modes, choice),
                                      MEMBER(tools, can_back, BOOL),
                                      MEMBER(tools, can_forward, BOOL),
                                      MEMBER(tools, panel, BOOL),
                                      OBJECT_OF(tools, comparison, comparison),
                                      END};

static const struct member chip[] = {MEMBER(chip, text, TEXT),
                                     MEMBER(chip, title, TEXT),
                                     MEMBER(chip, on, BOOL),
                                     MEMBER(chip, note, TEXT),
                                     MEMBER(chip, removed, TEXT),
                                     MEMBER(chip, removed_exact, TEXT),
                                     END};
static const struct member chips[] = {LIST_OF(chips, operations, chip),
                                      MEMBER(chips, can_undo, BOOL), MEMBER(chips, can_redo, BOOL),
                                      END};

static const struct member search[] = {
    MEMBER(search, text, TEXT),
    MEMBER(search, kind, TEXT),
    MEMBER(search, scope, TEXT),
    {.key = "case", .kind = BOOL, .offset = offsetof(struct flm_response_search, exact_case)},
    MEMBER(search, color, TEXT),
    MEMBER(search, number, NUMBER),
    MEMBER(search, on, BOOL),
    MEMBER(search, error, TEXT),
    OPTIONAL(search, total, TEXT),
    MEMBER(search, total_share, TEXT),
    OPTIONAL(search, self, TEXT),
    MEMBER(search, self_share, TEXT),
    MEMBER(search, view_share, TEXT),
    OPTIONAL(search, functions, NUMBER),
    OPTIONAL(search, frames, NUMBER),
    MEMBER(search, at, NUMBER),
    END};
static const struct member searches[] = {MEMBER(searches, current, NUMBER),
                                         LIST_OF(searches, searches, search), END};

static const struct member legend_item[] = {
    MEMBER(legend_item, color, TEXT),     MEMBER(legend_item, dark, TEXT),
    MEMBER(legend_item, texture, TEXT),   MEMBER(legend_item, title, TEXT),
    OPTIONAL(legend_item, count, NUMBER), OPTIONAL(legend_item, share, TEXT),
    OPTIONAL(legend_item, note, TEXT),    OPTIONAL(legend_item, on, TRISTATE),
    OPTIONAL(legend_item, action, TEXT),  END};
static const struct member legend[] = {MEMBER(legend, title, TEXT),
                                       LIST_OF(legend, items, legend_item), END};

static const struct member hover_line[] = {MEMBER(hover_line, name, TEXT),
                                           MEMBER(hover_line, value, TEXT),
                                           MEMBER(hover_line, exact, TEXT),
                                           MEMBER(hover_line, share_total, TEXT),
                                           MEMBER(hover_line, share_view, TEXT),
                                           MEMBER(hover_line, share_parent, TEXT),
                                           END};
static const struct member moment[] = {MEMBER(moment, name, TEXT), MEMBER(moment, value, TEXT),
                                       END};
static const struct member hover[] = {
    MEMBER(hover, x, NUMBER),          MEMBER(hover, y, NUMBER),   MEMBER(hover, title, TEXT),
    OPTIONAL(hover, shown, TEXT),      MEMBER(hover, where, TEXT), LIST_OF(hover, moment, moment),
    LIST_OF(hover, lines, hover_line), MEMBER(hover, note, TEXT),  END};

static const struct member value[] = {MEMBER(value, name, TEXT),
                                      MEMBER(value, unit, TEXT),
                                      MEMBER(value, total, TEXT),
                                      MEMBER(value, total_exact, TEXT),
                                      MEMBER(value, of_total, TEXT),
                                      MEMBER(value, of_view, TEXT),
                                      MEMBER(value, of_parent, TEXT),
                                      MEMBER(value, shown_unit, TEXT),
                                      MEMBER(value, number, TEXT),
                                      OPTIONAL(value, self_number, TEXT),
                                      OPTIONAL(value, self, TEXT),
                                      OPTIONAL(value, self_exact, TEXT),
                                      OPTIONAL(value, self_of_total, TEXT),
                                      OPTIONAL(value, self_of_view, TEXT),
                                      OPTIONAL(value, total_before, TEXT),
                                      OPTIONAL(value, total_after, TEXT),
                                      OPTIONAL(value, total_change, TEXT),
                                      OPTIONAL(value, self_before, TEXT),
                                      OPTIONAL(value, self_after, TEXT),
                                      OPTIONAL(value, self_change, TEXT),
                                      END};
static const struct member instances[] = {
    MEMBER(instances, count, NUMBER),       MEMBER(instances, total, TEXT),
    MEMBER(instances, number, TEXT),        MEMBER(instances, of_total, TEXT),
    MEMBER(instances, of_view, TEXT),       MEMBER(instances, self, TEXT),
    MEMBER(instances, self_of_total, TEXT), END};
static const struct member relation[] = {MEMBER(frame, node, NUMBER),
                                         MEMBER(frame, frame, NUMBER),
                                         MEMBER(frame, title, TEXT),
                                         OPTIONAL(frame, shown, TEXT),
                                         MEMBER(frame, value, TEXT),
                                         MEMBER(frame, share, TEXT),
                                         END};
static const struct member thread[] = {MEMBER(thread, title, TEXT),   MEMBER(thread, self, TEXT),
                                       MEMBER(thread, total, TEXT),   MEMBER(thread, share, TEXT),
                                       MEMBER(thread, process, BOOL), END};
static const struct member stack_frame[] = {MEMBER(frame, node, NUMBER), MEMBER(frame, title, TEXT),
                                            OPTIONAL(frame, shown, TEXT), END};
static const struct member merged_frame[] = {
    MEMBER(frame, node, NUMBER), MEMBER(frame, title, TEXT), OPTIONAL(frame, shown, TEXT),
    MEMBER(frame, value, TEXT),  MEMBER(frame, share, TEXT), END};
static const struct member merged[] = {MEMBER(merged, count, TEXT), MEMBER(merged, value, TEXT),
                                       MEMBER(merged, share, TEXT),
                                       LIST_OF(merged, items, merged_frame), END};
static const struct member written[] = {MEMBER(written, id, TEXT), MEMBER(written, about, TEXT),
                                        MEMBER(written, subject, TEXT), MEMBER(written, text, TEXT),
                                        END};
static const struct member frame_action[] = {MEMBER(entry, action, TEXT),
                                             MEMBER(entry, title, TEXT), MEMBER(entry, keys, TEXT),
                                             OPTIONAL(entry, button, TEXT), END};
static const struct member detail[] = {MEMBER(detail, node, NUMBER),
                                       MEMBER(detail, metric, TEXT),
                                       OPTIONAL(detail, frame, NUMBER),
                                       MEMBER(detail, title, TEXT),
                                       OPTIONAL(detail, shown, TEXT),
                                       MEMBER(detail, name, TEXT),
                                       MEMBER(detail, module, TEXT),
                                       MEMBER(detail, file, TEXT),
                                       MEMBER(detail, line, NUMBER),
                                       MEMBER(detail, kind, TEXT),
                                       MEMBER(detail, address, TEXT),
                                       MEMBER(detail, link, TEXT),
                                       MEMBER(detail, compared, BOOL),
                                       OPTIONAL(detail, note, TEXT),
                                       LIST_OF(detail, moment, moment),
                                       LIST_OF(detail, values, value),
                                       OBJECT_OF(detail, instances, instances),
                                       OPTIONAL_LIST(detail, calls, relation),
                                       OPTIONAL_LIST(detail, callers, relation),
                                       OPTIONAL(detail, calls_count, NUMBER),
                                       OPTIONAL(detail, callers_count, NUMBER),
                                       OPTIONAL_LIST(detail, threads, thread),
                                       OPTIONAL(detail, threads_hidden, NUMBER),
                                       OPTIONAL(detail, unit, TEXT),
                                       OPTIONAL_LIST(detail, stack, stack_frame),
                                       OPTIONAL(detail, stack_hidden, NUMBER),
                                       OBJECT_OF(detail, merged, merged),
                                       LIST_OF(detail, actions, frame_action),
                                       OPTIONAL_LIST(detail, notes, written),
                                       END};

static const struct member loss[] = {MEMBER(loss, what, TEXT), MEMBER(loss, count, TEXT),
                                     MEMBER(loss, where, TEXT), END};
static const struct member note[] = {MEMBER(note, key, TEXT), MEMBER(note, value, TEXT), END};
static const struct member status[] = {
    MEMBER(status, nodes, NUMBER),       MEMBER(status, empty, BOOL),
    OPTIONAL(status, stacks, TEXT),      OPTIONAL(status, total, TEXT),
    OPTIONAL(status, total_exact, TEXT), OPTIONAL(status, unit, TEXT),
    OPTIONAL(status, drawn, TEXT),       OPTIONAL(status, merged, TEXT),
    MEMBER(status, merged_share, TEXT),  MEMBER(status, trimmed, TEXT),
    MEMBER(status, filtered, TEXT),      OPTIONAL(status, hidden, TEXT),
    MEMBER(status, offer, TEXT),         OPTIONAL(status, unhatched, TEXT),
    LIST_OF(status, lost, loss),         OPTIONAL(status, lost_count, TEXT),
    OPTIONAL(status, not_shown, TEXT),   MEMBER(status, unsymbolized_share, TEXT),
    MEMBER(status, samples, TEXT),       OPTIONAL_LIST(status, notes, note),
    MEMBER(status, sentence, TEXT),      END};

static const struct member tree_figures[] = {
    MEMBER(tree_figures, title, TEXT), MEMBER(tree_figures, nodes, NUMBER),
    MEMBER(tree_figures, placed, NUMBER), MEMBER(tree_figures, levels, NUMBER), END};
static const struct member times[] = {MEMBER(times, layout, NUMBER), MEMBER(times, paint, NUMBER),
                                      END};
static const struct member overlay[] = {
    MEMBER(overlay, nodes, NUMBER),        MEMBER(overlay, visited, NUMBER),
    MEMBER(overlay, drawn, NUMBER),        MEMBER(overlay, merged, NUMBER),
    OBJECT_OF(overlay, ms, times),         MEMBER(overlay, memory_bytes, NUMBER),
    LIST_OF(overlay, trees, tree_figures), END};

static const struct member function_row[] = {MEMBER(row, frame, NUMBER),
                                             MEMBER(row, title, TEXT),
                                             OPTIONAL(row, shown, TEXT),
                                             MEMBER(row, module, TEXT),
                                             OPTIONAL(row, module_name, TEXT),
                                             MEMBER(row, file, TEXT),
                                             OPTIONAL(row, file_name, TEXT),
                                             MEMBER(row, self, TEXT),
                                             MEMBER(row, self_share, TEXT),
                                             MEMBER(row, total, TEXT),
                                             MEMBER(row, total_share, TEXT),
                                             OPTIONAL(row, samples, TEXT),
                                             OPTIONAL(row, before, TEXT),
                                             OPTIONAL(row, after, TEXT),
                                             OPTIONAL(row, change, TEXT),
                                             OPTIONAL(row, change_share, TEXT),
                                             MEMBER(row, on, BOOL),
                                             MEMBER(row, hovered, BOOL),
                                             MEMBER(row, match, NUMBER),
                                             END};
static const struct member tree_row[] = {MEMBER(row, node, NUMBER),
                                         MEMBER(row, level, NUMBER),
                                         OPTIONAL(row, indent, NUMBER),
                                         MEMBER(row, open, TRISTATE),
                                         MEMBER(row, title, TEXT),
                                         OPTIONAL(row, shown, TEXT),
                                         MEMBER(row, module, TEXT),
                                         OPTIONAL(row, module_name, TEXT),
                                         MEMBER(row, file, TEXT),
                                         MEMBER(row, total, TEXT),
                                         MEMBER(row, total_share, TEXT),
                                         OPTIONAL(row, self, TEXT),
                                         OPTIONAL(row, self_share, TEXT),
                                         OPTIONAL(row, before, TEXT),
                                         OPTIONAL(row, after, TEXT),
                                         OPTIONAL(row, change, TEXT),
                                         OPTIONAL(row, change_share, TEXT),
                                         MEMBER(row, of_parent, TEXT),
                                         MEMBER(row, set_size, NUMBER),
                                         MEMBER(row, position, NUMBER),
                                         MEMBER(row, on, BOOL),
                                         MEMBER(row, hovered, BOOL),
                                         MEMBER(row, match, NUMBER),
                                         END};
static const struct member top[] = {
    OPTIONAL(table, sort, TEXT),        MEMBER(table, down, BOOL),
    MEMBER(table, filtered, BOOL),      OPTIONAL(table, sum, TEXT),
    OPTIONAL(table, unit, TEXT),        OPTIONAL(table, heading_unit, TEXT),
    OPTIONAL(table, changes, TEXT),     MEMBER(table, count, NUMBER),
    LIST_OF(table, rows, function_row), END};
static const struct member list[] = {MEMBER(table, count, NUMBER),
                                     LIST_OF(table, rows, function_row), END};
static const struct member tree[] = {MEMBER(table, count, NUMBER),
                                     MEMBER(table, selected, NUMBER),
                                     OPTIONAL(table, unit, TEXT),
                                     OPTIONAL(table, heading_unit, TEXT),
                                     OPTIONAL(table, changes, TEXT),
                                     LIST_OF(table, rows, tree_row),
                                     END};
static const struct member aria[] = {LIST_OF(table, rows, tree_row), END};

static const struct member time_range[] = {MEMBER(time_range, from_ns, NUMBER),
                                           MEMBER(time_range, to_ns, NUMBER),
                                           MEMBER(time_range, text, TEXT), END};
static const struct member track[] = {MEMBER(track, id, NUMBER),  MEMBER(track, title, TEXT),
                                      MEMBER(track, total, TEXT), MEMBER(track, share, TEXT),
                                      MEMBER(track, on, BOOL),    END};
static const struct member tracks[] = {MEMBER(tracks, duration_ns, NUMBER),
                                       MEMBER(tracks, duration, TEXT),
                                       MEMBER(tracks, key, TEXT),
                                       MEMBER(tracks, shown, BOOL),
                                       MEMBER(tracks, any, BOOL),
                                       MEMBER(tracks, split, BOOL),
                                       MEMBER(tracks, collapsed, TRISTATE),
                                       MEMBER(tracks, all_rows, TRISTATE),
                                       MEMBER(tracks, lanes, TRISTATE),
                                       MEMBER(tracks, untimed, NUMBER),
                                       OBJECT_OF(tracks, selected, time_range),
                                       MEMBER(tracks, count, NUMBER),
                                       LIST_OF(tracks, tracks, track),
                                       END};

static const struct member notes[] = {MEMBER(notes, changed, BOOL),
                                      OPTIONAL_LIST(notes, notes, written), END};
static const struct member completion[] = {MEMBER(completion, text, TEXT),
                                           MEMBER(completion, title, TEXT),
                                           MEMBER(completion, note, TEXT), END};
static const struct member completions[] = {LIST_OF(completions, items, completion), END};
static const struct member one_entry[] = {
    MEMBER(entry, action, TEXT),   MEMBER(entry, title, TEXT),     MEMBER(entry, group, TEXT),
    MEMBER(entry, keys, TEXT),     MEMBER(entry, argument, TEXT),  MEMBER(entry, otherwise, TEXT),
    OPTIONAL(entry, button, TEXT), MEMBER(entry, section, NUMBER), END};
static const struct member palette[] = {LIST_OF(entries, items, one_entry), END};
static const struct member menu[] = {MEMBER(entries, title, TEXT), MEMBER(entries, x, NUMBER),
                                     MEMBER(entries, y, NUMBER), LIST_OF(entries, items, one_entry),
                                     END};

static const struct member code_place[] = {MEMBER(code_place, title, TEXT),
                                           MEMBER(code_place, value, TEXT),
                                           MEMBER(code_place, of, TEXT),
                                           MEMBER(code_place, name, TEXT),
                                           MEMBER(code_place, on, BOOL),
                                           MEMBER(code_place, inlined, BOOL),
                                           END};
static const struct member code[] = {MEMBER(code, title, TEXT),
                                     MEMBER(code, module, TEXT),
                                     MEMBER(code, place, TEXT),
                                     MEMBER(code, path, TEXT),
                                     MEMBER(code, status, TEXT),
                                     MEMBER(code, self, TEXT),
                                     MEMBER(code, self_share, TEXT),
                                     MEMBER(code, total, TEXT),
                                     MEMBER(code, total_share, TEXT),
                                     MEMBER(code, share_of, TEXT),
                                     MEMBER(code, event, TEXT),
                                     MEMBER(code, machine, TEXT),
                                     MEMBER(code, assembly_status, TEXT),
                                     MEMBER(code, blocks, TEXT),
                                     MEMBER(code, empty, TEXT),
                                     MEMBER(code, lines_sum, TEXT),
                                     MEMBER(code, source_heat, TEXT),
                                     MEMBER(code, assembly_heat, TEXT),
                                     MEMBER(code, doubtful, BOOL),
                                     MEMBER(code, warns, BOOL),
                                     MEMBER(code, compared, BOOL),
                                     MEMBER(code, assembly, BOOL),
                                     MEMBER(code, file, BOOL),
                                     MEMBER(code, whole, BOOL),
                                     MEMBER(code, inlined, BOOL),
                                     MEMBER(code, selected, BOOL),
                                     MEMBER(code, source_count, NUMBER),
                                     MEMBER(code, assembly_count, NUMBER),
                                     MEMBER(code, source_row, NUMBER),
                                     MEMBER(code, assembly_row, NUMBER),
                                     LIST_OF(code, functions, code_place),
                                     LIST_OF(code, hottest, code_place),
                                     LIST_OF(code, left_out, code_place),
                                     END};
static const struct member code_piece[] = {MEMBER(code_piece, text, TEXT),
                                           OPTIONAL(code_piece, kind, TEXT), END};
static const struct member code_row[] = {MEMBER(code_row, kind, TEXT),
                                         MEMBER(code_row, depth, NUMBER),
                                         MEMBER(code_row, open, TRISTATE),
                                         OPTIONAL(code_row, number, TEXT),
                                         OPTIONAL(code_row, key, TEXT),
                                         OPTIONAL(code_row, self, TEXT),
                                         OPTIONAL(code_row, total, TEXT),
                                         OPTIONAL(code_row, exact, TEXT),
                                         OPTIONAL(code_row, before, TEXT),
                                         OPTIONAL(code_row, change, TEXT),
                                         OPTIONAL(code_row, at, TEXT),
                                         OPTIONAL(code_row, site, TEXT),
                                         OPTIONAL(code_row, lanes, TEXT),
                                         OPTIONAL(code_row, loop, TEXT),
                                         OPTIONAL(code_row, go, TEXT),
                                         OPTIONAL(code_row, link, TEXT),
                                         MEMBER(code_row, heat, NUMBER),
                                         MEMBER(code_row, on, BOOL),
                                         MEMBER(code_row, match, BOOL),
                                         LIST_OF(code_row, pieces, code_piece),
                                         END};
static const struct member code_rows[] = {LIST_OF(code_rows, rows, code_row), END};
static const struct member code_wanted[] = {MEMBER(code_wanted, function, TEXT),
                                            MEMBER(code_wanted, module, TEXT),
                                            MEMBER(code_wanted, side, TEXT),
                                            MEMBER(code_wanted, other, TEXT),
                                            MEMBER(code_wanted, store, NUMBER),
                                            MEMBER(code_wanted, assembly, BOOL),
                                            MEMBER(code_wanted, alone, BOOL),
                                            LIST_OF(code_wanted, files, NULL),
                                            END};

/* The response of each query. */
static const struct {
    const char *query;
    const struct member *members;
} responses[] = {
    {"hello", hello},       {"tools", tools},         {"chips", chips},
    {"searches", searches}, {"legend", legend},       {"hover", hover},
    {"detail", detail},     {"status", status},       {"overlay", overlay},
    {"top", top},           {"list", list},           {"tree", tree},
    {"aria", aria},         {"tracks", tracks},       {"complete", completions},
    {"palette", palette},   {"menu", menu},           {"notes", notes},
    {"code", code},         {"code-rows", code_rows}, {"code-wanted", code_wanted},
};

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_members(struct flm_json_writer *json, const struct member *members,
                          const unsigned char *from);

static void write_object(struct flm_json_writer *json, const char *key,
                         const struct member *members, const void *from)
{
    bool is_line = json->depth > 0;
    flm_json_begin(json, key, is_line ? FLM_JSON_OBJECT_LINE : FLM_JSON_OBJECT);
    write_members(json, members, from);
    flm_json_end(json);
}

/* All lists have this shape; the type of the items is the member's. */
struct items {
    const unsigned char *at;
    size_t count;
};

static bool write_list(struct flm_json_writer *json, const struct member *member,
                       const unsigned char *at)
{
    struct items items;
    struct flm_bytes text;
    memcpy(&items, at, sizeof items);
    if (!items.at && member->optional)
        return false;
    bool is_line = json->depth > 1 || !member->of;
    flm_json_begin(json, member->key, is_line ? FLM_JSON_ARRAY_LINE : FLM_JSON_ARRAY);
    for (size_t i = 0; i < items.count; i++) {
        const unsigned char *item = items.at + i * member->size;
        if (member->of) {
            write_object(json, NULL, member->of, item);
        } else {
            memcpy(&text, item, sizeof text);
            flm_json_add_text(json, NULL, text);
        }
    }
    flm_json_end(json);
    return true;
}

/* False where it does not apply. */
static bool write_member(struct flm_json_writer *json, const struct member *member,
                         const unsigned char *at)
{
    struct flm_bytes text;
    enum flm_tristate answer;
    const void *object;
    double number;
    bool truth;
    switch (member->kind) {
    case TEXT:
        memcpy(&text, at, sizeof text);
        if (text.at)
            flm_json_add_text(json, member->key, text);
        return text.at != NULL;
    case NUMBER:
        memcpy(&number, at, sizeof number);
        if (number == number)
            flm_json_add_number(json, member->key, number);
        return number == number;
    case BOOL:
        memcpy(&truth, at, sizeof truth);
        flm_json_add_bool(json, member->key, truth);
        return true;
    case TRISTATE:
        memcpy(&answer, at, sizeof answer);
        if (answer != FLM_TRISTATE_NONE)
            flm_json_add_bool(json, member->key, answer == FLM_TRISTATE_TRUE);
        return answer != FLM_TRISTATE_NONE;
    case OBJECT:
        memcpy(&object, at, sizeof object);
        if (object)
            write_object(json, member->key, member->of, object);
        return object != NULL;
    case LIST:
        return write_list(json, member, at);
    }
    return false;
}

static void write_members(struct flm_json_writer *json, const struct member *members,
                          const unsigned char *from)
{
    for (const struct member *member = members; member->key; member++)
        if (!write_member(json, member, from + member->offset) && !member->optional)
            flm_json_add_null(json, member->key);
}

static const struct member *members_of(const char *query)
{
    for (size_t i = 0; i < sizeof responses / sizeof responses[0]; i++)
        if (strcmp(responses[i].query, query) == 0)
            return responses[i].members;
    return NULL;
}

bool flm_query_json(struct flm_viewer *viewer, struct flm_bytes query, struct flm_text *out,
                    struct flm_error *why)
{
    struct flm_bytes argument;
    struct flm_response response = {0};
    struct flm_json_writer json = {.out = out};
    const struct flm_query_entry *entry = flm_query_named(query, &argument);
    const struct member *members = entry ? members_of(entry->name) : NULL;
    if (!members)
        return flm_viewer_query_text(viewer, query, out, why);
    bool good = flm_viewer_query(viewer, query, &response, why);
    if (good && response.any)
        write_object(&json, NULL, members, response.any);
    else if (good)
        flm_text_puts(out, "null\n");
    flm_response_clear(&response);
    return good && (!out->failed || flm_error_memory(why));
}
