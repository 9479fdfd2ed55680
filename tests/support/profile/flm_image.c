#include "support/profile/flm_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/core/hash.h"
#include "flamel/builder.h"
#include "profile/flm_file.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

uint32_t image_get32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

uint64_t image_get64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

void image_put32(char *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

void image_put64(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

struct image image_copy(struct image of, size_t size)
{
    struct image copy = {malloc(size ? size : 1), size};
    assert_non_null(copy.at);
    memset(copy.at, 0, size);
    memcpy(copy.at, of.at, size < of.size ? size : of.size);
    return copy;
}

struct image image_of(struct flm_profile *p)
{
    struct flm_text text = bytes_of(p);
    struct image image = image_copy((struct image){text.at, text.size}, text.size);
    flm_text_clear(&text);
    flm_profile_free(p);
    return image;
}

struct image image_read(const char *path)
{
    struct flm_text text = read_file(path);
    struct image image = image_copy((struct image){text.at, text.size}, text.size);
    flm_text_clear(&text);
    return image;
}

struct flm_profile *image_small_profile(void)
{
    return profile_of("main 2\nmain;read 10\nmain;read;copy 3\nmain;write 1\n");
}

struct flm_profile *image_full_profile(void)
{
    uint64_t random = 77;
    struct random_shape shape = random_full;
    shape.stacks = 8;
    return random_profile(&random, &shape);
}

char *image_entry_number(struct image image, uint32_t i)
{
    return image.at + HEADER + (size_t)ENTRY * i;
}

char *image_entry(struct image image, const char *id)
{
    for (uint32_t i = 0; i < image_get32(image.at + AT_COUNT); i++)
        if (memcmp(image_entry_number(image, i), id, 4) == 0)
            return image_entry_number(image, i);
    fail_msg("there is no section %s", id);
    return NULL;
}

char *image_section(struct image image, const char *id)
{
    return image.at + image_get64(image_entry(image, id) + ENTRY_OFFSET);
}

bool image_contains(struct image image, const char *entry)
{
    uint64_t offset = image_get64(entry + ENTRY_OFFSET), size = image_get64(entry + ENTRY_SIZE);
    return offset <= image.size && size <= image.size - offset;
}

void image_fix_checksums(struct image image)
{
    uint32_t count = image_get32(image.at + AT_COUNT);
    if (HEADER + (uint64_t)ENTRY * count > image.size)
        return;
    for (uint32_t i = 0; i < count; i++) {
        char *entry = image_entry_number(image, i);
        if (image_contains(image, entry))
            image_put64(entry + ENTRY_CHECKSUM,
                        flm_checksum(image.at + image_get64(entry + ENTRY_OFFSET),
                                     (size_t)image_get64(entry + ENTRY_SIZE)));
    }
    image_put64(image.at + AT_CHECKSUM, 0);
    image_put64(image.at + AT_CHECKSUM, flm_checksum(image.at, HEADER + (size_t)ENTRY * count));
}

struct flm_profile *open_image(struct image image, struct flm_error *why)
{
    return flm_profile_open(image.at, image.size, NULL, NULL, why);
}

void image_walk(const struct flm_profile *p)
{
    struct flm_error why = {0};
    if (!flm_profile_check(p, &why))
        fail_msg("it was opened, and %s", why.text);
    free(described(p));
    double *total = malloc(p->sizes.node_count * sizeof *total);
    assert_non_null(total);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        flm_profile_totals(p, (struct flm_metric){m}, total);
    free(total);
}

bool try_image(struct image image)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why);
    bool opened = p != NULL;
    if (opened)
        image_walk(p);
    else
        assert_true(why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_RANGE);
    flm_profile_free(p);
    free(image.at);
    return opened;
}

void refuse_image(struct image image, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why);
    if (p)
        fail_msg("it should be refused with '%s'", words);
    if (!strstr(why.text, words))
        fail_msg("it is refused with '%s', not '%s'", why.text, words);
    assert_null(open_image(image, NULL));
    free(image.at);
}

void accept_small_image(struct image image)
{
    struct flm_error why = {0};
    struct flm_profile *p = open_image(image, &why), *expected = image_small_profile();
    if (!p)
        fail_msg("%s", why.text);
    assert_profiles_equal(p, expected);
    flm_profile_free(p);
    flm_profile_free(expected);
    free(image.at);
}

struct image image_with_section(const char *id, uint32_t flags)
{
    struct image small = image_of(image_small_profile());
    struct image image = image_copy(small, small.size + 64);
    char *entry = image_entry_number(image, image_get32(image.at + AT_COUNT));
    image_put32(image.at + AT_COUNT, image_get32(image.at + AT_COUNT) + 1);
    image_put64(image.at + AT_SIZE, image.size);
    memcpy(entry, id, 4);
    image_put32(entry + ENTRY_FLAGS, flags);
    image_put64(entry + ENTRY_OFFSET, small.size);
    image_put64(entry + ENTRY_SIZE, 33);
    memset(image.at + small.size, 'x', 33);
    image_fix_checksums(image);
    free(small.at);
    return image;
}
