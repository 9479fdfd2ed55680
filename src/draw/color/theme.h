/* theme.h - the colors of the page, light and dark: one table for painters of pixels and writers of
 * CSS. web/page.css has them as text, and tests/draw/color/theme_test.c compares. The colors of
 * frames are palette.h's.
 *
 * Up to six simultaneous searches each have a color. All six differ from each other with any color
 * vision, and stand out from the page and from the frames, which are paler
 * (tests/draw/color/theme_test.c computes it). The matching part of a label is highlighted in one
 * color, on which every ink is readable. */
#ifndef FLAMEL_DRAW_COLOR_THEME_H
#define FLAMEL_DRAW_COLOR_THEME_H

#include "base/text/text.h"

enum flm_token {
    FLM_TOKEN_PAGE,
    FLM_TOKEN_PANEL,
    FLM_TOKEN_LINE,
    FLM_TOKEN_TEXT,
    FLM_TOKEN_MUTED,
    FLM_TOKEN_ACCENT,
    FLM_TOKEN_CHIP,
    FLM_TOKEN_COUNT
};

/* 0xRRGGBB. */
uint32_t flm_token_color(enum flm_token token, bool dark);

/* "--page:#fbfbfa;--panel:#fff;...": the declarations of a CSS rule. */
void flm_theme_css_add(struct flm_text *out, bool dark);

/* The outline of a search's matches; `search` counts from 0 and wraps around at FLM_SEARCH_COLORS.
 * And the background of the matching part of a label. */
enum { FLM_SEARCH_COLORS = 6 };
uint32_t flm_search_color_of(unsigned search, bool dark);
enum { FLM_SEARCH_LIT = 0xFFF3A3 };

/* 0xAABBCC as "#abc", 0xA1B2C3 as "#a1b2c3". */
void flm_color_add(struct flm_text *out, uint32_t color);

#endif
