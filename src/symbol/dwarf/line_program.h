/* line_program.h - the line programs of .debug_line: addresses to files and lines.
 *
 * A line program is run once and gives sequences of rows, each for contiguous code. libdw would run
 * it too, but sorts the rows of all sequences of a unit into one list: the rows of a function that
 * the linker dropped, whose sequence starts at 0, then come between those of code that exists. We
 * keep sequences apart, and take a fifth of the time.
 *
 * DWARF 2 to 5, little-endian. The file is not trusted: every read is bounded, and an error ends
 * the program and is reported. */
#ifndef FLAMEL_SYMBOL_DWARF_DWARF_LINES_H
#define FLAMEL_SYMBOL_DWARF_DWARF_LINES_H

#include "base/core/array.h"
#include "base/core/md5.h"
#include "symbol/code/code_table.h"

/* Sections of one file; empty for those that it does not have. */
struct flm_line_sections {
    struct flm_bytes line, line_str, str;
};

/* The files of a unit, as texts of a maker, by the numbers that DW_AT_call_file and the line
 * program use. */
struct flm_line_files FLM_ARRAY(uint32_t);

void flm_line_files_clear(struct flm_line_files *files);

/* The file with that number; 0, the empty text, when there is none. */
uint32_t flm_line_files_text(const struct flm_line_files *files, uint64_t number);

/* Runs the program at `offset` of .debug_line: rows go to `maker`, file names to `files`. With
 * `files_only` the program is not run. Names are joined with their directory, and with the unit's
 * (`directory`, DW_AT_comp_dir) if that is relative. False when not all of it could be read; what
 * was read is kept. */
bool flm_line_program_read(const struct flm_line_sections *sections, uint64_t offset,
                           struct flm_bytes directory, bool files_only,
                           struct flm_code_maker *maker, struct flm_line_files *files);

/* What the tables of a program say of one of its source files, beside its name: DWARF 5 as clang
 * writes it. */
struct flm_line_source {
    bool is_known; /* a table has the file */
    bool has_md5;
    unsigned char md5[FLM_MD5_SIZE];
    struct flm_bytes
        text; /* all of it, in the sections (clang -gembed-source); at NULL: it is not */
};

/* Finds the file with that path, as flm_line_program_read joins it, in all tables of .debug_line.
 * False when memory ran out. */
bool flm_line_source_find(const struct flm_line_sections *sections, struct flm_bytes path,
                          struct flm_line_source *source);

#endif
