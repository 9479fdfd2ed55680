#include "draw/text/status_line.h"

#include "draw/text/quantity.h"

static void add_losses(struct flm_text *out, const struct flm_status *f)
{
    flm_text_puts(out, "lost ");
    flm_quantity_add(out, f->lost, (struct flm_bytes){"", 0});
    if (f->lost_what.size > 0)
        flm_text_putc(out, ' ');
    flm_text_add(out, f->lost_what);
}

static void add_merged(struct flm_text *out, const struct flm_status *f)
{
    flm_text_puts(out, "merged ");
    flm_count_add(out, f->merged);
    flm_text_puts(out, " (");
    flm_percent_add(out, f->merged_total, f->merged_of);
    flm_text_putc(out, ')');
}

static void add_levels(struct flm_text *out, const struct flm_status *f)
{
    if (f->levels_cut == 0)
        return;
    flm_count_add(out, f->levels_cut);
    flm_text_puts(out, f->levels_cut == 1 ? " level below level " : " levels below level ");
    flm_count_add(out, f->level_limit);
    flm_text_puts(out, f->levels_cut == 1 ? " is not drawn" : " are not drawn");
}

void flm_status_add(struct flm_text *out, const struct flm_status *f, enum flm_status_part fact)
{
    switch (fact) {
    case FLM_STATUS_STACKS:
        flm_count_add(out, f->stack_count);
        flm_text_puts(out, f->stack_count == 1 ? " stack" : " stacks");
        break;
    case FLM_STATUS_TOTAL:
        if (f->comparison)
            flm_comparison_add_sum(out, f->comparison, &f->terms);
        else
            flm_quantity_add(out, f->total * f->factor, f->unit);
        break;
    case FLM_STATUS_DRAWN:
        flm_text_puts(out, "drawn ");
        flm_count_add(out, f->drawn);
        break;
    case FLM_STATUS_MERGED:
        add_merged(out, f);
        break;
    case FLM_STATUS_LOST:
        add_losses(out, f);
        break;
    case FLM_STATUS_UNSYMBOLIZED:
        flm_text_puts(out, "unsymbolized ");
        flm_percent_add(out, f->unsymbolized, f->unsymbolized_of);
        break;
    case FLM_STATUS_LEVELS:
        add_levels(out, f);
        break;
    case FLM_STATUS_PARTS:
        if (f->comparison)
            flm_comparison_add_parts(out, f->comparison, &f->terms);
        break;
    case FLM_STATUS_LOOK:
        if (f->comparison)
            flm_comparison_add_look(out, f->comparison, f->colors);
        break;
    case FLM_STATUS_COUNT:
        break;
    }
}

void flm_status_add_unknown(struct flm_text *out, uint64_t count)
{
    flm_count_add(out, count);
    flm_text_puts(out, count == 1 ? " letter is not in the font, and stands as ?"
                                  : " letters are not in the font, and stand as ?");
}
