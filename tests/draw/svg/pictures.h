/* pictures.h - pictures of profiles as texts, and claims about them. */
#ifndef FLAMEL_TESTS_DRAW_SVG_PICTURES_H
#define FLAMEL_TESTS_DRAW_SVG_PICTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "flamel/draw.h"
#include "support/profile/profiles.h"

static inline bool keep(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

/* The picture, terminated. The caller clears it. */
static inline struct flm_text drawn(const struct flm_profile *p,
                                    const struct flm_svg_options *options)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_svg_write(p, options, keep, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    out.size--;
    return out;
}

static inline struct flm_text drawn_folded(const char *folded,
                                           const struct flm_svg_options *options)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_text out = drawn(p, options);
    flm_profile_free(p);
    return out;
}

static inline void assert_holds(const struct flm_text *picture, const char *part)
{
    if (!strstr(picture->at, part))
        fail_msg("'%s' is not in the picture", part);
}

static inline void assert_lacks(const struct flm_text *picture, const char *part)
{
    if (strstr(picture->at, part))
        fail_msg("'%s' is in the picture", part);
}

#endif
