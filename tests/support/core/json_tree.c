#include "support/core/json_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/utf.h"
#include "support/core/files.h"

/* `at` is always the start of the next token; the text is terminated. */
struct reader {
    const char *at;
};

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static void expect(struct reader *r, char byte)
{
    skip_blanks(r);
    if (*r->at != byte)
        fail_msg("the golden data has no '%c' before '%.20s'", byte, r->at);
    r->at++;
}

/* A unit of UTF-16 that is no half of a pair, at the u of \u001b. */
static void read_code(struct reader *r, struct flm_text *text)
{
    char utf8[4];
    unsigned code = 0;
    if (sscanf(r->at, "u%4x", &code) != 1 || code == 0 || (code >= 0xD800 && code < 0xE000))
        fail_msg("the golden data has an escape that nobody reads: '%.20s'", r->at);
    r->at += 4;
    flm_text_add(text, (struct flm_bytes){utf8, flm_utf8_put(code, utf8)});
}

/* Text up to the closing quote; escapes are those of one letter, and of one unit of UTF-16. */
static char *read_string(struct reader *r)
{
    expect(r, '"');
    struct flm_text text = {0};
    for (; *r->at != '"'; r->at++) {
        if (*r->at == '\\') {
            static const char letters[] = "nrt\"\\/", bytes[] = "\n\r\t\"\\/";
            const char *letter = strchr(letters, *++r->at);
            bool is_letter = letter && *letter;
            if (is_letter)
                flm_text_putc(&text, bytes[letter - letters]);
            else
                read_code(r, &text);
        } else {
            assert_true(*r->at != 0);
            flm_text_putc(&text, *r->at);
        }
    }
    r->at++;
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static void read_value(struct reader *r, struct json_tree *tree);

/* Items up to the closing bracket; of an object with a key each. */
static void read_items(struct reader *r, struct json_tree *tree, char close)
{
    r->at++;
    skip_blanks(r);
    while (*r->at != close) {
        if (tree->count > 0)
            expect(r, ',');
        tree->items = realloc(tree->items, (tree->count + 1) * sizeof *tree->items);
        tree->keys = realloc(tree->keys, (tree->count + 1) * sizeof *tree->keys);
        assert_true(tree->items && tree->keys);
        tree->keys[tree->count] = NULL;
        if (close == '}') {
            tree->keys[tree->count] = read_string(r);
            expect(r, ':');
        }
        read_value(r, &tree->items[tree->count]);
        tree->count++;
        skip_blanks(r);
    }
    r->at++;
}

static void read_value(struct reader *r, struct json_tree *tree)
{
    *tree = (struct json_tree){0};
    skip_blanks(r);
    if (*r->at == '{') {
        tree->kind = JSON_OBJECT;
        read_items(r, tree, '}');
    } else if (*r->at == '[') {
        tree->kind = JSON_ARRAY;
        read_items(r, tree, ']');
    } else if (*r->at == '"') {
        tree->kind = JSON_STRING;
        tree->text = read_string(r);
    } else if (strchr("-0123456789", *r->at)) {
        char *end;
        tree->kind = JSON_NUMBER;
        tree->number = strtod(r->at, &end);
        r->at = end;
    } else {
        size_t size = strspn(r->at, "abcdefghijklmnopqrstuvwxyz");
        tree->kind = JSON_WORD;
        tree->text = calloc(size + 1, 1);
        assert_true(size > 0 && tree->text);
        memcpy(tree->text, r->at, size);
        r->at += size;
    }
}

static void clear(struct json_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        clear(&tree->items[i]);
        free(tree->keys[i]);
    }
    free(tree->items);
    free(tree->keys);
    free(tree->text);
}

struct json_tree *json_tree_parse(const char *text)
{
    struct reader r = {text};
    struct json_tree *tree = malloc(sizeof *tree);
    assert_non_null(tree);
    read_value(&r, tree);
    skip_blanks(&r);
    assert_int_equal(*r.at, 0);
    return tree;
}

struct json_tree *json_tree_read(const char *path)
{
    struct flm_text content = read_file(path);
    flm_text_putc(&content, 0);
    struct json_tree *tree = json_tree_parse(content.at);
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
