/* short_names.h - the names of one list, shortened so that no two functions read the same.
 *
 * Each is shortened to its room as a label is (label.h). Where that makes two functions read the
 * same, what tells them apart is kept instead, with the function and its class as far as there is
 * room, and ellipses for what is left out:
 *
 *     std::map<Key, std::less<Key> >::find(Key const&)     std::map<Key, std::les…>::find
 *     std::map<int, std::less<int> >::find(int const&)     map<…<int> >::find(int const&)
 *     std::map<int, std::less<int> >::find(int) const      map<…>::find(int const&) const
 *
 * Functions of one name get the place they are from behind it, "find (libc.so.6)", and what still
 * reads the same, in a column of a few letters, is numbered: "find (2)".
 *
 * Only the names of the list are compared, those that are on the screen together: the cost is that
 * of sorting them. */
#ifndef FLAMEL_DRAW_TEXT_SHORT_NAMES_H
#define FLAMEL_DRAW_TEXT_SHORT_NAMES_H

#include "base/text/text.h"
#include "draw/text/label.h"

struct flm_short_name {
    struct flm_bytes plain; /* the name (visible.h) */
    struct flm_bytes where; /* plain: what tells functions of this name apart; {NULL}: nothing */
    uint64_t function;      /* rows of one function may read the same */
    double room;            /* in pixels of the font */
    const struct flm_font *font;
    size_t from, size; /* is set: the shortened name, in `out` */
};

/* Shortens all of them into `out`, which may have text already. `ellipsis` is as wide as the fonts
 * say. Where there is room for a letter, no name is empty. False if memory ran out. */
bool flm_short_names(struct flm_short_name *names, size_t count, const char *ellipsis,
                     struct flm_text *out);

#endif
