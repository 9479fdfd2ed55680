#include "base/lz4/lz4.h"

#include <stdlib.h>

enum {
    HISTORY = 1 << 16,
    FIRST_WINDOW = 1 << 16,
    LARGEST_WINDOW = 1 << 26,
    VERSION_MASK = 0xc0,
    VERSION = 0x40,
    BLOCK_CHECKSUMS = 0x10,
    CONTENT_SIZE = 8,
    CONTENT_CHECKSUM = 4,
    DICTIONARY = 1
};

#define MALFORMED ((size_t)-1)

static bool take(struct flm_lz4 *z, size_t size, const unsigned char **at, struct flm_error *why)
{
    struct flm_source *in = z->input;
    if (!flm_source_fill(in, size, why))
        return false;
    if ((size_t)(in->end - in->at) < size)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the lz4 data ends in the middle");
    *at = (const unsigned char *)in->at;
    in->at += size;
    return true;
}

static uint32_t load32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A length of 15 or more goes on in bytes, of which the last is below 255. */
static bool add_length(const unsigned char **at, const unsigned char *end, size_t *length)
{
    unsigned char byte = 255;
    while (byte == 255) {
        if (*at == end)
            return false;
        byte = *(*at)++;
        *length += byte;
    }
    return true;
}

/* Decompresses to `out`, before which `history` bytes are; MALFORMED, or how many there are. */
static size_t decompress(const unsigned char *at, size_t size, char *out, size_t history,
                         size_t room)
{
    const unsigned char *end = at + size;
    size_t made = 0;
    while (at < end) {
        unsigned token = *at++;
        size_t literals = token >> 4, length = token & 15;
        if (literals == 15 && !add_length(&at, end, &literals))
            return MALFORMED;
        if (literals > (size_t)(end - at) || literals > room - made)
            return MALFORMED;
        memcpy(out + made, at, literals);
        made += literals;
        at += literals;
        if (at == end)
            break;
        if (end - at < 2)
            return MALFORMED;
        size_t distance = at[0] | (size_t)at[1] << 8;
        at += 2;
        if ((length == 15 && !add_length(&at, end, &length)) || distance == 0 ||
            distance > made + history)
            return MALFORMED;
        length += 4;
        if (length > room - made)
            return MALFORMED;
        const char *from = out + made - distance;
        if (distance >= length) {
            memcpy(out + made, from, length);
        } else {
            for (size_t i = 0; i < length; i++)
                out[made + i] = from[i];
        }
        made += length;
    }
    return made;
}

/* The end of the block becomes the history of the next one. */
static void keep_history(struct flm_lz4 *z)
{
    size_t all = z->history + z->size, kept = all < HISTORY ? all : HISTORY;
    memmove(z->block + HISTORY - kept, z->block + HISTORY + z->size - kept, kept);
    z->history = kept;
    z->at = z->size = 0;
}

/* The next block; at the end of the frame, `last` is set. */
static bool read_block(struct flm_lz4 *z, struct flm_error *why)
{
    const unsigned char *bytes = NULL;
    if (!take(z, 4, &bytes, why))
        return false;
    uint32_t size = load32(bytes);
    bool is_raw = size >> 31;
    size &= 0x7fffffff;
    keep_history(z);
    if (size == 0) {
        z->source.last = true;
        return !z->has_checksum || take(z, 4, &bytes, why);
    }
    if (size > z->block_size)
        return flm_error_set(why, FLM_ERROR_FORMAT, "a block of lz4 is larger than it may be");
    if (!take(z, size, &bytes, why))
        return false;
    if (is_raw)
        memcpy(z->block + HISTORY, bytes, size);
    z->size =
        is_raw ? size : decompress(bytes, size, z->block + HISTORY, z->history, z->block_size);
    if (z->size == MALFORMED) {
        z->size = 0;
        return flm_error_set(why, FLM_ERROR_FORMAT, "a block of lz4 is malformed");
    }
    return !z->has_checksums || take(z, 4, &bytes, why);
}

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct flm_lz4 *z = (struct flm_lz4 *)source;
    while (z->at == z->size && !source->last)
        if (!read_block(z, why))
            return false;
    if (source->last)
        return true;
    if (!flm_source_make_room(source, &z->window, 0, why))
        return false;
    size_t room = z->window.capacity - (size_t)(source->end - source->at), left = z->size - z->at;
    size_t size = left < room ? left : room;
    memcpy((char *)source->end, z->block + HISTORY + z->at, size);
    source->end += size;
    z->at += size;
    return true;
}

bool flm_lz4_open(struct flm_lz4 *lz4, struct flm_source *input, struct flm_error *why)
{
    const unsigned char *head = NULL, *rest = NULL;
    *lz4 = (struct flm_lz4){.source = {.at = "", .more = more},
                            .input = input,
                            .window = {.first = FIRST_WINDOW, .largest = LARGEST_WINDOW}};
    lz4->source.end = lz4->source.at;
    if (!take(lz4, FLM_LZ4_MAGIC_SIZE + 2, &head, why))
        return false;
    unsigned flags = head[FLM_LZ4_MAGIC_SIZE], size = head[FLM_LZ4_MAGIC_SIZE + 1] >> 4 & 7;
    if (memcmp(head, FLM_LZ4_MAGIC, FLM_LZ4_MAGIC_SIZE) != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "byte 0: no frame of lz4 begins here");
    if ((flags & VERSION_MASK) != VERSION || size < 4)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "byte 4: no frame of lz4 that flamel reads has such a header: "
                             "decompress it first (lz4 -d)");
    if (flags & DICTIONARY)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "byte 4: this was compressed by lz4 with a dictionary, without "
                             "which nobody can read it: decompress it first (lz4 -d -D FILE)");
    lz4->has_checksums = flags & BLOCK_CHECKSUMS;
    lz4->has_checksum = flags & CONTENT_CHECKSUM;
    if (!take(lz4, flags & CONTENT_SIZE ? 9 : 1, &rest, why))
        return false;
    lz4->block_size = (size_t)1 << (8 + 2 * size);
    lz4->block = malloc(HISTORY + lz4->block_size);
    return lz4->block || flm_error_memory(why);
}

void flm_lz4_close(struct flm_lz4 *lz4)
{
    free(lz4->block);
    free(lz4->window.at);
    *lz4 = (struct flm_lz4){0};
}
