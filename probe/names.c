/* names.c - the names of functions, and of locks that are variables, by their addresses. Runs
 * inside malloc, but for flm_names_add. */
#include "names.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol {
    uintptr_t start, size; /* as the file has them */
    uint32_t name;
};

/* A part of a file that is mapped; of variables that begin as 0 there is more behind it. */
struct module {
    struct module *next;
    uintptr_t start, end;
    uint64_t offset; /* in the file */
    size_t memory;   /* bytes of this */
    uintptr_t bias;  /* addresses of symbols are from here */
    bool is_code, is_read;
    struct symbol *symbols; /* by their start */
    uint32_t count;
    char *texts;
    size_t symbols_memory, texts_size;
    char path[];
};

static struct module *modules;

/* ---- What is mapped -------------------------------------------------------------------------- */

static void free_module(struct module *module)
{
    flm_memory_free(module->symbols, module->symbols_memory);
    flm_memory_free(module->texts, module->texts_size + 1);
    flm_memory_free(module, module->memory);
}

void flm_names_forget(void)
{
    while (modules) {
        struct module *module = modules;
        modules = module->next;
        free_module(module);
    }
}

static void add_module(uintptr_t start, uintptr_t end, uint64_t offset, bool is_code,
                       const char *path)
{
    size_t size = strlen(path), memory = sizeof(struct module) + size + 1;
    struct module *module = flm_memory_new(memory);
    if (!module)
        return;
    module->start = start;
    module->end = end;
    module->offset = offset;
    module->is_code = is_code;
    module->memory = memory;
    memcpy(module->path, path, size + 1);
    module->next = modules;
    modules = module;
}

static uint64_t read_hex(const char **at)
{
    uint64_t value = 0;
    for (;; ++*at) {
        char c = **at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16u;
        if (digit == 16)
            return value;
        value = value << 4 | digit;
    }
}

/* "55d0c0e00000-55d0c0e02000 r-xp 00001000 fe:00 1234    /usr/bin/app" */
static void read_line(const char *at)
{
    uintptr_t start = read_hex(&at);
    uintptr_t end = *at == '-' ? (at++, read_hex(&at)) : 0;
    if (end <= start || strlen(at) < 6)
        return;
    bool is_code = at[3] == 'x', is_data = at[2] == 'w' && !is_code;
    at += 6;
    uint64_t offset = read_hex(&at);
    const char *path = strchr(at, '/');
    if (path && (is_code || is_data))
        add_module(start, end, offset, is_code, path);
    else if (!path && is_data && !strchr(at, '[') && modules && modules->end == start)
        modules->end = end;
}

/* Line by line: a program may have more mappings than fit anywhere. */
static void read_maps(void)
{
    char line[4096 + 128];
    size_t size = 0;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    for (ssize_t got; (got = read(file, line + size, sizeof line - 1 - size)) > 0;) {
        size += (size_t)got;
        char *from = line, *end;
        while ((end = memchr(from, '\n', size - (size_t)(from - line)))) {
            *end = 0;
            read_line(from);
            from = end + 1;
        }
        size -= (size_t)(from - line);
        if (size == sizeof line - 1)
            size = 0; /* a path that is too long */
        memmove(line, from, size);
    }
    close(file);
}

static struct module *find_module(uintptr_t address)
{
    struct module *module = modules;
    while (module && (address < module->start || address >= module->end))
        module = module->next;
    return module;
}

static struct module *module_of(uintptr_t address)
{
    struct module *module = find_module(address);
    if (module)
        return module;
    flm_names_forget();
    read_maps();
    return find_module(address);
}

bool flm_names_has_code(uintptr_t address)
{
    const struct module *module = module_of(address);
    return module && module->is_code;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Bytes of a file; NULL: they are not there, or too many to be true. */
static void *read_part(int file, uint64_t offset, uint64_t size)
{
    const uint64_t most = (uint64_t)1 << 30;
    unsigned char *part = size > 0 && size < most ? flm_memory_new(size + 1) : NULL;
    uint64_t done = 0;
    while (part && done < size) {
        ssize_t got = pread(file, part + done, size - done, (off_t)(offset + done));
        if (got <= 0)
            break;
        done += (uint64_t)got;
    }
    if (part && done < size) {
        flm_memory_free(part, size + 1);
        part = NULL;
    }
    return part;
}

/* Where the file's address 0 is in memory. */
static bool find_bias(int file, const ElfW(Ehdr) * head, struct module *module)
{
    size_t size = (size_t)head->e_phnum * sizeof(ElfW(Phdr));
    ElfW(Phdr) *parts = read_part(file, head->e_phoff, size);
    bool found = false;
    for (int i = 0; parts && i < head->e_phnum && !found; i++) {
        const ElfW(Phdr) *part = &parts[i];
        enum { PAGE = 4096 };
        uint64_t first = part->p_offset / PAGE * PAGE;
        found = part->p_type == PT_LOAD && module->offset >= first &&
                module->offset < part->p_offset + part->p_filesz;
        if (found)
            module->bias = module->start - module->offset + part->p_offset - part->p_vaddr;
    }
    flm_memory_free(parts, size + 1);
    return found;
}

static void sift(struct symbol *at, size_t from, size_t count)
{
    for (size_t child; (child = 2 * from + 1) < count; from = child) {
        child += child + 1 < count && at[child + 1].start > at[child].start;
        if (at[from].start >= at[child].start)
            return;
        struct symbol swapped = at[from];
        at[from] = at[child];
        at[child] = swapped;
    }
}

/* A heap: the C library's may allocate. */
static void sort_symbols(struct symbol *at, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(at, i, count);
    while (count > 1) {
        struct symbol swapped = at[0];
        at[0] = at[--count];
        at[count] = swapped;
        sift(at, 0, count);
    }
}

static bool is_wanted(const ElfW(Sym) * symbol, bool is_code, size_t texts)
{
    unsigned type = symbol->st_info & 15u;
    bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    return (is_code ? is_function : type == STT_OBJECT) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_name > 0 && symbol->st_name < texts;
}

static void keep_symbols(struct module *module, const ElfW(Sym) * from, size_t count)
{
    module->symbols_memory = count * sizeof(struct symbol);
    module->symbols = flm_memory_new(module->symbols_memory);
    for (size_t i = 0; module->symbols && i < count; i++)
        if (is_wanted(&from[i], module->is_code, module->texts_size))
            module->symbols[module->count++] =
                (struct symbol){from[i].st_value, from[i].st_size, from[i].st_name};
    if (module->symbols)
        sort_symbols(module->symbols, module->count);
}

static bool read_symbols(int file, const ElfW(Shdr) * sections, uint32_t section_count,
                         uint32_t kind, struct module *module)
{
    for (uint32_t i = 0; i < section_count; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != kind || table->sh_link >= section_count ||
            table->sh_entsize != sizeof(ElfW(Sym)))
            continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        void *symbols = read_part(file, table->sh_offset, table->sh_size);
        module->texts = read_part(file, names->sh_offset, names->sh_size);
        module->texts_size = module->texts ? names->sh_size : 0;
        if (symbols && module->texts) /* with a 0 behind it */
            keep_symbols(module, symbols, table->sh_size / sizeof(ElfW(Sym)));
        flm_memory_free(symbols, table->sh_size + 1);
        return module->count > 0;
    }
    return false;
}

static void read_file(struct module *module)
{
    int file = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    ElfW(Ehdr) head;
    if (file < 0)
        return;
    if (pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == class &&
        head.e_phentsize == sizeof(ElfW(Phdr)) && find_bias(file, &head, module) &&
        head.e_shentsize == sizeof(ElfW(Shdr))) {
        uint32_t count = head.e_shnum;
        ElfW(Shdr) *sections = read_part(file, head.e_shoff, count * sizeof *sections);
        if (sections && !read_symbols(file, sections, count, SHT_SYMTAB, module)) {
            flm_memory_free(module->texts, module->texts_size + 1);
            flm_memory_free(module->symbols, module->symbols_memory);
            module->texts = NULL;
            module->symbols = NULL;
            read_symbols(file, sections, count, SHT_DYNSYM, module);
        }
        flm_memory_free(sections, count * sizeof *sections + 1);
    }
    close(file);
}

/* The last symbol that begins there or before, and that it is in. */
static const char *name_in(const struct module *module, uintptr_t address)
{
    size_t first = 0, end = module->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (module->symbols[middle].start <= address)
            first = middle + 1;
        else
            end = middle;
    }
    for (size_t i = first; i-- > 0 && first - i < 8;) {
        const struct symbol *symbol = &module->symbols[i];
        if (address == symbol->start || address - symbol->start < symbol->size)
            return module->texts + symbol->name;
    }
    return NULL;
}

static const char *name_of(struct module *module, uintptr_t address)
{
    if (!module)
        return NULL;
    if (!module->is_read)
        read_file(module);
    module->is_read = true;
    return name_in(module, address - module->bias);
}

const char *flm_name_of(uintptr_t address)
{
    return name_of(module_of(address), address);
}

uintptr_t flm_names_find(const char *name)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    module_of((uintptr_t)flm_names_find); /* what is mapped is known */
    for (struct module *module = modules; module; module = module->next) {
        if (!module->is_code || strcmp(module->path, path) != 0)
            continue;
        flm_name_of(module->start);
        for (uint32_t i = 0; i < module->count; i++)
            if (strcmp(module->texts + module->symbols[i].name, name) == 0)
                return module->bias + module->symbols[i].start;
    }
    return 0;
}

/* ---- Names in the file ----------------------------------------------------------------------- */

/* Of libstdc++ or libc++abi, where the program has one. */
extern char *__cxa_demangle(const char *name, char *text, size_t *size, int *status)
    __attribute__((weak));

/* Where there is no symbol: "app+0x1234". */
static void name_by_place(const struct module *module, uintptr_t address, char *text, size_t size)
{
    const char *slash = module ? strrchr(module->path, '/') : NULL;
    if (slash)
        snprintf(text, size, "%.200s+0x%llx", slash + 1,
                 (unsigned long long)(address - module->start + module->offset));
    else
        snprintf(text, size, "0x%llx", (unsigned long long)address);
}

static void set_name(struct flm_probe_site *site, const char *text)
{
    size_t size = strlen(text);
    uint64_t at = flm_arena_add_text(&flm_run.arena, text, size);
    if (at == 0)
        return;
    site->name = at;
    __atomic_store_n(&site->name_size, (uint32_t)size, __ATOMIC_RELEASE);
}

/* As the linker has it; where nothing is known, its place, and false. `has_read`: what is mapped
 * was read for this already, and an address that is nowhere is no reason to do it again. */
static bool print_symbol(uintptr_t address, bool *has_read, char *text, size_t size, bool *is_code)
{
    struct module *module = find_module(address);
    if (!module && !*has_read) {
        module = module_of(address);
        *has_read = true;
    }
    const char *name = name_of(module, address);
    *is_code = module && module->is_code;
    if (name)
        snprintf(text, size, "%s", name);
    else
        name_by_place(module, address, text, size);
    return name != NULL;
}

/* Calls the program's library: not under the lock. */
static void make_readable(char *text, size_t size)
{
    int status = -1;
    char *readable = __cxa_demangle && strncmp(text, "_Z", 2) == 0
                         ? __cxa_demangle(text, NULL, NULL, &status)
                         : NULL;
    if (readable && status == 0)
        snprintf(text, size, "%s", readable);
    free(readable);
}

bool flm_names_print(uintptr_t address, bool *has_read, char *text, size_t size, bool *is_code)
{
    flm_lock();
    bool is_known = print_symbol(address, has_read, text, size, is_code);
    flm_unlock();
    if (is_known)
        make_readable(text, size);
    return is_known;
}

static bool is_nameless(const struct flm_probe_site *site)
{
    return site->address > 0 && (site->kind == FLM_PROBE_SCOPE || site->kind == FLM_PROBE_LOCK) &&
           site->name_size == 0 && site->function_size == 0;
}

static bool name_site(uint32_t number, bool *has_read)
{
    static const char made[] = "made in ";
    enum { MADE = sizeof made - 1 };
    char text[MADE + 4096];
    bool is_code;
    flm_lock();
    struct flm_probe_site *site = flm_site_at(number);
    uintptr_t address = site && is_nameless(site) ? (uintptr_t)site->address : 0;
    bool is_lock = site && site->kind == FLM_PROBE_LOCK;
    flm_unlock();
    if (address == 0)
        return site != NULL;
    memcpy(text, made, MADE);
    bool is_known = flm_names_print(address, has_read, text + MADE, sizeof text - MADE, &is_code);
    flm_lock();
    set_name(site, is_lock && is_known && is_code ? text : text + MADE);
    flm_unlock();
    return true;
}

void flm_names_add(void)
{
    struct flm_probe_open *top = flm_local_work();
    bool has_read = false;
    for (uint32_t number = 1; name_site(number, &has_read); number++) {
    }
    flm_local_rest(top);
}
