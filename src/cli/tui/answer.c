#include "cli/tui/answer.h"

#include <stdlib.h>

enum { MOST_DEPTH = 64 };

void flm_tui_answer_clear(struct flm_tui_answer *answer)
{
    flm_text_clear(&answer->json);
    flm_text_clear(&answer->texts);
    free(answer->at);
    *answer = (struct flm_tui_answer){0};
}

/* A new node, as the last child of `parent`; FLM_TUI_NONE if memory ran out. */
static uint32_t add(struct flm_tui_answer *answer, uint32_t parent, uint32_t before)
{
    void *items = answer->at;
    if (!flm_grow(&items, &answer->capacity, answer->count + 1, sizeof *answer->at))
        return FLM_TUI_NONE;
    answer->at = items;
    uint32_t index = (uint32_t)answer->count++;
    answer->at[index] = (struct flm_tui_node){0};
    if (before)
        answer->at[before].next = index;
    else if (parent)
        answer->at[parent].first = index;
    if (parent)
        answer->at[parent].count++;
    return index;
}

static void keep(struct flm_tui_answer *answer, struct flm_bytes text, size_t *at, size_t *size)
{
    *at = answer->texts.size;
    *size = text.size;
    flm_text_add(&answer->texts, text);
}

static void read_scalar(struct flm_tui_answer *answer, struct flm_json *json, uint32_t index)
{
    struct flm_tui_node *node = &answer->at[index];
    struct flm_bytes text;
    struct flm_json_number number;
    if (node->type == FLM_JSON_TYPE_STRING && flm_json_string(json, &text))
        keep(answer, text, &node->text, &node->text_size);
    else if (node->type == FLM_JSON_TYPE_NUMBER && flm_json_number(json, &number))
        node->number = number.value;
    else if (node->type == FLM_JSON_TYPE_BOOL)
        flm_json_bool(json, &node->truth);
    else if (node->type == FLM_JSON_TYPE_NULL)
        flm_json_skip(json);
}

/* One open object or array of those that are being read. */
struct level {
    uint32_t node, last; /* and its last child so far */
};

/* False if memory ran out or it is too deep; what is wrong with the JSON the parser remembers. */
static bool read_values(struct flm_tui_answer *answer, struct flm_json *json)
{
    struct level open[MOST_DEPTH];
    size_t depth = 0;
    struct flm_bytes key = {"", 0};
    for (bool is_first = true; is_first || depth > 0; is_first = false) {
        struct level *level = depth > 0 ? &open[depth - 1] : NULL;
        bool is_object = level && answer->at[level->node].type == FLM_JSON_TYPE_OBJECT;
        key.size = 0;
        if (level && !(is_object ? flm_json_next_key(json, &key) : flm_json_next_item(json))) {
            depth--;
            continue;
        }
        uint32_t index = add(answer, level ? level->node : 0, level ? level->last : 0);
        if (!index)
            return false;
        if (level)
            level->last = index;
        struct flm_tui_node *node = &answer->at[index];
        keep(answer, key, &node->key, &node->key_size);
        node->type = flm_json_type(json);
        bool is_open = node->type == FLM_JSON_TYPE_OBJECT  ? flm_json_enter_object(json)
                       : node->type == FLM_JSON_TYPE_ARRAY ? flm_json_enter_array(json)
                                                           : false;
        if (is_open && depth == MOST_DEPTH)
            return flm_json_fail(json, "it is nested too deeply");
        if (is_open)
            open[depth++] = (struct level){index, 0};
        else
            read_scalar(answer, json, index);
    }
    return !answer->texts.failed;
}

bool flm_tui_answer_read(struct flm_tui_answer *answer, struct flm_bytes text,
                         struct flm_error *why)
{
    struct flm_source source = flm_source_of(text);
    struct flm_json json;
    answer->count = 0;
    flm_text_clear(&answer->texts);
    flm_json_init(&json, &source, why);
    add(answer, 0, 0); /* what is not there */
    bool good = answer->count == 1 && read_values(answer, &json);
    if (flm_json_finish(&json) && good)
        return true;
    if (!good && !json.failed)
        flm_error_memory(why);
    answer->count = 0;
    return false;
}

bool flm_tui_ask(struct flm_viewer *viewer, const char *question, struct flm_tui_answer *answer,
                 struct flm_error *why)
{
    answer->count = 0;
    flm_text_clear(&answer->json);
    if (!flm_viewer_ask(viewer, flm_bytes_of(question), &answer->json, why))
        return false;
    if (answer->json.failed)
        return flm_error_memory(why);
    return flm_tui_answer_read(answer, (struct flm_bytes){answer->json.at, answer->json.size}, why);
}

/* ---- Looking at it --------------------------------------------------------------------------- */

static const struct flm_tui_node *node_at(const struct flm_tui_answer *answer, uint32_t value)
{
    static const struct flm_tui_node none = {0};
    return value > 0 && value < answer->count ? &answer->at[value] : &none;
}

uint32_t flm_tui_at(const struct flm_tui_answer *answer, uint32_t object, const char *key)
{
    const struct flm_tui_node *node = node_at(answer, object);
    if (node->type != FLM_JSON_TYPE_OBJECT)
        return FLM_TUI_NONE;
    for (uint32_t i = node->first; i; i = answer->at[i].next) {
        struct flm_bytes name = {answer->texts.at + answer->at[i].key, answer->at[i].key_size};
        if (flm_bytes_are(name, key))
            return i;
    }
    return FLM_TUI_NONE;
}

uint32_t flm_tui_first(const struct flm_tui_answer *answer, uint32_t list)
{
    return node_at(answer, list)->first;
}

struct flm_bytes flm_tui_key(const struct flm_tui_answer *answer, uint32_t member)
{
    const struct flm_tui_node *node = node_at(answer, member);
    return (struct flm_bytes){answer->texts.at ? answer->texts.at + node->key : "", node->key_size};
}

uint32_t flm_tui_next(const struct flm_tui_answer *answer, uint32_t item)
{
    return node_at(answer, item)->next;
}

struct flm_bytes flm_tui_text(const struct flm_tui_answer *answer, uint32_t value)
{
    const struct flm_tui_node *node = node_at(answer, value);
    if (node->type != FLM_JSON_TYPE_STRING)
        return (struct flm_bytes){"", 0};
    return (struct flm_bytes){answer->texts.at + node->text, node->text_size};
}

struct flm_bytes flm_tui_text_at(const struct flm_tui_answer *answer, uint32_t object,
                                 const char *key)
{
    return flm_tui_text(answer, flm_tui_at(answer, object, key));
}

double flm_tui_number_at(const struct flm_tui_answer *answer, uint32_t object, const char *key,
                         double fallback)
{
    const struct flm_tui_node *node = node_at(answer, flm_tui_at(answer, object, key));
    return node->type == FLM_JSON_TYPE_NUMBER ? node->number : fallback;
}

bool flm_tui_bool_at(const struct flm_tui_answer *answer, uint32_t object, const char *key)
{
    return node_at(answer, flm_tui_at(answer, object, key))->truth;
}
