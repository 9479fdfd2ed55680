/* unpack.h - decompression of ELF sections: zlib, zstd, and xz for mini symbols.
 *
 * The file declares the decompressed size. It is refused if the compressed bytes cannot expand to
 * so much. */
#ifndef FLAMEL_SYMBOL_ELF_UNPACK_H
#define FLAMEL_SYMBOL_ELF_UNPACK_H

#include "symbol/elf/elf_file.h"

/* A compressed section, which starts with a header; `is_old`: with that of .zdebug_. The bytes, to
 * be freed, or NULL. */
char *flm_elf_unpack(const struct flm_elf_file *file, struct flm_bytes packed, bool is_old,
                     size_t *size);

/* An .xz file, through liblzma, which libdw depends on, and which is loaded when it is first
 * needed. The bytes, to be freed, or NULL. */
char *flm_xz_unpack(struct flm_bytes packed, size_t *size);

#endif
