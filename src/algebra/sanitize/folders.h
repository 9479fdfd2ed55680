/* folders.h - texts without the folders of the paths in them.
 *
 *     open /home/ann/acme/log.c:12        open log.c:12
 *     (C:\src\acme\x.cpp)                 (x.cpp)
 *     https://cdn.acme.com/js/a.js?k=1    a.js
 *     operator/, com/acme/Codec.encode    as they are: names, not paths
 *
 * A path begins with a slash, ~/, ./, ../, a drive or a scheme, and not behind a letter. It may
 * have blanks and brackets in it where what follows them has a slash. Of URLs hosts, queries and
 * data go, too. */
#ifndef FLAMEL_ALGEBRA_SANITIZE_FOLDERS_H
#define FLAMEL_ALGEBRA_SANITIZE_FOLDERS_H

#include "base/text/text.h"

void flm_add_without_folders(struct flm_text *out, struct flm_bytes text);

#endif
