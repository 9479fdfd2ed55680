/* io_formatted.c - what is printed and scanned, and single characters, by stdio. Stands in front
 * of what libc has of these.
 *
 * How much that is, and whether it reaches the file, is known only afterwards: by what the buffer
 * of the stream has more. What stays there is counted with its bytes; else the call is timed, from
 * before it formatted anything. */
#undef _FORTIFY_SOURCE
#include "io_stdio.h"

#include <stdarg.h>

#ifdef __GLIBC__

/* ---- Writing --------------------------------------------------------------------------------- */

struct print_call {
    struct flm_file *file; /* NULL: it is not measured */
    FILE *stream;
    size_t before; /* bytes in the buffer */
    uint64_t start;
};

static size_t filled(FILE *stream)
{
    return stream->_IO_write_ptr > stream->_IO_write_base
               ? (size_t)(stream->_IO_write_ptr - stream->_IO_write_base)
               : 0;
}

static inline struct print_call begin_print(FILE *stream)
{
    struct print_call call = {0};
    if (FLM_RARELY(flm_is_seen(FLM_PROBE_IO)) && (call.file = flm_file_of_stream(stream))) {
        call.stream = stream;
        call.before = filled(stream);
        call.start = flm_clock_ticks();
    }
    return call;
}

static inline void end_print(const struct print_call *call, ssize_t amount)
{
    if (!call->file)
        return;
    if (amount >= 0 && filled(call->stream) == call->before + (size_t)amount)
        flm_io_count(call->file, FLM_PROBE_FILE_WRITE, amount);
    else
        flm_io_add_amount(call->file, FLM_PROBE_FILE_WRITE, call->start, amount);
}

/* The number of bytes is what the function returns. */
#define FLM_PRINT(name, behind, stream, parameters, last, arguments)                               \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        va_list more;                                                                              \
        struct print_call call = begin_print(stream);                                              \
        va_start(more, last);                                                                      \
        int result = FLM_REAL(behind) arguments;                                                   \
        va_end(more);                                                                              \
        end_print(&call, result);                                                                  \
        return result;                                                                             \
    }
#define FLM_PRINT_LIST(name, stream, parameters, arguments)                                        \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct print_call call = begin_print(stream);                                              \
        int result = FLM_REAL(name) arguments;                                                     \
        end_print(&call, result);                                                                  \
        return result;                                                                             \
    }

/* Called where a program is compiled with _FORTIFY_SOURCE; libc's headers do not declare them. */
int __vfprintf_chk(FILE *to, int flag, const char *format, va_list more);
int __vprintf_chk(int flag, const char *format, va_list more);
int __fprintf_chk(FILE *to, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
FLM_BEHIND(vfprintf);
FLM_BEHIND(vprintf);
FLM_BEHIND(__vfprintf_chk);
FLM_BEHIND(__vprintf_chk);

FLM_PRINT_LIST(vfprintf, to, (FILE *restrict to, const char *restrict format, va_list more),
               (to, format, more))
FLM_PRINT_LIST(vprintf, stdout, (const char *restrict format, va_list more), (format, more))
FLM_PRINT_LIST(__vfprintf_chk, to, (FILE * to, int flag, const char *format, va_list more),
               (to, flag, format, more))
FLM_PRINT_LIST(__vprintf_chk, stdout, (int flag, const char *format, va_list more),
               (flag, format, more))
FLM_PRINT(fprintf, vfprintf, to, (FILE *restrict to, const char *restrict format, ...), format,
          (to, format, more))
FLM_PRINT(printf, vprintf, stdout, (const char *restrict format, ...), format, (format, more))
FLM_PRINT(__fprintf_chk, __vfprintf_chk, to, (FILE * to, int flag, const char *format, ...), format,
          (to, flag, format, more))
FLM_PRINT(__printf_chk, __vprintf_chk, stdout, (int flag, const char *format, ...), format,
          (flag, format, more))

FLM_BEHIND(puts);
FLM_FRONT int puts(const char *text)
{
    struct print_call call = begin_print(stdout);
    int result = FLM_REAL(puts)(text);
    end_print(&call, result == EOF ? -1 : (ssize_t)__builtin_strlen(text) + 1);
    return result;
}

#define FLM_PUT(name, stream, parameters, arguments)                                               \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct print_call call = begin_print(stream);                                              \
        int result = FLM_REAL(name) arguments;                                                     \
        end_print(&call, result == EOF ? -1 : 1);                                                  \
        return result;                                                                             \
    }
#undef putc
#undef putchar
int _IO_putc(int c, FILE *to);
FLM_PUT(fputc, to, (int c, FILE *to), (c, to))
FLM_PUT(putc, to, (int c, FILE *to), (c, to))
FLM_PUT(_IO_putc, to, (int c, FILE *to), (c, to))
FLM_PUT(putchar, stdout, (int c), (c))
/* Where they are called: compilers have most of these in the program itself. */
#undef putc_unlocked
#undef fputc_unlocked
#undef putchar_unlocked
FLM_PUT(fputc_unlocked, to, (int c, FILE *to), (c, to))
FLM_PUT(putc_unlocked, to, (int c, FILE *to), (c, to))
FLM_PUT(putchar_unlocked, stdout, (int c), (c))

/* To a file without a stream: with its formatting. */
#define FLM_PRINT_AT(name, parameters, arguments)                                                  \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct flm_io io;                                                                          \
        bool is_measured =                                                                         \
            flm_is_seen(FLM_PROBE_IO) && flm_io_begin_at(&io, to, FLM_PROBE_FILE_WRITE);           \
        int result = FLM_REAL(name) arguments;                                                     \
        if (is_measured)                                                                           \
            flm_io_end(&io, result);                                                               \
        return result;                                                                             \
    }
int __vdprintf_chk(int to, int flag, const char *format, va_list more);
int __dprintf_chk(int to, int flag, const char *format, ...);
FLM_PRINT_AT(vdprintf, (int to, const char *restrict format, va_list more), (to, format, more))
FLM_PRINT_AT(__vdprintf_chk, (int to, int flag, const char *format, va_list more),
             (to, flag, format, more))

FLM_FRONT int dprintf(int to, const char *restrict format, ...)
{
    va_list more;
    va_start(more, format);
    int result = vdprintf(to, format, more);
    va_end(more);
    return result;
}

FLM_FRONT int __dprintf_chk(int to, int flag, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int result = __vdprintf_chk(to, flag, format, more);
    va_end(more);
    return result;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct scan_call {
    struct flm_file *file; /* NULL: it is not measured */
    FILE *stream;
    const char *at, *end; /* of what was in the buffer */
    uint64_t start;
};

static inline struct scan_call begin_scan(FILE *stream)
{
    struct scan_call call = {0};
    if (FLM_RARELY(flm_is_seen(FLM_PROBE_IO)) && (call.file = flm_file_of_stream(stream))) {
        call.stream = stream;
        call.at = stream->_IO_read_ptr;
        call.end = stream->_IO_read_end;
        call.start = flm_clock_ticks();
    }
    return call;
}

/* What was in the buffer, and what is gone of what came into it: all, if it was filled once. */
static inline void end_scan(const struct scan_call *call)
{
    if (!call->file)
        return;
    const FILE *stream = call->stream;
    if (stream->_IO_read_end == call->end && stream->_IO_read_ptr >= call->at && call->at) {
        ssize_t amount = stream->_IO_read_ptr - call->at;
        if (amount > 0)
            flm_io_count(call->file, FLM_PROBE_FILE_READ, amount);
        return;
    }
    ssize_t amount = (call->end - call->at) + (stream->_IO_read_ptr - stream->_IO_read_base);
    flm_io_add_amount(call->file, FLM_PROBE_FILE_READ, call->start,
                      amount == 0 && ferror(call->stream) ? -1 : amount);
}

#define FLM_SCAN_LIST(name, stream, parameters, arguments)                                         \
    int name parameters;                                                                           \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct scan_call call = begin_scan(stream);                                                \
        int result = FLM_REAL(name) arguments;                                                     \
        end_scan(&call);                                                                           \
        return result;                                                                             \
    }
#define FLM_SCAN(name, behind, stream, parameters, arguments)                                      \
    int name parameters;                                                                           \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        va_list more;                                                                              \
        struct scan_call call = begin_scan(stream);                                                \
        va_start(more, format);                                                                    \
        int result = FLM_REAL(behind) arguments;                                                   \
        va_end(more);                                                                              \
        end_scan(&call);                                                                           \
        return result;                                                                             \
    }
/* By the standard that a program is compiled for they have other names. */
#define FLM_SCANS(prefix, suffix)                                                                  \
    FLM_SCAN_LIST(prefix##vfscanf##suffix, from, (FILE * from, const char *format, va_list more),  \
                  (from, format, more))                                                            \
    FLM_SCAN_LIST(prefix##vscanf##suffix, stdin, (const char *format, va_list more),               \
                  (format, more))                                                                  \
    FLM_SCAN(prefix##fscanf##suffix, prefix##vfscanf##suffix, from,                                \
             (FILE * from, const char *format, ...), (from, format, more))                         \
    FLM_SCAN(prefix##scanf##suffix, prefix##vscanf##suffix, stdin, (const char *format, ...),      \
             (format, more))
FLM_SCANS(__isoc99_, )
FLM_SCANS(__isoc23_, )

/* Of a program for a standard before C99. Here these are the others' names, so they have some of
 * their own. */
typedef int scan_list(FILE *from, const char *format, va_list more);
FLM_FRONT int front_vfscanf(FILE *from, const char *format, va_list more) __asm__("vfscanf");
FLM_FRONT int front_vscanf(const char *format, va_list more) __asm__("vscanf");
FLM_FRONT int front_fscanf(FILE *from, const char *format, ...) __asm__("fscanf");
FLM_FRONT int front_scanf(const char *format, ...) __asm__("scanf");

int front_vfscanf(FILE *from, const char *format, va_list more)
{
    static uintptr_t real;
    struct scan_call call = begin_scan(from);
    int result = ((scan_list *)flm_behind(&real, "vfscanf"))(from, format, more);
    end_scan(&call);
    return result;
}

int front_vscanf(const char *format, va_list more)
{
    return front_vfscanf(stdin, format, more);
}

int front_fscanf(FILE *from, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int result = front_vfscanf(from, format, more);
    va_end(more);
    return result;
}

int front_scanf(const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int result = front_vfscanf(stdin, format, more);
    va_end(more);
    return result;
}

#define FLM_GET(name, stream, parameters, arguments)                                               \
    FLM_BEHIND(name);                                                                              \
    FLM_FRONT int name parameters                                                                  \
    {                                                                                              \
        struct scan_call call = begin_scan(stream);                                                \
        int result = FLM_REAL(name) arguments;                                                     \
        end_scan(&call);                                                                           \
        return result;                                                                             \
    }
#undef getc
#undef getchar
int _IO_getc(FILE *from);
FLM_GET(fgetc, from, (FILE * from), (from))
FLM_GET(getc, from, (FILE * from), (from))
FLM_GET(_IO_getc, from, (FILE * from), (from))
FLM_GET(getchar, stdin, (void), ())
#undef getc_unlocked
#undef fgetc_unlocked
#undef getchar_unlocked
FLM_GET(fgetc_unlocked, from, (FILE * from), (from))
FLM_GET(getc_unlocked, from, (FILE * from), (from))
FLM_GET(getchar_unlocked, stdin, (void), ())

#endif
