#include "record/ruby/ruby_layout.h"

#include <stddef.h>

#define LOCATION .body_path = 64, .body_base_label = 72, .body_label = 80, .body_first_line = 88
#define LINES_UP_TO_1                                                                              \
    .is_line_object = true, .body_lines = 120, .body_line_count = 136, .body_line_positions = 144
#define LINES_FROM_2                                                                               \
    .body_lines = 112, .body_line_count = 128, .body_line_positions = 136, .line_size = 12,        \
    .has_string_length = true, .array_length_mask = 0x7F

static const struct flm_ruby_layout layouts[] = {
    {.minor = 0,
     .frame_size = 56,
     LOCATION,
     LINES_UP_TO_1,
     .line_size = 8,
     .array_length_mask = 3,
     .names = FLM_RUBY_NAME_IN_TABLE,
     .class_name = 24},
    {.minor = 1,
     .frame_size = 64,
     LOCATION,
     LINES_UP_TO_1,
     .line_size = 12,
     .array_length_mask = 3,
     .names = FLM_RUBY_NAME_IN_TABLE,
     .class_name = 24},
    {.minor = 2,
     .frame_size = 64,
     LOCATION,
     LINES_FROM_2,
     .names = FLM_RUBY_NAME_IN_ARRAY,
     .class_name = 32},
    {.minor = 3,
     .frame_size = 56,
     LOCATION,
     LINES_FROM_2,
     .names = FLM_RUBY_NAME_IN_FIELD,
     .class_name = 152,
     .class_attached = 128},
    {.minor = 4,
     .frame_size = 56,
     LOCATION,
     LINES_FROM_2,
     .names = FLM_RUBY_NAME_IN_FIELD,
     .class_name = 152,
     .class_attached = 128},
};

const struct flm_ruby_layout *flm_ruby_layout_of(int major, int minor)
{
    for (size_t i = 0; major == 3 && i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}
