/* choices.h - lists to choose from. Actions take the names, keys are bound to them, URLs hold them,
 * menus show the titles: all from one list. */
#ifndef FLAMEL_VIEWER_MODEL_CHOICES_H
#define FLAMEL_VIEWER_MODEL_CHOICES_H

#include "base/text/text.h"

struct flm_choice {
    const char *name;  /* "total": in actions and in the URL; NULL: behind the last one */
    const char *title; /* "Largest first": what people read */
    const char *key;   /* "3": chooses it; NULL: no key does */
};

/* A list: its i-th choice. */
typedef struct flm_choice (*flm_choices)(size_t i);

/* The orders of siblings; i is an enum flm_sibling_order. */
struct flm_choice flm_order_choice(size_t i);

/* The index of a name; -1 if the list does not have it. */
int flm_choice_named(flm_choices choices, struct flm_bytes name);

/* "name, total, seen" */
void flm_choices_add_names(flm_choices choices, const char *separator, struct flm_text *out);

#endif
