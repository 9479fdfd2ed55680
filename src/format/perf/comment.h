/* comment.h - perf's metadata of a recording: "# hostname : box" at the head of its texts. */
#ifndef FLAMEL_FORMAT_PERF_COMMENT_H
#define FLAMEL_FORMAT_PERF_COMMENT_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

/* The key of our note for one of perf's keys ("cmdline": "command"), or NULL: most are not kept. */
const char *flm_perf_note_key(struct flm_bytes perf_key);

/* Adds the note of a line that begins with '#', if it has one. */
void flm_perf_comment_read(struct flm_builder *builder, struct flm_bytes line);

#endif
