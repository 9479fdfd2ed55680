#include "support/profile/frames.h"

struct frames frames_like_gcc(void)
{
    static const char encoding[] = {0x1B};
    return (struct frames){.version = 1,
                           .letters = "zR",
                           .augmentation_data = {encoding, 1},
                           .encoding = 0x1B,
                           .return_register = 16,
                           .address = 0x100000};
}

static void put(struct frames *frames, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        flm_text_putc(&frames->bytes, (char)(value >> (8 * i)));
}

static size_t begin(struct frames *frames)
{
    size_t at = frames->bytes.size;
    if (frames->is_wide)
        put(frames, UINT32_MAX, 4);
    put(frames, 0, frames->is_wide ? 8 : 4);
    return at;
}

/* Entries end at a multiple of 8: DW_CFA_nop is 0. */
static void end(struct frames *frames, size_t at)
{
    size_t head = frames->is_wide ? 12 : 4;
    while ((frames->bytes.size - at - head) % 8 != 4)
        put(frames, 0, 1);
    uint64_t length = frames->bytes.size - at - head;
    for (size_t i = 0; i < (frames->is_wide ? 8 : 4); i++)
        frames->bytes.at[at + head - (frames->is_wide ? 8 : 4) + i] = (char)(length >> (8 * i));
}

void frames_common(struct frames *frames, struct flm_bytes program)
{
    size_t at = begin(frames);
    frames->common = at;
    put(frames, frames->is_debug_frame ? UINT64_MAX : 0, frames->is_wide ? 8 : 4);
    put(frames, frames->version, 1);
    flm_text_add(&frames->bytes, (struct flm_bytes){frames->letters, strlen(frames->letters) + 1});
    if (frames->version == 4) {
        put(frames, 8, 1);
        put(frames, 0, 1);
    }
    put(frames, 1, 1);
    put(frames, 0x78, 1);
    put(frames, frames->return_register, 1);
    if (frames->letters[0] == 'z') {
        put(frames, frames->augmentation_data.size, 1);
        flm_text_add(&frames->bytes, frames->augmentation_data);
    }
    flm_text_add(&frames->bytes, program);
    end(frames, at);
}

void frames_usual_common(struct frames *frames)
{
    frames_common(frames, BYTES(0x0C, 7, 8, 0x80 | 16, 1));
}

void frames_function(struct frames *frames, uint64_t start, uint64_t size, struct flm_bytes program)
{
    size_t at = begin(frames), offset_size = frames->is_wide ? 8 : 4;
    put(frames, frames->is_debug_frame ? frames->common : frames->bytes.size - frames->common,
        offset_size);
    size_t width = (frames->encoding & 7) == 2 ? 2 : (frames->encoding & 7) == 3 ? 4 : 8;
    uint64_t base = (frames->encoding & 0x70) == 0x10 ? frames->address + frames->bytes.size : 0;
    put(frames, start - base, width);
    put(frames, size, width);
    if (frames->letters[0] == 'z')
        put(frames, 0, 1);
    flm_text_add(&frames->bytes, program);
    end(frames, at);
}

struct flm_unwind_sections frames_sections(const struct frames *frames)
{
    struct flm_unwind_sections sections = {.machine = FLM_MACHINE_X86_64,
                                           .eh_frame_address = frames->address};
    struct flm_bytes bytes = {frames->bytes.at, frames->bytes.size};
    if (frames->is_debug_frame)
        sections.debug_frame = bytes;
    else
        sections.eh_frame = bytes;
    return sections;
}
