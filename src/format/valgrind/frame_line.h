/* frame_line.h - frames as massif and DHAT write them.
 *
 *     0x4004A1D: call_init (dl-init.c:74)
 *     0x48FB7B9: ??? (in /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)
 *     (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *
 * The line is a location. The address is dropped: nothing says where its module was mapped. The
 * last of these lines has no address: all of it is the name. */
#ifndef FLAMEL_FORMAT_VALGRIND_FRAME_LINE_H
#define FLAMEL_FORMAT_VALGRIND_FRAME_LINE_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

struct flm_frame flm_valgrind_frame(struct flm_builder *builder, struct flm_bytes text);

#endif
