/* answer.h - what the viewer answers, taken apart: JSON as a tree that is walked by keys.
 *
 *     struct flm_tui_answer detail = {0};
 *     flm_tui_ask(viewer, "detail", &detail, &why);
 *     flm_tui_text_at(&detail, FLM_TUI_ROOT, "title");
 *
 * Everything that is not there is the value NONE, whose members are NONE, whose text is empty and
 * which is no list: so that who shows answers need not ask at every step. */
#ifndef FLAMEL_CLI_TUI_ANSWER_H
#define FLAMEL_CLI_TUI_ANSWER_H

#include "base/text/json_read.h"
#include "base/text/text.h"
#include "viewer/viewer.h"

struct flm_tui_node {
    enum flm_json_type type;
    bool truth;
    double number;
    size_t key, key_size, text, text_size; /* places in `texts` */
    uint32_t first, next;                  /* child and sibling; 0: none */
    uint32_t count;                        /* of children */
};

/* {0} is an answer without anything. */
struct flm_tui_answer {
    struct flm_text json, texts;
    struct flm_tui_node *at; /* [0] is NONE, [1] the root */
    size_t count, capacity;
};

enum { FLM_TUI_NONE = 0, FLM_TUI_ROOT = 1 };

void flm_tui_answer_clear(struct flm_tui_answer *answer);

/* Reads JSON; what was there is gone. False, and `why`, if it is none or memory ran out. */
bool flm_tui_answer_read(struct flm_tui_answer *answer, struct flm_bytes json,
                         struct flm_error *why);

/* Asks the viewer. When that fails the answer is empty. */
bool flm_tui_ask(struct flm_viewer *viewer, const char *question, struct flm_tui_answer *answer,
                 struct flm_error *why);

/* The member of an object; the first item of a list, or member of an object, and the next one.
 * FLM_TUI_NONE: there is none. */
uint32_t flm_tui_at(const struct flm_tui_answer *answer, uint32_t object, const char *key);
uint32_t flm_tui_first(const struct flm_tui_answer *answer, uint32_t list);
uint32_t flm_tui_next(const struct flm_tui_answer *answer, uint32_t item);

/* What a member is called. */
struct flm_bytes flm_tui_key(const struct flm_tui_answer *answer, uint32_t member);

/* Good until the answer is read anew. Of what is no text: "". */
struct flm_bytes flm_tui_text(const struct flm_tui_answer *answer, uint32_t value);
struct flm_bytes flm_tui_text_at(const struct flm_tui_answer *answer, uint32_t object,
                                 const char *key);
double flm_tui_number_at(const struct flm_tui_answer *answer, uint32_t object, const char *key,
                         double fallback);
bool flm_tui_bool_at(const struct flm_tui_answer *answer, uint32_t object, const char *key);

#endif
