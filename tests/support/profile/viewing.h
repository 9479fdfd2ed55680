/* viewing.h - a viewer as a person uses it: actions and responses, as text. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_VIEWING_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_VIEWING_H

#include "profile/columns.h"
#include "support/core/json_tree.h"
#include "viewer/viewer.h"

/* Shows a profile, which becomes the viewer's, in a window of 1000 by 600. */
struct flm_viewer *viewer_of(struct flm_profile *profile);
struct flm_viewer *viewer_of_folded(const char *folded);

/* The test fails when it cannot be done. */
void act(struct flm_viewer *viewer, const char *action);

/* Why it cannot; the test fails when it can. Good until the next call. */
const char *refusal(struct flm_viewer *viewer, const char *action);

/* The answer, to be freed. The test fails where it is not valid JSON. */
struct json_tree *answer(struct flm_viewer *viewer, const char *question);

/* What stands at a place of it, "rows.0.title": the text; numbers and words as JSON has them. The
 * test fails where there is nothing. Good until the next call but three. */
const char *at(const struct json_tree *tree, const char *place);
const struct json_tree *part(const struct json_tree *tree, const char *place);

/* Both at once. */
void assert_answer(struct flm_viewer *viewer, const char *question, const char *place,
                   const char *expected);

/* After the actions (a list that ends with NULL, or NULL), asks the question with each allocation
 * failing in turn, of a new viewer each time: it is answered, or refused for want of memory; and
 * answered when it is asked again. */
void assert_answer_survives(const char *folded, const char *const *actions, const char *question);

/* The first node of a pane whose frame has this name. */
struct flm_node node_named(const struct flm_viewer *viewer, const char *name);

#endif
