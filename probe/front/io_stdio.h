/* io_stdio.h - what is in the buffer of a stream. */
#ifndef FLAMEL_PROBE_IO_STDIO_H
#define FLAMEL_PROBE_IO_STDIO_H

#include <stdio.h>

#include "io.h"

#ifdef __GLIBC__
/* Another thread may use the stream meanwhile: then it is timed or not, and no more. */
static inline size_t flm_to_read(FILE *stream)
{
    return stream->_IO_read_end > stream->_IO_read_ptr
               ? (size_t)(stream->_IO_read_end - stream->_IO_read_ptr)
               : 0;
}

static inline size_t flm_to_write(FILE *stream)
{
    return stream->_IO_write_end > stream->_IO_write_ptr
               ? (size_t)(stream->_IO_write_end - stream->_IO_write_ptr)
               : 0;
}
#else
static inline size_t flm_to_read(FILE *stream)
{
    (void)stream;
    return 0;
}

static inline size_t flm_to_write(FILE *stream)
{
    (void)stream;
    return 0;
}
#endif

/* A stream of memory has no number. */
static inline struct flm_file *flm_file_of_stream(FILE *stream)
{
    int kept = errno, number = stream ? fileno(stream) : -1;
    errno = kept;
    return number >= 0 ? flm_file_of(number) : NULL;
}

#endif
