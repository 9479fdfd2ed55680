#include "viewer/model/enum_names.h"

/* In the order of the enums. */
const struct flm_choice flm_view_choices[] = {
    {"flame", "Flame"}, {"chart", "Chart"}, {"sandwich", "Sandwich"},
    {"tree", "Tree"},   {"top", "Top"},     {"compare", "Compare"},
};
const unsigned flm_view_count = sizeof flm_view_choices / sizeof flm_view_choices[0];

const struct flm_choice flm_order_choices[] = {
    {"name", "By name"},
    {"total", "Largest first"},
    {"seen", "First seen"},
};
const unsigned flm_order_count = sizeof flm_order_choices / sizeof flm_order_choices[0];

int flm_choice_named(const struct flm_choice *choices, unsigned count, struct flm_bytes word)
{
    for (unsigned i = 0; i < count; i++)
        if (flm_bytes_are(word, choices[i].word))
            return (int)i;
    return -1;
}

static int named(const struct flm_choice *choices, unsigned count, struct flm_bytes word)
{
    int found = flm_choice_named(choices, count, word);
    return found < 0 ? 0 : found;
}

const char *flm_view_word(int view)
{
    return flm_view_choices[view].word;
}

const char *flm_order_word(int order)
{
    return flm_order_choices[order].word;
}

int flm_view_named(struct flm_bytes word)
{
    return named(flm_view_choices, flm_view_count, word);
}

int flm_order_named(struct flm_bytes word)
{
    return named(flm_order_choices, flm_order_count, word);
}
