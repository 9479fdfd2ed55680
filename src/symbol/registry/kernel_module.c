/* kernel_module.c - code tables of the kernel and its modules: from a vmlinux, or
 * /proc/kallsyms. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "os/regular_file.h"
#include "symbol/registry/internal.h"
#include "symbol/registry/kallsyms.h"

static const char kernel_name[] = "[kernel.kallsyms]";

/* "[ext4]", and "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz", as some recordings have it. */
static bool module_name(struct flm_bytes path, struct flm_bytes *name)
{
    static const char *const endings[] = {".ko", ".ko.xz", ".ko.zst", ".ko.gz"};
    if (path.size > 2 && path.at[0] == '[' && path.at[path.size - 1] == ']') {
        *name = (struct flm_bytes){path.at + 1, path.size - 2};
        return true;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!flm_bytes_start_with(path, "/") || !flm_bytes_end_with(path, endings[i]))
            continue;
        size_t end = path.size - strlen(endings[i]), start = end;
        while (start > 0 && path.at[start - 1] != '/')
            start--;
        *name = (struct flm_bytes){path.at + start, end - start};
        return true;
    }
    return false;
}

bool flm_is_kernel_path(struct flm_bytes path)
{
    static const char *const others[] = {"[vdso]",    "[vsyscall]", "[stack]",  "[heap]",
                                         "[uprobes]", "[vvar]",     "[vdso32]", "[anon]"};
    struct flm_bytes name;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (flm_bytes_are(path, others[i]))
            return false;
    return flm_bytes_start_with(path, kernel_name) || module_name(path, &name);
}

/* Reads a file into the text: up to `most` bytes, or the line of `symbol` if that is not NULL.
 * Closes it. */
static bool read_descriptor(int descriptor, size_t most, const char *symbol, struct flm_text *text)
{
    enum { STEP = 1 << 16 };
    if (descriptor < 0)
        return false;
    while (text->size < most) {
        char *to = flm_text_reserve(text, STEP);
        ssize_t got = to ? read(descriptor, to, STEP) : -1;
        if (got < 0 && to && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        text->size += (size_t)got;
        uint64_t found;
        struct flm_bytes came = {text->at + text->size - got, (size_t)got};
        if (symbol && flm_kernel_find(came, symbol, &found))
            break;
    }
    close(descriptor);
    return text->size > 0 && !text->failed;
}

/* The same of a file of the kernel. */
static bool read_until(const char *path, size_t most, const char *symbol, struct flm_text *text)
{
    return read_descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), most, symbol, text);
}

static bool read_file(const char *path, size_t most, struct flm_text *text)
{
    return read_until(path, most, NULL, text);
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

enum { ALL = 256 << 20, HEAD = 1 << 18 };

/* ---- A vmlinux, with lines ------------------------------------------------------------------- */

static struct flm_elf_file *open_right(const char *path, const struct flm_build_id *id)
{
    struct flm_elf_file *file = flm_elf_open(path, NULL);
    if (file && flm_build_id_equal(&file->build_id, id) && flm_elf_has_debug_info(file))
        return file;
    flm_elf_free(file);
    return NULL;
}

static struct flm_elf_file *find_vmlinux(const struct flm_module *module,
                                         const struct flm_build_id *id)
{
    static const char *const patterns[] = {"/usr/lib/debug/boot/vmlinux-%s",
                                           "/usr/lib/debug/lib/modules/%s/vmlinux",
                                           "/usr/lib/debug/lib/modules/%s/vmlinux.debug",
                                           "/lib/modules/%s/build/vmlinux",
                                           "/lib/modules/%s/vmlinux",
                                           "/boot/vmlinux-%s"};
    struct utsname system;
    struct flm_found found;
    if (id->size == 0)
        return NULL;
    flm_find_debug(&module->modules->find, NULL, flm_bytes_of("vmlinux"), id, 0, false, &found);
    struct flm_elf_file *file = found.file;
    found.file = NULL;
    flm_found_clear(&found);
    if (file && flm_elf_has_debug_info(file))
        return file;
    flm_elf_free(file);
    file = NULL;
    for (size_t i = 0; !file && i < sizeof patterns / sizeof *patterns && uname(&system) == 0;
         i++) {
        char path[sizeof system.release + 64];
        const char *mark = strstr(patterns[i], "%s");
        snprintf(path, sizeof path, "%.*s%s%s", (int)(mark - patterns[i]), patterns[i],
                 system.release, mark + 2);
        file = open_right(path, id);
    }
    return file;
}

struct flm_elf_file *flm_module_find_vmlinux(const struct flm_module *module)
{
    return find_vmlinux(module, &module->id);
}

/* The address of `name` in a vmlinux. */
static bool find_symbol(const struct flm_elf_file *file, const char *name, uint64_t *address)
{
    for (size_t i = 0; i < file->section_count; i++) {
        if (file->sections[i].type != SHT_SYMTAB || !file->is_wide ||
            file->sections[i].link >= file->section_count)
            continue;
        struct flm_bytes symbols = flm_elf_bytes(file, &file->sections[i]);
        struct flm_bytes texts = flm_elf_bytes(file, &file->sections[file->sections[i].link]);
        size_t size = strlen(name) + 1;
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size; at += sizeof(Elf64_Sym)) {
            uint64_t text = flm_elf_number(file, symbols.at + at, 4);
            if (text < texts.size && texts.size - text >= size &&
                memcmp(texts.at + text, name, size) == 0) {
                *address = flm_elf_number(file, symbols.at + at + 8, 8);
                return true;
            }
        }
    }
    return false;
}

static bool use_vmlinux(struct flm_module *module, const struct flm_build_id *id, const char *text,
                        uint64_t runs_at)
{
    if (module->modules->options.names_only)
        return false;
    struct flm_elf_file *file = find_vmlinux(module, id);
    uint64_t linked_at;
    bool done = false;
    if (file && find_symbol(file, text, &linked_at)) {
        struct flm_code_maker *maker = flm_code_maker_new(&module->why);
        module->slide = runs_at - linked_at;
        if (!flm_module_open_cached(module, "code")) {
            bool walked = maker && flm_module_walk(module, file, (struct flm_bytes){"", 0}, maker,
                                                   &module->why);
            if (walked) {
                flm_elf_add_symbols(file, FLM_ELF_SYMTAB, maker);
                flm_module_finish(module, maker, "code");
                maker = NULL;
            }
        }
        flm_code_maker_free(maker);
        done = module->code != NULL;
        module->slide = done ? module->slide : 0;
        module->state = done ? FLM_MODULE_COMPLETE : module->state;
    }
    flm_elf_free(file);
    return done;
}

/* ---- /proc/kallsyms -------------------------------------------------------------------------- */

static void use_list(struct flm_module *module, struct flm_bytes list, struct flm_bytes name,
                     uint64_t base, const char *kind)
{
    struct flm_code_maker *maker = flm_code_maker_new(&module->why);
    if (!maker)
        return;
    struct flm_kernel_counts counts = flm_kernel_add_functions(list, name, base, maker);
    module->is_hidden = counts.functions == 0 && counts.hidden > 0;
    module->state = counts.functions ? FLM_MODULE_SYMBOLS : FLM_MODULE_BARE;
    flm_module_finish(module, maker, counts.functions ? kind : NULL);
}

static void prepare_running(struct flm_module *module)
{
    struct flm_text list = {0};
    struct flm_bytes name = {"", 0};
    uint64_t text = 0;
    bool is_core = flm_bytes_start_with(module->path, kernel_name);
    if (!is_core)
        module_name(module->path, &name);
    /* The list starts with the first symbol of the kernel. The kernel takes 0.1 s to make all of
     * it, and 50 us for a page. */
    bool has_text = is_core && read_until("/proc/kallsyms", HEAD, "_stext", &list) &&
                    flm_kernel_find(bytes_of(&list), "_stext", &text);
    if (has_text && use_vmlinux(module, &module->id, "_stext", text)) {
        flm_text_clear(&list);
        return;
    }
    if (has_text && flm_module_open_cached(module, "kernel")) {
        module->state = FLM_MODULE_SYMBOLS;
        module->slide = text;
    } else {
        list.size = 0;
        if (read_file("/proc/kallsyms", ALL, &list))
            use_list(module, bytes_of(&list), name, text, is_core && has_text ? "kernel" : NULL);
        module->slide = text;
    }
    flm_text_clear(&list);
}

/* Another kernel, or this one before it was restarted: perf may have cached its kallsyms. */
static void prepare_other(struct flm_module *module)
{
    const char *symbol = module->kernel_symbol;
    module->state = FLM_MODULE_MISSING;
    if (!flm_bytes_start_with(module->path, kernel_name) || !module->id.size ||
        !module->kernel_text)
        return;
    if (use_vmlinux(module, &module->id, symbol, module->kernel_text) ||
        !module->modules->options.perf_dir)
        return;
    struct flm_text path = {0}, digits = {0}, list = {0};
    uint64_t listed_at;
    flm_build_id_print(&module->id, &digits);
    flm_text_format(&path, "%s/%s/%.*s/kallsyms", module->modules->options.perf_dir, kernel_name,
                    (int)digits.size, digits.at ? digits.at : "");
    flm_text_putc(&path, 0);
    if (!path.failed && !digits.failed &&
        read_descriptor(flm_regular_file_open(path.at), ALL, NULL, &list) &&
        flm_kernel_find(bytes_of(&list), symbol, &listed_at)) {
        module->slide = module->kernel_text;
        use_list(module, bytes_of(&list), (struct flm_bytes){"", 0}, listed_at, NULL);
    }
    flm_text_clear(&path);
    flm_text_clear(&digits);
    flm_text_clear(&list);
}

void flm_module_prepare_kernel(struct flm_module *module)
{
    struct flm_text notes = {0};
    struct flm_build_id running = {0};
    if (read_file("/sys/kernel/notes", HEAD, &notes))
        flm_elf_notes_build_id(bytes_of(&notes), &running);
    flm_text_clear(&notes);
    bool is_core = flm_bytes_start_with(module->path, kernel_name);
    bool is_other =
        is_core && module->id.size && running.size && !flm_build_id_equal(&module->id, &running);
    if (module->modules->options.kernel_is_ours && !is_other) {
        if (is_core && module->id.size == 0)
            module->id = running;
        prepare_running(module);
    } else {
        prepare_other(module);
    }
}
