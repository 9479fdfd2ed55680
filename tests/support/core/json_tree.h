/* json_tree.h - a whole JSON file in memory, for golden data. A reader of its own, so that the data
 * does not depend on the code it is to test. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_JSON_TREE_H
#define FLAMEL_TESTS_SUPPORT_CORE_JSON_TREE_H

#include <stddef.h>

enum json_kind { JSON_WORD, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_tree {
    enum json_kind kind;
    double number;
    char *text;              /* of a string or a word (null, true, false); terminated */
    struct json_tree *items; /* of an array or an object */
    char **keys;             /* of an object, as many */
    size_t count;
};

/* The test fails where there is none. */
struct json_tree *json_tree_read(const char *path);
struct json_tree *json_tree_parse(const char *text); /* all of it; terminated */
void json_tree_free(struct json_tree *tree);

/* The value of a key: NULL where there is none; the test fails in the second case. */
const struct json_tree *json_tree_find(const struct json_tree *object, const char *key);
const struct json_tree *json_tree_get(const struct json_tree *object, const char *key);

#endif
