#include "base/zstd/unzstd.h"

#include <assert.h>
#include <stdlib.h>

#include "base/zstd/internal.h"

static const uint32_t frame_magic = 0xFD2FB528u;
enum { MOST_WINDOW_MIB = 128 };

struct flm_unzstd {
    struct flm_source *source;
    bool is_in_frame, has_checksum, knows_size;
    uint64_t window, content_size, size; /* of the frame; what it has made so far */
    struct flm_xxh64 checksum;
    unsigned char *out; /* the last bytes of the frame: at least its window, and the block */
    size_t out_size, out_capacity;
    struct flm_zstd_block block;
    unsigned char in[FLM_ZSTD_PAD + FLM_ZSTD_BLOCK + FLM_ZSTD_PAD];
};

struct flm_unzstd *flm_unzstd_new(struct flm_source *source, struct flm_error *why)
{
    assert(source);
    struct flm_unzstd *unzstd = calloc(1, sizeof *unzstd);
    if (unzstd)
        unzstd->source = source;
    else
        flm_error_memory(why);
    return unzstd;
}

void flm_unzstd_free(struct flm_unzstd *unzstd)
{
    if (unzstd)
        free(unzstd->out);
    free(unzstd);
}

static bool damaged(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "the zstd data is damaged");
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* `size` bytes of the input, which are passed; NULL if there are not so many. They are valid until
 * the next call. */
static const char *take(struct flm_source *source, size_t size, struct flm_error *why)
{
    if (!flm_source_fill(source, size, why))
        return NULL;
    if ((size_t)(source->end - source->at) < size) {
        flm_error_set(why, FLM_ERROR_FORMAT, "the zstd data ends too early: the file was cut off");
        return NULL;
    }
    source->at += size;
    return source->at - size;
}

/* A number of at most 8 bytes, the lowest first. */
static bool take_number(struct flm_source *source, unsigned size, uint64_t *number,
                        struct flm_error *why)
{
    const char *at = take(source, size, why);
    *number = 0;
    if (at)
        memcpy(number, at, size);
    return at != NULL;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool skip(struct flm_source *source, struct flm_error *why)
{
    uint64_t left;
    if (!take_number(source, 4, &left, why))
        return false;
    while (left > 0) {
        size_t size = left < FLM_ZSTD_BLOCK ? (size_t)left : FLM_ZSTD_BLOCK;
        if (!take(source, size, why))
            return false;
        left -= size;
    }
    return true;
}

static bool read_header(struct flm_unzstd *u, struct flm_error *why)
{
    static const uint8_t dictionary_sizes[] = {0, 1, 2, 4}, content_sizes[] = {0, 2, 4, 8};
    uint64_t flags, window = 0, dictionary;
    if (!take_number(u->source, 1, &flags, why))
        return false;
    bool is_one_segment = flags >> 5 & 1;
    unsigned content_size = flags >> 6 ? content_sizes[flags >> 6] : is_one_segment;
    if ((!is_one_segment && !take_number(u->source, 1, &window, why)) ||
        !take_number(u->source, dictionary_sizes[flags & 3], &dictionary, why) ||
        !take_number(u->source, content_size, &u->content_size, why))
        return false;
    if (flags >> 3 & 1)
        return damaged(why);
    if (dictionary != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "this is compressed with zstd and a dictionary: decompress it first "
                             "(zstd -d -D DICTIONARY)");
    u->content_size += content_size == 2 ? 256 : 0;
    u->knows_size = content_size > 0;
    u->has_checksum = flags >> 2 & 1;
    u->window = (uint64_t)1 << (10 + (window >> 3));
    u->window += u->window / 8 * (window & 7);
    if (is_one_segment)
        u->window = u->content_size;
    if (u->window > (uint64_t)MOST_WINDOW_MIB << 20)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "this is compressed with zstd and a window of more than %d MiB: "
                             "decompress it first (zstd -d --long=31)",
                             MOST_WINDOW_MIB);
    u->size = u->out_size = 0;
    u->is_in_frame = true;
    flm_xxh64_init(&u->checksum);
    flm_zstd_block_begin_frame(&u->block);
    return true;
}

static bool end_frame(struct flm_unzstd *u, struct flm_error *why)
{
    uint64_t checksum;
    u->is_in_frame = false;
    if (u->knows_size && u->size != u->content_size)
        return damaged(why);
    if (!u->has_checksum)
        return true;
    if (!take_number(u->source, 4, &checksum, why))
        return false;
    return (uint32_t)flm_xxh64_result(&u->checksum) == checksum || damaged(why);
}

/* To the blocks of the next frame that has any; or to the end of the input. */
static bool begin_frame(struct flm_unzstd *u, struct flm_error *why)
{
    for (;;) {
        uint64_t magic;
        if (!flm_source_fill(u->source, 1, why))
            return false;
        if (u->source->at == u->source->end)
            return true;
        if (!take_number(u->source, 4, &magic, why))
            return false;
        if (magic == frame_magic)
            return read_header(u, why);
        if (magic >> 4 != 0x184D2A5)
            return damaged(why);
        if (!skip(u->source, why))
            return false;
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Makes room for a block behind the last bytes. What is beyond the window is dropped when there is
 * half of a window of it, so that a byte is moved twice at most. */
static bool make_room(struct flm_unzstd *u, struct flm_error *why)
{
    size_t needed = FLM_ZSTD_BLOCK + FLM_ZSTD_PAD;
    if (u->out_size + needed <= u->out_capacity)
        return true;
    size_t window = (size_t)u->window, most = window + window / 2 + 4 * needed;
    if (u->out_size + needed > most) {
        memmove(u->out, u->out + u->out_size - window, window);
        u->out_size = window;
        return true;
    }
    size_t capacity = 2 * u->out_capacity + 2 * needed;
    capacity = capacity < most ? capacity : most;
    unsigned char *out = realloc(u->out, capacity);
    if (!out)
        return flm_error_memory(why);
    u->out = out;
    u->out_capacity = capacity;
    return true;
}

enum kind { RAW, REPEATED, COMPRESSED, RESERVED };

static bool read_block(struct flm_unzstd *u, struct flm_bytes *bytes, struct flm_error *why)
{
    uint64_t head;
    if (!make_room(u, why) || !take_number(u->source, 3, &head, why))
        return false;
    enum kind kind = head >> 1 & 3;
    size_t size = (size_t)(head >> 3), most = FLM_ZSTD_BLOCK;
    most = u->window < most ? (size_t)u->window : most;
    if (kind == RESERVED || size > most)
        return damaged(why);
    const char *in = take(u->source, kind == REPEATED ? 1 : size, why);
    if (!in)
        return false;
    unsigned char *out = u->out + u->out_size;
    if (kind == RAW) {
        memcpy(out, in, size);
    } else if (kind == REPEATED) {
        memset(out, *in, size);
    } else {
        memcpy(u->in + FLM_ZSTD_PAD, in, size);
        size_t reach = u->out_size < u->window ? u->out_size : (size_t)u->window;
        long made = flm_zstd_block_decode(
            &u->block, (struct flm_bytes){(const char *)u->in + FLM_ZSTD_PAD, size}, out, reach,
            most);
        if (made < 0)
            return damaged(why);
        size = (size_t)made;
    }
    *bytes = (struct flm_bytes){(const char *)out, size};
    u->out_size += size;
    u->size += size;
    if (u->has_checksum)
        flm_xxh64_add(&u->checksum, *bytes);
    return !(head & 1) || end_frame(u, why);
}

bool flm_unzstd_next(struct flm_unzstd *unzstd, struct flm_bytes *bytes, struct flm_error *why)
{
    assert(unzstd && bytes);
    *bytes = (struct flm_bytes){0};
    do {
        if (!unzstd->is_in_frame && !begin_frame(unzstd, why))
            return false;
        if (!unzstd->is_in_frame)
            return true;
        if (!read_block(unzstd, bytes, why))
            return false;
    } while (bytes->size == 0);
    return true;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* The size of the next header or block, as far as the bytes that are there tell. Of a block that is
 * too large, and of a skippable frame: just enough for the functions above to refuse it. */
static size_t next_size(const struct flm_unzstd *u, const unsigned char *at, size_t there)
{
    static const uint8_t dictionary_sizes[] = {0, 1, 2, 4}, content_sizes[] = {0, 2, 4, 8};
    enum { HEAD = 3, MAGIC = 4, CHECKSUM = 4 };
    if (!u->is_in_frame) {
        if (there <= MAGIC)
            return MAGIC + 1;
        bool is_one_segment = at[MAGIC] >> 5 & 1;
        unsigned content_size =
            at[MAGIC] >> 6 ? content_sizes[at[MAGIC] >> 6] : (unsigned)is_one_segment;
        return MAGIC + 1 + !is_one_segment + dictionary_sizes[at[MAGIC] & 3] + content_size;
    }
    if (there < HEAD)
        return HEAD;
    uint32_t head = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    size_t size = (head >> 1 & 3) == REPEATED ? 1 : head >> 3;
    if (size > FLM_ZSTD_BLOCK)
        return HEAD;
    return HEAD + size + (head & 1 && u->has_checksum ? CHECKSUM : 0);
}

bool flm_unzstd_next_whole(struct flm_unzstd *unzstd, struct flm_bytes *bytes,
                           struct flm_error *why)
{
    assert(unzstd && bytes);
    const struct flm_source *source = unzstd->source;
    *bytes = (struct flm_bytes){0};
    while (bytes->size == 0) {
        size_t there = (size_t)(source->end - source->at);
        if (next_size(unzstd, (const unsigned char *)source->at, there) > there)
            return true;
        if (unzstd->is_in_frame ? !read_block(unzstd, bytes, why) : !begin_frame(unzstd, why))
            return false;
    }
    return true;
}
