/* jitdump.c - the file in which runtimes leave the code they make: perf's jitdump, version 1.
 *
 *     header   magic "JiTD", version, size of the header, machine, 0, process, time, flags
 *     record   type, size, time, and by type:
 *       load   process, thread, address (twice), size, index; name, 0; the code
 *       move   process, thread, -, old address, new address, size, index
 *       lines  address, count; each: address, line, discriminator, file, 0
 *       close  nothing comes any more
 *
 * Lines come before the code that they are of. Specification: tools/perf/Documentation/
 * jitdump-specification.txt in the kernel. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/path_name.h"
#include "base/text/utf.h"
#include "flamel/profile.h"
#include "record/runtime/internal.h"
#include "record/runtime/runtime.h"

enum {
    HEADER_SIZE = 40,
    PREFIX_SIZE = 16,
    LOAD_SIZE = 40,
    MOVE_SIZE = 48,
    LINES_SIZE = 16,
    LINE_SIZE = 16
};
enum record_type { LOAD = 0, MOVE = 1, LINES = 2, CLOSE = 3, UNWINDING = 4 };

static const uint32_t magic = 0x4A695444;
enum { CLOCK_IS_COUNTER = 1 }; /* of the flags: times are the processor's own */

struct index_of {
    uint64_t index;
    size_t region;
};

struct reading {
    struct flm_jit_code *code;
    struct flm_jit_losses *losses;
    bool swapped;
    bool has_times;
    const char *file;       /* its first byte */
    struct flm_bytes lines; /* of the code that comes next; empty: none */
    struct FLM_ARRAY(struct index_of) indices;
    struct flm_index by_index;
    struct FLM_ARRAY(struct flm_bytes) files; /* of functions of V8, each once */
    struct flm_index by_file;
};

static uint32_t u32(const struct reading *r, const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return r->swapped ? __builtin_bswap32(value) : value;
}

static uint64_t u64(const struct reading *r, const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return r->swapped ? __builtin_bswap64(value) : value;
}

static int64_t time_of(const struct reading *r, const char *record)
{
    uint64_t time = u64(r, record + 8);
    return !r->has_times ? INT64_MIN : time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct line {
    uint64_t address;
    uint32_t line;
    struct flm_bytes file;
    bool same_file; /* as the line before */
};

/* The lines that are left, of code that begins at `start`. */
struct lines {
    struct flm_bytes rest;
    uint64_t start, size;
    bool are_torn;           /* names may have zeros inside */
    struct flm_bytes before; /* the name before */
};

static struct lines lines_of(const struct reading *r, uint64_t start, uint64_t size, bool are_torn)
{
    return (struct lines){
        {r->lines.at + LINES_SIZE, r->lines.size - LINES_SIZE}, start, size, are_torn};
}

enum { ELF_HEADER_SIZE = 64, LONGEST_FILE = 4096 };

/* Whether the next line may begin there, or it is the end: up to 7 zeros. */
static bool is_boundary(const struct reading *r, const struct lines *lines, const char *at)
{
    size_t left = (size_t)(lines->rest.at + lines->rest.size - at);
    static const char zeros[7];
    if (left <= LINE_SIZE)
        return left <= sizeof zeros && memcmp(at, zeros, left) == 0;
    uint64_t next = u64(r, at);
    return next >= lines->start && next - lines->start <= lines->size + ELF_HEADER_SIZE;
}

/* The zero behind a name: the first one, or, in a name that may have zeros, that of an equal name
 * before, or the first one behind which the next line begins. NULL: there is none. */
static const char *find_name_end(const struct reading *r, struct lines *lines, const char *name)
{
    size_t size = (size_t)(lines->rest.at + lines->rest.size - name);
    const char *first = memchr(name, 0, size);
    const struct flm_bytes *before = &lines->before;
    if (!first || !lines->are_torn)
        return first;
    if (before->size > 0 && before->size < size && memcmp(name, before->at, before->size) == 0 &&
        name[before->size] == 0 && is_boundary(r, lines, name + before->size + 1))
        return name + before->size;
    const char *most = name + (size < LONGEST_FILE ? size : LONGEST_FILE);
    for (const char *zero = first; zero && zero + 1 < most;
         zero = memchr(zero + 1, 0, (size_t)(most - (zero + 1))))
        if (is_boundary(r, lines, zero + 1))
            return zero;
    lines->are_torn = false; /* they are something else: do not search so far again */
    return first;
}

/* The next line; false at the end, or if it is malformed. */
static bool take_line(const struct reading *r, struct lines *lines, struct line *line)
{
    struct flm_bytes *rest = &lines->rest;
    if (rest->size <= LINE_SIZE)
        return false;
    const char *name = rest->at + LINE_SIZE, *end = find_name_end(r, lines, name);
    if (!end)
        return false;
    line->address = u64(r, rest->at);
    line->line = u32(r, rest->at + 8);
    line->file = lines->before = (struct flm_bytes){name, (size_t)(end - name)};
    line->same_file = line->file.size == 1 && (unsigned char)*name == 0xFF;
    rest->size -= (size_t)(end + 1 - rest->at);
    rest->at = end + 1;
    return true;
}

static bool is_of_v8(struct flm_bytes name)
{
    return flm_bytes_start_with(name, "JS:") || flm_bytes_start_with(name, "LazyCompile:") ||
           flm_bytes_start_with(name, "Function:") || flm_bytes_start_with(name, "Script:") ||
           flm_bytes_start_with(name, "Eval:");
}

/* V8 adds 64 bytes to the addresses of its lines, for the ELF header that perf's converter puts in
 * front of the code: so none of its lines is in the first 64 bytes. No other runtime does that. */
static uint64_t shift_of_lines(const struct reading *r, uint64_t start, uint64_t size)
{
    struct lines lines = lines_of(r, start, size, true);
    for (struct line line; take_line(r, &lines, &line);)
        if (line.address < start || line.address - start < ELF_HEADER_SIZE)
            return 0;
    return ELF_HEADER_SIZE;
}

/* V8 (node 20) writes file names after it has freed them: the first 8 or 16 bytes are what the
 * allocator keeps in free memory. Real names are text. */
enum { TORN = 16 };

static bool is_torn(struct flm_bytes file)
{
    uint32_t code;
    for (struct flm_bytes rest = file; rest.size > 0;) {
        size_t size = flm_utf8_sequence(rest, &code);
        if (size == 0 || code < ' ')
            return true;
        rest = (struct flm_bytes){rest.at + size, rest.size - size};
    }
    return false;
}

/* Whether nothing but the torn part of the name tells it from this file. */
static bool may_be(struct flm_bytes torn, struct flm_bytes file)
{
    return torn.size == file.size &&
           (torn.size <= TORN || memcmp(torn.at + TORN, file.at + TORN, file.size - TORN) == 0);
}

/* The one file, of those whose functions were compiled, that has the torn name; "": none, or
 * several. */
static struct flm_bytes find_torn(const struct reading *r, struct flm_bytes torn)
{
    struct flm_bytes found = {"", 0};
    for (size_t i = 0; i < r->files.count; i++) {
        if (!may_be(torn, r->files.at[i]))
            continue;
        if (found.size > 0)
            return (struct flm_bytes){"", 0};
        found = r->files.at[i];
    }
    return found;
}

/* False when memory ran out. */
static bool know_file(struct reading *r, struct flm_bytes file)
{
    uint32_t hash = (uint32_t)(flm_hash(file.at, file.size) >> 32);
    for (struct flm_probe at = flm_index_probe(&r->by_file, hash);
         flm_index_next(&r->by_file, &at);)
        if (flm_bytes_equal(r->files.at[at.found], file))
            return true;
    return file.size == 0 || (FLM_ARRAY_ADD(&r->files, file) &&
                              flm_index_add(&r->by_file, hash, (uint32_t)r->files.count - 1));
}

static void add_lines(struct reading *r, uint64_t start, uint64_t size, struct flm_bytes name)
{
    bool of_v8 = is_of_v8(name);
    uint64_t shift = of_v8 ? shift_of_lines(r, start, size) : 0, count = u64(r, r->lines.at + 8);
    struct lines lines = lines_of(r, start, size, of_v8);
    struct flm_jit_text file = {0, 0};
    struct flm_bytes last = {"", 0};
    bool is_known = true;
    for (struct line line; count > 0 && !r->code->failed && take_line(r, &lines, &line); count--) {
        if (!line.same_file && !flm_bytes_equal(line.file, last)) {
            last = line.file;
            struct flm_bytes whole = of_v8 && is_torn(last) ? find_torn(r, last) : last;
            is_known = whole.size > 0 || last.size == 0;
            file = flm_jit_code_text(r->code, whole);
        }
        uint64_t offset = line.address - start - shift;
        if (offset < size)
            flm_jit_code_line(r->code, offset, file, is_known ? line.line : 0);
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static size_t *find_index(struct reading *r, uint64_t index)
{
    uint32_t hash = (uint32_t)flm_hash(&index, sizeof index);
    for (struct flm_probe at = flm_index_probe(&r->by_index, hash);
         flm_index_next(&r->by_index, &at);)
        if (r->indices.at[at.found].index == index)
            return &r->indices.at[at.found].region;
    return NULL;
}

static bool remember_index(struct reading *r, uint64_t index, size_t region)
{
    size_t *known = find_index(r, index);
    if (known) {
        *known = region;
        return true;
    }
    uint32_t hash = (uint32_t)flm_hash(&index, sizeof index);
    if (!FLM_ARRAY_RESERVE(&r->indices, 1))
        return false;
    r->indices.at[r->indices.count] = (struct index_of){index, region};
    return flm_index_add(&r->by_index, hash, (uint32_t)r->indices.count++);
}

/* Lines are those of the code that comes next, if they are right: for code that is interpreted, or
 * was compiled without optimization, V8 writes offsets in the bytecode. */
static bool read_load(struct reading *r, const char *record, size_t size)
{
    if (size < PREFIX_SIZE + LOAD_SIZE)
        return false;
    const char *body = record + PREFIX_SIZE, *at = body + LOAD_SIZE;
    const char *end = memchr(at, 0, size - PREFIX_SIZE - LOAD_SIZE);
    if (!end)
        return false;
    uint64_t start = u64(r, body + 16), length = u64(r, body + 24);
    struct flm_bytes name = {at, (size_t)(end - at)};
    struct flm_jit_frame own = {.kind = FLM_KIND_JIT};
    if (is_of_v8(name) && flm_jit_name_parse(name, &own, 1) == 1 && !know_file(r, own.file))
        r->code->failed = true;
    if (r->lines.size > 0 && u64(r, r->lines.at) == start && own.kind == FLM_KIND_JIT)
        add_lines(r, start, length, name);
    r->lines.size = 0;
    flm_jit_code_add(r->code, start, length, time_of(r, record), flm_jit_code_text(r->code, name));
    if (length > 0 && length <= (uint64_t)(record + size - (end + 1)))
        flm_jit_code_bytes(r->code, (uint64_t)(end + 1 - r->file));
    if (!r->code->failed && !remember_index(r, u64(r, body + 32), r->code->regions.count - 1))
        r->code->failed = true;
    return true;
}

static bool read_move(struct reading *r, const char *record, size_t size)
{
    if (size < PREFIX_SIZE + MOVE_SIZE)
        return false;
    const char *body = record + PREFIX_SIZE;
    const size_t *region = find_index(r, u64(r, body + 40));
    if (!region)
        return false;
    uint64_t length = u64(r, body + 32), was = 0;
    const struct flm_jit_region *moved = &r->code->regions.at[*region];
    if (length > 0 && length - 1 <= moved->last - moved->start)
        was = moved->code_offset; /* not more bytes than there were */
    flm_jit_code_move(r->code, *region, u64(r, body + 24), length, time_of(r, record));
    flm_jit_code_bytes(r->code, was);
    return true;
}

static bool read_lines(struct reading *r, const char *record, size_t size)
{
    if (size < PREFIX_SIZE + LINES_SIZE)
        return false;
    r->lines = (struct flm_bytes){record + PREFIX_SIZE, size - PREFIX_SIZE};
    return true;
}

static bool read_record(struct reading *r, const char *record, size_t size)
{
    switch (u32(r, record)) {
    case LOAD:
        return read_load(r, record, size);
    case MOVE:
        return read_move(r, record, size);
    case LINES:
        return read_lines(r, record, size);
    default:
        /* Not needed: unwinding information (there are frame pointers), and newer records. */
        return true;
    }
}

static void read_records(struct reading *r, struct flm_bytes rest)
{
    while (rest.size > 0 && !r->code->failed) {
        uint32_t size = rest.size >= PREFIX_SIZE ? u32(r, rest.at + 4) : 0;
        if (size < PREFIX_SIZE || size > rest.size) {
            r->losses->cut = true;
            return;
        }
        if (u32(r, rest.at) == CLOSE)
            return;
        if (!read_record(r, rest.at, size))
            r->losses->regions++;
        rest = (struct flm_bytes){rest.at + size, rest.size - size};
    }
}

static enum flm_machine machine_of(uint32_t number)
{
    return number == EM_X86_64    ? FLM_MACHINE_X86_64
           : number == EM_AARCH64 ? FLM_MACHINE_ARM64
                                  : FLM_MACHINE_OTHER;
}

struct flm_jit_code *flm_jitdump_read(struct flm_bytes bytes, struct flm_jit_losses *losses,
                                      struct flm_error *why)
{
    struct reading r = {.losses = losses, .file = bytes.at};
    *losses = (struct flm_jit_losses){0};
    if (bytes.size < HEADER_SIZE ||
        (u32(&r, bytes.at) != magic && u32(&r, bytes.at) != __builtin_bswap32(magic))) {
        flm_error_set(why, FLM_ERROR_FORMAT, "not a jitdump file");
        return NULL;
    }
    r.swapped = u32(&r, bytes.at) != magic;
    uint32_t version = u32(&r, bytes.at + 4), header = u32(&r, bytes.at + 8);
    if (version != 1 || header < HEADER_SIZE || header > bytes.size) {
        flm_error_set(why, FLM_ERROR_FORMAT,
                      version != 1 ? "unknown jitdump version %u"
                                   : "malformed jitdump: a header of %u bytes",
                      version != 1 ? version : header);
        return NULL;
    }
    r.has_times = !(u64(&r, bytes.at + 32) & CLOCK_IS_COUNTER);
    r.code = flm_jit_code_new();
    if (r.code)
        r.code->machine = machine_of(u32(&r, bytes.at + 12));
    if (r.code)
        read_records(&r, (struct flm_bytes){bytes.at + header, bytes.size - header});
    r.code = flm_jit_code_finish(r.code);
    flm_index_clear(&r.by_index);
    flm_index_clear(&r.by_file);
    free(r.indices.at);
    free(r.files.at);
    if (!r.code)
        flm_error_memory(why);
    return r.code;
}

/* ---- The entry ------------------------------------------------------------------------------- */

static struct flm_jit_code *read_dump(const struct flm_runtime_report *report,
                                      struct flm_bytes bytes, struct flm_error *why)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_jitdump_read(bytes, &losses, why);
    if (!code && why->kind != FLM_ERROR_MEMORY)
        report->lost(report->session, "jitdump files that cannot be read", 1);
    report->lost(report->session, "malformed jitdump records", (double)losses.regions);
    report->lost(report->session, "ends of jitdump files (cut off)", losses.cut);
    return code;
}

/* .../jit-4711.dump is mapped by runtimes only to announce it to recordings. */
static bool is_jitdump(struct flm_bytes path)
{
    struct flm_bytes name = flm_path_last(path, "/");
    return flm_bytes_start_with(name, "jit-") && flm_bytes_end_with(name, ".dump");
}

static bool find(const struct flm_runtime *runtime, struct flm_runtime_search *search)
{
    bool good = true, found;
    for (size_t i = 0; i < search->file_count && good; i++) {
        const struct flm_runtime_file *file = &search->files[i];
        if (file->process != search->process || file->runtime != runtime)
            continue;
        char path[4096];
        found = false;
        search->refused.is_there = false;
        for (size_t k = 0; k < search->dir_count && good && !found; k++) {
            struct flm_bytes name = flm_path_last(flm_owned_string_bytes(&file->path), "/");
            snprintf(path, sizeof path, "%s/%.*s", search->dirs[k], (int)name.size, name.at);
            good = flm_runtime_try_file(search, path, read_dump, &found);
        }
        snprintf(path, sizeof path, "/proc/%d/root%s", file->process, file->path.at);
        good = good &&
               (found || !search->live || flm_runtime_try_file(search, path, read_dump, &found)) &&
               (found || flm_runtime_try_file(search, file->path.at, read_dump, &found));
        if (good && !found && !search->refused.is_there)
            search->report.lost(search->report.session, "jitdump files that no longer exist", 1);
    }
    return good;
}

extern const struct flm_runtime flm_runtime_jitdump;
const struct flm_runtime flm_runtime_jitdump = {
    .name = "jitdump", .is_file = is_jitdump, .has_times = true, .find = find};
