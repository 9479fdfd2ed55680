/* virtual_threads.c - the virtual thread that a thread of the VM runs: its number (Thread.threadId)
 * and its name. HotSpot 21 and later.
 *
 * JVM TI would tell it by events, which cost something each time a virtual thread is mounted. Here
 * the number is read when a sample is taken, and nothing happens otherwise:
 *
 *     from 24 on    the VM's structure of a thread has it: JavaThread::_monitor_owner_id
 *     21 to 23      the structure has a reference to the object, whose field tid is read. Not with
 *                   ZGC, whose references need the collector's help to be followed
 *
 * A thread that runs none has its own number there. In 21 to 23 a sample in native code that is
 * taken while a full collection moves objects may have a wrong number, or none.
 *
 * The name is looked up later, by the agent's own thread and with the help of the VM: the reference
 * in the structure is one that the VM updates, as those of JNI are, so JNI can follow it. A virtual
 * thread that is not mounted any more when this is done stays without a name. */
#include <string.h>

#include "java/internal.h"

enum { SLOTS = 1 << 14 };

static struct {
    bool is_known, has_number;
    uint64_t number;            /* of the thread, in its structure */
    uint64_t reference, object; /* in the structure, and behind that */
    uint64_t id_offset;         /* in the object; 0: it may not be read */
    field_id id, name;          /* java.lang.Thread.tid and name */
    bool may_look;              /* names may be looked up */
} layout;

/* Numbers that samples had, by their last bits, shifted left; the lowest bit: its name is written.
 * One that had the place before is forgotten, and written again. */
static _Atomic uint64_t seen[SLOTS];
static _Atomic bool has_new;

/* The offset of a field, which HotSpot's numbers of fields have; 0: another kind of number. */
static uint64_t offset_of(field_id field)
{
    enum { INSTANCE = 2, TAGS = 3, MOST = 1 << 10 };
    uint64_t number = (uint64_t)(uintptr_t)field;
    return (number & TAGS) == INSTANCE && number >> 2 < MOST ? number >> 2 : 0;
}

static bool find_fields(jni *env)
{
    object of = jni_find_class(env, "java/lang/Thread");
    layout.id = of ? jni_field(env, of, "tid", "J") : NULL;
    layout.name = layout.id ? jni_field(env, of, "name", "Ljava/lang/String;") : NULL;
    if (of)
        jni_delete_local(env, of);
    if (!layout.name)
        jni_clear_exception(env);
    return layout.name != NULL;
}

void virtual_begin(jni *env)
{
    enum { VERSION_21 = 21 << 16 };
    memset(seen, 0, sizeof seen);
    memset(&layout, 0, sizeof layout);
    if (jni_version(env) < VERSION_21 || !find_fields(env) ||
        !structures_offset("JavaThread", "_vthread", &layout.reference) ||
        !structures_offset("OopHandle", "_obj", &layout.object))
        return;
    const bool *is_z = structures_flag("UseZGC"), *is_checked = structures_flag("CheckJNICalls");
    layout.has_number = structures_offset("JavaThread", "_monitor_owner_id", &layout.number);
    layout.id_offset = is_z && !*is_z ? offset_of(layout.id) : 0;
    layout.may_look = is_checked && !*is_checked; /* the check refuses references of the VM's own */
    layout.is_known = layout.has_number || layout.id_offset;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static uint64_t word_at(uint64_t address)
{
    uint64_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

struct reading {
    uint64_t address, number;
};

static void read_number(void *in)
{
    struct reading *r = in;
    if (layout.has_number) {
        r->number = word_at(r->address + layout.number);
        return;
    }
    uint64_t place = word_at(r->address + layout.reference + layout.object);
    uint64_t o = place ? word_at(place) : 0;
    uint64_t number = o ? word_at(o + layout.id_offset) : 0;
    r->number = o && word_at(place) == o ? number : 0; /* it was not moved meanwhile */
}

static void see(uint64_t number)
{
    _Atomic uint64_t *slot = &seen[number % SLOTS];
    uint64_t there = atomic_load_explicit(slot, memory_order_relaxed), wake = 1;
    if (there == (number << 1 | 1))
        return;
    if (there != number << 1)
        atomic_store_explicit(slot, number << 1, memory_order_relaxed);
    /* Again for each sample: it may not have been there when it was looked for. */
    if (!atomic_exchange(&has_new, true) && write(agent.wake, &wake, sizeof wake) < 0)
        atomic_store(&has_new, false);
}

uint64_t virtual_number(struct thread *t)
{
    enum { MOST_BITS = 48 };
    struct reading r = {t->address, 0};
    if (!layout.is_known || !t->address || !guarded_run(&t->fault, read_number, &r) ||
        r.number == t->number || r.number >> MOST_BITS != 0)
        return 0;
    see(r.number);
    return r.number;
}

uint64_t virtual_own_number(jni *env, object thread)
{
    return layout.id ? (uint64_t)jni_get_long(env, thread, layout.id) : 0;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool write_name(uint64_t number, const char *name, uint32_t size)
{
    struct flm_java_virtual *record = ring_reserve(sizeof *record + size);
    if (!record)
        return false;
    record->number = number;
    record->name_size = size;
    record->reserved = 0;
    memcpy(record + 1, name, size);
    ring_commit(record, sizeof *record + size, FLM_JAVA_VIRTUAL);
    return true;
}

/* Of a thread whose object is at hand. */
static void describe(jni *env, object thread)
{
    enum { MOST_BYTES = 3 * MOST_NAME + 1 };
    char bytes[MOST_BYTES] = "";
    uint64_t number = virtual_own_number(env, thread);
    _Atomic uint64_t *slot = &seen[number % SLOTS];
    if (atomic_load(slot) != number << 1)
        return;
    object name = jni_get_object(env, thread, layout.name);
    int32_t size = name ? jni_text_size(env, name) : 0;
    if (size > 0)
        jni_copy_text(env, name, size < MOST_NAME ? size : MOST_NAME, bytes);
    if (name)
        jni_delete_local(env, name);
    if (write_name(number, bytes, (uint32_t)strnlen(bytes, sizeof bytes - 1)))
        atomic_store(slot, number << 1 | 1);
}

/* A reference of the VM's own, as JNI marks its global ones. */
static object reference_at(uint64_t address)
{
    enum { GLOBAL = 2 };
    uint64_t place = word_at(address + layout.reference + layout.object);
    return place ? (object)(uintptr_t)(place | GLOBAL) : NULL;
}

/* The thread is not freed meanwhile: it says that it ends, and waits for the lock, before its
 * object loses the address. */
static void look_at(struct thread *t, void *context)
{
    jni *env = context;
    bool is_there = t->address && threads_address(env, t->reference) == t->address;
    object vms = is_there ? reference_at(t->address) : NULL;
    object thread = vms ? jni_new_local(env, vms) : NULL;
    if (!thread)
        return;
    describe(env, thread);
    jni_delete_local(env, thread);
}

void virtual_describe(jni *env)
{
    if (!layout.is_known || !layout.may_look || !atomic_exchange(&has_new, false))
        return;
    threads_visit(look_at, env);
}

uint64_t virtual_here(jni *env, const struct thread *t, object thread)
{
    uint64_t number = layout.is_known && t ? virtual_own_number(env, thread) : 0;
    if (number == 0 || number == t->number)
        return 0;
    see(number);
    describe(env, thread);
    return number;
}
