/* legend.c - what the colors of the picture mean: a line below it, of as many as there is room for,
 * the most common ones first. */
#include "cli/tui/internal.h"

enum { SWATCH = 2, MOST_TITLE = 24, APART = 2 };

/* In two cells, as boxes and strips have it; false where this terminal shows no difference. */
static bool put_swatch(struct flm_tui *tui, const struct flm_response_legend_item *item, int column,
                       int row)
{
    uint32_t rgb = tui->theme.dark ? item->dark_rgb : item->light_rgb;
    if (item->state) {
        bool is_utf8 = tui->screen.charset == FLM_CHARSET_UTF8;
        struct flm_style style = flm_tui_style(tui, FLM_TUI_TEXT);
        if (tui->screen.depth != FLM_DEPTH_NONE)
            style.ink = rgb;
        for (int i = 0; i < SWATCH; i++)
            flm_screen_put(&tui->screen, column + i, row,
                           is_utf8 ? item->state->character : (uint32_t)item->state->letter, style);
        return true;
    }
    uint32_t ink = flm_ink_on(rgb) == FLM_INK_WHITE ? 0xFFFFFF : 0;
    struct flm_box box = {.fill = rgb,
                          .ink = ink,
                          .texture = item->fill,
                          .texture_rgb = ink,
                          .texture_alpha = FLM_HATCH_ALPHA,
                          .mark = item->mark};
    return flm_box_cells_swatch(&box, &tui->screen, column, row, SWATCH);
}

/* Of a path its end, which tells most. */
static void add_title(const struct flm_tui *tui, const struct flm_response_legend_item *item,
                      struct flm_text *shown)
{
    struct flm_text scratch = {0};
    struct flm_bytes title = flm_path_end(item->title);
    flm_cells_add_name(
        shown, flm_showable(title.size ? title : item->title, tui->screen.charset, &scratch),
        (struct flm_width){MOST_TITLE}, tui->screen.charset);
    flm_text_clear(&scratch);
}

bool flm_tui_has_legend(const struct flm_tui *tui)
{
    const struct flm_response_legend *legend = tui->legend.legend;
    for (size_t i = 0; legend && i < legend->items.count; i++) {
        const struct flm_response_legend_item *item = &legend->items.at[i];
        if (tui->screen.depth != FLM_DEPTH_NONE || item->state || item->fill || item->mark)
            return true;
    }
    return false;
}

void flm_tui_legend_draw(struct flm_tui *tui, int row)
{
    const struct flm_response_legend *legend = tui->legend.legend;
    int end = tui->screen.columns, column = 1;
    for (size_t i = 0; i < legend->items.count; i++) {
        const struct flm_response_legend_item *item = &legend->items.at[i];
        struct flm_text shown = {0};
        add_title(tui, item, &shown);
        struct flm_bytes title = {shown.at, shown.size};
        int behind = column + SWATCH + 1 + (int)flm_cells(title).cells;
        bool has_room = behind < end && !shown.failed;
        if (has_room && put_swatch(tui, item, column, row)) {
            flm_tui_put(tui, column + SWATCH + 1, row, end, title,
                        item->on == FLM_TRISTATE_TRUE ? FLM_TUI_ACCENT : FLM_TUI_TEXT);
            if (item->action.size)
                flm_tui_add_target(tui, row, column, behind, "%.*s", (int)item->action.size,
                                   item->action.at);
            column = behind + APART;
        }
        flm_text_clear(&shown);
        if (!has_room)
            break;
    }
    int left = end - 1 - (int)flm_cells(legend->title).cells;
    if (left >= column)
        flm_tui_put(tui, left, row, end, legend->title, FLM_TUI_MUTED);
}
