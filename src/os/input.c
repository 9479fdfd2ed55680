#include "os/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* A window of 256 KiB stays in the second-level cache while it is read, together with what the
 * reader makes of it. Each page of it is a fault at first: 1 MiB took 0.8 ms more, in a recording
 * of 30 MB that takes 14, and 1 to 4 % more of large files; 64 and 128 KiB are as fast as 256. */
enum { RAW_SIZE = 1 << 18, FIRST_WINDOW = 1 << 18 };

/* A line (or a file that is read as a whole) that needs more than this is refused: a few bytes of
 * gzip can stand for any number of zeros. While the window grows the old one still exists, and what
 * is made of its bytes takes as much again: 2 GiB in all are never reached. */
#define LARGEST_WINDOW ((size_t)512 << 20)

/* A plain file that is read as a whole has that size for certain. It may be larger, but not than
 * half of the memory, and not than 4 GiB, so that what readers count in it fits in 32 bits. */
#define LARGEST_WHOLE UINT32_MAX

enum coding { PLAIN, GZIP, ZSTD };

struct flm_input {
    struct flm_source source; /* first: `more` is handed a pointer to it */

    /* Where the bytes come from: a file, memory, or a function that reads a stream. */
    int file;      /* -1: none */
    int folder;    /* that the file is the first part of; -1: none */
    bool borrowed; /* the file is another input's */
    const char *memory;
    flm_stream_read read;
    void *read_context;

    bool random_access; /* a regular file, or memory: any part of it can be read at any time */
    uint64_t at, end;   /* with random access: what is still to be read of it */
    uint64_t size, consumed;
    int64_t written_ns;

    /* Compressed bytes that were read and not yet decoded: [raw_at, raw_size). */
    char *raw;
    size_t raw_at, raw_size;
    bool raw_ended;

    enum coding coding;
    z_stream gzip;
    bool gzip_begun, gzip_inside; /* inside: within a member */
    ZSTD_DStream *zstd;
    bool zstd_inside;

    struct flm_source_window window;
    void *mapped;
};

static bool system_error(struct flm_error *why, const char *doing)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", doing, strerror(errno));
}

static bool read_file(struct flm_input *in, char *to, size_t room, size_t *got,
                      struct flm_error *why)
{
    ssize_t result;
    do
        result =
            in->random_access ? pread(in->file, to, room, (off_t)in->at) : read(in->file, to, room);
    while (result < 0 && errno == EINTR);
    if (result < 0)
        return system_error(why, "cannot be read");
    if (in->random_access && result == 0 && room > 0)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "became shorter while it was read");
    *got = (size_t)result;
    return true;
}

static bool read_stream(struct flm_input *in, char *to, size_t room, size_t *got,
                        struct flm_error *why)
{
    *got = 0;
    if (!in->read(in->read_context, to, room, got))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the stream cannot be read");
    return *got <= room || flm_error_set(why, FLM_ERROR_USAGE,
                                         "the stream returned more bytes than it was asked for");
}

/* Up to `room` bytes as they are stored; *got is 0 only at the end. */
static bool read_bytes(struct flm_input *in, char *to, size_t room, size_t *got,
                       struct flm_error *why)
{
    if (in->random_access && room > in->end - in->at)
        room = (size_t)(in->end - in->at);
    bool good = true;
    if (in->memory) {
        memcpy(to, in->memory + in->at, room);
        *got = room;
    } else {
        good = in->read ? read_stream(in, to, room, got, why) : read_file(in, to, room, got, why);
    }
    in->at += good ? *got : 0;
    in->consumed += good ? *got : 0;
    return good;
}

/* Compressed bytes, at least one unless the input has ended. */
static bool next_raw(struct flm_input *in, struct flm_bytes *raw, struct flm_error *why)
{
    if (in->raw_at == in->raw_size && !in->raw_ended) {
        in->raw_at = 0;
        if (!read_bytes(in, in->raw, RAW_SIZE, &in->raw_size, why))
            return false;
        in->raw_ended = in->raw_size == 0;
    }
    *raw = (struct flm_bytes){in->raw + in->raw_at, in->raw_size - in->raw_at};
    return true;
}

/* Between members: they may follow each other, and zeros after the last are padding. */
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
                                : read_bytes(in, to, room, got, why);
}

static size_t largest_whole(void)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    half = half > LARGEST_WINDOW ? half : LARGEST_WINDOW;
    return half < LARGEST_WHOLE ? (size_t)half : LARGEST_WHOLE;
}

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct flm_input *in = (struct flm_input *)source;
    bool is_plain = in->random_access && in->coding == PLAIN;
    if (is_plain && source->whole && in->window.largest_whole == 0)
        in->window.largest_whole = largest_whole();
    if (!flm_source_make_room(source, &in->window, is_plain ? in->end - in->at : 0, why))
        return false;
    char *to = in->window.at + (source->end - source->at);
    const char *limit = in->window.at + in->window.capacity;
    /* What a pipe or a stream has is handed on before waiting for more. */
    bool wait = in->random_access;
    do {
        size_t got = 0;
        if (!decode(in, to, (size_t)(limit - to), &got, why))
            return false;
        to += got;
        source->end = to;
        source->last = got == 0 || (is_plain && in->at == in->end);
    } while (wait && !source->last && to < limit);
    return true;
}

/* Memory that is not compressed is the window. */
static void start(struct flm_input *in)
{
    if (in->memory && in->coding == PLAIN)
        in->source =
            flm_source_of((struct flm_bytes){in->memory + in->at, (size_t)(in->end - in->at)});
    else
        in->source = (struct flm_source){.at = "", .end = "", .more = more};
    if (in->source.more)
        in->source.end = in->source.at;
}

static enum coding coding_of(struct flm_bytes head)
{
    return flm_bytes_start_with(head, "\x1F\x8B\x08")       ? GZIP
           : flm_bytes_start_with(head, "\x28\xB5\x2F\xFD") ? ZSTD
                                                            : PLAIN;
}

/* The first bytes show how the input is compressed. A pipe returns them only once, so they are read
 * into the window; of compressed input they then become the first bytes to decode. */
static bool find_coding(struct flm_input *in, struct flm_error *why)
{
    start(in);
    while (in->source.end - in->source.at < 4 && !in->source.last)
        if (!more(&in->source, why))
            return false;
    struct flm_bytes head = {in->source.at, (size_t)(in->source.end - in->source.at)};
    in->coding = coding_of(head);
    if (in->coding == PLAIN)
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

/* Opens "data" instead of the folder, if that is a perf.data file. */
static bool enter_folder(struct flm_input *in)
{
    char magic[8];
    int file = openat(in->file, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool good = file >= 0 && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                memcmp(magic, "PERFILE2", sizeof magic) == 0;
    if (!good) {
        if (file >= 0)
            close(file);
        return false;
    }
    in->folder = in->file;
    in->file = file;
    return true;
}

bool flm_input_is_recording(const char *path)
{
    struct flm_input in = {.file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .folder = -1};
    if (in.file < 0)
        return false;
    bool entered = enter_folder(&in);
    close(in.file);
    if (entered)
        close(in.folder);
    return entered;
}

static bool examine(struct flm_input *in, struct flm_error *why)
{
    struct stat stat;
    if (fstat(in->file, &stat) != 0)
        return system_error(why, "cannot be examined");
    if (S_ISDIR(stat.st_mode) && (in->folder >= 0 || !enter_folder(in) || fstat(in->file, &stat)))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "this is a folder, not a file");
    if (S_ISREG(stat.st_mode) && stat.st_size > 0) {
        /* Standard input may be in the middle of a file: the rest is then read like a pipe. */
        in->random_access = lseek(in->file, 0, SEEK_CUR) == 0;
        in->end = in->size = (uint64_t)stat.st_size;
        int64_t written_s = (int64_t)stat.st_mtim.tv_sec; /* unknown beyond the year 2261 */
        if (written_s > 0 && written_s < INT64_MAX / 1000000000)
            in->written_ns = written_s * 1000000000 + stat.st_mtim.tv_nsec;
    }
    return find_coding(in, why);
}

static struct flm_input *new_input(struct flm_error *why)
{
    struct flm_input *in = calloc(1, sizeof *in);
    if (!in) {
        flm_error_memory(why);
        return NULL;
    }
    in->file = in->folder = -1;
    in->window.first = FIRST_WINDOW;
    in->window.largest = LARGEST_WINDOW;
    return in;
}

/* The input, or NULL when it could not be opened. */
static struct flm_input *opened(struct flm_input *in, bool good)
{
    if (good)
        return in;
    flm_input_close(in);
    return NULL;
}

struct flm_input *flm_input_open(const char *path, struct flm_error *why)
{
    assert(path);
    struct flm_input *in = new_input(why);
    if (!in)
        return NULL;
    bool standard = strcmp(path, "-") == 0;
    in->file = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    return opened(in, in->file < 0 ? system_error(why, "cannot be opened") : examine(in, why));
}

struct flm_input *flm_input_open_part(const struct flm_input *whole, unsigned number,
                                      struct flm_error *why)
{
    char name[24];
    if (why)
        why->kind = FLM_ERROR_NONE;
    snprintf(name, sizeof name, "data.%u", number);
    int file =
        whole->folder < 0 ? -1 : openat(whole->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    struct flm_input *in = new_input(why);
    if (!in) {
        close(file);
        return NULL;
    }
    in->file = file;
    if (examine(in, why))
        return in;
    flm_error_within(why, name);
    flm_input_close(in);
    return NULL;
}

struct flm_input *flm_input_open_memory(struct flm_bytes bytes, struct flm_error *why)
{
    assert(bytes.at || bytes.size == 0);
    struct flm_input *in = new_input(why);
    if (!in)
        return NULL;
    in->memory = bytes.at ? bytes.at : "";
    in->random_access = true;
    in->end = in->size = bytes.size;
    in->coding = coding_of(bytes);
    if (in->coding != PLAIN) {
        in->raw = malloc(RAW_SIZE);
        if (!in->raw)
            return opened(in, flm_error_memory(why));
    }
    start(in);
    return in;
}

struct flm_input *flm_input_open_stream(flm_stream_read read, void *context, struct flm_error *why)
{
    assert(read);
    struct flm_input *in = new_input(why);
    if (!in)
        return NULL;
    in->read = read;
    in->read_context = context;
    return opened(in, find_coding(in, why));
}

struct flm_input *flm_input_open_chunk(const struct flm_input *whole, uint64_t from, uint64_t end,
                                       struct flm_error *why)
{
    assert(flm_input_is_plain(whole) && from <= end);
    struct flm_input *in = new_input(why);
    if (!in)
        return NULL;
    in->file = whole->file;
    in->memory = whole->memory;
    in->borrowed = in->random_access = true;
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
    if (!in->borrowed && in->file >= 0)
        close(in->file);
    if (in->folder >= 0)
        close(in->folder);
    free(in->raw);
    free(in->window.at);
    free(in);
}

struct flm_source *flm_input_source(struct flm_input *in)
{
    return &in->source;
}

bool flm_input_is_plain(const struct flm_input *in)
{
    return in->random_access && in->coding == PLAIN;
}

struct flm_bytes flm_input_map(struct flm_input *in)
{
    if (!in->mapped && !in->memory && flm_input_is_plain(in)) {
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
    /* Of memory that is the window, nothing is read: what counts is how far the reader is. */
    return in->memory && in->coding == PLAIN ? (uint64_t)(in->source.at - in->memory)
                                             : in->consumed;
}

int64_t flm_input_written_ns(const struct flm_input *in)
{
    return in->written_ns;
}
