/* json_tree.h - a whole JSON file in memory, for golden data. */
#ifndef FLAMEL_TESTS_JSON_TREE_H
#define FLAMEL_TESTS_JSON_TREE_H

#include "format/json.h"

struct json_tree {
    enum flm_json_type type;
    double number;
    char *text;              /* of a string; terminated */
    struct json_tree *items; /* of an array, or an object */
    char **keys;             /* of an object, as many */
    size_t count;
};

/* The test fails where there is none. */
struct json_tree *json_tree_read(const char *path);
void json_tree_free(struct json_tree *tree);

/* The value of a key: NULL where there is none; the test fails in the second case. */
const struct json_tree *json_tree_find(const struct json_tree *object, const char *key);
const struct json_tree *json_tree_get(const struct json_tree *object, const char *key);

#endif
