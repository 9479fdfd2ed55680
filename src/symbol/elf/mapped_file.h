/* mapped_file.h - which file a process has mapped, by the kernel's numbers.
 *
 * A path says where a file was. A deployment or an update puts another file there, while processes
 * still run the old one, whose functions are at other addresses. perf's MMAP2 records and
 * /proc/PID/maps number the mapped file itself:
 *
 *     7f31a2c28000-7f31a2dbd000 r-xp 00028000 fd:00 131190    /usr/lib/libc.so.6
 *                                             major:minor inode
 *
 * Of a file with a build id that is enough to know; these numbers are for all others. */
#ifndef FLAMEL_SYMBOL_ELF_MAPPED_FILE_H
#define FLAMEL_SYMBOL_ELF_MAPPED_FILE_H

#include "symbol/elf/elf_file.h"
#include "symbol/identity/module_request.h"

/* Reads "fd:00 131190" in a line of /proc/PID/maps, after the offset. False: another form. */
bool flm_mapped_file_parse(const char *numbers, struct flm_mapped_file *file);

/* The generation is compared where both are known: /proc does not have it. */
bool flm_mapped_file_equal(const struct flm_mapped_file *a, const struct flm_mapped_file *b);

/* Whether that is the file. `same_boot`: the numbers of devices are those of this boot; without it
 * they are not compared. */
bool flm_mapped_file_is(const struct flm_mapped_file *mapped, const struct flm_elf_file *file,
                        bool same_boot);

#endif
