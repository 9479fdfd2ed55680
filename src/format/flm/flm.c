/* flm.c - flamel's own format as an entry of the table: profile/flm_file.c does the work.
 *
 * A .flm file is not read into a builder but used in place (`adopt`). Bytes that the profile cannot
 * keep are copied first (`open`).
 *
 * A compressed file is not used in place anyway, so what is compressed is the packed profile
 * (packed.h): of recordings zstd makes two thirds of what it makes of the columns. */
#include "format/core/format.h"
#include "format/flm/packed.h"

#include <stdlib.h>

static int sniff_flm(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "FLAMEL\x1A\n") ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

/* The magic, and version 2 where a plain file has 1; the packed profile follows. */
static const char packed_head[] = "FLAMEL\x1A\n\2\0\0";
enum { PACKED_HEAD_SIZE = sizeof packed_head };

static bool is_packed(struct flm_bytes all)
{
    return all.size >= PACKED_HEAD_SIZE && memcmp(all.at, packed_head, PACKED_HEAD_SIZE) == 0;
}

static struct flm_profile *unpack(struct flm_bytes all, struct flm_error *why)
{
    return flm_profile_unpack(
        (struct flm_bytes){all.at + PACKED_HEAD_SIZE, all.size - PACKED_HEAD_SIZE}, why);
}

/* The copy is aligned, and the profile can keep it. */
static struct flm_profile *open_copy(struct flm_bytes all, struct flm_error *why)
{
    if (is_packed(all))
        return unpack(all, why);
    char *copy = malloc(all.size + 1);
    if (!copy) {
        flm_error_memory(why);
        return NULL;
    }
    if (all.size)
        memcpy(copy, all.at, all.size);
    struct flm_profile *p = flm_profile_open(copy, all.size, free, copy, why);
    if (!p)
        free(copy);
    return p;
}

static struct flm_profile *adopt(const void *bytes, size_t size, void (*release)(void *owner),
                                 void *owner, struct flm_error *why)
{
    const struct flm_bytes all = {bytes, size};
    if (!is_packed(all))
        return flm_profile_open(bytes, size, release, owner, why);
    struct flm_profile *p = unpack(all, why);
    if (p && release)
        release(owner);
    return p;
}

static bool write_packed(const struct flm_profile *profile, const struct flm_write_options *options,
                         struct flm_text *out, struct flm_error *why)
{
    (void)options;
    flm_text_add(out, (struct flm_bytes){packed_head, PACKED_HEAD_SIZE});
    return flm_profile_pack(profile, out, why);
}

static bool write_flm(const struct flm_profile *profile, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    (void)options;
    (void)why;
    return flm_profile_write(profile, flm_text_sink, out) || out->failed;
}

const struct flm_format flm_format_flm = {
    .name = "flm",
    .title = "flamel profile",
    .extensions = ".flm",
    .description = "flamel's own format: complete, used in place when opened",
    .holds = FLM_HOLDS_ALL | FLM_HOLDS_LOCATIONS | FLM_HOLDS_NOTES,
    .has_times = true,
    .keeps_labels = true,
    .compressible = true,
    .sniff = sniff_flm,
    .open = open_copy,
    .adopt = adopt,
    .write = write_flm,
    .write_compressed = write_packed,
};
