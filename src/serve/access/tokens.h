/* tokens.h - who may write and read.
 *
 * A file has a line for each token, with its SHA-256 and never the token itself:
 *
 *     # ci of the team
 *     write        9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
 *     read,write   60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  tenant=web
 *
 * A token is 32 random bytes, so its hash needs no salt and no slow function: nobody can try them
 * all. Every token of the file is compared, each in a time that does not depend on where they
 * differ. */
#ifndef FLAMEL_SERVE_ACCESS_TOKENS_H
#define FLAMEL_SERVE_ACCESS_TOKENS_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "serve/access/digest.h"

enum flm_right {
    FLM_RIGHT_NONE = 0, /* anybody */
    FLM_RIGHT_WRITE = 1,
    FLM_RIGHT_READ = 2,
    FLM_RIGHT_ADMIN = 4 /* neither of the others */
};

struct flm_token {
    unsigned char digest[FLM_DIGEST_SIZE];
    unsigned rights;
    char *tenant; /* owned; NULL: any */
};

/* {0}: none. Not changed while threads use them. */
struct flm_tokens FLM_ARRAY(struct flm_token);

/* Adds those of a file. False, and `why` with the line. */
bool flm_tokens_read(struct flm_tokens *tokens, struct flm_bytes text, struct flm_error *why);
void flm_tokens_clear(struct flm_tokens *tokens);

/* The token of an Authorization header: "Bearer TOKEN", or "Basic" with any user and the token as
 * password, which is what browsers and Grafana can send. NULL: it is none of these, or cannot be
 * known without libcrypto. */
const struct flm_token *flm_tokens_find(const struct flm_tokens *tokens, const char *authorization);

/* "read,write,admin" as rights; 0: it is not a list of them. */
unsigned flm_rights_parse(struct flm_bytes text);

/* A new token, and its line of the file. */
bool flm_token_make(unsigned rights, const char *tenant, struct flm_text *token,
                    struct flm_text *line, struct flm_error *why);

#endif
