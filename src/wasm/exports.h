/* exports.h - the viewer as a page calls it: only numbers and places in memory. web/core.js is the
 * other side. One instance of the module is one viewer; several on a page are several instances.
 *
 *     p = flamel_allocate(size)                       room for what the page wants to say
 *     flamel_open(side, p, size, name, size)      a profile; keeps the room
 *     flamel_do(p, size) flamel_query(p, size)      1; or 0, and the answer is the error's sentence
 *     flamel_response() flamel_response_size()        UTF-8; good until the next call
 *
 * Two functions are imported. Reading asks the page for more by env.flamel_more(at, size): fills up
 * to `size` bytes at `at` and returns how many: 0 at the end, -1 when it failed. In a worker that
 * reads the file; elsewhere it is never called. env.flamel_clock() is the time in ms, for the
 * overlay. */
#ifndef FLAMEL_WASM_EXPORTS_H
#define FLAMEL_WASM_EXPORTS_H

#include <stdint.h>

#if defined(__wasm__)
#define FLM_PAGE(name) __attribute__((export_name(#name))) name
#else
#define FLM_PAGE(name) name
#endif

void *FLM_PAGE(flamel_allocate)(uint32_t size); /* 0: out of memory */
void FLM_PAGE(flamel_free)(void *room);

/* Reads a profile of any format that is in memory; .flm and packed ones are used in place. The
 * room becomes the viewer's. */
int FLM_PAGE(flamel_open)(int side, void *bytes, uint32_t size, char *name, uint32_t name_size);

/* For a worker: reads what flamel_more gives, and makes a .flm file of it, which is the answer. */
int FLM_PAGE(flamel_read)(void);

int FLM_PAGE(flamel_do)(const char *action, uint32_t size);
int FLM_PAGE(flamel_query)(const char *question, uint32_t size);
const char *FLM_PAGE(flamel_response)(void);
uint32_t FLM_PAGE(flamel_response_size)(void);

/* Events: see viewer.h. */
void FLM_PAGE(flamel_key)(const char *key, uint32_t size, uint32_t held, double now_ms);
void FLM_PAGE(flamel_pointer)(int event, double x, double y, uint32_t held, int touch,
                              double now_ms);
void FLM_PAGE(flamel_wheel)(double x, double y, double dx, double dy, uint32_t held, double now_ms);
void FLM_PAGE(flamel_pinch)(double x, double y, double factor, double dx, double dy, double now_ms);

/* The versions of all that is shown, FLM_GROUPS in their order, and behind them that of the picture
 * that was painted last. Whatever has another one than when it was queried is to be queried
 * again. */
const uint32_t *FLM_PAGE(flamel_versions)(void);

/* The pixels are another place after it; 0: out of memory. */
uint32_t *FLM_PAGE(flamel_resize)(uint32_t width, uint32_t height, double scale);
void FLM_PAGE(flamel_theme)(int dark, int still, int forced, uint32_t text, uint32_t page,
                            uint32_t accent, uint32_t mark);

/* Paints into the pixels: 1 when another picture is wanted soon. */
int FLM_PAGE(flamel_paint)(double now_ms);

/* Letters: the next that is missing (weight 0 regular, 1 bold), 0 for none; how large the font is
 * to be, in device pixels; and its picture. `coverage` is copied. `columns` of it are a pixel, see
 * atlas.h: 4, of letters drawn four times as wide as they are, or 1. */
uint32_t FLM_PAGE(flamel_missing)(int weight);
double FLM_PAGE(flamel_font_px)(void);
int FLM_PAGE(flamel_glyph)(uint32_t code_point, int weight, double advance, int left, int top,
                           int width, int height, const uint8_t *coverage, int columns);

#endif
