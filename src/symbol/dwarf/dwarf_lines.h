/* dwarf_lines.h - the line programs of .debug_line: addresses to files and lines.
 *
 * A line program is run once and gives sequences of rows, each for code that lies together. libdw
 * would run it too, but sorts the rows of all sequences of a unit into one list: the rows of a
 * function that the linker dropped, whose sequence starts at 0, then stand between those of code
 * that is there. We keep sequences apart; and need a fifth of the time.
 *
 * DWARF 2 to 5, little-endian. Untrusted: every read is bounded, what does not fit ends the program
 * and is reported. */
#ifndef FLAMEL_SYMBOL_DWARF_DWARF_LINES_H
#define FLAMEL_SYMBOL_DWARF_DWARF_LINES_H

#include "symbol/code/code_table.h"

/* Sections of one file; empty where it has none. */
struct flm_line_sections {
    struct flm_bytes line, line_str, str;
};

/* The files of a unit, by the numbers that DW_AT_call_file and the program use: texts of a maker.
 */
struct flm_line_files {
    uint32_t *texts;
    size_t count, capacity;
};

void flm_line_files_clear(struct flm_line_files *files);

/* The file of that number; 0, the empty text, where there is none. */
uint32_t flm_line_files_text(const struct flm_line_files *files, uint64_t number);

/* Runs the program at `offset` of .debug_line: rows go to `maker`, names of files to `files`. With
 * `files_only` the program is not run. Names are joined with their directory, and with the unit's
 * (`directory`, DW_AT_comp_dir) where that is relative. False when it cannot be read, or only its
 * beginning; what was read stays. */
bool flm_line_program_read(const struct flm_line_sections *sections, uint64_t offset,
                           struct flm_bytes directory, bool files_only,
                           struct flm_code_maker *maker, struct flm_line_files *files);

#endif
