/* head.h - what the beginning of a file says: whether it is folded stacks, and of how many values.
 *
 * Much text has lines that end in a number. A file is folded stacks when nearly all of its lines
 * are (9 of 10; one other line is allowed where there are stacks of several frames; a third of them
 * where the others are four such stacks or more whose names have no blanks), blank lines and
 * comments (#) aside. The reader counts the other lines. What a line is:
 *
 *     main;parse;read 42           a stack: there is a ';', and it ends in a number after a blank
 *     main;parse                   a stack without a value: the reader counts it as malformed. It
 *                                  speaks neither for nor against, but not more than half are such
 *     main 42                      a stack of one frame: a number, or two, after a name
 *     operator new(size_t) 42      a name with blanks has (, <, [ or :: in it, too
 *     http 80/tcp                  another: no number at the end
 *     MemFree: 42    x = 42        another: the name ends in one of : , = |
 *     16 400    12 files 42        another: the name begins with a number, or it is several words
 *     int x;    if (a) {           another: code
 *
 *     10:02:07 main; took 42       a log: one of its first words is a time of day
 *     "a b";c;42    a,b 42         a table: quotes around its first field, commas without a blank
 *     x = 1; return 5              code, though it ends in a number
 *     "# TYPE x gauge"             a comment of metrics
 *
 * Where a tenth of the lines have a ';' at least, the name of a single frame may be anything. Lines
 * that all have as many ';', and a number at the same of them, are a table, too; those that all end
 * in a value and a date (in seconds or ms since 1970) are metrics.
 *
 * /proc/vmstat and other lists of names and numbers are stacks of one frame by this rule. A file
 * that it refuses is read when the format is given (-f folded). */
#ifndef FLAMEL_FORMAT_FOLDED_HEAD_H
#define FLAMEL_FORMAT_FOLDED_HEAD_H

#include "base/text/text.h"

static inline bool flm_folded_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The last word of [start, *end); *end moves before the blanks that precede it. Empty when no blank
 * precedes it: after a name there is one. */
static inline struct flm_bytes flm_folded_last_word(const char *start, const char **end)
{
    const char *word = *end;
    while (word > start && !flm_folded_is_blank(word[-1]))
        word--;
    struct flm_bytes taken = {word, (size_t)(*end - word)};
    if (word == start)
        taken.size = 0;
    /* One blank separates; further ones are part of the name, except those that pad the value. */
    while (word > start && flm_folded_is_blank(word[-1]))
        word--;
    *end = word;
    return taken;
}

/* The certainty that a file with this beginning is folded stacks (enum flm_sniff). */
int flm_folded_sniff(struct flm_bytes head, bool whole);

/* Adds why it is not: "line 3, 'http 80/tcp', ...". */
void flm_folded_explain(struct flm_bytes head, bool whole, struct flm_text *out);

/* How many values each line has: 1 or 2. */
int flm_folded_columns(struct flm_bytes head);

#endif
