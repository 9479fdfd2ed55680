/* response_buffer.h - the response of a call of exports.h: one buffer per module, because the page
 * reads it after the call has returned. The only writable variables of the viewer that are not in a
 * struct are those of src/wasm, which are only in the module. */
#ifndef FLAMEL_WASM_RESPONSE_BUFFER_H
#define FLAMEL_WASM_RESPONSE_BUFFER_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* The answer to write to, empty. */
struct flm_text *flm_page_response(void);

/* The .flm file of a profile as the answer; the profile becomes the answer's. */
void flm_page_response_take(struct flm_profile *profile);

/* What the call returns: 1, or 0 when it or the answer failed, and then the answer is the sentence.
 */
int flm_page_result(bool good, const struct flm_error *why);

#endif
