/* io_stdio.c - blocks and lines by stdio. Stands in front of libc's.
 *
 * stdio reads and writes within libc, where nothing can stand in front of it. So its own functions
 * are measured: fread, fwrite, fgets, fputs, getline, fflush, fclose. What the buffer of a stream
 * satisfies is counted with its bytes, and no clock is read; what may reach the system is timed, as
 * read() and write() are. What is printed and scanned, and single characters, are in
 * io_formatted.c. What the program writes into a buffer by macros (putc_unlocked) is not seen: it
 * is timed when one of these writes it, without its bytes. */
#undef _FORTIFY_SOURCE
#include "io_stdio.h"

#include <fcntl.h>
#include <string.h>

/* Macros, for some. */
#undef fread_unlocked
#undef fwrite_unlocked
#undef fgets_unlocked
#undef fputs_unlocked

FLM_BEHIND(fread);
FLM_BEHIND(fread_unlocked);
FLM_BEHIND(fwrite);
FLM_BEHIND(fwrite_unlocked);
FLM_BEHIND(fgets);
FLM_BEHIND(fgets_unlocked);
FLM_BEHIND(fputs);
FLM_BEHIND(fputs_unlocked);
FLM_BEHIND(getline);
FLM_BEHIND(getdelim);
FLM_BEHIND(__getdelim);
FLM_BEHIND(fflush);
FLM_BEHIND(fclose);
FLM_BEHIND(pclose);
FLM_BEHIND(fopen);
FLM_BEHIND(fopen64);
FLM_BEHIND(freopen);
FLM_BEHIND(freopen64);

static bool has_end(FILE *stream, int end)
{
#ifdef __GLIBC__
    size_t size = flm_to_read(stream);
    return size > 0 && memchr(stream->_IO_read_ptr, end, size) != NULL;
#else
    (void)stream, (void)end;
    return false;
#endif
}

struct stream_call {
    struct flm_file *file;
    struct flm_io io;
    enum flm_probe_operation operation;
    bool is_timed;
};

static bool begin(struct stream_call *call, FILE *stream, enum flm_probe_operation operation,
                  bool is_buffered)
{
    call->file = flm_is_seen(FLM_PROBE_IO) ? flm_file_of_stream(stream) : NULL;
    call->operation = operation;
    call->is_timed = !is_buffered;
    return call->file && (is_buffered || flm_io_begin(&call->io, call->file, operation));
}

static void end(struct stream_call *call, ssize_t amount)
{
    if (call->is_timed)
        flm_io_end(&call->io, amount);
    else
        flm_io_count(call->file, call->operation, amount < 0 ? 0 : amount);
}

/* Nothing, and the stream has an error: it failed. */
static ssize_t amount_of(FILE *stream, size_t size)
{
    return size == 0 && ferror(stream) ? -1 : (ssize_t)size;
}

#define FLM_BLOCK(name, kind, constant, buffered)                                                  \
    FLM_FRONT size_t name(constant void *restrict bytes, size_t size, size_t count,                \
                          FILE *restrict stream)                                                   \
    {                                                                                              \
        struct stream_call call;                                                                   \
        if (!begin(&call, stream, kind, size * count < buffered(stream)))                          \
            return FLM_REAL(name)(bytes, size, count, stream);                                     \
        size_t result = FLM_REAL(name)(bytes, size, count, stream);                                \
        end(&call, amount_of(stream, result *size));                                               \
        return result;                                                                             \
    }
FLM_BLOCK(fread, FLM_PROBE_FILE_READ, , flm_to_read)
FLM_BLOCK(fread_unlocked, FLM_PROBE_FILE_READ, , flm_to_read)
FLM_BLOCK(fwrite, FLM_PROBE_FILE_WRITE, const, flm_to_write)
FLM_BLOCK(fwrite_unlocked, FLM_PROBE_FILE_WRITE, const, flm_to_write)

size_t __fread_chk(void *restrict bytes, size_t room, size_t size, size_t count,
                   FILE *restrict stream);
FLM_BEHIND(__fread_chk);
FLM_FRONT size_t __fread_chk(void *restrict bytes, size_t room, size_t size, size_t count,
                             FILE *restrict stream)
{
    struct stream_call call;
    if (!begin(&call, stream, FLM_PROBE_FILE_READ, size * count < flm_to_read(stream)))
        return FLM_REAL(__fread_chk)(bytes, room, size, count, stream);
    size_t result = FLM_REAL(__fread_chk)(bytes, room, size, count, stream);
    end(&call, amount_of(stream, result * size));
    return result;
}

static bool has_line(FILE *stream, int size)
{
    return size > 0 && ((size_t)size <= flm_to_read(stream) || has_end(stream, '\n'));
}

#define FLM_LINE(name)                                                                             \
    FLM_FRONT char *name(char *restrict text, int size, FILE *restrict stream)                     \
    {                                                                                              \
        struct stream_call call;                                                                   \
        if (!begin(&call, stream, FLM_PROBE_FILE_READ, has_line(stream, size)))                    \
            return FLM_REAL(name)(text, size, stream);                                             \
        char *result = FLM_REAL(name)(text, size, stream);                                         \
        end(&call, result ? (ssize_t)strlen(result) : amount_of(stream, 0));                       \
        return result;                                                                             \
    }
FLM_LINE(fgets)
FLM_LINE(fgets_unlocked)

char *__fgets_chk(char *restrict text, size_t room, int size, FILE *restrict stream);
FLM_BEHIND(__fgets_chk);
FLM_FRONT char *__fgets_chk(char *restrict text, size_t room, int size, FILE *restrict stream)
{
    struct stream_call call;
    if (!begin(&call, stream, FLM_PROBE_FILE_READ, has_line(stream, size)))
        return FLM_REAL(__fgets_chk)(text, room, size, stream);
    char *result = FLM_REAL(__fgets_chk)(text, room, size, stream);
    end(&call, result ? (ssize_t)strlen(result) : amount_of(stream, 0));
    return result;
}

#define FLM_TEXT(name)                                                                             \
    FLM_FRONT int name(const char *restrict text, FILE *restrict stream)                           \
    {                                                                                              \
        struct stream_call call;                                                                   \
        bool is_seen = flm_is_seen(FLM_PROBE_IO);                                                  \
        size_t size = is_seen ? strlen(text) : 0;                                                  \
        if (!is_seen || !begin(&call, stream, FLM_PROBE_FILE_WRITE, size < flm_to_write(stream)))  \
            return FLM_REAL(name)(text, stream);                                                   \
        int result = FLM_REAL(name)(text, stream);                                                 \
        end(&call, result == EOF ? -1 : (ssize_t)size);                                            \
        return result;                                                                             \
    }
FLM_TEXT(fputs)
FLM_TEXT(fputs_unlocked)

#define FLM_UNTIL(name, until, parameters, arguments)                                              \
    FLM_FRONT ssize_t name parameters                                                              \
    {                                                                                              \
        struct stream_call call;                                                                   \
        if (!begin(&call, stream, FLM_PROBE_FILE_READ, has_end(stream, until)))                    \
            return FLM_REAL(name) arguments;                                                       \
        ssize_t result = FLM_REAL(name) arguments;                                                 \
        end(&call, result < 0 ? amount_of(stream, 0) : result);                                    \
        return result;                                                                             \
    }
FLM_UNTIL(getline, '\n', (char **restrict text, size_t *restrict room, FILE *restrict stream),
          (text, room, stream))
FLM_UNTIL(getdelim, until,
          (char **restrict text, size_t *restrict room, int until, FILE *restrict stream),
          (text, room, until, stream))
FLM_UNTIL(__getdelim, until,
          (char **restrict text, size_t *restrict room, int until, FILE *restrict stream),
          (text, room, until, stream))

/* ---- Writing what is in the buffer ----------------------------------------------------------- */

static bool has_written(FILE *stream)
{
#ifdef __GLIBC__
    return stream->_IO_write_ptr > stream->_IO_write_base;
#else
    return stream != NULL;
#endif
}

/* Its bytes were counted when they came. Of all streams at once nothing is known. */
FLM_FRONT int fflush(FILE *stream)
{
    struct stream_call call;
    if (!stream || !has_written(stream) || !begin(&call, stream, FLM_PROBE_FILE_WRITE, false))
        return FLM_REAL(fflush)(stream);
    int result = FLM_REAL(fflush)(stream);
    end(&call, result == 0 ? 0 : -1);
    return result;
}

FLM_BEHIND(fflush_unlocked);
FLM_FRONT int fflush_unlocked(FILE *stream)
{
    struct stream_call call;
    if (!stream || !has_written(stream) || !begin(&call, stream, FLM_PROBE_FILE_WRITE, false))
        return FLM_REAL(fflush_unlocked)(stream);
    int result = FLM_REAL(fflush_unlocked)(stream);
    end(&call, result == 0 ? 0 : -1);
    return result;
}

static void forget(FILE *stream)
{
    int kept = errno, number = fileno(stream);
    errno = kept;
    flm_file_forget(number);
}

FLM_FRONT int fclose(FILE *stream)
{
    struct stream_call call;
    if (!flm_is_seen(FLM_PROBE_IO))
        return FLM_REAL(fclose)(stream);
    bool is_timed = has_written(stream) && begin(&call, stream, FLM_PROBE_FILE_WRITE, false);
    forget(stream);
    int result = FLM_REAL(fclose)(stream);
    if (is_timed)
        end(&call, result == 0 ? 0 : -1);
    return result;
}

FLM_FRONT int pclose(FILE *stream)
{
    if (flm_is_seen(FLM_PROBE_IO))
        forget(stream);
    return FLM_REAL(pclose)(stream);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static FILE *opened(const char *path, FILE *stream, uint64_t start)
{
    static const char not_opened[] = "<not opened>";
    int kept = errno, number = stream ? fileno(stream) : -1;
    struct flm_file *file;
    if (number >= 0) {
        flm_file_forget(number);
        file = flm_file_at_path(path, number);
        flm_file_is(number, file);
    } else {
        file = flm_file_named(not_opened, sizeof not_opened - 1);
    }
    errno = kept;
    flm_io_add(file, FLM_PROBE_FILE_OPEN, start, stream != NULL);
    return stream;
}

#define FLM_FOPEN(name)                                                                            \
    FLM_FRONT FILE *name(const char *restrict path, const char *restrict mode)                     \
    {                                                                                              \
        if (!flm_is_seen(FLM_PROBE_IO))                                                            \
            return FLM_REAL(name)(path, mode);                                                     \
        uint64_t start = flm_clock_ticks();                                                        \
        return opened(path, FLM_REAL(name)(path, mode), start);                                    \
    }
FLM_FOPEN(fopen)
FLM_FOPEN(fopen64)

/* Without a path it is the same file. */
#define FLM_FREOPEN(name)                                                                          \
    FLM_FRONT FILE *name(const char *restrict path, const char *restrict mode,                     \
                         FILE *restrict stream)                                                    \
    {                                                                                              \
        if (!flm_is_seen(FLM_PROBE_IO) || !path)                                                   \
            return FLM_REAL(name)(path, mode, stream);                                             \
        uint64_t start = flm_clock_ticks();                                                        \
        forget(stream);                                                                            \
        return opened(path, FLM_REAL(name)(path, mode, stream), start);                            \
    }
FLM_FREOPEN(freopen)
FLM_FREOPEN(freopen64)
