/* flm.c - flamel's own format as an entry of the table: profile/flm_file.c does the work.
 *
 * A .flm file is not read into a builder but used in place (`adopt`). Bytes that the profile cannot
 * keep are copied first (`open`). */
#include "format/core/format.h"

#include <stdlib.h>

static int sniff_flm(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "FLAMEL\x1A\n") ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

/* The copy is aligned, and the profile can keep it. */
static struct flm_profile *open_copy(struct flm_bytes all, struct flm_error *why)
{
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
    .holds = FLM_HOLDS_ALL | FLM_HOLDS_LOCATIONS,
    .has_times = true,
    .keeps_labels = true,
    .compressible = true,
    .sniff = sniff_flm,
    .open = open_copy,
    .adopt = flm_profile_open,
    .write = write_flm,
};
