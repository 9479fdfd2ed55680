/* search.c - searching: what for, how, and from one match to the next. */
#include <math.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"

static void searched(struct flm_viewer *v)
{
    flm_changed(&v->model, FLM_ASPECT_SEARCHES);
}

static bool act_search(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    searched(v);
    return flm_searches_text(&v->model.searches, text, why);
}

static bool choose(struct flm_bytes word, const char *const *words, int count, int *chosen,
                   struct flm_error *why)
{
    for (*chosen = 0; *chosen < count; ++*chosen)
        if (flm_bytes_are(word, words[*chosen]))
            return true;
    return flm_error_set(why, FLM_ERROR_USAGE, "there is no '%.*s' search", (int)word.size,
                         word.at);
}

static bool act_kind(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    static const char *const kinds[] = {"text", "regex", "fuzzy"};
    int kind;
    searched(v);
    return choose(word, kinds, FLM_SEARCH_KINDS, &kind, why) &&
           flm_searches_kind(&v->model.searches, (enum flm_search_kind)kind, why);
}

static bool act_scope(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    static const char *const scopes[] = {"name", "file", "module", "all"};
    int scope;
    searched(v);
    return choose(word, scopes, FLM_SEARCH_SCOPES, &scope, why) &&
           flm_searches_scope(&v->model.searches, (enum flm_search_scope)scope, why);
}

static bool act_case(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    searched(v);
    const struct flm_searches *s = &v->model.searches;
    bool exact = s->count > 0 && s->at[s->current].exact_case;
    return flm_searches_case(&v->model.searches, !exact, why);
}

static bool act_add(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    searched(v);
    return flm_searches_add(&v->model.searches, why);
}

static bool number(struct flm_viewer *v, struct flm_bytes text, unsigned *index,
                   struct flm_error *why)
{
    uint64_t value;
    if (!flm_number_parse_uint(text, &value) || value >= v->model.searches.count)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no search %.*s", (int)text.size,
                             text.at);
    *index = (unsigned)value;
    searched(v);
    return true;
}

static bool act_remove(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    unsigned index = 0;
    return number(v, text, &index, why) && flm_searches_remove(&v->model.searches, index, why);
}

static bool act_toggle(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    unsigned index = 0;
    return number(v, text, &index, why) && flm_searches_toggle(&v->model.searches, index, why);
}

static bool act_edit(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    unsigned index = 0;
    return number(v, text, &index, why) && flm_searches_edit(&v->model.searches, index, why);
}

static bool has_search(const struct flm_viewer *v)
{
    return flm_searches_any(&v->model.searches);
}

static const struct flm_condition searching = {has_search, "there is no search to step through"};

/* Whether any function of the profile is. */
static bool is_found(const struct flm_viewer *v)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    for (uint32_t i = 0; p && v->model.searches.frame_color && i < p->sizes.frame_count; i++)
        if (v->model.searches.frame_color[i])
            return true;
    return false;
}

static bool is_match(const struct flm_viewer *v, struct flm_node_ref ref)
{
    uint32_t frame = flm_scene_frame(&v->scene, ref);
    return frame != FLM_NONE && v->model.searches.frame_color &&
           v->model.searches.frame_color[frame];
}

/* Where a search begins: what matters is seldom the first of many. Over time it is the next. */
static bool heaviest_match(struct flm_viewer *v)
{
    struct flm_node_ref heaviest = flm_node_ref_none();
    double total = 0;
    for (uint32_t i = 0; v->model.searches.frame_color && i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        struct flm_node node =
            flm_search_heaviest(v->model.searches.frame_color, pane->layout, &total);
        if (node.index != FLM_NONE)
            heaviest = (struct flm_node_ref){i, flm_pane_number(pane, node)};
    }
    flm_viewer_walk_to(v, heaviest);
    return flm_node_ref_valid(heaviest);
}

/* Matches of all searches, in the order of the picture, round and round. */
static bool next_match(struct flm_viewer *v, enum flm_search_way way, struct flm_error *why)
{
    bool has = flm_node_ref_valid(v->model.selected);
    struct flm_node_ref again = flm_node_ref_none();
    uint32_t count = v->scene.pane_count, first = has ? v->model.selected.pane : 0;
    for (uint32_t i = 0; v->model.searches.frame_color && i < count; i++) {
        uint32_t index = (first + (way == FLM_SEARCH_PREVIOUS ? count - i : i)) % count;
        struct flm_pane *pane = &v->scene.panes[index];
        struct flm_node from = {FLM_NONE};
        if (!flm_threads_open(&v->scene, pane, why))
            return false;
        if (has && i == 0)
            from = flm_pane_node(pane, v->model.selected.number);
        struct flm_search_step step =
            flm_search_step(v->model.searches.frame_color, pane->layout, from, way);
        if (step.node.index == FLM_NONE)
            continue; /* the other threads of a flame chart */
        struct flm_node_ref ref = {index, flm_pane_number(pane, step.node)};
        bool is_round = step.at == (way == FLM_SEARCH_PREVIOUS ? step.count : 1);
        if (has && i == 0 && is_round && count > 1) {
            again = ref; /* after those of all others */
            continue;
        }
        flm_viewer_walk_to(v, ref);
        return true;
    }
    if (flm_node_ref_valid(again)) {
        flm_viewer_walk_to(v, again);
        return true;
    }
    /* What is found is in processes that are collapsed: they are opened, once. */
    if (is_found(v) && flm_scene_has_collapsed(&v->scene))
        return flm_viewer_collapse_all(v, why) && next_match(v, way, why);
    return flm_viewer_notify(v, "the search finds nothing here");
}

static bool act_next(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    bool begins = !flm_scene_is_over_time(&v->scene) && !is_match(v, v->model.selected);
    return (begins && heaviest_match(v)) || next_match(v, FLM_SEARCH_NEXT, why);
}

static bool act_previous(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return next_match(v, FLM_SEARCH_PREVIOUS, why);
}

static bool act_ask(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "search") || flm_error_memory(why);
}

/* Its whole name as text. */
static bool act_selected(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    struct flm_searches *searches = &v->model.searches;
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    return flm_searches_kind(searches, FLM_SEARCH_TEXT, why) &&
           flm_searches_scope(searches, FLM_SEARCH_NAMES, why) &&
           act_search(v, flm_frame_function(flm_model_shown(&v->model), frame), why);
}

static const struct flm_action_argument a_text = {"TEXT", FLM_GIVEN_TYPED, NULL};
static const struct flm_action_argument a_kind = {"text|regex|fuzzy", FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_scope = {"name|file|module|all", FLM_GIVEN_WORD, NULL};

static const struct flm_action actions[] = {
    {"find", "Search", NULL, "/ C-f", act_ask, NULL, "find filter highlight"},
    {"search", "Search for", &a_text, NULL, act_search, NULL, "find highlight"},
    {"search-selected", "Search for the selected function", NULL, NULL, act_selected, &flm_on_frame,
     "find highlight occurrences"},
    {"search-kind", "How to search", &a_kind, NULL, act_kind, NULL},
    {"search-scope", "Where to search", &a_scope, NULL, act_scope, NULL},
    {"search-case", "Match case", NULL, NULL, act_case, NULL},
    {"search-add", "Add a search", NULL, NULL, act_add, NULL},
    {"search-remove", "Remove search", &flm_a_number, NULL, act_remove, NULL},
    {"search-toggle", "Search on or off", &flm_a_number, NULL, act_toggle, NULL},
    {"search-edit", "Change search", &flm_a_number, NULL, act_edit, NULL},
    {"next-match", "Next match", NULL, "n F3 C-g", act_next, &searching},
    {"previous-match", "Previous match", NULL, "N S-F3 p", act_previous, &searching},
};
const struct flm_action_group flm_search_actions = {"Search", actions,
                                                    sizeof actions / sizeof actions[0]};
