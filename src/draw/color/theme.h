/* theme.h - the colors of the page, light and dark: one table for who paints pixels and who writes
 * CSS. web/page.css has them as text, and tests/draw/color/theme_test.c compares. The colors of
 * frames are palette.h's.
 *
 * Six searches at once each have a color. All six differ from each other with any color vision,
 * and stand out from the page and from the frames, which are paler (tests/draw/color/theme_test.c
 * computes it). What was found in a label is lit by one color that every ink can be read on. */
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

/* "--page:#fbfbfa;--panel:#fff;...": what stands between the braces of a rule. */
void flm_theme_css_add(struct flm_text *out, bool dark);

/* The outline of what a search found; `search` counts from 0, and from FLM_SEARCH_COLORS on begins
 * again. And the background of the found part of a label. */
enum { FLM_SEARCH_COLORS = 6 };
uint32_t flm_search_color_of(unsigned search, bool dark);
enum { FLM_SEARCH_LIT = 0xFFF3A3 };

/* 0xAABBCC as "#abc", 0xA1B2C3 as "#a1b2c3". */
void flm_color_add(struct flm_text *out, uint32_t color);

#endif
