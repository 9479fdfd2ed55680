/* symbols.c - files with symbols, by which frames without names are named when they are asked for
 * (load/stored_addresses.h).
 *
 *     POST /api/v1/symbols       an ELF file: a program, a library, or its debug file
 *
 * It is kept by its build id, as debuggers keep such files: FOLDER/.build-id/1f/0c... a program,
 * 0c....debug what has symbols. Of two with one build id the last one counts. To name an address
 * takes the program, since only that says which address an offset in it is; and where its symbols
 * are in a file of their own, that too. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/json_write.h"
#include "os/file_bytes.h"
#include "serve/ingest/ingest.h"
#include "symbol/elf/elf_file.h"

static bool make_folder(const char *path, struct flm_error *why)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the folder cannot be made", path);
}

/* Under another name first: whoever looks for it finds a whole file. */
static bool keep(const char *path, struct flm_bytes bytes, struct flm_error *why)
{
    char part[1200];
    snprintf(part, sizeof part, "%s.%lx", path, (unsigned long)(uintptr_t)bytes.at);
    if (flm_file_write(part, bytes, why) &&
        (rename(part, path) == 0 ||
         flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be renamed", part)))
        return true;
    unlink(part);
    return false;
}

/* Whether it has code, as the file of a program has, and one with its symbols alone has not. */
static bool has_code(const struct flm_elf_file *file)
{
    for (size_t i = 0; i < file->section_count; i++)
        if (file->sections[i].flags & SHF_EXECINSTR && file->sections[i].type != SHT_NOBITS)
            return true;
    return false;
}

/* Where programs are looked for, and where their symbols are. */
static bool place(const char *folder, const struct flm_elf_file *file, struct flm_bytes bytes,
                  const char *digits, struct flm_error *why)
{
    char ids[1000], below[1010], path[1100];
    if (snprintf(ids, sizeof ids, "%s/.build-id", folder) >= (int)sizeof ids)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "the path of the folder is too long");
    snprintf(below, sizeof below, "%s/%.2s", ids, digits);
    snprintf(path, sizeof path, "%s/%s", below, digits + 2);
    if (!make_folder(folder, why) || !make_folder(ids, why) || !make_folder(below, why) ||
        (has_code(file) && !keep(path, bytes, why)))
        return false;
    snprintf(path, sizeof path, "%s/%s.debug", below, digits + 2);
    bool has_symbols = flm_elf_has_debug_info(file) || flm_elf_has_symbols(file);
    return !has_symbols || keep(path, bytes, why);
}

static unsigned take(struct flm_serving *s, struct flm_bytes bytes, struct flm_text *digits,
                     struct flm_error *why)
{
    if (!s->symbols.folder) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "there is no folder for symbols: the server takes --symbols FOLDER");
        return 400;
    }
    struct flm_elf_file *file = flm_elf_new(bytes, why);
    if (!file)
        return flm_status_of(why, 422);
    unsigned status = 200;
    flm_build_id_print(&file->build_id, digits);
    flm_text_putc(digits, 0);
    if (digits->failed) {
        flm_error_memory(why);
        status = 503;
    } else if (file->build_id.size < 2) {
        flm_error_set(why, FLM_ERROR_FORMAT, "the file has no build id");
        status = 422;
    } else if (!place(s->symbols.folder, file, bytes, digits->at, why)) {
        status = 503;
    }
    flm_elf_free(file);
    return status;
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_body body;
    struct flm_error why;
    struct flm_text digits = {0};
    struct flm_json_writer json = {.out = &response->body};
    if (flm_serve_body(s, request, &body, flm_fail_json, response)) {
        unsigned status =
            flm_serve_parameters(request, "", &why) ? take(s, body.plain, &digits, &why) : 400;
        if (status == 200) {
            response->type = "application/json";
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_add_text(&json, "build_id", flm_bytes_of(digits.at));
            flm_json_end(&json);
        } else {
            flm_fail_json(request, response, status, why.text);
        }
    }
    flm_text_clear(&digits);
    flm_body_clear(&body);
}

/* They name frames of all tenants. */
const struct flm_route flm_routes_symbols[1] = {
    {"POST", "/api/v1/symbols", FLM_RIGHT_WRITE, answer, flm_fail_json, true},
};
