/* exports.h - the viewer's functions for JavaScript, whose arguments are numbers and addresses.
 * web/core.js calls them. An instance of the module is one viewer; a page with several viewers has
 * several instances.
 *
 *     p = flamel_allocate(size)                      memory that the page writes to
 *     flamel_open(side, p, size, name, size)         opens a profile; takes the memory at p
 *     flamel_do(p, size)  flamel_query(p, size)      1; or 0, and the response says why
 *     flamel_response()  flamel_response_size()      UTF-8; valid until the next call
 *
 * The module imports two functions. flamel_read, flamel_sanitize and flamel_unzstd call
 * env.flamel_more(at, size), which writes up to `size` bytes at `at` and returns their number, 0 at
 * the end of the file, -1 on failure; a worker implements it, and it is never called elsewhere.
 * env.flamel_clock() is the time in ms, for the overlay. */
#ifndef FLAMEL_WASM_EXPORTS_H
#define FLAMEL_WASM_EXPORTS_H

#include <stdint.h>

#if defined(__wasm__)
#define FLM_PAGE(name) __attribute__((export_name(#name))) name
#else
#define FLM_PAGE(name) name
#endif

void *FLM_PAGE(flamel_allocate)(uint32_t size); /* 0: out of memory */
void FLM_PAGE(flamel_free)(void *memory);

/* Reads a profile in any format of the module from memory; a .flm file is used in place. The memory
 * at `bytes` becomes the viewer's, also on failure. 1; -1: no profile was read; 0: one was, and the
 * viewer refuses it. */
enum { FLM_PAGE_BEFORE = 1, FLM_PAGE_HAS_CODE = 2 }; /* of `side`: who has the page has its code */
int FLM_PAGE(flamel_open)(int side, void *bytes, uint32_t size, char *name, uint32_t name_size);

/* Reads two and compares them, whatever is open. `names`: of after, a 0, and of before. 1; -1, -2:
 * the first or the second was not read; 0: both were, and the viewer refuses them. */
int FLM_PAGE(flamel_open_both)(void *after, uint32_t after_size, void *before, uint32_t before_size,
                               char *names, uint32_t names_size);

/* Adds source files and machine code to the view of code, and frees nothing. */
int FLM_PAGE(flamel_take_code)(const void *store, uint32_t size);

/* For a worker: reads a profile through flamel_more. The response is that profile as a .flm
 * file. */
int FLM_PAGE(flamel_read)(void);

/* For a worker: flm_sanitize. Through flamel_more come two sizes of 4 bytes in the order of the
 * module, rules and a key of these sizes, and a profile. The response is the list of what is left
 * to see, and then, of flamel_sanitized, the sanitized profile as a .flm file. */
int FLM_PAGE(flamel_sanitize)(void);
int FLM_PAGE(flamel_sanitized)(void);

/* For a worker: decompresses zstd through flamel_more. The response is the next bytes, and is empty
 * at the end; after that, or after a failure, the next call begins with a new file. */
int FLM_PAGE(flamel_unzstd)(void);

/* The response is what flm_mix_pack packed: the module of the readers, which a page of one file
 * carries apart (mk/wasm.mk). */
int FLM_PAGE(flamel_unpack)(const void *packed, uint32_t size);

/* The response is a JSON array of the formats that this module reads: [{"title": "Folded stacks",
 * "extensions": ".folded .collapsed .txt"}, ...]. */
int FLM_PAGE(flamel_formats)(void);

int FLM_PAGE(flamel_do)(const char *action, uint32_t size);
int FLM_PAGE(flamel_query)(const char *query, uint32_t size);
const char *FLM_PAGE(flamel_response)(void);
uint32_t FLM_PAGE(flamel_response_size)(void);

/* Events: see viewer.h. */
void FLM_PAGE(flamel_key)(const char *key, uint32_t size, uint32_t held, double now_ms);
void FLM_PAGE(flamel_pointer)(int event, double x, double y, uint32_t held, int touch,
                              double now_ms);
void FLM_PAGE(flamel_wheel)(double x, double y, double dx, double dy, uint32_t held, double now_ms);
void FLM_PAGE(flamel_pinch)(double x, double y, double factor, double dx, double dy, double now_ms);

/* The versions of the FLM_GROUPS parts of the viewer, in the order of enum flm_viewer_group,
 * followed by the version of the picture that was painted last. A part whose version has changed
 * since it was queried must be queried again. */
const uint32_t *FLM_PAGE(flamel_versions)(void);

/* Allocates the pixels, whose content is undefined until the next flamel_paint. 0: out of memory,
 * or a size that no screen has. */
uint32_t *FLM_PAGE(flamel_resize)(uint32_t width, uint32_t height, double scale);
void FLM_PAGE(flamel_theme)(int dark, int still, int forced, uint32_t text, uint32_t page,
                            uint32_t accent, uint32_t mark);

/* Paints all pixels. Returns 1 while something moves: then it wants to be called in the next
 * frame. */
int FLM_PAGE(flamel_paint)(double now_ms);

/* Glyphs: the next missing code point (weight 0 regular, 1 bold), 0 if none; the font size in
 * device pixels; and adding a glyph. `coverage` is copied; `columns` of its columns are one pixel
 * (4 for glyphs drawn four times as wide, or 1: see draw/raster/atlas.h). */
void FLM_PAGE(flamel_expect)(void); /* makes those of ASCII missing that later pictures may need */

/* While the page is idle: flm_viewer_prepare. */
int FLM_PAGE(flamel_prepare)(void);
uint32_t FLM_PAGE(flamel_missing)(int weight);
double FLM_PAGE(flamel_font_px)(void);
int FLM_PAGE(flamel_glyph)(uint32_t code_point, int weight, double advance, int left, int top,
                           int width, int height, const uint8_t *coverage, int columns);

#endif
