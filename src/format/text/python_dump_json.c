/* python_dump_json.c - py-spy dump --json.
 *
 *     [{"pid": 1234, "thread_id": 139858, "thread_name": "MainThread", "os_thread_id": 1234,
 *       "active": true, "owns_gil": false,
 *       "frames": [{"name": "busy", "filename": "/srv/work.py", "module": null,
 *                   "short_filename": "work.py", "line": 7, "locals": null}],
 *       "process_info": null}]
 *
 * It is read as the text of py-spy dump is: python_dump.c. */
#include "format/text/python_dump.h"
#include "profile/internal.h"

enum owned { NAME, FILE_NAME, SHORT_NAME, THREAD_NAME, PROCESS, THREAD, SYSTEM_THREAD, OWNED };

struct reading {
    struct flm_python_dump *dump;
    struct flm_json json;
    struct flm_text owned[OWNED];
    bool is_active, owns_gil;
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->dump->base.stack.builder;
}

static struct flm_bytes owned(const struct reading *r, enum owned which)
{
    return (struct flm_bytes){r->owned[which].at, r->owned[which].size};
}

/* A text, or a number as it is written; nothing for null. */
static void own(struct reading *r, enum owned which)
{
    struct flm_json_number number;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_NUMBER) {
        flm_text_json_string(&r->json, builder_of(r), &r->owned[which]);
        return;
    }
    r->owned[which].size = 0;
    if (flm_json_number(&r->json, &number))
        flm_text_add(&r->owned[which], number.text);
    if (r->owned[which].failed)
        flm_builder_fail_memory(builder_of(r));
}

static void read_frame(struct reading *r)
{
    struct flm_bytes key;
    double line = 0;
    r->owned[NAME].size = r->owned[FILE_NAME].size = r->owned[SHORT_NAME].size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            own(r, NAME);
        else if (flm_bytes_are(key, "filename"))
            own(r, FILE_NAME);
        else if (flm_bytes_are(key, "short_filename"))
            own(r, SHORT_NAME);
        else if (flm_bytes_are(key, "line"))
            line = flm_text_json_number(&r->json);
    }
    if (!r->json.failed && !flm_builder_failed(builder_of(r)))
        flm_python_dump_frame(r->dump, owned(r, NAME),
                              owned(r, r->owned[SHORT_NAME].size > 0 ? SHORT_NAME : FILE_NAME),
                              line > 0 && line < 1e9 ? (uint64_t)line : 0);
}

static void read_bool(struct reading *r, bool *value)
{
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_BOOL)
        flm_json_bool(&r->json, value);
}

static void read_thread(struct reading *r)
{
    struct flm_bytes key;
    for (int i = THREAD_NAME; i < OWNED; i++)
        r->owned[i].size = 0;
    r->is_active = r->owns_gil = false;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(builder_of(r))) {
        if (flm_bytes_are(key, "pid")) {
            own(r, PROCESS);
        } else if (flm_bytes_are(key, "thread_id")) {
            own(r, THREAD);
        } else if (flm_bytes_are(key, "os_thread_id")) {
            own(r, SYSTEM_THREAD);
        } else if (flm_bytes_are(key, "thread_name")) {
            own(r, THREAD_NAME);
        } else if (flm_bytes_are(key, "active")) {
            read_bool(r, &r->is_active);
        } else if (flm_bytes_are(key, "owns_gil")) {
            read_bool(r, &r->owns_gil);
        } else if (flm_bytes_are(key, "frames")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r)))
                read_frame(r);
        }
    }
    if (r->json.failed || flm_builder_failed(builder_of(r)))
        return;
    const char *state = !r->is_active ? "idle" : r->owns_gil ? "active+gil" : "active";
    flm_stack_label(&r->dump->base.stack, "process", owned(r, PROCESS));
    flm_python_dump_thread(r->dump, owned(r, THREAD_NAME),
                           owned(r, r->owned[SYSTEM_THREAD].size > 0 ? SYSTEM_THREAD : THREAD),
                           flm_bytes_of(state));
    flm_python_dump_end(r->dump);
}

bool flm_python_dump_read_json(struct flm_python_dump *dump, struct flm_source *source,
                               struct flm_error *why)
{
    struct reading r = {.dump = dump};
    flm_json_init(&r.json, source, why);
    flm_json_enter_array(&r.json);
    while (flm_json_next_item(&r.json) && !flm_builder_failed(builder_of(&r)))
        read_thread(&r);
    for (int i = 0; i < OWNED; i++)
        flm_text_clear(&r.owned[i]);
    return flm_text_json_finish(&r.json, builder_of(&r));
}
