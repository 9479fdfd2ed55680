#include "algebra/sanitize/pseudonyms.h"

/* Without those that are mistaken for others: i l o u. */
static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

void flm_pseudonyms_init(struct flm_pseudonyms *pseudonyms, struct flm_bytes key)
{
    static const unsigned char halves[2][FLM_SIP_KEY_SIZE] = {{1}, {2}};
    for (int half = 0; half < 2; half++) {
        uint64_t hash = flm_sip_hash(halves[half], key);
        for (int i = 0; i < 8; i++)
            pseudonyms->key[8 * half + i] = (unsigned char)(hash >> 8 * i);
    }
}

void flm_pseudonym(const struct flm_pseudonyms *pseudonyms, const char *kind, struct flm_bytes name,
                   char out[FLM_PSEUDONYM_SIZE])
{
    struct flm_pseudonyms of_kind = *pseudonyms;
    uint64_t hash;
    size_t size = strlen(kind);
    size = size < 10 ? size : 10;
    for (size_t i = 0; i < size; i++)
        of_kind.key[i] ^= (unsigned char)kind[i];
    hash = flm_sip_hash(of_kind.key, name);
    memcpy(out, kind, size);
    out[size++] = '-';
    for (int i = 0; i < FLM_PSEUDONYM_DIGITS; i++, hash >>= 5)
        out[size++] = digits[hash & 31];
    out[size] = 0;
}

bool flm_is_pseudonym(struct flm_bytes name, const char *kind)
{
    size_t size = strlen(kind);
    if (name.size != size + 1 + FLM_PSEUDONYM_DIGITS || !flm_bytes_start_with(name, kind) ||
        name.at[size] != '-')
        return false;
    for (size_t i = size + 1; i < name.size; i++)
        if (!flm_is_one_of(name.at[i], digits))
            return false;
    return true;
}
