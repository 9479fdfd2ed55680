#include "code/find/code_request.h"

#include <assert.h>

#include "base/text/json_read.h"

/* More text than this is answered by what there is room for: the rest is asked for again, or
 * said to be missing. */
#define MOST_TEXT ((size_t)64 << 20)

/* Of a message: the texts that the request refers to. */
struct reading {
    struct flm_text function, module;
    struct flm_text files; /* behind each other */
    size_t ends[FLM_CODE_REQUEST_MOST_FILES];
};

static void read_string(struct flm_json *json, struct flm_text *to)
{
    struct flm_bytes text;
    to->size = 0;
    if (flm_json_string(json, &text))
        flm_text_add(to, text);
}

static void read_files(struct flm_json *json, struct reading *r, struct flm_code_request *request)
{
    struct flm_bytes name;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        if (request->file_count == FLM_CODE_REQUEST_MOST_FILES || !flm_json_string(json, &name))
            continue;
        flm_text_add(&r->files, name);
        r->ends[request->file_count++] = r->files.size;
    }
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at ? text->at : "", text->size};
}

/* The request refers to `r`. */
static bool read_message(struct flm_bytes bytes, struct reading *r,
                         struct flm_code_request *request, struct flm_error *why)
{
    struct flm_source source = flm_source_of(bytes);
    struct flm_json json;
    struct flm_bytes key;
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (flm_json_next_key(&json, &key)) {
        struct flm_bytes side;
        if (flm_bytes_are(key, "function"))
            read_string(&json, &r->function);
        else if (flm_bytes_are(key, "module"))
            read_string(&json, &r->module);
        else if (flm_bytes_are(key, "assembly"))
            flm_json_bool(&json, &request->assembly);
        else if (flm_bytes_are(key, "files"))
            read_files(&json, r, request);
        else if (flm_bytes_are(key, "side") && flm_json_string(&json, &side))
            request->side = flm_code_side_named(side);
        else if (flm_bytes_are(key, "other") && flm_json_string(&json, &side))
            request->other = flm_code_side_named(side);
    }
    if (!flm_json_finish(&json))
        return false;
    if (r->function.failed || r->module.failed || r->files.failed)
        return flm_error_memory(why);
    request->function = bytes_of(&r->function);
    request->module = bytes_of(&r->module);
    for (size_t i = 0, start = 0; i < request->file_count; start = r->ends[i++])
        request->files[i] = (struct flm_bytes){r->files.at + start, r->ends[i] - start};
    return true;
}

enum flm_code_side flm_code_side_named(struct flm_bytes word)
{
    return flm_bytes_are(word, "after")    ? FLM_CODE_OF_AFTER
           : flm_bytes_are(word, "before") ? FLM_CODE_OF_BEFORE
                                           : FLM_CODE_OF_NONE;
}

static struct flm_code_finder *finder_of(const struct flm_code_sides *sides,
                                         enum flm_code_side side)
{
    return side == FLM_CODE_OF_AFTER    ? sides->after
           : side == FLM_CODE_OF_BEFORE ? sides->before
                                        : NULL;
}

static bool find_files(const struct flm_code_request *request, struct flm_code_finder *first,
                       struct flm_code_finder *second, struct flm_code_store *store,
                       struct flm_error *why)
{
    size_t size = 0;
    for (size_t i = 0; i < request->file_count && size < MOST_TEXT; i++) {
        struct flm_bytes name = request->files[i];
        if (first && !flm_code_finder_file(first, name, store, why))
            return false;
        if (second && !flm_code_store_file(store, name) &&
            !flm_code_finder_file(second, name, store, why))
            return false;
        const struct flm_code_file *file = flm_code_store_file(store, name);
        size += file ? file->text.size : 0;
    }
    return true;
}

bool flm_code_answer(const struct flm_code_sides *sides, const struct flm_code_request *request,
                     struct flm_text *answer, struct flm_error *why)
{
    assert(sides && request && answer);
    struct flm_code_store *store = flm_code_store_new(why);
    struct flm_code_finder *first = finder_of(sides, request->side),
                           *second = finder_of(sides, request->other);
    bool good = store && find_files(request, first, second, store, why) &&
                (!request->assembly || !first ||
                 flm_code_finder_function(first, request->function, request->module, store, why)) &&
                flm_code_store_write(store, answer, why);
    flm_code_store_free(store);
    return good;
}

bool flm_code_answer_message(const struct flm_code_sides *sides, struct flm_bytes message,
                             struct flm_text *answer, struct flm_error *why)
{
    struct reading r = {.function = {0}};
    struct flm_code_request request = {.file_count = 0};
    bool good =
        read_message(message, &r, &request, why) && flm_code_answer(sides, &request, answer, why);
    flm_text_clear(&r.function);
    flm_text_clear(&r.module);
    flm_text_clear(&r.files);
    return good;
}
