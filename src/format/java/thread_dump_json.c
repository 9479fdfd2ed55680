/* thread_dump_json.c - what jcmd Thread.dump_to_file -format=json writes.
 *
 *     {"threadDump": {
 *        "processId": "27733", "time": "2026-11-20T07:24:07.264202454Z",
 *        "runtimeVersion": "25.0.3+9-LTS",
 *        "threadContainers": [
 *          {"container": "<root>", "parent": null, "owner": null,
 *           "threads": [
 *             {"tid": "3", "time": "2026-11-20T07:24:07.468740948Z", "name": "main",
 *              "state": "TIMED_WAITING", "virtual": true, "carrier": "28",
 *              "parkBlocker": {"object": "java.util.concurrent.CountDownLatch$Sync@baa1ab"},
 *              "waitingOn": "...", "blockedOn": "...",
 *              "stack": ["java.base/java.lang.Thread.run(Thread.java:1474)", ...]}]}]}}
 *
 * Stacks are leaf first. JDK 21 has neither times, states nor locks. Numbers are texts, and may
 * become numbers. Not all threads stand still at one moment, so each may have a time of its own. */
#include "base/text/json_read.h"
#include "format/java/internal.h"

enum owned { NAME, TID, STATE, LOCK, CARRIER, CONTAINER, PROCESS, OWNED_COUNT };

struct reading {
    struct flm_json json;
    struct flm_java_threads threads;
    struct flm_text owned[OWNED_COUNT];
    int64_t dump_ns;
    bool is_dump;
};

/* A text, or a number as it is written; nothing for anything else. */
static struct flm_bytes read_text(struct reading *r)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    switch (flm_json_type(&r->json)) {
    case FLM_JSON_TYPE_STRING:
        flm_json_string(&r->json, &text);
        break;
    case FLM_JSON_TYPE_NUMBER:
        if (flm_json_number(&r->json, &number))
            text = number.text;
        break;
    default:
        flm_json_skip(&r->json);
    }
    return r->json.failed ? (struct flm_bytes){"", 0} : text;
}

static void own(struct reading *r, enum owned which)
{
    struct flm_bytes text = read_text(r);
    r->owned[which].size = 0;
    flm_text_add(&r->owned[which], text);
}

/* #27: the VM's number of a thread, not the system's. */
static void own_number(struct reading *r, enum owned which)
{
    struct flm_bytes text = read_text(r);
    r->owned[which].size = 0;
    if (text.size > 0) {
        flm_text_putc(&r->owned[which], '#');
        flm_text_add(&r->owned[which], text);
    }
}

static bool enter_object(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT && flm_json_enter_object(&r->json);
}

static bool enter_array(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY && flm_json_enter_array(&r->json);
}

static void read_park_blocker(struct reading *r)
{
    struct flm_bytes key;
    if (!enter_object(r)) {
        own(r, LOCK);
        return;
    }
    while (flm_json_next_key(&r->json, &key))
        if (flm_bytes_are(key, "object"))
            own(r, LOCK);
}

static bool read_bool(struct reading *r)
{
    bool value = false;
    return flm_json_type(&r->json) == FLM_JSON_TYPE_BOOL && flm_json_bool(&r->json, &value) &&
           value;
}

static void read_thread(struct reading *r)
{
    struct flm_java_thread thread = {0};
    int64_t time_ns = r->dump_ns, own_ns;
    struct flm_bytes key;
    for (int i = 0; i <= CARRIER; i++)
        r->owned[i].size = 0;
    if (!enter_object(r))
        return;
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "tid"))
            own_number(r, TID);
        else if (flm_bytes_are(key, "name"))
            own(r, NAME);
        else if (flm_bytes_are(key, "state"))
            own(r, STATE);
        else if (flm_bytes_are(key, "carrier"))
            own_number(r, CARRIER);
        else if (flm_bytes_are(key, "virtual"))
            thread.is_virtual = read_bool(r);
        else if (flm_bytes_are(key, "parkBlocker"))
            read_park_blocker(r);
        else if (flm_bytes_are(key, "blockedOn") || flm_bytes_are(key, "waitingOn"))
            own(r, LOCK);
        else if (flm_bytes_are(key, "time"))
            time_ns = flm_date_parse(read_text(r), &own_ns) ? own_ns : time_ns;
        else if (flm_bytes_are(key, "stack") && enter_array(r))
            while (flm_json_next_item(&r->json))
                flm_java_frame(&r->threads, read_text(r), false);
    }
    if (r->json.failed)
        return;
    thread.name = flm_java_kept(&r->owned[NAME]);
    thread.id = flm_java_kept(&r->owned[TID]);
    thread.state = flm_java_kept(&r->owned[STATE]);
    thread.lock = flm_java_kept(&r->owned[LOCK]);
    thread.carrier = flm_java_kept(&r->owned[CARRIER]);
    thread.container = flm_java_kept(&r->owned[CONTAINER]);
    thread.process = flm_java_kept(&r->owned[PROCESS]);
    flm_java_thread(&r->threads, &thread, time_ns);
}

static void read_container(struct reading *r)
{
    struct flm_bytes key;
    r->owned[CONTAINER].size = 0;
    if (!enter_object(r))
        return;
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "container"))
            own(r, CONTAINER);
        else if (flm_bytes_are(key, "threads") && enter_array(r))
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->threads.stack.builder))
                read_thread(r);
    }
}

static void read_members(struct reading *r)
{
    struct flm_builder *b = r->threads.stack.builder;
    struct flm_bytes key, text;
    if (!flm_json_enter_object(&r->json))
        return;
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "processId")) {
            own(r, PROCESS);
        } else if (flm_bytes_are(key, "runtimeVersion")) {
            text = read_text(r);
            flm_builder_note(b, "runtime", text.at, text.size);
        } else if (flm_bytes_are(key, "time")) {
            text = read_text(r);
            if (flm_date_parse(text, &r->dump_ns))
                flm_builder_note(b, "recorded", text.at, text.size);
        } else if (flm_bytes_are(key, "threadContainers") && enter_array(r)) {
            while (flm_json_next_item(&r->json) && !flm_builder_failed(b))
                read_container(r);
        }
    }
}

bool flm_java_read_json(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.dump_ns = FLM_NO_TIME};
    struct flm_bytes key;
    flm_java_begin(&r.threads, builder, options);
    flm_json_init(&r.json, source, why);
    flm_json_enter_object(&r.json);
    while (flm_json_next_key(&r.json, &key) && !flm_builder_failed(builder)) {
        if (flm_bytes_are(key, "threadDump")) {
            read_members(&r);
            r.is_dump = true;
            r.threads.dumps++;
        }
    }
    bool good = true;
    if (flm_builder_failed(builder))
        flm_json_clear(&r.json); /* flm_builder_finish reports the error */
    else
        good = flm_json_finish(&r.json);
    for (int i = 0; i < OWNED_COUNT; i++) {
        if (good && r.owned[i].failed)
            good = flm_error_memory(why);
        flm_text_clear(&r.owned[i]);
    }
    flm_java_end(&r.threads);
    if (good && !r.is_dump && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no \"threadDump\"");
    return good;
}

int flm_java_sniff_json(struct flm_bytes head)
{
    head = flm_bytes_trimmed(head);
    if (!flm_bytes_start_with(head, "{") || !flm_bytes_contain(head, "\"threadDump\""))
        return FLM_SNIFF_NO;
    return flm_bytes_contain(head, "\"threadContainers\"") ? FLM_SNIFF_SURE : FLM_SNIFF_LIKELY;
}
