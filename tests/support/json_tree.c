#include "support/json_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/files.h"

static char *copy_of(struct flm_bytes text)
{
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    if (text.size)
        memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    return copy;
}

/* Room for one more item, zeroed. */
static struct json_tree *add_item(struct json_tree *tree)
{
    tree->items = realloc(tree->items, (tree->count + 1) * sizeof *tree->items);
    assert_non_null(tree->items);
    tree->items[tree->count] = (struct json_tree){0};
    return &tree->items[tree->count++];
}

static void read_value(struct flm_json *json, struct json_tree *tree)
{
    struct flm_bytes text;
    struct flm_json_number number;
    bool truth;
    tree->type = flm_json_type(json);
    switch (tree->type) {
    case FLM_JSON_TYPE_STRING:
        if (flm_json_string(json, &text))
            tree->text = copy_of(text);
        break;
    case FLM_JSON_TYPE_NUMBER:
        if (flm_json_number(json, &number))
            tree->number = number.value;
        break;
    case FLM_JSON_TYPE_BOOL:
        tree->number = flm_json_bool(json, &truth) && truth;
        break;
    case FLM_JSON_TYPE_ARRAY:
        flm_json_enter_array(json);
        while (flm_json_next_item(json))
            read_value(json, add_item(tree));
        break;
    case FLM_JSON_TYPE_OBJECT:
        flm_json_enter_object(json);
        while (flm_json_next_key(json, &text)) {
            tree->keys = realloc(tree->keys, (tree->count + 1) * sizeof *tree->keys);
            assert_non_null(tree->keys);
            tree->keys[tree->count] = copy_of(text);
            read_value(json, add_item(tree));
        }
        break;
    default:
        flm_json_skip(json);
    }
}

static void clear(struct json_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        clear(&tree->items[i]);
        if (tree->keys)
            free(tree->keys[i]);
    }
    free(tree->items);
    free(tree->keys);
    free(tree->text);
}

struct json_tree *json_tree_read(const char *path)
{
    struct flm_text content = read_file(path);
    struct flm_source source = flm_source_of((struct flm_bytes){content.at, content.size});
    struct flm_error why = {0};
    struct flm_json json;
    struct json_tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    flm_json_init(&json, &source, &why);
    read_value(&json, tree);
    if (!flm_json_finish(&json))
        fail_msg("%s: %s", path, why.text);
    flm_text_clear(&content);
    return tree;
}

void json_tree_free(struct json_tree *tree)
{
    clear(tree);
    free(tree);
}

const struct json_tree *json_tree_find(const struct json_tree *object, const char *key)
{
    for (size_t i = 0; i < object->count; i++)
        if (strcmp(object->keys[i], key) == 0)
            return &object->items[i];
    return NULL;
}

const struct json_tree *json_tree_get(const struct json_tree *object, const char *key)
{
    const struct json_tree *value = json_tree_find(object, key);
    if (!value)
        fail_msg("there is no '%s'", key);
    return value;
}
