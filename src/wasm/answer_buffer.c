#include "wasm/answer_buffer.h"

#include "profile/flm_file.h"
#include "wasm/exports.h"

static struct {
    struct flm_text text;
    struct flm_profile *profile; /* whose file is the answer, instead of the text */
    struct flm_bytes bytes;
    struct flm_error why;
} answer;

struct flm_text *flm_page_answer(void)
{
    flm_profile_free(answer.profile);
    answer.profile = NULL;
    answer.bytes = (struct flm_bytes){0};
    answer.text.size = 0;
    answer.text.failed = false;
    return &answer.text;
}

void flm_page_answer_take(struct flm_profile *profile)
{
    flm_page_answer();
    answer.profile = profile;
    answer.bytes = flm_profile_seal(profile);
}

int flm_page_result(bool good, const struct flm_error *why)
{
    answer.why = *why;
    if (good && answer.text.failed)
        good = flm_error_memory(&answer.why);
    if (!good)
        answer.bytes = flm_bytes_of(answer.why.text);
    else if (!answer.profile)
        answer.bytes = (struct flm_bytes){answer.text.at, answer.text.size};
    return good;
}

const char *flamel_answer(void)
{
    return answer.bytes.at;
}

uint32_t flamel_answer_size(void)
{
    return (uint32_t)answer.bytes.size;
}
