#include "symbol/registry/find_debug.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The state of a search; `path` is built for each location in turn. */
struct search {
    const struct flm_find *find;
    struct flm_found *found;
    const struct flm_build_id *id;
    const struct flm_wanted_program *program; /* NULL: a debug file */
    struct flm_text path;
    /* Of a debug file. */
    struct flm_bytes link; /* "" */
    uint32_t crc;
    bool symbols_will_do, wants_symbols;
    struct flm_error *why;
};

void flm_found_clear(struct flm_found *found)
{
    flm_elf_free(found->file);
    flm_text_clear(&found->path);
    *found = (struct flm_found){0};
}

static struct flm_bytes directory_of(struct flm_bytes path)
{
    while (path.size > 0 && path.at[path.size - 1] != '/')
        path.size--;
    return path;
}

static struct flm_bytes name_of(struct flm_bytes path)
{
    size_t directory = directory_of(path).size;
    return (struct flm_bytes){path.at + directory, path.size - directory};
}

/* ---- A path ---------------------------------------------------------------------------------- */

static void begin(struct search *search, const char *directory)
{
    search->path.size = 0;
    flm_text_puts(&search->path, directory);
}

static void add(struct search *search, struct flm_bytes part)
{
    flm_text_add(&search->path, part);
}

static void adds(struct search *search, const char *part)
{
    flm_text_puts(&search->path, part);
}

/* "/xx/yyyy" */
static void add_id(struct search *search)
{
    struct flm_text *path = &search->path;
    flm_text_putc(path, '/');
    size_t at = path->size;
    flm_build_id_print(search->id, path);
    flm_text_putc(path, '/'); /* moved after the second digit */
    if (path->failed)
        return;
    memmove(path->at + at + 3, path->at + at + 2, path->size - at - 3);
    path->at[at + 2] = '/';
}

/* A path inside the directory, whether it starts with a slash or not. */
static void add_below(struct search *search, struct flm_bytes path)
{
    if (path.size == 0 || path.at[0] != '/')
        adds(search, "/");
    add(search, path);
}

/* ---- A file at the path ---------------------------------------------------------------------- */

/* False for a file whose code was removed, as by `objcopy --only-keep-debug`. */
static bool has_code(const struct flm_elf_file *file)
{
    bool has_sections = false;
    for (size_t i = 0; i < file->section_count; i++) {
        const struct flm_elf_section *section = &file->sections[i];
        if (section->flags & SHF_EXECINSTR && section->type != SHT_NOBITS)
            return true;
        has_sections |= section->flags & SHF_EXECINSTR;
    }
    return !has_sections;
}

static struct flm_elf_file *open_here(struct search *search, struct flm_error *why)
{
    flm_text_putc(&search->path, 0);
    if (search->path.failed) {
        flm_error_memory(why);
        return NULL;
    }
    return flm_elf_open(search->path.at, why);
}

/* The first file that was refused is the one to report. */
static void report_path(struct search *search)
{
    struct flm_found *found = search->found;
    if (found->path.size == 0)
        flm_text_add(&found->path, (struct flm_bytes){search->path.at, search->path.size});
}

static void take(struct search *search, struct flm_elf_file *file)
{
    struct flm_found *found = search->found;
    flm_elf_free(found->file);
    flm_text_clear(&found->path);
    found->file = file;
    found->path = search->path;
    search->path = (struct flm_text){0};
}

static bool is_wanted(const struct search *search, const struct flm_elf_file *file,
                      bool is_users_choice)
{
    const struct flm_wanted_program *program = search->program;
    if (program->id.size)
        return flm_build_id_equal(&file->build_id, &program->id);
    return is_users_choice || program->mapped.inode == 0 ||
           flm_mapped_file_is(&program->mapped, file, program->process != 0);
}

/* True when the search is over. `is_users_choice`: in a folder of --symbols. */
static bool try_program(struct search *search, bool is_users_choice)
{
    struct flm_error why = {0};
    struct flm_found *found = search->found;
    struct flm_elf_file *file = open_here(search, &why);
    if (!file) {
        if (why.kind == FLM_ERROR_FORMAT && !found->is_damaged && !found->is_changed) {
            found->is_damaged = true;
            report_path(search);
            if (search->why)
                *search->why = why;
        }
        return false;
    }
    bool is_right = is_wanted(search, file, is_users_choice);
    if (is_right && has_code(file)) {
        take(search, file);
        return true;
    }
    if (!is_right && !found->is_changed && !found->is_damaged) {
        found->is_changed = true;
        found->other = file->build_id;
        report_path(search);
    }
    flm_elf_free(file);
    return false;
}

static bool has_crc(const struct flm_elf_file *file, uint32_t crc)
{
    uLong sum = crc32(0, NULL, 0);
    for (size_t at = 0; at < file->image.size;) {
        size_t step = file->image.size - at < 1u << 30 ? file->image.size - at : 1u << 30;
        sum = crc32(sum, (const Bytef *)file->image.at + at, (uInt)step);
        at += step;
    }
    return sum == crc;
}

/* True when the search is over: the file has debug information, or symbols, and those are
 * enough. */
static bool take_debug(struct search *search, struct flm_elf_file *file, bool is_link)
{
    bool is_right = search->id->size ? flm_build_id_equal(&file->build_id, search->id)
                                     : is_link && has_crc(file, search->crc);
    bool has_all = flm_elf_has_debug_info(file);
    bool has_symbols = flm_elf_has_symbols(file);
    if (is_right && (has_all || (has_symbols && search->wants_symbols && !search->found->file))) {
        take(search, file);
        return has_all || search->symbols_will_do;
    }
    flm_elf_free(file);
    return false;
}

static bool try_debug(struct search *search, bool is_link)
{
    struct flm_elf_file *file = open_here(search, NULL);
    return file && take_debug(search, file, is_link);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static struct flm_bytes without_deleted(struct flm_bytes path)
{
    if (flm_bytes_end_with(path, " (deleted)"))
        path.size -= strlen(" (deleted)");
    return path;
}

/* Whether a line of /proc/PID/maps is a mapping of the program; if so, of which addresses. A file
 * that was renamed has another path there, and the same number. */
static bool is_mapping(const struct flm_wanted_program *program, char *line, size_t size,
                       unsigned long long range[2])
{
    struct flm_mapped_file file;
    int numbers = 0, name = 0;
    if (sscanf(line, "%llx-%llx %*s %*x %n%*s %*s %n", &range[0], &range[1], &numbers, &name) < 2 ||
        name == 0 || !flm_mapped_file_parse(line + numbers, &file))
        return false;
    if (program->mapped.inode)
        return flm_mapped_file_equal(&file, &program->mapped);
    struct flm_bytes path = {line + name, size - (size_t)name};
    return flm_bytes_equal(without_deleted(path), without_deleted(program->path));
}

/* A file that was deleted or replaced, but still runs: /proc has it. */
static bool try_deleted(struct search *search)
{
    const struct flm_wanted_program *program = search->program;
    char where[64], target[PATH_MAX];
    snprintf(where, sizeof where, "/proc/%d/exe", program->process);
    ssize_t size = readlink(where, target, sizeof target);
    struct flm_bytes path = {target, size > 0 ? (size_t)size : 0};
    if (size > 0 && flm_bytes_equal(without_deleted(path), without_deleted(program->path))) {
        begin(search, where);
        if (try_program(search, false))
            return true;
    }
    snprintf(where, sizeof where, "/proc/%d/maps", program->process);
    FILE *maps = fopen(where, "re");
    char *line = NULL;
    size_t capacity = 0;
    unsigned long long range[2];
    bool done = false, is_found = false;
    for (ssize_t got; maps && !is_found && (got = getline(&line, &capacity, maps)) > 0;)
        is_found = is_mapping(program, line, (size_t)got - (line[got - 1] == '\n'), range);
    if (is_found) {
        snprintf(where, sizeof where, "/proc/%d/map_files/%llx-%llx", program->process, range[0],
                 range[1]);
        begin(search, where);
        done = try_program(search, false);
        search->found->is_denied |= !done && access(where, R_OK) != 0;
    }
    free(line);
    if (maps)
        fclose(maps);
    return done;
}

static bool find_in_dirs(struct search *search, struct flm_bytes path)
{
    for (size_t i = 0; i < search->find->symbol_dir_count; i++) {
        const char *directory = search->find->symbol_dirs[i];
        begin(search, directory);
        add_below(search, path);
        if (try_program(search, true))
            return true;
        begin(search, directory);
        add_below(search, name_of(path));
        if (try_program(search, true))
            return true;
        if (search->id->size) {
            begin(search, directory);
            adds(search, "/.build-id");
            add_id(search);
            if (try_program(search, true))
                return true;
        }
    }
    return false;
}

static bool find_at_path(struct search *search, struct flm_bytes path)
{
    const struct flm_wanted_program *program = search->program;
    if (path.size == 0 || path.at[0] != '/')
        return false;
    if (program->process) {
        begin(search, "");
        flm_text_format(&search->path, "/proc/%d/root", program->process);
        add(search, path);
        if (try_program(search, false) || try_deleted(search))
            return true;
        if (program->id.size == 0 && program->mapped.inode == 0)
            return false; /* with that path our file may be another one */
    }
    begin(search, "");
    add(search, path);
    return try_program(search, false);
}

/* perf reads build ids when it ends, from the paths. A file that was replaced while perf recorded
 * has the build id of its successor then. (One that was replaced earlier has " (deleted)" in its
 * path, and none.) Another inode alone means nothing: files of containers are not at the path. */
static bool has_id_of_successor(const struct flm_find *find,
                                const struct flm_wanted_program *program, struct flm_bytes path)
{
    char terminated[PATH_MAX];
    struct stat now;
    if (!program->id_is_of_path || program->mapped.inode == 0 || find->until_ns == 0 ||
        path.size >= sizeof terminated)
        return false;
    memcpy(terminated, path.at, path.size);
    terminated[path.size] = 0;
    if (stat(terminated, &now) != 0 || now.st_ino == program->mapped.inode)
        return false;
    int64_t changed_ns = (int64_t)now.st_ctim.tv_sec * 1000000000 + now.st_ctim.tv_nsec;
    return find->from_ns <= changed_ns && changed_ns <= find->until_ns;
}

void flm_find_program(const struct flm_find *find, const struct flm_wanted_program *wanted,
                      struct flm_found *found, struct flm_error *why)
{
    struct flm_wanted_program program = *wanted;
    struct flm_bytes path = without_deleted(program.path);
    const struct flm_build_id *id = &program.id;
    struct search search = {
        .find = find, .found = found, .id = id, .program = &program, .why = why};
    *found = (struct flm_found){0};
    if (path.size == 0 || memchr(path.at, 0, path.size))
        return;
    if (has_id_of_successor(find, &program, path)) {
        program.id.size = 0;
        found->has_no_id = true;
    }
    if (!find_in_dirs(&search, path) && !find_at_path(&search, path) && id->size) {
        static const char *const kept[] = {"/elf", "/vdso"};
        bool done = false;
        for (size_t i = 0; find->perf_dir && !done && i < 2; i++) {
            begin(&search, find->perf_dir);
            adds(&search, "/.build-id");
            add_id(&search);
            adds(&search, kept[i]);
            done = try_program(&search, false);
        }
        struct flm_elf_file *file =
            done ? NULL : flm_debuginfod_get(find->debuginfod, id, FLM_DEBUGINFOD_EXECUTABLE);
        if (file) {
            begin(&search, "debuginfod");
            flm_text_putc(&search.path, 0);
            take(&search, file);
        }
    }
    flm_text_clear(&search.path);
}

/* ---- Debug files ----------------------------------------------------------------------------- */

/* DIRECTORY/xx/yyyy.debug */
static bool try_id(struct search *search, const char *directory, const char *below,
                   const char *ending)
{
    if (search->id->size == 0)
        return false;
    begin(search, directory);
    adds(search, below);
    add_id(search);
    adds(search, ending);
    return try_debug(search, false);
}

static bool try_below(struct search *search, const char *directory, struct flm_bytes path,
                      const char *ending, bool is_link)
{
    if (path.size == 0)
        return false;
    begin(search, directory);
    add_below(search, path);
    adds(search, ending);
    return try_debug(search, is_link);
}

static bool find_debug_in_dirs(struct search *search, struct flm_bytes path)
{
    for (size_t i = 0; i < search->find->symbol_dir_count; i++) {
        const char *directory = search->find->symbol_dirs[i];
        if (try_id(search, directory, "/.build-id", ".debug") ||
            try_id(search, directory, "", ".debug") ||
            try_below(search, directory, path, ".debug", true) ||
            try_below(search, directory, path, "", true) ||
            try_below(search, directory, search->link, "", true) ||
            try_below(search, directory, name_of(path), ".debug", true) ||
            try_below(search, directory, name_of(path), "", true))
            return true;
    }
    return false;
}

/* DIRECTORY/FOLDER/LINK, where FOLDER is that of the program: "/opt/bin/". */
static bool try_link(struct search *search, const char *directory, struct flm_bytes folder,
                     const char *below)
{
    if (search->link.size == 0 || folder.size == 0 || folder.at[0] != '/')
        return false;
    begin(search, directory);
    add(search, folder);
    adds(search, below);
    add(search, search->link);
    return try_debug(search, true);
}

/* As the process sees its files, and then as we do: a process that has ended has no files. What is
 * found has the build id, or the checksum, that is wanted. */
static bool find_debug_near_path(struct search *search, struct flm_bytes path, int process)
{
    struct flm_bytes folder = directory_of(path);
    const char *debug_dir = search->find->debug_dir ? search->find->debug_dir : "/usr/lib/debug";
    char root[64] = "";
    if (process)
        snprintf(root, sizeof root, "/proc/%d/root", process);
    for (int ours = process == 0; ours < 2; ours++) {
        struct flm_text here = {0};
        bool done = try_link(search, ours ? "" : root, folder, "") ||
                    try_link(search, ours ? "" : root, folder, ".debug/");
        flm_text_puts(&here, ours ? "" : root);
        flm_text_puts(&here, debug_dir);
        flm_text_putc(&here, 0);
        done = done || (!here.failed && (try_id(search, here.at, "/.build-id", ".debug") ||
                                         try_link(search, here.at, folder, "") ||
                                         try_below(search, here.at, path, ".debug", true)));
        flm_text_clear(&here);
        if (done)
            return true;
    }
    return search->find->perf_dir && try_id(search, search->find->perf_dir, "/.build-id", "/debug");
}

void flm_find_debug(const struct flm_find *find, const struct flm_elf_file *program,
                    struct flm_bytes path, const struct flm_build_id *id, int process,
                    bool symbols_will_do, struct flm_found *found)
{
    struct search search = {.find = find,
                            .found = found,
                            .id = id,
                            .link = {"", 0},
                            .symbols_will_do = symbols_will_do};
    *found = (struct flm_found){0};
    if (program && (!flm_elf_debug_link(program, &search.link, &search.crc) ||
                    memchr(search.link.at, '/', search.link.size)))
        search.link = (struct flm_bytes){"", 0};
    search.wants_symbols = !program || !flm_elf_has_symbols(program);
    if (flm_bytes_end_with(path, " (deleted)"))
        path.size -= strlen(" (deleted)");
    bool has_path = path.size && !memchr(path.at, 0, path.size);
    if (!has_path)
        path = (struct flm_bytes){"", 0};
    if (!find_debug_in_dirs(&search, path) && !find_debug_near_path(&search, path, process)) {
        struct flm_elf_file *file =
            flm_debuginfod_get(find->debuginfod, id, FLM_DEBUGINFOD_DEBUGINFO);
        if (file) {
            begin(&search, "debuginfod");
            flm_text_putc(&search.path, 0);
            take_debug(&search, file, false);
        }
    }
    flm_text_clear(&search.path);
}

struct flm_elf_file *flm_find_alternate(const struct flm_find *find,
                                        const struct flm_elf_file *debug, struct flm_bytes path)
{
    struct flm_found found = {0};
    struct flm_build_id id = {0};
    struct flm_bytes link;
    if (!flm_elf_alternate_link(debug, &link, &id) || memchr(link.at, 0, link.size))
        return NULL;
    struct search search = {.find = find, .found = &found, .id = &id};
    const char *debug_dir = find->debug_dir ? find->debug_dir : "/usr/lib/debug";
    bool done = false;
    begin(&search, "");
    if (link.at[0] != '/')
        add(&search, directory_of(path));
    add(&search, link);
    done = try_debug(&search, false);
    for (size_t i = 0; !done && i < find->symbol_dir_count; i++)
        done = try_id(&search, find->symbol_dirs[i], "/.build-id", ".debug") ||
               try_id(&search, find->symbol_dirs[i], "", ".debug") ||
               try_below(&search, find->symbol_dirs[i], name_of(link), "", false);
    done = done || try_id(&search, debug_dir, "/.build-id", ".debug");
    begin(&search, debug_dir);
    adds(&search, "/.dwz/");
    add(&search, name_of(link));
    done = done || try_debug(&search, false);
    if (!done) {
        struct flm_elf_file *file =
            flm_debuginfod_get(find->debuginfod, &id, FLM_DEBUGINFOD_DEBUGINFO);
        if (file)
            take_debug(&search, file, false);
    }
    struct flm_elf_file *file = found.file;
    found.file = NULL;
    flm_found_clear(&found);
    flm_text_clear(&search.path);
    return file;
}
