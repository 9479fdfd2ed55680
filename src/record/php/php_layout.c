#include "record/php/php_layout.h"

#include <stddef.h>

static const struct flm_php_layout layouts[] = {
    {0, 488, 144, 152, 68, 72}, {1, 488, 144, 152, 68, 72},  {2, 488, 152, 160, 80, 88},
    {3, 488, 144, 152, 76, 80}, {4, 488, 168, 176, 96, 104},
};

const struct flm_php_layout *flm_php_layout_of(int major, int minor)
{
    for (size_t i = 0; major == 8 && i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}
