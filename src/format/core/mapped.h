/* mapped.h - where modules were mapped, as notes: for frames that are addresses.
 *
 * A reader of a format whose frames may have no names makes a frame with the flag
 * FLM_FRAME_UNSYMBOLIZED, its module (the path of the file), and the address that the file has. A
 * note for each module (FLM_NOTE_MAPPED) then says how such an address becomes one of the module:
 *
 *     mapped /usr/lib/libc.so.6    7f31a2c28000-7f31a2d8a000@28000 id=c0ffee...
 *     mapped /opt/app/libapp.so    relative id=...
 *     mapped libm.so.6             relative id-begins=... file=/usr/lib/libm.so.6
 *     mapped /usr/bin/app          id=...
 *
 * The last one is of a recording whose frames have names: its locations have addresses of the file
 * already, and only which file it was is to be known. Words with '@' are the ranges of addresses
 * that were mapped, and from which offset of the file; "relative": addresses are those from the
 * beginning of the module. "file=" is the last: its path, where the module has only a name. Where
 * the files of the machine and the options for symbols are at hand, load/symbolize.c names frames
 * without names. */
#ifndef FLAMEL_FORMAT_CORE_MAPPED_H
#define FLAMEL_FORMAT_CORE_MAPPED_H

#include "base/core/bytes.h"
#include "base/text/text.h"
#include "flamel/builder.h"

struct flm_mapped {
    uint64_t start, limit, offset; /* limit 0: addresses are relative to the module */
    bool in_file;                  /* they are those of the file, and there is no range */
    struct flm_bytes path;
    struct flm_bytes build_id; /* hexadecimal digits; empty: not known */
    struct flm_bytes id_begin; /* the first digits of it, where the others are not known */
    struct flm_bytes file;     /* empty: the path is its */
};

/* Makes the notes for `count` mappings. Those of one path become one note; of many modules, the
 * first thousand have notes. Mappings without a path are left out. */
void flm_mapped_note(struct flm_builder *builder, const struct flm_mapped *mapped, size_t count);

/* Appends the name that pprof shows for a frame without one: its address, "0x4bff6d"; without an
 * address, the file name of its module, "[libc.so.6]"; without both, "[unknown]". */
void flm_mapped_frame_name(struct flm_text *out, uint64_t address, struct flm_bytes path);

/* Appends the name of code in a module that no symbol names: "libc.so.6+0x27b25", by its address
 * there. It is the same in each recording of a build. */
void flm_mapped_place_name(struct flm_text *out, uint64_t address, struct flm_bytes path);

/* Takes the next range off the value of a note; its path is that of the note's key, `build_id` is
 * that of the whole note. False after the last one. */
bool flm_mapped_next(struct flm_bytes *value, struct flm_mapped *mapped);

/* The value of the note of a module, which is a string of the profile; "": there is none. */
struct flm_bytes flm_mapped_note_of(const struct flm_profile *profile, uint32_t module);

/* Whether both sides of a comparison (flm_comparison_align) have the same build of a module, a
 * string of the profile: their machine code is at the same addresses only then. The notes of
 * another one have the name of their side: "before:mapped /usr/bin/app". */
enum flm_same_build { FLM_BUILD_UNKNOWN, FLM_BUILD_SAME, FLM_BUILD_OTHER };
enum flm_same_build flm_mapped_same_build(const struct flm_profile *compared, uint32_t module);

/* The build id, its first digits, and the file in the value of a note; empty: not known. */
struct flm_bytes flm_mapped_id(struct flm_bytes value);
struct flm_bytes flm_mapped_id_begin(struct flm_bytes value);
struct flm_bytes flm_mapped_file(struct flm_bytes value);

#endif
