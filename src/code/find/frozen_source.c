#include "code/find/frozen_source.h"

#include <assert.h>

#include "os/regular_file.h"

struct search {
    struct flm_bytes file;  /* "importlib/util.py" */
    struct flm_text folder; /* that has it; terminated */
    struct flm_text tried;  /* the one that is tried */
    bool has_several;       /* of interpreters of several versions */
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The size of "python3.11" or "python3.13t" at the beginning of a text; 0: it does not begin so. */
static size_t version_size(struct flm_bytes text)
{
    static const char begin[] = "python3.";
    size_t size = sizeof begin - 1;
    if (!flm_bytes_start_with(text, begin) || text.size == size || !is_digit(text.at[size]))
        return 0;
    while (size < text.size && is_digit(text.at[size]))
        size++;
    return size + (size < text.size && text.at[size] == 't');
}

/* "_frozen_importlib" has no file; "os" and "importlib._bootstrap" have. */
static bool add_file(struct flm_bytes module, struct flm_text *file)
{
    char before = '.';
    for (size_t i = 0; i < module.size; i++) {
        char byte = module.at[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                         byte == '_' || is_digit(byte);
        if (!is_letter && (byte != '.' || before == '.'))
            return false;
        flm_text_putc(file, byte == '.' ? '/' : byte);
        before = byte;
    }
    flm_text_puts(file, ".py");
    return before != '.';
}

/* A folder that may be that of a library. */
static void try_folder(struct search *s, struct flm_bytes parent, const char *between,
                       struct flm_bytes name)
{
    s->tried.size = 0;
    flm_text_add(&s->tried, parent);
    flm_text_puts(&s->tried, between);
    flm_text_add(&s->tried, name);
    size_t size = s->tried.size;
    flm_text_putc(&s->tried, '/');
    flm_text_add(&s->tried, s->file);
    flm_text_putc(&s->tried, 0);
    struct flm_bytes folder = {s->tried.at, size};
    if (s->tried.failed ||
        flm_bytes_equal((struct flm_bytes){s->folder.at, s->folder.size}, folder) ||
        !flm_is_regular_file(s->tried.at))
        return;
    s->has_several = s->folder.size > 0;
    if (!s->has_several)
        flm_text_add(&s->folder, folder);
}

/* What comes before the last '/' of a path; "" where it has none. */
static struct flm_bytes parent_of(struct flm_bytes path)
{
    while (path.size > 0 && path.at[path.size - 1] != '/')
        path.size--;
    return (struct flm_bytes){path.at, path.size > 0 ? path.size - 1 : 0};
}

/* Of "/usr/lib/python3.11/json/decoder.py" the folder; of "/usr/bin/python3.11" and
 * "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0" the ones in /usr/lib. */
static void try_path(struct search *s, struct flm_bytes path)
{
    if (path.size == 0 || path.at[0] != '/' || !flm_bytes_contain(path, "python3."))
        return;
    for (size_t i = 1; i < path.size; i++) {
        size_t size = path.at[i - 1] == '/' ? version_size(flm_bytes_from(path, i)) : 0;
        if (size > 0 && i + size < path.size && path.at[i + size] == '/')
            try_folder(s, (struct flm_bytes){path.at, i}, "",
                       (struct flm_bytes){path.at + i, size});
    }
    struct flm_bytes parent = parent_of(path), name = flm_bytes_from(path, parent.size + 1);
    if (flm_bytes_start_with(name, "lib"))
        name = flm_bytes_from(name, 3);
    name.size = version_size(name);
    if (name.size == 0)
        return;
    try_folder(s, parent, "/", name);
    try_folder(s, parent_of(parent), "/", name);
    try_folder(s, parent_of(parent), "/lib/", name);
    try_folder(s, parent_of(parent), "/lib64/", name);
}

bool flm_frozen_source_path(const struct flm_profile *profile, struct flm_bytes name,
                            struct flm_text *path)
{
    assert(profile && path);
    static const char begin[] = "<frozen ";
    if (!flm_bytes_start_with(name, begin) || !flm_bytes_end_with(name, ">"))
        return false;
    struct flm_bytes module = flm_bytes_from(name, sizeof begin - 1);
    module.size--;
    struct flm_text file = {0};
    struct search s = {.has_several = false};
    bool is_module = add_file(module, &file);
    s.file = (struct flm_bytes){file.at, file.size};
    uint32_t last_file = 0, last_module = 0;
    for (uint32_t i = 1; is_module && i < profile->sizes.frame_count && !s.has_several; i++) {
        const struct flm_frame_record *frame = &profile->frames[i];
        if (frame->file != last_file)
            try_path(&s, flm_string_bytes(profile, frame->file));
        if (frame->module != last_module)
            try_path(&s, flm_string_bytes(profile, frame->module));
        last_file = frame->file;
        last_module = frame->module;
    }
    if (is_module) {
        if (!s.has_several)
            flm_text_add(path, (struct flm_bytes){s.folder.at, s.folder.size});
        flm_text_putc(path, '/');
        flm_text_add(path, s.file);
        path->failed |= file.failed || s.tried.failed || s.folder.failed;
    }
    flm_text_clear(&file);
    flm_text_clear(&s.folder);
    flm_text_clear(&s.tried);
    return is_module;
}
