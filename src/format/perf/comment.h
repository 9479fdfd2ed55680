/* comment.h - what perf says about a recording: "# hostname : box" above its texts. */
#ifndef FLAMEL_FORMAT_PERF_COMMENT_H
#define FLAMEL_FORMAT_PERF_COMMENT_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

/* The key of our notes for one of perf's ("cmdline": "command"), or NULL: most are not kept. */
const char *flm_perf_note_key(struct flm_bytes perf_key);

/* Notes what a line that begins with '#' says. */
void flm_perf_comment_read(struct flm_builder *builder, struct flm_bytes line);

#endif
