#include "symbol/dwarf/line_program.h"

#include <stdlib.h>

#include <dwarf.h>

#include "symbol/elf/section_read.h"
#include "symbol/identity/source_path.h"

static struct flm_section_reader read_from(struct flm_bytes section, uint64_t offset)
{
    bool is_inside = offset <= section.size;
    struct flm_section_reader in = flm_section_reader(section, false);
    in.at = section.size == 0 ? in.at : is_inside ? in.at + offset : in.end;
    in.failed = !is_inside;
    return in;
}

static struct flm_bytes read_text(struct flm_section_reader *in)
{
    size_t left = (size_t)(in->end - in->at);
    const unsigned char *zero = left > 0 ? memchr(in->at, 0, left) : NULL;
    if (!zero) {
        flm_section_have(in, (uint64_t)left + 1);
        return (struct flm_bytes){0};
    }
    struct flm_bytes text = {(const char *)in->at, (size_t)(zero - in->at)};
    in->at = zero + 1;
    return text;
}

/* Longer than any path. Without a limit, a file could name a text of megabytes a million times. */
enum { LONGEST_PATH = 4096 };

/* The text at an offset of a section; empty if that is outside of it, or the text is too long. */
static struct flm_bytes text_at(struct flm_bytes section, uint64_t offset)
{
    struct flm_section_reader in = read_from(section, offset);
    if (in.end - in.at > LONGEST_PATH)
        in.end = in.at + LONGEST_PATH;
    return read_text(&in);
}

/* ---- The header ------------------------------------------------------------------------------ */

struct header {
    struct flm_section_reader program; /* follows the header */
    unsigned version, offset_size;
    uint64_t instruction_size, instruction_slots; /* of the shortest one; in a VLIW bundle */
    int line_base;
    unsigned line_range, opcode_base;
    const unsigned char *operand_counts; /* of opcode 1, 2, ... */
};

struct reading {
    const struct flm_line_sections *sections;
    struct flm_bytes directory;
    struct flm_code_maker *maker;
    struct flm_line_files *files;
    const struct flm_bytes *sought; /* a path, instead of `maker` and `files`; NULL: none */
    struct flm_line_source *source; /* of that path */
    bool has_tried_text;            /* of the sought file: a damaged file may say it often */
    bool failed;                    /* memory ran out, while one is sought */
    struct flm_text path, scratch;
    struct FLM_ARRAY(struct flm_bytes) directories;
};

void flm_line_files_clear(struct flm_line_files *files)
{
    FLM_ARRAY_CLEAR(files);
}

uint32_t flm_line_files_text(const struct flm_line_files *files, uint64_t number)
{
    return number < files->count ? files->at[number] : 0;
}

static bool out_of_memory(struct reading *reading)
{
    reading->failed = true;
    if (reading->maker)
        flm_code_maker_out_of_memory(reading->maker);
    return false;
}

static bool add_directory(struct reading *reading, struct flm_bytes directory)
{
    if (FLM_ARRAY_ADD(&reading->directories, directory))
        return true;
    return out_of_memory(reading);
}

static void add_part(struct flm_text *path, struct flm_bytes part)
{
    if (path->size > 0 && part.size > 0 && path->at[path->size - 1] != '/')
        flm_text_putc(path, '/');
    flm_text_add(path, part);
}

/* One file may be named in two ways: /src/a/../x.h, ./x.h. */
static void normalize(struct flm_text *path, struct flm_text *scratch)
{
    struct flm_bytes joined = {path->at, path->size};
    bool is_plain = !flm_bytes_contain(joined, "/.") && !flm_bytes_contain(joined, "//") &&
                    !flm_bytes_start_with(joined, "./");
    /* What a relative one has more ".." than parts leads to is not known. */
    bool may_lead_out = flm_bytes_start_with(joined, "..") || flm_bytes_contain(joined, "/../../");
    if (path->failed || joined.size == 0 || is_plain || (joined.at[0] != '/' && may_lead_out))
        return;
    scratch->size = 0;
    flm_path_normalize(joined, scratch);
    path->size = 0;
    flm_text_add(path, (struct flm_bytes){scratch->at, scratch->size});
    path->failed |= scratch->failed;
}

static bool add_file(struct reading *reading, struct flm_bytes name, uint64_t directory_number)
{
    struct flm_bytes directory = {0};
    if (directory_number < reading->directories.count)
        directory = reading->directories.at[directory_number];
    struct flm_text *path = &reading->path;
    path->size = 0;
    bool absolute = name.size > 0 && name.at[0] == '/';
    if (!absolute && name.size > 0) {
        if (directory.size == 0 || directory.at[0] != '/')
            add_part(path, reading->directory);
        add_part(path, directory);
    }
    add_part(path, name);
    normalize(path, &reading->scratch);
    struct flm_bytes joined = {path->at, path->size};
    if (!path->failed && reading->sought) {
        reading->source->is_known |= flm_bytes_equal(joined, *reading->sought);
        return true;
    }
    if (!path->failed && FLM_ARRAY_ADD(reading->files, flm_code_maker_text(reading->maker, joined)))
        return true;
    return out_of_memory(reading);
}

/* Up to DWARF 4: lists that end with an empty name. Directory 0 is the unit's; there is no file
 * 0. */
static bool read_old_files(struct reading *reading, struct flm_section_reader *in)
{
    if (!add_directory(reading, (struct flm_bytes){0}))
        return false;
    for (struct flm_bytes name; (name = read_text(in)).size > 0;)
        if (!add_directory(reading, name))
            return false;
    if (!add_file(reading, (struct flm_bytes){0}, 0))
        return false;
    for (struct flm_bytes name; (name = read_text(in)).size > 0;) {
        uint64_t directory = flm_section_uleb(in);
        flm_section_uleb(in); /* its modification time */
        flm_section_uleb(in); /* its size */
        if (!add_file(reading, name, directory))
            return false;
    }
    return true;
}

/* One value of an entry: a number or a text. False for a form whose size is unknown. */
static bool read_form(const struct reading *reading, const struct header *header,
                      struct flm_section_reader *in, uint64_t form, uint64_t *number,
                      struct flm_bytes *text)
{
    switch (form) {
    case DW_FORM_string:
        *text = read_text(in);
        return true;
    case DW_FORM_line_strp:
        *text = text_at(reading->sections->line_str, flm_section_fixed(in, header->offset_size));
        return true;
    case DW_FORM_strp:
        *text = text_at(reading->sections->str, flm_section_fixed(in, header->offset_size));
        return true;
    case DW_FORM_data1:
        *number = flm_section_fixed(in, 1);
        return true;
    case DW_FORM_data2:
        *number = flm_section_fixed(in, 2);
        return true;
    case DW_FORM_data4:
        *number = flm_section_fixed(in, 4);
        return true;
    case DW_FORM_data8:
        *number = flm_section_fixed(in, 8);
        return true;
    case DW_FORM_udata:
        *number = flm_section_uleb(in);
        return true;
    case DW_FORM_data16:
        if (flm_section_left(in) >= 16)
            *text = (struct flm_bytes){(const char *)in->at, 16};
        flm_section_bytes(in, 16);
        return true;
    case DW_FORM_block:
        flm_section_bytes(in, flm_section_uleb(in));
        return true;
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup: /* in the supplementary file, which is not read for this */
        flm_section_bytes(in, header->offset_size);
        return true;
    default:
        return false;
    }
}

/* What an entry of a list says of a source file. */
struct entry {
    struct flm_bytes name, md5;
    uint64_t directory;
    bool has_text;
    uint64_t text; /* where its text is in .debug_line_str */
};

/* The first table that has the sought file with its checksum, or its text, decides. */
static void keep_source(struct reading *reading, const struct entry *entry)
{
    struct flm_line_source *source = reading->source;
    struct flm_bytes path = {reading->path.at, reading->path.size};
    if (!reading->sought || !flm_bytes_equal(path, *reading->sought))
        return;
    if (!source->has_md5 && entry->md5.size == FLM_MD5_SIZE) {
        source->has_md5 = true;
        memcpy(source->md5, entry->md5.at, FLM_MD5_SIZE);
    }
    if (entry->has_text && !reading->has_tried_text) {
        struct flm_section_reader in = read_from(reading->sections->line_str, entry->text);
        source->text = read_text(&in);
        reading->has_tried_text = true;
    }
}

/* DWARF 5: one list of directories and one of files, each with a description of its entries. */
static bool read_list(struct reading *reading, const struct header *header,
                      struct flm_section_reader *in, bool directories)
{
    enum { MOST = 16, DW_LNCT_LLVM_source = 0x2001 };
    uint64_t content[MOST], form[MOST];
    unsigned values = (unsigned)flm_section_fixed(in, 1);
    if (values > MOST)
        return false;
    for (unsigned i = 0; i < values; i++) {
        content[i] = flm_section_uleb(in);
        form[i] = flm_section_uleb(in);
    }
    uint64_t count = flm_section_uleb(in);
    /* Each entry has at least a byte, so there cannot be more entries than bytes are left. */
    if (in->failed || (count > 0 && values == 0) || count > (uint64_t)(in->end - in->at))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct entry entry = {0};
        for (unsigned k = 0; k < values; k++) {
            uint64_t number = 0;
            struct flm_bytes text = {0};
            if (content[k] == DW_LNCT_LLVM_source && form[k] == DW_FORM_line_strp) {
                entry.has_text = true;
                entry.text = flm_section_fixed(in, header->offset_size);
            } else if (!read_form(reading, header, in, form[k], &number, &text)) {
                return false;
            } else if (content[k] == DW_LNCT_path) {
                entry.name = text;
            } else if (content[k] == DW_LNCT_directory_index) {
                entry.directory = number;
            } else if (content[k] == DW_LNCT_MD5) {
                entry.md5 = text;
            }
        }
        if (in->failed || !(directories ? add_directory(reading, entry.name)
                                        : add_file(reading, entry.name, entry.directory)))
            return false;
        if (!directories)
            keep_source(reading, &entry);
    }
    return true;
}

static bool read_header(struct reading *reading, uint64_t offset, struct header *header)
{
    struct flm_section_reader in = read_from(reading->sections->line, offset);
    uint64_t size = flm_section_fixed(&in, 4);
    header->offset_size = 4;
    if (size == 0xFFFFFFFF) {
        header->offset_size = 8;
        size = flm_section_fixed(&in, 8);
    }
    if (!flm_section_have(&in, size))
        return false;
    in.end = in.at + size;
    header->version = (unsigned)flm_section_fixed(&in, 2);
    if (header->version < 2 || header->version > 5)
        return false;
    if (header->version >= 5)
        flm_section_bytes(&in, 2); /* sizes of an address and of a selector */
    uint64_t header_size = flm_section_fixed(&in, header->offset_size);
    if (!flm_section_have(&in, header_size))
        return false;
    header->program = in;
    header->program.at += header_size;
    in.end = header->program.at;
    header->instruction_size = flm_section_fixed(&in, 1);
    header->instruction_slots = header->version >= 4 ? flm_section_fixed(&in, 1) : 1;
    if (header->instruction_slots == 0)
        header->instruction_slots = 1;
    /* is_stmt is skipped: any address may be looked up, not only those where a debugger stops. */
    flm_section_bytes(&in, 1);
    unsigned base = (unsigned)flm_section_fixed(&in, 1);
    header->line_base = base < 0x80 ? (int)base : (int)base - 0x100;
    header->line_range = (unsigned)flm_section_fixed(&in, 1);
    header->opcode_base = (unsigned)flm_section_fixed(&in, 1);
    header->operand_counts = in.at;
    if (header->opcode_base == 0)
        return false;
    flm_section_bytes(&in, header->opcode_base - 1);
    if (in.failed)
        return false;
    bool read = header->version < 5 ? read_old_files(reading, &in)
                                    : read_list(reading, header, &in, true) &&
                                          read_list(reading, header, &in, false);
    return read && !in.failed;
}

/* ---- The program ----------------------------------------------------------------------------- */

struct state {
    uint64_t address, slot, file;
    uint32_t line;
    bool open; /* a row was added to the sequence */
};

static const struct state at_start = {.file = 1, .line = 1};

static void advance(struct state *state, const struct header *header, uint64_t operations)
{
    if (header->instruction_slots == 1) {
        state->address += operations * header->instruction_size;
        return;
    }
    uint64_t slots = state->slot + operations;
    state->address += slots / header->instruction_slots * header->instruction_size;
    state->slot = slots % header->instruction_slots;
}

static void add_row(struct reading *reading, struct state *state)
{
    flm_code_maker_line(reading->maker, state->address,
                        flm_line_files_text(reading->files, state->file), state->line);
    state->open = true;
}

static void end_sequence(struct reading *reading, struct state *state)
{
    flm_code_maker_lines_end(reading->maker, state->address);
    *state = at_start;
}

/* After a 0: a size, an opcode, its operands. */
static bool run_extended(struct reading *reading, struct flm_section_reader *in,
                         struct state *state)
{
    uint64_t size = flm_section_uleb(in);
    if (size == 0 || !flm_section_have(in, size))
        return size == 0 && !in->failed;
    struct flm_section_reader operands = {in->at, in->at + size, false, false};
    in->at += size;
    switch (flm_section_fixed(&operands, 1)) {
    case DW_LNE_end_sequence:
        end_sequence(reading, state);
        break;
    case DW_LNE_set_address: {
        unsigned bytes = (unsigned)(size - 1 > 8 ? 8 : size - 1);
        uint64_t address = flm_section_fixed(&operands, bytes);
        /* -1 in 4 bytes marks code that the linker dropped, as -1 in 8 bytes does. */
        state->address = bytes == 4 && address >= 0xFFFFFFFE ? UINT64_MAX : address;
        state->slot = 0;
        break;
    }
    case DW_LNE_define_file: {
        struct flm_bytes name = read_text(&operands);
        return add_file(reading, name, flm_section_uleb(&operands));
    }
    default: /* discriminators and extensions of vendors */
        break;
    }
    return true;
}

static bool run_standard(struct reading *reading, const struct header *header,
                         struct flm_section_reader *in, unsigned opcode, struct state *state)
{
    switch (opcode) {
    case DW_LNS_copy:
        add_row(reading, state);
        break;
    case DW_LNS_advance_pc:
        advance(state, header, flm_section_uleb(in));
        break;
    case DW_LNS_advance_line:
        state->line += (uint32_t)flm_section_sleb(in);
        break;
    case DW_LNS_set_file:
        state->file = flm_section_uleb(in);
        break;
    case DW_LNS_const_add_pc:
        if (header->line_range == 0)
            return false;
        advance(state, header, (255 - header->opcode_base) / header->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        state->address += flm_section_fixed(in, 2);
        state->slot = 0;
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default: /* set_column, set_isa and others: the header has the number of their operands */
        for (unsigned i = header->operand_counts[opcode - 1]; i > 0; i--)
            flm_section_uleb(in);
    }
    return true;
}

static bool run_program(struct reading *reading, const struct header *header)
{
    struct flm_section_reader in = header->program;
    struct state state = at_start;
    bool good = true;
    while (good && in.at < in.end) {
        unsigned opcode = *in.at++;
        if (opcode >= header->opcode_base) {
            unsigned step = opcode - header->opcode_base;
            good = header->line_range > 0;
            if (good) {
                advance(&state, header, step / header->line_range);
                state.line += (uint32_t)(header->line_base + (int)(step % header->line_range));
                add_row(reading, &state);
            }
        } else if (opcode == 0) {
            good = run_extended(reading, &in, &state);
        } else {
            good = run_standard(reading, header, &in, opcode, &state);
        }
    }
    /* A sequence that is cut off ends at its last row: the code after it has no line. */
    if (state.open) {
        end_sequence(reading, &state);
        good = false;
    }
    return good && !in.failed;
}

bool flm_line_program_read(const struct flm_line_sections *sections, uint64_t offset,
                           struct flm_bytes directory, bool files_only,
                           struct flm_code_maker *maker, struct flm_line_files *files)
{
    struct reading reading = {
        .sections = sections, .directory = directory, .maker = maker, .files = files};
    files->count = 0;
    struct header header = {0};
    bool good = read_header(&reading, offset, &header);
    if (good && !files_only)
        good = run_program(&reading, &header);
    FLM_ARRAY_CLEAR(&reading.directories);
    flm_text_clear(&reading.path);
    flm_text_clear(&reading.scratch);
    return good;
}

bool flm_line_source_find(const struct flm_line_sections *sections, struct flm_bytes path,
                          struct flm_line_source *source)
{
    struct flm_text name = {0}, scratch = {0};
    flm_text_add(&name, path);
    normalize(&name, &scratch);
    struct flm_bytes sought = {name.at, name.size};
    struct reading reading = {.sections = sections, .sought = &sought, .source = source};
    reading.failed = name.failed;
    *source = (struct flm_line_source){0};
    struct flm_section_reader in = read_from(sections->line, 0);
    while (flm_section_left(&in) > 0 && !reading.failed) {
        uint64_t offset = sections->line.size - flm_section_left(&in);
        uint64_t size = flm_section_fixed(&in, 4);
        if (size == 0xFFFFFFFF)
            size = flm_section_fixed(&in, 8);
        flm_section_bytes(&in, size);
        struct header header = {0};
        reading.directories.count = 0;
        if (!in.failed)
            read_header(&reading, offset, &header);
    }
    FLM_ARRAY_CLEAR(&reading.directories);
    flm_text_clear(&reading.path);
    flm_text_clear(&reading.scratch);
    flm_text_clear(&name);
    flm_text_clear(&scratch);
    return !reading.failed;
}
