#include "os/gzip.h"

#include <assert.h>
#include <zlib.h>

/* zlib counts the bytes of its input and output in an unsigned int. */
enum { PIECE = 1 << 30 };

/* The next input and output of zlib. The type of its input is not const, though it only reads. */
static void feed(z_stream *stream, struct flm_bytes *from, char *to, size_t room)
{
    union {
        const char *given;
        Bytef *kept;
    } input = {from->at};
    stream->next_in = input.kept;
    stream->avail_in = from->size < PIECE ? (uInt)from->size : PIECE;
    stream->next_out = (Bytef *)to;
    stream->avail_out = room < PIECE ? (uInt)room : PIECE;
}

/* One step of deflate or inflate: advances `from`, and appends to `out`. */
static int step(z_stream *stream, int (*code)(z_stream *, int), int flush, struct flm_bytes *from,
                size_t room, struct flm_text *out)
{
    char *to = flm_text_reserve(out, room);
    if (!to)
        return Z_MEM_ERROR;
    feed(stream, from, to, room);
    int result = code(stream, from->size <= PIECE ? flush : Z_NO_FLUSH);
    size_t used = (size_t)((const char *)stream->next_in - from->at);
    *from = (struct flm_bytes){from->at + used, from->size - used};
    out->size += (size_t)((char *)stream->next_out - to);
    return result;
}

bool flm_gzip(struct flm_bytes bytes, int level, struct flm_text *out, struct flm_error *why)
{
    assert(out && level >= 1 && level <= 9);
    z_stream stream = {0};
    /* 16: with the head of gzip, which has no time in it unless one is set. */
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return flm_error_memory(why);
    size_t room = bytes.size / 2 + 1024;
    int result = Z_OK;
    while (result == Z_OK)
        result = step(&stream, deflate, Z_FINISH, &bytes, room, out);
    deflateEnd(&stream);
    return result == Z_STREAM_END || flm_error_memory(why);
}

bool flm_gunzip(struct flm_bytes gzip, uint64_t size, struct flm_text *out, struct flm_error *why)
{
    assert(out);
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return flm_error_memory(why);
    size_t before = out->size;
    /* deflate shrinks nothing to less than a thousandth: a larger size is refused at once. */
    bool likely = size / 1100 <= gzip.size;
    int result = likely ? Z_OK : Z_DATA_ERROR;
    while (result == Z_OK && out->size - before <= size)
        result = step(&stream, inflate, Z_NO_FLUSH, &gzip,
                      (size_t)(size - (out->size - before)) + 1, out);
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        return flm_error_memory(why);
    if (result != Z_STREAM_END || out->size - before != size)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the gzip data in it is damaged");
    return true;
}
