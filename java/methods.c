/* methods.c - names of methods that samples have: seen in signal handlers, asked for later, by the
 * agent's own thread, before the class can be unloaded in most cases. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "java/internal.h"

/* A hash table of those seen, which never forgets, and a list of them in order. */
enum { SLOTS = 1 << 18, MOST = SLOTS / 2, MOST_LINES = 8192 };

static struct {
    _Atomic uint64_t slots[SLOTS];
    _Atomic uint64_t in_order[MOST];
} * seen;
static _Atomic uint32_t seen_count;
static uint32_t described;

bool methods_begin(void)
{
    void *memory = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    seen = memory;
    atomic_store(&seen_count, 0);
    described = 0;
    return true;
}

void methods_end(void)
{
    if (seen)
        munmap(seen, sizeof *seen);
    seen = NULL;
}

void method_seen(method_id method)
{
    uint64_t id = (uint64_t)(uintptr_t)method, wake = 1;
    uint32_t at = (uint32_t)(id * UINT64_C(0x9E3779B97F4A7C15) >> 40);
    if (!id)
        return;
    for (uint32_t i = 0; i < 64; i++, at++) {
        _Atomic uint64_t *slot = &seen->slots[at & (SLOTS - 1)];
        uint64_t there = atomic_load_explicit(slot, memory_order_relaxed);
        if (there == id)
            return;
        if (there != 0 || !atomic_compare_exchange_strong(slot, &there, id)) {
            if (there == id)
                return;
            continue;
        }
        uint32_t number = atomic_fetch_add(&seen_count, 1);
        if (number < MOST) {
            atomic_store_explicit(&seen->in_order[number], id, memory_order_release);
            if (write(agent.wake, &wake, sizeof wake) < 0)
                return; /* it wakes up by itself, a little later */
            return;
        }
        break;
    }
    __atomic_add_fetch(&agent.ring->lost_methods, 1, __ATOMIC_RELAXED);
}

/* ---- What is known of them ------------------------------------------------------------------- */

static char *add_text(char *at, const char *text, uint32_t size)
{
    memcpy(at, text, size);
    return at + size;
}

static uint32_t size_of(const char *text)
{
    enum { LONGEST = 4096 };
    return text ? (uint32_t)strnlen(text, LONGEST) : 0;
}

static void write_method(method_id method, const char *class_name, const char *name,
                         const char *signature, const char *file, const struct jvmti_line *lines,
                         uint32_t line_count)
{
    struct flm_java_method r = {.method = (uint64_t)(uintptr_t)method,
                                .class_size = size_of(class_name),
                                .name_size = size_of(name),
                                .signature_size = size_of(signature),
                                .file_size = size_of(file),
                                .line_count = line_count < MOST_LINES ? line_count : MOST_LINES};
    uint64_t texts =
        flm_java_aligned((uint64_t)r.class_size + r.name_size + r.signature_size + r.file_size);
    uint64_t size = sizeof r + texts + r.line_count * sizeof(struct flm_java_line);
    char *record = ring_reserve_patiently(size), *at;
    if (!record)
        return;
    memcpy(record + sizeof r.record, (char *)&r + sizeof r.record, sizeof r - sizeof r.record);
    at = add_text(record + sizeof r, class_name, r.class_size);
    at = add_text(at, name, r.name_size);
    at = add_text(at, signature, r.signature_size);
    add_text(at, file, r.file_size);
    at = record + sizeof r + texts;
    for (uint32_t i = 0; i < r.line_count; i++) {
        struct flm_java_line line = {(uint32_t)lines[i].from, (uint32_t)lines[i].line};
        memcpy(at + i * sizeof line, &line, sizeof line);
    }
    ring_commit(record, size, FLM_JAVA_METHOD);
}

/* Of a class that was unloaded the method is not known any more. */
static void describe(jni *env, method_id method)
{
    char *name = NULL, *signature = NULL, *class_name = NULL, *file = NULL;
    struct jvmti_line *lines = NULL;
    int32_t line_count = 0;
    object of = NULL;
    jvmti *ti = agent.ti;
    if (jvmti_method_class(ti, method, &of) == 0 && of &&
        jvmti_method_name(ti, method, &name, &signature) == 0 &&
        jvmti_class_signature(ti, of, &class_name) == 0) {
        if (jvmti_source_file(ti, of, &file) != 0)
            file = NULL;
        if (jvmti_line_table(ti, method, &line_count, &lines) != 0) {
            lines = NULL;
            line_count = 0;
        }
        write_method(method, class_name, name, signature, file, lines, (uint32_t)line_count);
    }
    jvmti_free(ti, name);
    jvmti_free(ti, signature);
    jvmti_free(ti, class_name);
    jvmti_free(ti, file);
    jvmti_free(ti, lines);
    if (of)
        jni_delete_local(env, of);
}

void methods_describe(jni *env)
{
    uint32_t count = atomic_load(&seen_count);
    while (described < count && described < MOST) {
        uint64_t id = atomic_load_explicit(&seen->in_order[described], memory_order_acquire);
        if (!id) /* a handler is about to store it */
            return;
        describe(env, (method_id)(uintptr_t)id);
        described++;
    }
}

/* ---- Methods that AsyncGetCallTrace may return ----------------------------------------------- */

void methods_prepare_class(object of)
{
    int32_t count;
    method_id *methods = NULL;
    if (jvmti_class_methods(agent.ti, of, &count, &methods) == 0)
        jvmti_free(agent.ti, methods);
}

void methods_prepare(jni *env)
{
    int32_t count = 0;
    object *classes = NULL;
    if (jvmti_loaded_classes(agent.ti, &count, &classes) != 0)
        return;
    for (int32_t i = 0; i < count; i++) {
        methods_prepare_class(classes[i]);
        jni_delete_local(env, classes[i]);
    }
    jvmti_free(agent.ti, classes);
}
