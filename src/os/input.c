#include "os/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* A window of 256 KiB stays in the second-level cache while it is read, beside what the reader
 * makes of it. Each page of it is a fault at first: 1 MiB took 0.8 ms more, in a recording of 30 MB
 * that takes 14, and 1 to 4 % more of large files; 64 and 128 KiB are as fast as 256. */
enum { RAW_SIZE = 1 << 18, FIRST_WINDOW = 1 << 18 };

/* A line (or a whole-file format) that needs more than this is refused: a few bytes of gzip can
 * stand for any number of zeros. While it grows, the window before is there too, and what is read
 * of it takes as much again: 2 GiB in all are never reached. */
#define LARGEST_WINDOW ((size_t)512 << 20)

enum coding { PLAIN, GZIP, ZSTD };

struct flm_input {
    struct flm_source source; /* first: `more` is handed a pointer to it */

    int file;
    bool borrowed; /* the file is another input's */
    bool regular;
    uint64_t at, end; /* of a regular file: what is still to be read of it */
    uint64_t size, consumed;

    char *raw; /* of compressed input: read, not yet decoded: [raw_at, raw_size) */
    size_t raw_at, raw_size;
    bool raw_ended;

    enum coding coding;
    z_stream gzip;
    bool gzip_begun, gzip_inside; /* inside: within a member */
    ZSTD_DStream *zstd;
    bool zstd_inside;

    char *window;
    size_t window_capacity;

    void *mapped;
};

static bool system_error(struct flm_error *why, const char *doing)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", doing, strerror(errno));
}

/* Up to `room` bytes of the file or pipe; *got is 0 only at its end. */
static bool read_file(struct flm_input *in, char *to, size_t room, size_t *got,
                      struct flm_error *why)
{
    if (in->regular && room > in->end - in->at)
        room = (size_t)(in->end - in->at);
    ssize_t result;
    do
        result = in->regular ? pread(in->file, to, room, (off_t)in->at) : read(in->file, to, room);
    while (result < 0 && errno == EINTR);
    if (result < 0)
        return system_error(why, "cannot be read");
    if (in->regular && result == 0 && room > 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "became shorter while it was read");
    in->at += (uint64_t)result;
    in->consumed += (uint64_t)result;
    *got = (size_t)result;
    return true;
}

/* Compressed bytes, at least one unless the input has ended. */
static bool next_raw(struct flm_input *in, struct flm_bytes *raw, struct flm_error *why)
{
    if (in->raw_at == in->raw_size && !in->raw_ended) {
        in->raw_at = 0;
        if (!read_file(in, in->raw, RAW_SIZE, &in->raw_size, why))
            return false;
        in->raw_ended = in->raw_size == 0;
    }
    *raw = (struct flm_bytes){in->raw + in->raw_at, in->raw_size - in->raw_at};
    return true;
}

/* Between members: they may follow each other, and zeros behind the last are padding. */
static bool begin_member(struct flm_input *in, struct flm_bytes raw, struct flm_error *why)
{
    if (in->gzip_begun && (unsigned char)raw.at[0] != 0x1F) {
        size_t zeros = 0;
        while (zeros < raw.size && raw.at[zeros] == 0)
            zeros++;
        if (zeros < raw.size)
            return flm_error_set(why, FLM_ERROR_FORMAT,
                                 "something that is not gzip follows the gzip data");
        in->raw_at += zeros;
        return true;
    }
    if (in->gzip_begun ? inflateReset(&in->gzip) != Z_OK : inflateInit2(&in->gzip, 15 + 16) != Z_OK)
        return flm_error_memory(why);
    in->gzip_begun = in->gzip_inside = true;
    return true;
}

/* Decodes into [to, to + room): how much, in *got; 0 at the end. */
static bool decode_gzip(struct flm_input *in, char *to, size_t room, size_t *got,
                        struct flm_error *why)
{
    *got = 0;
    while (*got == 0) {
        struct flm_bytes raw;
        if (!next_raw(in, &raw, why))
            return false;
        if (raw.size == 0)
            return !in->gzip_inside ||
                   flm_error_set(why, FLM_ERROR_FORMAT,
                                 "the gzip data ends too early: the file was cut off");
        if (!in->gzip_inside) {
            if (!begin_member(in, raw, why))
                return false;
            continue;
        }
        enum { PIECE = 1 << 30 };
        union {
            const char *given;
            Bytef *kept; /* zlib does not write to it */
        } input = {raw.at};
        in->gzip.next_in = input.kept;
        in->gzip.avail_in = (uInt)raw.size;
        in->gzip.next_out = (Bytef *)to;
        in->gzip.avail_out = room < PIECE ? (uInt)room : PIECE;
        uInt asked = in->gzip.avail_out;
        int result = inflate(&in->gzip, Z_NO_FLUSH);
        in->raw_at += raw.size - in->gzip.avail_in;
        *got = asked - in->gzip.avail_out;
        if (result == Z_STREAM_END)
            in->gzip_inside = false;
        else if (result == Z_MEM_ERROR)
            return flm_error_memory(why);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return flm_error_set(why, FLM_ERROR_FORMAT, "the gzip data is damaged (%s)",
                                 in->gzip.msg ? in->gzip.msg : "checksum");
    }
    return true;
}

static bool decode_zstd(struct flm_input *in, char *to, size_t room, size_t *got,
                        struct flm_error *why)
{
    *got = 0;
    while (*got == 0) {
        struct flm_bytes raw;
        if (!next_raw(in, &raw, why))
            return false;
        if (raw.size == 0)
            return !in->zstd_inside ||
                   flm_error_set(why, FLM_ERROR_FORMAT,
                                 "the zstd data ends too early: the file was cut off");
        if (!in->zstd && !(in->zstd = ZSTD_createDStream()))
            return flm_error_memory(why);
        ZSTD_inBuffer from = {raw.at, raw.size, 0};
        ZSTD_outBuffer into = {to, room, 0};
        size_t result = ZSTD_decompressStream(in->zstd, &into, &from);
        if (ZSTD_isError(result))
            return flm_error_set(why, FLM_ERROR_FORMAT, "the zstd data is damaged (%s)",
                                 ZSTD_getErrorName(result));
        in->zstd_inside = result != 0;
        in->raw_at += from.pos;
        *got = into.pos;
    }
    return true;
}

static bool decode(struct flm_input *in, char *to, size_t room, size_t *got, struct flm_error *why)
{
    return in->coding == GZIP   ? decode_gzip(in, to, room, got, why)
           : in->coding == ZSTD ? decode_zstd(in, to, room, got, why)
                                : read_file(in, to, room, got, why);
}

/* Room for more behind what the reader has not passed: that moves to the front; when it fills more
 * than half of the window, the window grows, of a plain file at once to what is left of it. */
static bool make_room(struct flm_input *in, size_t left, struct flm_error *why)
{
    if (left <= in->window_capacity / 2 && in->window_capacity > 0) {
        if (left)
            memmove(in->window, in->source.at, left);
        return true;
    }
    size_t capacity = in->window_capacity ? in->window_capacity * 2 : FIRST_WINDOW;
    if (in->window_capacity && in->regular && in->coding == PLAIN &&
        in->end - in->at < LARGEST_WINDOW - left)
        capacity = left + (size_t)(in->end - in->at) + 1;
    if (capacity > LARGEST_WINDOW)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "more than 512 MiB of it would have to be held at once: a line, or a "
                             "compressed .flm file (decompress that first)");
    char *window = malloc(capacity);
    if (!window)
        return flm_error_memory(why);
    if (left)
        memcpy(window, in->source.at, left);
    free(in->window);
    in->window = window;
    in->window_capacity = capacity;
    return true;
}

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct flm_input *in = (struct flm_input *)source;
    size_t left = (size_t)(source->end - source->at);
    if (!make_room(in, left, why))
        return false;
    source->at = in->window;
    source->end = in->window + left;
    /* From a pipe, what has come is handed on before waiting for more. */
    bool wait = in->regular;
    do {
        size_t got = 0;
        if (!decode(in, in->window + left, in->window_capacity - left, &got, why))
            return false;
        left += got;
        source->end = in->window + left;
        source->last = got == 0 || (in->coding == PLAIN && in->regular && in->at == in->end);
    } while (wait && !source->last && left < in->window_capacity);
    return true;
}

static void start(struct flm_input *in)
{
    in->source = (struct flm_source){.at = "", .end = "", .more = more};
    in->source.end = in->source.at;
}

/* How the input is coded shows in its first bytes, which a pipe hands out only once: they are read
 * into the window, and become the first compressed bytes where there are such. */
static bool find_coding(struct flm_input *in, struct flm_error *why)
{
    start(in);
    while (in->source.end - in->source.at < 4 && !in->source.last)
        if (!more(&in->source, why))
            return false;
    struct flm_bytes head = {in->source.at, (size_t)(in->source.end - in->source.at)};
    if (flm_bytes_start_with(head, "\x1F\x8B\x08"))
        in->coding = GZIP;
    else if (flm_bytes_start_with(head, "\x28\xB5\x2F\xFD"))
        in->coding = ZSTD;
    else
        return true;
    size_t room = head.size > RAW_SIZE ? head.size : RAW_SIZE;
    in->raw = malloc(room);
    if (!in->raw)
        return flm_error_memory(why);
    memcpy(in->raw, head.at, head.size);
    in->raw_size = head.size;
    start(in);
    return true;
}

static bool examine(struct flm_input *in, struct flm_error *why)
{
    struct stat stat;
    if (fstat(in->file, &stat) != 0)
        return system_error(why, "cannot be examined");
    if (S_ISDIR(stat.st_mode))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "this is a folder, not a file");
    if (S_ISREG(stat.st_mode) && stat.st_size > 0) {
        /* Standard input may stand in the middle of a file: what is left is then read like a pipe.
         */
        in->regular = lseek(in->file, 0, SEEK_CUR) == 0;
        in->end = in->size = (uint64_t)stat.st_size;
    }
    return find_coding(in, why);
}

struct flm_input *flm_input_open(const char *path, struct flm_error *why)
{
    struct flm_input *in = calloc(1, sizeof *in);
    if (!in) {
        flm_error_memory(why);
        return NULL;
    }
    bool standard = strcmp(path, "-") == 0;
    in->file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (in->file < 0) {
        system_error(why, "cannot be opened");
        free(in);
        return NULL;
    }
    if (!examine(in, why)) {
        flm_input_close(in);
        return NULL;
    }
    return in;
}

struct flm_input *flm_input_open_chunk(const struct flm_input *whole, uint64_t from, uint64_t end,
                                       struct flm_error *why)
{
    struct flm_input *in = calloc(1, sizeof *in);
    if (!in) {
        flm_error_memory(why);
        return NULL;
    }
    in->file = whole->file;
    in->borrowed = in->regular = true;
    in->at = from;
    in->end = end;
    in->size = end - from;
    start(in);
    return in;
}

void flm_input_close(struct flm_input *in)
{
    if (!in)
        return;
    if (in->mapped)
        munmap(in->mapped, (size_t)in->size);
    if (in->gzip_begun)
        inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    if (!in->borrowed)
        close(in->file);
    free(in->raw);
    free(in->window);
    free(in);
}

struct flm_source *flm_input_source(struct flm_input *in)
{
    return &in->source;
}

bool flm_input_is_plain_file(const struct flm_input *in)
{
    return in->regular && in->coding == PLAIN;
}

struct flm_bytes flm_input_map(struct flm_input *in)
{
    if (!in->mapped && flm_input_is_plain_file(in)) {
        void *mapped = mmap(NULL, (size_t)in->size, PROT_READ, MAP_PRIVATE, in->file, 0);
        in->mapped = mapped == MAP_FAILED ? NULL : mapped;
    }
    return (struct flm_bytes){in->mapped, in->mapped ? (size_t)in->size : 0};
}

uint64_t flm_input_size(const struct flm_input *in)
{
    return in->size;
}

uint64_t flm_input_consumed(const struct flm_input *in)
{
    return in->consumed;
}
