#include "algebra/compare/difference.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/operation/subset.h"

/* The kinds of stacks that each is made of. */
static const struct {
    const char *name;
    unsigned kinds;
} parts[FLM_PARTS] = {
    [FLM_PART_APPEARED] = {"appeared", 1u << FLM_CHANGE_APPEARED},
    [FLM_PART_GROWN] = {"grown", 1u << FLM_CHANGE_GROWN},
    [FLM_PART_DISAPPEARED] = {"disappeared", 1u << FLM_CHANGE_DISAPPEARED},
    [FLM_PART_SHRUNK] = {"shrunk", 1u << FLM_CHANGE_SHRUNK},
    [FLM_PART_PLUS] = {"plus", 1u << FLM_CHANGE_APPEARED | 1u << FLM_CHANGE_GROWN},
    [FLM_PART_MINUS] = {"minus", 1u << FLM_CHANGE_DISAPPEARED | 1u << FLM_CHANGE_SHRUNK},
    [FLM_PART_DELTA] = {"delta", ~(1u << FLM_CHANGE_NONE)},
};

const char *flm_part_name(enum flm_part part)
{
    assert(part < FLM_PARTS);
    return parts[part].name;
}

bool flm_part_named(struct flm_bytes name, enum flm_part *part)
{
    for (int i = 0; i < FLM_PARTS; i++)
        if (flm_bytes_are(name, parts[i].name)) {
            *part = (enum flm_part)i;
            return true;
        }
    return false;
}

struct flm_profile *flm_part_of(const struct flm_profile *p, const struct flm_comparison *c,
                                enum flm_part part, struct flm_bytes name, struct flm_bytes unit,
                                double factor, struct flm_error *why)
{
    assert(part < FLM_PARTS && c->node_count == p->sizes.node_count);
    struct flm_column column = {
        .name = name, .unit = unit, .self = malloc(c->node_count * sizeof(double))};
    if (!column.self) {
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 0; i < c->node_count; i++) {
        struct flm_change change = flm_comparison_change(c, i, FLM_CHANGE_OF_SELF);
        double difference = parts[part].kinds >> change.kind & 1 ? change.after - change.before : 0;
        column.self[i] = factor * (part == FLM_PART_DELTA ? difference : fabs(difference));
    }
    struct flm_profile *result = flm_subset(p, &column, 1, NULL, why);
    free(column.self);
    return result;
}
