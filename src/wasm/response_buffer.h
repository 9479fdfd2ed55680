/* response_buffer.h - the response of a call of exports.h: one buffer per module, because the page
 * reads it after the call has returned. The only writable variables of the viewer that are not in a
 * struct are those of src/wasm, which are only in the module. */
#ifndef FLAMEL_WASM_RESPONSE_BUFFER_H
#define FLAMEL_WASM_RESPONSE_BUFFER_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* The response, emptied, to be written to. */
struct flm_text *flm_page_response(void);

/* Makes the .flm file of a profile the response, which takes the profile. */
void flm_page_response_take(struct flm_profile *profile);

/* The return value of the call: 1; or 0 if the call or writing the response failed, and then the
 * response is the sentence of the error. */
int flm_page_result(bool good, const struct flm_error *why);

#endif
