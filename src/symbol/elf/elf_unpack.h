/* elf_unpack.h - what is packed in an ELF file: sections by zlib and zstd, mini symbols by xz.
 *
 * The size of what comes out is said by the file, so it is only believed as far as the packed bytes
 * can become so much. */
#ifndef FLAMEL_SYMBOL_ELF_ELF_UNPACK_H
#define FLAMEL_SYMBOL_ELF_ELF_UNPACK_H

#include "symbol/elf/elf_file.h"

/* A packed section, which begins with a header; `is_old`: with that of .zdebug_. The bytes, to be
 * freed, or NULL. */
char *flm_elf_unpack(const struct flm_elf_file *file, struct flm_bytes packed, bool is_old,
                     size_t *size);

/* A .xz file, by liblzma, which is there wherever libdw is and is opened when it is first needed.
 * The bytes, to be freed, or NULL. */
char *flm_xz_unpack(struct flm_bytes packed, size_t *size);

#endif
