#include "format/valgrind/frame_line.h"

#include "base/core/scan.h"
#include "base/number/number.h"
#include "profile/internal.h"

/* "0x4004A1D: " */
static bool drop_address(struct flm_bytes *text)
{
    const char *end = text->at + text->size, *colon = flm_find(text->at, end, ':');
    uint64_t address;
    if (end - colon < 2 || colon[1] != ' ' || !flm_bytes_start_with(*text, "0x") ||
        !flm_number_parse_hex((struct flm_bytes){text->at + 2, (size_t)(colon - text->at) - 2},
                              &address))
        return false;
    *text = flm_bytes_from(*text, (size_t)(colon + 2 - text->at));
    return true;
}

/* "dl-init.c:74" */
static void read_place(struct flm_builder *b, struct flm_bytes text, struct flm_frame_record *frame,
                       uint32_t *ran)
{
    size_t colon = text.size;
    while (colon > 0 && text.at[colon - 1] != ':')
        colon--;
    uint64_t line;
    if (colon > 1 && flm_number_parse_uint(flm_bytes_from(text, colon), &line)) {
        text.size = colon - 1;
        *ran = line <= UINT32_MAX ? (uint32_t)line : 0;
    }
    frame->file = flm_builder_string(b, text.at, text.size).index;
}

struct flm_frame flm_valgrind_frame(struct flm_builder *b, struct flm_bytes text)
{
    struct flm_location where = {0};
    if (!drop_address(&text))
        return flm_builder_function(b, text.at, text.size);
    struct flm_frame_record frame = {.kind = FLM_KIND_NATIVE};
    size_t open = text.size;
    while (open > 1 && !(text.at[open - 1] == '(' && text.at[open - 2] == ' '))
        open--;
    if (open > 1 && text.at[text.size - 1] == ')') {
        struct flm_bytes place = {text.at + open, text.size - 1 - open};
        if (flm_bytes_start_with(place, "in ")) {
            place = flm_bytes_from(place, 3);
            frame.module = flm_builder_string(b, place.at, place.size).index;
        } else {
            read_place(b, place, &frame, &where.line);
        }
        text.size = open - 2;
    }
    if (flm_bytes_are(text, "???"))
        frame.flags |= FLM_FRAME_UNSYMBOLIZED;
    frame.function = flm_builder_string(b, text.at, text.size).index;
    return flm_builder_located(b, &frame, where);
}
