/* page_formats.c - the formats of a page of one file: defines flm_formats_pure in place of
 * src/format/formats.c.
 *
 * What such a page can do, it must carry. The readers of perf's texts are a tenth of the module,
 * and what they read can be dropped on the page that `flamel view` serves: here it is recognized,
 * by less than its readers know, and refused. Packed profiles are what pages come with, and not
 * what they write. */
#include "format/flm/packed.h"
#include "format/formats.h"
#include "format/perf/text_cursor.h"

static const struct flm_format packed = {
    .name = "packed",
    .title = "Packed profile",
    .extensions = "",
    .description = "flamel's own format in few bytes, as in pages",
    .sniff = flm_packed_sniff,
    .open = flm_profile_unpack,
};

/* Whether `least` digits or more stand at `at`, and `behind` follows. */
static bool is_number(struct flm_bytes head, size_t at, size_t least, char behind)
{
    size_t start = at;
    while (at < head.size && flm_is_hex(head.at[at]))
        at++;
    return at - start >= least && at < head.size && head.at[at] == behind;
}

static int sniff_perf(struct flm_bytes head, bool whole)
{
    (void)whole;
    static const char *const begins[] = {"# ========\n", "# To display the perf.data",
                                         "{\n\t\"linux-perf-", "{\"linux-perf-"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (flm_bytes_start_with(head, begins[i]))
            return FLM_SNIFF_MAGIC;
    for (size_t i = 0; i < head.size; i++) {
        /* The microseconds of a time, or the address that a frame begins with. */
        size_t at = i + 1;
        if (head.at[i] == '.' && is_number(head, at, 6, ':'))
            return FLM_SNIFF_SURE;
        if (head.at[i] != '\t' || (i > 0 && head.at[i - 1] != '\n'))
            continue;
        while (at < head.size && head.at[at] == ' ')
            at++;
        if (is_number(head, at, 2, ' '))
            return FLM_SNIFF_SURE;
    }
    return 0;
}

static bool refuse_perf(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    (void)source, (void)options, (void)builder;
    return flm_error_set(
        why, FLM_ERROR_FORMAT,
        "this is a text of perf, which a page of one file cannot read: open it with: "
        "flamel view FILE");
}

static const struct flm_format perf = {
    .name = "perf",
    .title = "perf's texts",
    .extensions = "",
    .description = "texts of perf, which are refused",
    .sniff = sniff_perf,
    .read = refuse_perf,
};

static const struct flm_format *const formats[] = {
    &flm_format_flm, &packed, &perf, &flm_format_folded, &flm_format_difffolded,
};

const struct flm_formats flm_formats_pure = {NULL, formats, sizeof formats / sizeof formats[0]};
