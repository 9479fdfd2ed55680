/* packed.c - packed profiles as an entry of the table of formats. */
#include "format/flm/packed.h"
#include "format/core/format.h"

static bool write_packed(const struct flm_profile *profile, const struct flm_write_options *options,
                         struct flm_text *out, struct flm_error *why)
{
    (void)options;
    return flm_profile_pack(profile, out, why);
}

const struct flm_format flm_format_packed = {
    .name = "packed",
    .title = "Packed profile",
    .extensions = ".packed",
    .description = "flamel's own format in few bytes, as in pages",
    .holds = FLM_HOLDS_ALL | FLM_HOLDS_LOCATIONS | FLM_HOLDS_NOTES,
    .has_times = true,
    .keeps_labels = true,
    .sniff = flm_packed_sniff,
    .open = flm_profile_unpack,
    .write = write_packed,
};
