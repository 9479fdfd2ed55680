/* flm_image.h - a .flm file in memory, taken apart as docs/format.md describes it, so that a test
 * can change any byte of it. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_FLM_IMAGE_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_FLM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flamel/profile.h"

enum { HEADER = 64, ENTRY = 40, AT_VERSION = 8, AT_COUNT = 12, AT_SIZE = 16, AT_CHECKSUM = 24 };
enum { ENTRY_FLAGS = 4, ENTRY_OFFSET = 8, ENTRY_SIZE = 16, ENTRY_CHECKSUM = 24 };

struct image {
    char *at; /* of malloc: a block of exactly `size` bytes */
    size_t size;
};

uint32_t image_get32(const char *at);
uint64_t image_get64(const char *at);
void image_put32(char *at, uint32_t value);
void image_put64(char *at, uint64_t value);
struct image image_copy(struct image of, size_t size);
struct image image_of(struct flm_profile *p);
struct image image_read(const char *path);
struct flm_profile *image_small_profile(void);
struct flm_profile *image_full_profile(void);
char *image_entry_number(struct image image, uint32_t i);
char *image_entry(struct image image, const char *id);
char *image_section(struct image image, const char *id);
bool image_contains(struct image image, const char *entry);

/* Makes all checksums right, so that other faults are found. */
void image_fix_checksums(struct image image);
struct flm_profile *open_image(struct image image, struct flm_error *why);

/* Reads everything that a profile offers. */
void image_walk(const struct flm_profile *p);

/* Opens it or not: in both cases nothing breaks. Frees the image. */
bool try_image(struct image image);

/* It is refused with these words; frees the image. */
void refuse_image(struct image image, const char *words);

/* It is opened, and is the small profile; frees the image. */
void accept_small_image(struct image image);

/* The small file with one more section in its table, of which there are at least seven unused. */
struct image image_with_section(const char *id, uint32_t flags);

#endif
