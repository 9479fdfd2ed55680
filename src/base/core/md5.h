/* md5.h - MD5, by which DWARF 5 says which source file was compiled (RFC 1321). For nothing else:
 * whoever wants two files of one MD5 can have them. */
#ifndef FLAMEL_BASE_CORE_MD5_H
#define FLAMEL_BASE_CORE_MD5_H

#include "base/core/bytes.h"

enum { FLM_MD5_SIZE = 16 };

void flm_md5(struct flm_bytes bytes, unsigned char digest[FLM_MD5_SIZE]);

#endif
