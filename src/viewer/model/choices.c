#include "viewer/model/choices.h"

struct flm_choice flm_order_choice(size_t i)
{
    static const struct flm_choice orders[] = {
        {"name", "By name", NULL},
        {"total", "Largest first", NULL},
        {"seen", "First seen", NULL},
    };
    return i < sizeof orders / sizeof orders[0] ? orders[i] : (struct flm_choice){0};
}

int flm_choice_named(flm_choices choices, struct flm_bytes name)
{
    struct flm_choice choice;
    for (size_t i = 0; (choice = choices(i)).name; i++)
        if (flm_bytes_are(name, choice.name))
            return (int)i;
    return -1;
}

void flm_choices_add_names(flm_choices choices, const char *separator, struct flm_text *out)
{
    struct flm_choice choice;
    for (size_t i = 0; (choice = choices(i)).name; i++) {
        flm_text_puts(out, i ? separator : "");
        flm_text_puts(out, choice.name);
    }
}
