/* page_formats.c - the table of formats in a page of one file: defines flm_formats_pure in place of
 * src/format/formats.c.
 *
 * Every page carries its own module. The readers of perf's text formats would make it a tenth
 * larger, so they are left out: with them, the fixed part of a page has 240 KB instead of 222 (perf
 * script alone costs 12, perf report 4, perf JSON 4). A perf text is recognized, by simpler rules
 * than those of its readers, and refused with the command that opens it. The profiles in pages are
 * packed, and the packed format can be read here but not written.
 *
 * Entries without a title are not listed as formats that can be dropped on the page. */
#include "format/flm/packed.h"
#include "format/formats.h"
#include "format/perf/internal.h"

static const struct flm_format packed = {
    .name = "packed",
    .extensions = "",
    .description = "flamel's own format in few bytes, as in pages",
    .sniff = flm_packed_sniff,
    .open = flm_profile_unpack,
};

/* Whether at least `least` hexadecimal digits are at `at`, followed by `next`. */
static bool is_number(struct flm_bytes head, size_t at, size_t least, char next)
{
    size_t start = at;
    while (at < head.size && flm_is_hex(head.at[at]))
        at++;
    return at - start >= least && at < head.size && head.at[at] == next;
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
        /* The microseconds of a time stamp, or the address at the beginning of a frame. */
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
        "this is text from perf, which a page of one file cannot read: open it with: "
        "flamel view FILE");
}

static const struct flm_format perf = {
    .name = "perf",
    .extensions = "",
    .description = "text from perf, which is refused",
    .sniff = sniff_perf,
    .read = refuse_perf,
};

static const struct flm_format *const formats[] = {
    &flm_format_flm, &packed, &perf, &flm_format_folded, &flm_format_difffolded,
};

const struct flm_formats flm_formats_pure = {NULL, formats, sizeof formats / sizeof formats[0]};
