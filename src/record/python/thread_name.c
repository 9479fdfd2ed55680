#include "record/python/thread_name.h"

#include <string.h>

#include "record/python/internal.h"

static bool read_word(struct flm_python *p, uint64_t address, uint64_t *word)
{
    return flm_process_memory_read(&p->memory, address, word, sizeof *word);
}

/* ---- Variables of an object ------------------------------------------------------------------ */

/* Offsets that 3.8 to 3.14 have in common. */
enum {
    TYPE_BASIC_SIZE = 32,
    TYPE_FLAGS = 168,
    TYPE_DICT_OFFSET = 288,
    DICT_KEYS = 32,
    DICT_VALUES = 40,
    VALUES_HEAD = 8 /* of an array of values, since 3.13 */
};

/* The table of names; and the values in the order of the names, or 0 where the table has them. */
struct variables {
    uint64_t keys, values;
};

static bool read_dict(struct flm_python *p, uint64_t dict, struct variables *v)
{
    if (!dict || !read_word(p, dict + DICT_KEYS, &v->keys) ||
        !read_word(p, dict + DICT_VALUES, &v->values))
        return false;
    v->values += v->values && p->layout.minor >= 13 ? VALUES_HEAD : 0;
    return true;
}

/* Since 3.11 an object has no dict of its own until somebody asks for it; its type has the names:
 *
 *     3.11   object - 32 has the address of the values, or object - 24 that of the dict
 *     3.12   object - 24 has either; that of the values is odd
 *     3.13   object - 24 has that of the dict, or 0: the values follow the object; 3.14 too */
static bool find_variables(struct flm_python *p, uint64_t object, struct variables *v)
{
    enum { HAS_NO_DICT = 1 << 4, LARGEST = 1 << 16 };
    const int minor = p->layout.minor;
    const uint64_t cached_keys = minor >= 12 ? 880 : 872;
    uint64_t type, word, size;
    if (!read_word(p, object + p->layout.object_type, &type))
        return false;
    if (minor < 11)
        return read_word(p, type + TYPE_DICT_OFFSET, &word) && word < LARGEST &&
               read_word(p, object + word, &word) && read_dict(p, word, v);
    if (!read_word(p, type + TYPE_FLAGS, &word) || !(word & HAS_NO_DICT) ||
        !read_word(p, type + cached_keys, &v->keys) || !read_word(p, object - 24, &word))
        return false;
    if (minor == 11 && read_word(p, object - 32, &v->values) && v->values)
        return true;
    if (minor == 12 && word & 1) {
        v->values = word + 1;
        return true;
    }
    if (minor >= 13 && word == 0) {
        v->values = object + VALUES_HEAD;
        return read_word(p, type + TYPE_BASIC_SIZE, &size) && (v->values += size) != 0;
    }
    return read_dict(p, word, v);
}

/* Where the entries of a table of names are, how many, and what one is like. */
struct entries {
    uint64_t at, count, size, key;
};

static bool read_entries(struct flm_python *p, uint64_t keys, struct entries *e)
{
    enum { SIZE = 1, COUNT = 4, OLD_HEAD = 40, COUNT_SINCE_11 = 3, HEAD = 32 };
    enum { LOG_INDEX_BYTES = 9, KIND = 10, LARGEST_LOG = 20, OF_ANY_KEYS = 0, MOST = 64 };
    unsigned char bytes[OLD_HEAD];
    uint64_t words[OLD_HEAD / sizeof(uint64_t)];
    if (!flm_process_memory_read(&p->memory, keys, bytes, sizeof bytes))
        return false;
    memcpy(words, bytes, sizeof words);
    if (p->layout.minor < 11) {
        uint64_t size = words[SIZE], width = size < 1 << 8 ? 1 : size < 1 << 16 ? 2 : 4;
        *e = (struct entries){keys + OLD_HEAD + size * width, words[COUNT], 24, 8};
    } else if (bytes[LOG_INDEX_BYTES] > LARGEST_LOG) {
        return false;
    } else {
        bool has_hashes = bytes[KIND] == OF_ANY_KEYS;
        *e = (struct entries){keys + HEAD + (UINT64_C(1) << bytes[LOG_INDEX_BYTES]),
                              words[COUNT_SINCE_11], has_hashes ? 24 : 16, has_hashes ? 8 : 0};
    }
    e->count = e->count < MOST ? e->count : MOST;
    return true;
}

static bool is_text(struct flm_python *p, uint64_t object, const char *wanted)
{
    char buffer[32];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    return object && flm_python_text_read(&p->codes, &p->memory, object, &text) &&
           flm_bytes_are((struct flm_bytes){text.at, text.size}, wanted);
}

/* The object that a variable has; 0: there is none of that name. */
static uint64_t find_variable(struct flm_python *p, uint64_t object, const char *name)
{
    struct variables v = {0};
    struct entries e;
    uint64_t key, value;
    if (!find_variables(p, object, &v) || !read_entries(p, v.keys, &e))
        return 0;
    for (uint64_t i = 0; i < e.count; i++) {
        uint64_t at = e.at + i * e.size + e.key;
        if (read_word(p, at, &key) && is_text(p, key, name))
            return read_word(p, v.values ? v.values + i * sizeof value : at + sizeof key, &value)
                       ? value
                       : 0;
    }
    return 0;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_bootstrap(const struct flm_python_frame *frame)
{
    return (flm_bytes_are(frame->function, "Thread._bootstrap") ||
            flm_bytes_are(frame->function, "_bootstrap")) &&
           flm_bytes_end_with(frame->file, "/threading.py");
}

/* Nothing that is read is trusted: a name that cannot be read leaves the one before. */
static void read_name(struct flm_python *p, struct flm_python_thread *thread,
                      struct flm_lasting_texts *names)
{
    char buffer[128];
    struct flm_text name;
    flm_text_init_fixed(&name, buffer, sizeof buffer);
    uint64_t text = find_variable(p, thread->object, "_name");
    if (text && flm_python_text_read(&p->codes, &p->memory, text, &name) && name.size > 0)
        thread->name = flm_lasting_text(names, (struct flm_bytes){name.at, name.size});
}

struct flm_bytes flm_python_thread_name(struct flm_python *p, int32_t id,
                                        const struct flm_python_frame *frames, size_t count,
                                        int64_t now_ns, struct flm_lasting_texts *names)
{
    enum { LASTS_NS = 1000000000 };
    struct flm_python_thread *thread = flm_python_thread(p, id);
    uint64_t object;
    if (!thread)
        return (struct flm_bytes){"", 0};
    if (count == 0 || p->layout.is_free_threaded || !is_bootstrap(&frames[count - 1]) ||
        !flm_python_first_variable(p, &frames[count - 1], &object) || !object)
        return thread->name;
    if (object != thread->object || now_ns - thread->named_ns >= LASTS_NS) {
        if (object != thread->object)
            thread->name = (struct flm_bytes){"", 0};
        thread->object = object;
        thread->named_ns = now_ns;
        read_name(p, thread, names);
    }
    return thread->name;
}
