#include "draw/text/status_line.h"

#include <assert.h>

#include "draw/text/quantity.h"

static void add_losses(struct flm_text *out, const struct flm_status *status)
{
    flm_text_puts(out, "lost ");
    flm_quantity_add(out, status->lost, (struct flm_bytes){"", 0});
    if (status->lost_what.size > 0)
        flm_text_putc(out, ' ');
    flm_text_add(out, status->lost_what);
}

static void add_merged(struct flm_text *out, const struct flm_status *status)
{
    flm_text_puts(out, "merged ");
    flm_count_add(out, status->merged);
    flm_text_puts(out, " (");
    flm_percent_add(out, status->merged_total, status->merged_of);
    flm_text_putc(out, ')');
}

static void add_levels(struct flm_text *out, const struct flm_status *status)
{
    if (status->levels_cut == 0)
        return;
    flm_count_add(out, status->levels_cut);
    flm_text_puts(out, status->levels_cut == 1 ? " level below level " : " levels below level ");
    flm_count_add(out, status->level_limit);
    flm_text_puts(out, status->levels_cut == 1 ? " is not drawn" : " are not drawn");
}

void flm_status_add(struct flm_text *out, const struct flm_status *status,
                    enum flm_status_part part)
{
    assert(status);
    switch (part) {
    case FLM_STATUS_STACKS:
        flm_count_add(out, status->stack_count);
        flm_text_puts(out, status->stack_count == 1 ? " stack" : " stacks");
        break;
    case FLM_STATUS_TOTAL:
        if (status->comparison)
            flm_comparison_add_sum(out, status->comparison, &status->terms);
        else
            flm_quantity_add(out, status->total * status->factor, status->unit);
        break;
    case FLM_STATUS_DRAWN:
        flm_text_puts(out, "drawn ");
        flm_count_add(out, status->drawn);
        break;
    case FLM_STATUS_MERGED:
        add_merged(out, status);
        break;
    case FLM_STATUS_LOST:
        add_losses(out, status);
        break;
    case FLM_STATUS_UNSYMBOLIZED:
        flm_text_puts(out, "unsymbolized ");
        flm_percent_add(out, status->unsymbolized, status->unsymbolized_of);
        break;
    case FLM_STATUS_LEVELS:
        add_levels(out, status);
        break;
    case FLM_STATUS_PARTS:
        if (status->comparison)
            flm_comparison_add_parts(out, status->comparison, &status->terms);
        break;
    case FLM_STATUS_LEGEND:
        if (status->comparison)
            flm_comparison_add_legend(out, status->comparison, status->colors);
        break;
    case FLM_STATUS_COUNT:
        break;
    }
}

void flm_status_add_unknown(struct flm_text *out, uint64_t count)
{
    flm_count_add(out, count);
    flm_text_puts(out, count == 1 ? " letter is not in the font and is shown as ?"
                                  : " letters are not in the font and are shown as ?");
}
