/* flm.c - flamel's own format, as one of the table: profile/flm_file.c does the work.
 *
 * A .flm file is not read into a builder but used in place (flm_profile_open), so whoever opens
 * files asks for that first; here it is recognized, copied where it must be, and written. */
#include "format/core/format.h"

#include <stdlib.h>

static int sniff_flm(struct flm_bytes head, bool whole)
{
    (void)whole;
    return head.size >= 8 && memcmp(head.at, "FLAMEL\x1A\n", 8) == 0 ? 100 : 0;
}

/* A copy that is aligned and that the profile can keep. */
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

static bool add_to_text(void *context, const void *bytes, size_t size)
{
    struct flm_text *out = context;
    flm_text_add(out, (struct flm_bytes){bytes, size});
    return !out->failed;
}

static bool write_flm(const struct flm_profile *profile, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    (void)options;
    (void)why;
    /* Sections are large: they go to the sink as they are, not through the text's buffer. */
    if (out->sink && flm_text_flush(out))
        return flm_profile_write(profile, out->sink, out->sink_context);
    return flm_profile_write(profile, add_to_text, out);
}

const struct flm_format flm_format_flm = {
    .name = "flm",
    .extensions = ".flm",
    .description = "flamel's own: everything, used in place when opened",
    .sniff = sniff_flm,
    .open = open_copy,
    .write = write_flm,
};
