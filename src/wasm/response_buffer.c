#include "wasm/response_buffer.h"

#include "profile/flm_file.h"
#include "wasm/exports.h"

static struct {
    struct flm_text text;
    struct flm_profile *profile; /* whose file is the response, instead of the text */
    struct flm_bytes bytes;
    struct flm_error why;
} response;

struct flm_text *flm_page_response(void)
{
    flm_profile_free(response.profile);
    response.profile = NULL;
    response.bytes = (struct flm_bytes){0};
    response.text.size = 0;
    response.text.failed = false;
    return &response.text;
}

void flm_page_response_take(struct flm_profile *profile)
{
    flm_page_response();
    response.profile = profile;
    response.bytes = flm_profile_seal(profile);
    response.text.failed = !response.bytes.at;
}

int flm_page_result(bool good, const struct flm_error *why)
{
    response.why = *why;
    if (good && response.text.failed)
        good = flm_error_memory(&response.why);
    if (!good)
        response.bytes = flm_bytes_of(response.why.text);
    else if (!response.profile)
        response.bytes = (struct flm_bytes){response.text.at, response.text.size};
    return good;
}

const char *flamel_response(void)
{
    return response.bytes.at;
}

uint32_t flamel_response_size(void)
{
    return (uint32_t)response.bytes.size;
}
