#include "serve/access/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/encode/base64.h"
#include "base/number/number.h"
#include "net/tenant.h"
#include "os/random_bytes.h"

enum { TOKEN_BYTES = 32, LONGEST_TOKEN = 512 };

static const struct {
    const char *name;
    unsigned right;
} names[] = {{"write", FLM_RIGHT_WRITE}, {"read", FLM_RIGHT_READ}, {"admin", FLM_RIGHT_ADMIN}};
enum { RIGHT_COUNT = sizeof names / sizeof names[0] };

unsigned flm_rights_parse(struct flm_bytes text)
{
    unsigned rights = 0;
    for (;;) {
        const char *comma = text.size > 0 ? memchr(text.at, ',', text.size) : NULL;
        struct flm_bytes name = {text.at, comma ? (size_t)(comma - text.at) : text.size};
        unsigned right = 0;
        for (int i = 0; i < RIGHT_COUNT; i++)
            if (flm_bytes_are(name, names[i].name))
                right = names[i].right;
        if (right == 0)
            return 0;
        rights |= right;
        if (!comma)
            return rights;
        text = flm_bytes_from(text, name.size + 1);
    }
}

static void put_hex(struct flm_text *out, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        flm_text_format(out, "%x%x", bytes[i] >> 4, bytes[i] & 15);
}

/* ---- The file -------------------------------------------------------------------------------- */

static struct flm_bytes next_word(struct flm_bytes *line)
{
    *line = flm_bytes_trimmed(*line);
    size_t size = 0;
    while (size < line->size && !flm_is_space(line->at[size]))
        size++;
    struct flm_bytes word = {line->at, size};
    *line = flm_bytes_from(*line, size);
    return word;
}

static bool read_digest(struct flm_bytes text, unsigned char digest[FLM_DIGEST_SIZE])
{
    if (text.size != 2 * (size_t)FLM_DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < FLM_DIGEST_SIZE; i++) {
        int high = flm_hex_value(text.at[2 * i]), low = flm_hex_value(text.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static bool read_tenant(struct flm_bytes text, char **tenant, struct flm_error *why)
{
    if (text.size == 0)
        return true;
    if (!flm_bytes_start_with(text, "tenant="))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "behind the hash may be tenant=NAME, not '%.*s'", (int)text.size,
                             text.at);
    text = flm_bytes_from(text, strlen("tenant="));
    *tenant = strndup(text.at, text.size);
    if (!*tenant)
        return flm_error_memory(why);
    return flm_is_tenant(*tenant) ||
           flm_error_set(why, FLM_ERROR_FORMAT,
                         "a tenant has 1 to 128 letters, digits, and _ - . in its name");
}

static bool read_line(struct flm_tokens *tokens, struct flm_bytes line, struct flm_error *why)
{
    struct flm_token token = {.tenant = NULL};
    struct flm_bytes rights = next_word(&line), digest = next_word(&line);
    if (rights.size == 0 || rights.at[0] == '#')
        return true;
    token.rights = flm_rights_parse(rights);
    if (token.rights == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "'%.*s' is not a list of rights: it is read, write, admin, or several "
                             "with commas between "
                             "them",
                             (int)rights.size, rights.at);
    if (!read_digest(digest, token.digest))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "behind the rights is the SHA-256 of a token, in 64 hexadecimal "
                             "digits: 'flamel serve --new-token' writes such lines");
    struct flm_bytes tenant = next_word(&line), more = next_word(&line);
    /* Two lines that became one would lose a token without a word. */
    if (more.size > 0)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "a line is RIGHTS HASH [tenant=NAME], with nothing behind it: not "
                             "'%.*s'",
                             (int)more.size, more.at);
    bool good = read_tenant(tenant, &token.tenant, why);
    if (good && FLM_ARRAY_ADD(tokens, token))
        return true;
    free(token.tenant);
    return good ? flm_error_memory(why) : false;
}

bool flm_tokens_read(struct flm_tokens *tokens, struct flm_bytes text, struct flm_error *why)
{
    unsigned char digest[FLM_DIGEST_SIZE];
    if (!flm_digest(flm_bytes_of(""), digest, why)) /* now, not with the first request */
        return false;
    for (uint64_t number = 1; text.size > 0; number++) {
        const char *end = memchr(text.at, '\n', text.size);
        struct flm_bytes line = {text.at, end ? (size_t)(end - text.at) : text.size};
        struct flm_error inner;
        if (!read_line(tokens, line, &inner))
            return flm_error_line(why, inner.kind, number, "%s", inner.text);
        text = flm_bytes_from(text, line.size + (end != NULL));
    }
    return true;
}

void flm_tokens_clear(struct flm_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++)
        free(tokens->at[i].tenant);
    FLM_ARRAY_CLEAR(tokens);
}

/* ---- A request ------------------------------------------------------------------------------- */

/* The password of "USER:PASSWORD" in base64; in `decoded`. */
static struct flm_bytes password(struct flm_bytes encoded, struct flm_text *decoded)
{
    struct flm_bytes none = {NULL, 0};
    if (encoded.size > LONGEST_TOKEN || !flm_base64_decode(encoded, decoded))
        return none;
    const char *colon = decoded->size > 0 ? memchr(decoded->at, ':', decoded->size) : NULL;
    return colon ? (struct flm_bytes){colon + 1, decoded->size - (size_t)(colon + 1 - decoded->at)}
                 : none;
}

const struct flm_token *flm_tokens_find(const struct flm_tokens *tokens, const char *authorization)
{
    struct flm_text decoded = {0};
    struct flm_bytes given = {NULL, 0};
    if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0)
        given = flm_bytes_trimmed(flm_bytes_of(authorization + 7));
    else if (authorization && strncasecmp(authorization, "Basic ", 6) == 0)
        given = password(flm_bytes_trimmed(flm_bytes_of(authorization + 6)), &decoded);
    unsigned char digest[FLM_DIGEST_SIZE];
    bool is_given = given.at != NULL && flm_digest(given, digest, NULL);
    flm_text_clear(&decoded);
    if (!is_given)
        return NULL;
    const struct flm_token *found = NULL;
    for (size_t i = 0; i < tokens->count; i++) {
        unsigned differs = 0;
        for (size_t k = 0; k < FLM_DIGEST_SIZE; k++)
            differs |= (unsigned)(digest[k] ^ tokens->at[i].digest[k]);
        if (differs == 0)
            found = &tokens->at[i];
    }
    return found;
}

/* ---- New ones -------------------------------------------------------------------------------- */

bool flm_token_make(unsigned rights, const char *tenant, struct flm_text *token,
                    struct flm_text *line, struct flm_error *why)
{
    unsigned char bytes[TOKEN_BYTES], digest[FLM_DIGEST_SIZE];
    if (!flm_random_bytes(bytes, sizeof bytes, why))
        return false;
    flm_text_puts(token, "flm_");
    put_hex(token, bytes, sizeof bytes);
    if (token->failed)
        return flm_error_memory(why);
    if (!flm_digest((struct flm_bytes){token->at, token->size}, digest, why))
        return false;
    const char *comma = "";
    for (int i = 0; i < RIGHT_COUNT; i++)
        if (rights & names[i].right) {
            flm_text_format(line, "%s%s", comma, names[i].name);
            comma = ",";
        }
    flm_text_putc(line, ' ');
    put_hex(line, digest, sizeof digest);
    if (tenant)
        flm_text_format(line, " tenant=%s", tenant);
    flm_text_putc(line, '\n');
    return !line->failed || flm_error_memory(why);
}
