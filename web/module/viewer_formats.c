/* viewer_formats.c - the formats that the viewer of a page needs: what the page itself holds, and
 * what it saves. mk/wasm.mk links a module with this table to know which functions the viewer
 * needs: those are in the first module of a page, the readers of page_formats.c in the second. */
#include "format/flm/packed.h"
#include "format/folded/folded.h"
#include "format/formats.h"

static const struct flm_format packed = {
    .name = "packed",
    .sniff = flm_packed_sniff,
    .open = flm_profile_unpack,
};

static const struct flm_format folded = {
    .name = "folded",
    .write = flm_folded_write,
};

static const struct flm_format difffolded = {
    .name = "difffolded",
    .write = flm_folded_write_difference,
};

static const struct flm_format *const formats[] = {&flm_format_flm, &packed, &folded, &difffolded};

const struct flm_formats flm_formats_pure = {NULL, formats, sizeof formats / sizeof formats[0]};
