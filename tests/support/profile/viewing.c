#include "support/profile/viewing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

struct flm_viewer *viewer_of(struct flm_profile *profile)
{
    struct flm_error why = {0};
    struct flm_viewer *viewer = flm_viewer_new(&why);
    assert_non_null(viewer);
    flm_viewer_resize(viewer, 1000, 600, 1);
    if (!flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile, "a profile", &why))
        fail_msg("%s", why.text);
    return viewer;
}

struct flm_viewer *viewer_of_folded(const char *folded)
{
    return viewer_of(profile_of(folded));
}

void act(struct flm_viewer *viewer, const char *action)
{
    struct flm_error why = {0};
    if (!flm_viewer_do(viewer, flm_bytes_of(action), &why))
        fail_msg("%s: %s", action, why.text);
}

const char *refusal(struct flm_viewer *viewer, const char *action)
{
    static struct flm_error why;
    why = (struct flm_error){0};
    assert_false(flm_viewer_do(viewer, flm_bytes_of(action), &why));
    assert_true(why.kind != FLM_ERROR_NONE);
    return why.text;
}

struct json_tree *answer(struct flm_viewer *viewer, const char *question)
{
    struct flm_error why = {0};
    struct flm_text out = {0};
    if (!flm_query_json(viewer, flm_bytes_of(question), &out, &why))
        fail_msg("%s: %s", question, why.text);
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    struct json_tree *tree = json_tree_parse(out.at);
    flm_text_clear(&out);
    return tree;
}

const struct json_tree *part(const struct json_tree *tree, const char *place)
{
    while (*place) {
        char key[100];
        size_t size = strcspn(place, ".");
        assert_true(size < sizeof key);
        memcpy(key, place, size);
        key[size] = 0;
        if (tree->kind == JSON_ARRAY) {
            size_t index = strtoul(key, NULL, 10);
            if (index >= tree->count)
                fail_msg("there is no %s in %zu items", place, tree->count);
            tree = &tree->items[index];
        } else {
            tree = json_tree_find(tree, key);
            if (!tree)
                fail_msg("there is no %s", place);
        }
        place += size + (place[size] == '.');
    }
    return tree;
}

const char *at(const struct json_tree *tree, const char *place)
{
    static char texts[4][40];
    static unsigned next;
    tree = part(tree, place);
    if (tree->kind != JSON_NUMBER)
        return tree->text ? tree->text : "";
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%.17g", tree->number);
    return text;
}

void assert_answer(struct flm_viewer *viewer, const char *question, const char *place,
                   const char *expected)
{
    struct json_tree *tree = answer(viewer, question);
    assert_string_equal(at(tree, place), expected);
    json_tree_free(tree);
}

static struct flm_text text_of(struct flm_viewer *viewer, const char *question, bool *good,
                               struct flm_error *why)
{
    struct flm_text out = {0};
    *good = flm_query_json(viewer, flm_bytes_of(question), &out, why);
    flm_text_putc(&out, 0);
    return out;
}

static void survive(const char *folded, const char *const *actions, const char *question,
                    void (*fail_at)(size_t nth))
{
    for (size_t nth = 1;; nth++) {
        struct flm_viewer *viewer = viewer_of_folded(folded);
        struct flm_error why = {0};
        bool good, good_again;
        for (size_t i = 0; actions && actions[i]; i++)
            act(viewer, actions[i]);
        fail_at(nth);
        struct flm_text out = text_of(viewer, question, &good, &why);
        bool failed = allocation_has_failed();
        fail_at(0);
        assert_true(good || failed);
        if (!good)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        struct flm_text again = text_of(viewer, question, &good_again, &why);
        assert_true(good_again);
        json_tree_free(json_tree_parse(again.at));
        flm_text_clear(&again);
        flm_text_clear(&out);
        flm_viewer_free(viewer);
        if (!failed)
            return;
    }
}

void assert_answer_survives(const char *folded, const char *const *actions, const char *question)
{
    survive(folded, actions, question, allocation_fail_once);
    survive(folded, actions, question, allocation_fail_from);
}

struct flm_node node_named(const struct flm_viewer *viewer, const char *name)
{
    const struct flm_pane *pane = &viewer->scene.panes[0];
    for (uint32_t i = 1; i < pane->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[i]), name))
            return (struct flm_node){i};
    fail_msg("there is no %s", name);
    return (struct flm_node){FLM_NONE};
}
