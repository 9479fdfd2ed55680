/* pprof.h - profiles of pprof: profile.proto, read and written, and the formats that came before.
 *
 * profile.proto is a message of Protocol Buffers (protobuf/wire_read.h), mostly under gzip, in
 * which samples refer to tables by number:
 *
 *     Profile   1 sample type*   {1 type, 2 unit}                        -> metrics
 *               2 sample*        {1 locations*, leaf first; 2 values*, one for each sample type;
 *                                 3 labels* {1 key, 2 text, 3 number, 4 unit of the number}}
 *               3 mapping*       {1 id, 2 start, 3 limit, 4 offset, 5 file, 6 build id}
 *               4 location*      {1 id, 2 mapping, 3 address, 4 lines* {1 function, 2 line}}
 *               5 function*      {1 id, 2 name, 3 system name, 4 file, 5 first line}
 *               6 string*        the first is empty; names, files, units ... are indices of these
 *               7 drop frames    8 keep frames   9 time   10 duration   11 type of the period
 *               12 period   13 comments*   14 default sample type   15 documentation
 *
 * A location with several lines is code with inlined functions: the first line is the innermost.
 * One without lines has no symbol: its frame is called by its address, and core/mapped.h says
 * where the module was mapped. Ids are any numbers but 0, mostly 1, 2, 3 ...
 *
 * Fields have no order, and what samples refer to mostly follows them, so the input is passed over
 * twice: once for the tables, of which only the positions are kept, once for the samples. Samples
 * of few stacks, without labels, are added up in the first pass already (pprof_sums.c). A location
 * is turned into frames when the first sample uses it. Stacks are found by the bytes of their
 * locations: most samples repeat a stack, and others share its outer part with the sample before,
 * so that few of a file's frames are looked up one by one.
 *
 * A label of a sample that is a number becomes a text, with its unit: "bytes" "4096 bytes". The
 * note FLM_NOTE_NUMERIC names the keys of such labels, so that they are written as numbers again.
 *
 *     pprof.c          the entry; which files are pprof's
 *     internal.h       reading profile.proto: tables, samples, the whole file
 *     pprof_write.c    and back
 *     legacy.h         the formats that came before */
#ifndef FLAMEL_FORMAT_PPROF_PPROF_H
#define FLAMEL_FORMAT_PPROF_PPROF_H

#include "format/core/format.h"
#include "format/core/units.h"

/* The label that is the time of its sample, in nanoseconds since 1970 (as Datadog's profilers write
 * it). */
#define FLM_PPROF_TIME "end_timestamp_ns"

bool flm_pprof_read(struct flm_source *source, const struct flm_read_options *options,
                    struct flm_builder *builder, struct flm_error *why);

/* A profile that is only added to others (pprof_unordered.c), of the whole input that the source
 * has. NULL where it has to be read by flm_pprof_read. */
struct flm_profile *flm_pprof_read_unordered(struct flm_source *source,
                                             const struct flm_read_options *options);

bool flm_pprof_write(const struct flm_profile *profile, const struct flm_write_options *options,
                     struct flm_text *out, struct flm_error *why);

#endif
