#include "code/find/code_request.h"

#include <assert.h>

#include "base/text/json_read.h"

/* More text than this is answered by what there is room for: the rest is asked for again, or
 * said to be missing. */
#define MOST_TEXT ((size_t)64 << 20)

struct request {
    struct flm_text function, module;
    struct flm_text files; /* behind each other */
    size_t ends[FLM_CODE_REQUEST_MOST_FILES], file_count;
    bool is_before, assembly;
};

static void read_string(struct flm_json *json, struct flm_text *to)
{
    struct flm_bytes text;
    to->size = 0;
    if (flm_json_string(json, &text))
        flm_text_add(to, text);
}

static void read_files(struct flm_json *json, struct request *r)
{
    struct flm_bytes name;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        if (r->file_count == FLM_CODE_REQUEST_MOST_FILES || !flm_json_string(json, &name))
            continue;
        flm_text_add(&r->files, name);
        r->ends[r->file_count++] = r->files.size;
    }
}

static bool read_request(struct flm_bytes bytes, struct request *r, struct flm_error *why)
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
            flm_json_bool(&json, &r->assembly);
        else if (flm_bytes_are(key, "files"))
            read_files(&json, r);
        else if (flm_bytes_are(key, "side") && flm_json_string(&json, &side))
            r->is_before = flm_bytes_are(side, "before");
    }
    return flm_json_finish(&json) &&
           ((!r->function.failed && !r->module.failed && !r->files.failed) ||
            flm_error_memory(why));
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at ? text->at : "", text->size};
}

static bool find_files(const struct request *r, struct flm_code_finder *first,
                       struct flm_code_finder *second, struct flm_code_store *store,
                       struct flm_error *why)
{
    size_t start = 0, size = 0;
    for (size_t i = 0; i < r->file_count && size < MOST_TEXT; i++) {
        struct flm_bytes name = {r->files.at + start, r->ends[i] - start};
        start = r->ends[i];
        if (!flm_code_finder_file(first, name, store, why))
            return false;
        if (second && !flm_code_store_file(store, name) &&
            !flm_code_finder_file(second, name, store, why))
            return false;
        const struct flm_code_file *file = flm_code_store_file(store, name);
        size += file ? file->text.size : 0;
    }
    return true;
}

bool flm_code_request_answer(const struct flm_code_sides *sides, struct flm_bytes request,
                             struct flm_text *answer, struct flm_error *why)
{
    assert(sides && sides->after && answer);
    struct request r = {.file_count = 0};
    bool good = read_request(request, &r, why);
    struct flm_code_store *store = good ? flm_code_store_new(why) : NULL;
    bool is_before = r.is_before && sides->before;
    struct flm_code_finder *first = is_before ? sides->before : sides->after,
                           *second = is_before ? sides->after : sides->before;
    good = store && find_files(&r, first, second, store, why) &&
           (!r.assembly || flm_code_finder_function(first, bytes_of(&r.function),
                                                    bytes_of(&r.module), store, why)) &&
           flm_code_store_write(store, answer, why);
    flm_code_store_free(store);
    flm_text_clear(&r.function);
    flm_text_clear(&r.module);
    flm_text_clear(&r.files);
    return good;
}
