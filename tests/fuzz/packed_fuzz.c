/* Any bytes as a packed profile. What is unpacked keeps its promises, and packed and unpacked again
 * it is the same. */
#include <stdlib.h>

#include "base/text/text.h"
#include "format/flm/packed.h"
#include "profile/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static bool add_bytes(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

static struct flm_text file_of(const struct flm_profile *p)
{
    struct flm_text file = {0};
    promise(flm_profile_write(p, add_bytes, &file) && !file.failed);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_profile_unpack((struct flm_bytes){(const char *)data, size}, &why);
    if (!p) {
        promise(why.kind == FLM_ERROR_FORMAT && why.text[0] != 0);
        return 0;
    }
    promise(flm_profile_check(p, NULL));
    struct flm_text packed = {0};
    promise(flm_profile_pack(p, &packed, NULL) && !packed.failed);
    struct flm_profile *q = flm_profile_unpack((struct flm_bytes){packed.at, packed.size}, NULL);
    promise(q != NULL);
    struct flm_text first = file_of(p), second = file_of(q);
    promise(first.size == second.size && memcmp(first.at, second.at, first.size) == 0);
    flm_text_clear(&first);
    flm_text_clear(&second);
    flm_text_clear(&packed);
    flm_profile_free(p);
    flm_profile_free(q);
    return 0;
}
