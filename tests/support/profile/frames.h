/* frames.h - .eh_frame and .debug_frame made by hand. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_FRAMES_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_FRAMES_H

#include "symbol/unwind/unwind_table.h"

struct frames {
    struct flm_text bytes;
    bool is_debug_frame;
    bool is_wide; /* lengths of 64 bits */
    uint8_t version;
    const char *letters; /* the augmentation; "" has none */
    struct flm_bytes augmentation_data;
    uint8_t encoding; /* of functions' addresses; pcrel ones count from `address` */
    uint8_t return_register;
    uint64_t address;
    size_t common; /* the last one's offset */
};

/* As GCC writes them: version 1, "zR", pcrel sdata4. The caller clears `bytes`. */
struct frames frames_like_gcc(void);

/* A CIE with this program, code unit 1, data unit -8; then functions with it. */
void frames_common(struct frames *frames, struct flm_bytes program);
void frames_function(struct frames *frames, uint64_t start, uint64_t size,
                     struct flm_bytes program);

/* The usual one of x86-64: CFA = rsp + 8, return address at CFA - 8. */
void frames_usual_common(struct frames *frames);

/* Sections with it as the one or the other. */
struct flm_unwind_sections frames_sections(const struct frames *frames);

#define BYTES(...)                                                                                 \
    ((struct flm_bytes){(const char *)(const uint8_t[]){__VA_ARGS__},                              \
                        sizeof(const uint8_t[]){__VA_ARGS__}})

#endif
