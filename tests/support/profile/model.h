/* model.h - the plainest profile there is: a list of stacks, each with its values.
 *
 * Operations of the algebra are written on such lists in a few lines each, with no tree, no hashing
 * and no order; what the library makes must be the same list. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_MODEL_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_MODEL_H

#include "profile/columns.h"

struct model_frame {
    const char *function, *module, *file; /* the same text is the same pointer */
    uint32_t line, kind, flags;
    uint64_t address;
};

enum { MODEL_METRICS = 8 };

struct model_stack {
    struct model_frame *frames; /* root first */
    size_t depth;
    double value[MODEL_METRICS];
};

struct model {
    struct model_stack *stacks;
    size_t count;
};

/* The stacks that have a value. Names are texts without NUL. */
struct model model_of(const struct flm_profile *p);

/* The same, from the samples alone. */
struct model model_of_samples(const struct flm_profile *p);
void model_clear(struct model *m);

const char *model_text(const char *text);
struct model_frame model_frame_of(const struct flm_profile *p, uint32_t frame);
bool model_frames_equal(struct model_frame a, struct model_frame b);

/* Changes every stack; where `change` says false the stack goes. A stack may only become shorter.
 */
typedef bool (*model_change)(struct model_stack *stack, void *context);
void model_apply(struct model *m, model_change change, void *context);

/* Fails the test where they differ. Clears both. */
void assert_models_equal(struct model *got, struct model *expected);

#endif
