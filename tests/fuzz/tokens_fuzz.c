/* A file of tokens, a NUL, and what is sent as Authorization: what is read has rights, and only the
 * token of a line is found. */
#include <stdlib.h>
#include <string.h>

#include "net/tenant.h"
#include "serve/access/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void ask(const struct flm_tokens *tokens, const char *authorization)
{
    const struct flm_token *found = flm_tokens_find(tokens, authorization);
    unsigned char digest[FLM_DIGEST_SIZE];
    if (!found)
        return;
    promise(found >= tokens->at && found < tokens->at + tokens->count);
    if (strncmp(authorization, "Bearer ", 7) == 0) {
        struct flm_bytes token = flm_bytes_trimmed(flm_bytes_of(authorization + 7));
        promise(flm_digest(token, digest, NULL));
        promise(memcmp(digest, found->digest, sizeof digest) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned all = FLM_RIGHT_READ | FLM_RIGHT_WRITE | FLM_RIGHT_ADMIN;
    struct flm_tokens tokens = {0};
    struct flm_error why = {0};
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    size_t head = nul ? (size_t)(nul - data) : size;
    char *asked = calloc(1, size - head + 1);
    if (!asked)
        return 0;
    if (nul)
        memcpy(asked, nul + 1, size - head - 1);
    bool good = flm_tokens_read(&tokens,
                                (struct flm_bytes){size > 0 ? (const char *)data : "", head}, &why);
    promise(good || why.kind == FLM_ERROR_FORMAT || why.kind == FLM_ERROR_SYSTEM);
    for (size_t i = 0; i < tokens.count; i++) {
        const struct flm_token *t = &tokens.at[i];
        promise(t->rights != 0 && !(t->rights & ~all));
        promise(!t->tenant || flm_is_tenant(t->tenant));
    }
    ask(&tokens, asked);
    flm_tokens_clear(&tokens);
    free(asked);
    return 0;
}
