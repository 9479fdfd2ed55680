#include "record/events/perf_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/text/text.h"

enum { UPDATE_NAME = 2, MOST_RECORD = UINT16_MAX & ~7 };

struct flm_perf_stream {
    struct flm_text text;
    char *path;
    int file;
    int error; /* errno of the first failed write */
};

static bool write_all(void *context, const void *bytes, size_t size)
{
    struct flm_perf_stream *stream = context;
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(stream->file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            stream->error = errno;
            return false;
        }
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool explain(const struct flm_perf_stream *stream, struct flm_error *why)
{
    if (stream->error == 0)
        return flm_error_memory(why);
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: cannot be written: %s", stream->path,
                         strerror(stream->error));
}

static void add(struct flm_perf_stream *stream, const void *bytes, size_t size)
{
    flm_text_add(&stream->text, (struct flm_bytes){bytes, size});
}

static void add_word(struct flm_perf_stream *stream, uint64_t word)
{
    add(stream, &word, sizeof word);
}

static void add_header(struct flm_perf_stream *stream, uint32_t type, size_t size)
{
    struct perf_event_header header = {.type = type, .size = (uint16_t)size};
    assert(size <= MOST_RECORD && size % 8 == 0);
    add(stream, &header, sizeof header);
}

static void add_zeros(struct flm_perf_stream *stream, size_t count)
{
    flm_text_repeat(&stream->text, 0, count);
}

static size_t round_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

struct flm_perf_stream *flm_perf_stream_open(const char *path, struct flm_error *why)
{
    assert(path);
    struct flm_perf_stream *stream = calloc(1, sizeof *stream);
    char *copy = strdup(path);
    if (!stream || !copy) {
        free(stream);
        free(copy);
        flm_error_memory(why);
        return NULL;
    }
    stream->path = copy;
    stream->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (stream->file < 0) {
        stream->error = errno;
        explain(stream, why);
        free(copy);
        free(stream);
        return NULL;
    }
    /* Locked, so that others see that it is written. Where that cannot be, nothing is lost by it.
     */
    flock(stream->file, LOCK_EX | LOCK_NB);
    (void)!ftruncate(stream->file, 0);
    flm_text_init(&stream->text, write_all, stream);
    add(stream, "PERFILE2", 8);
    add_word(stream, 16);
    return stream;
}

bool flm_perf_stream_close(struct flm_perf_stream *stream, struct flm_error *why)
{
    if (!stream)
        return true;
    bool good = flm_text_flush(&stream->text);
    if (close(stream->file) != 0 && good) {
        stream->error = errno;
        good = false;
    }
    if (!good)
        explain(stream, why);
    flm_text_clear(&stream->text);
    free(stream->path);
    free(stream);
    return good;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* The ids in one record; an event with more is written several times. */
enum { IDS_A_RECORD = (MOST_RECORD - 8 - sizeof(struct perf_event_attr)) / 8 };

void flm_perf_stream_attributes(struct flm_perf_stream *stream, const struct perf_event_attr *attr,
                                const uint64_t *ids, size_t id_count, const char *name)
{
    struct perf_event_attr kept = *attr;
    assert((attr->sample_type & FLM_STREAM_SAMPLE) == FLM_STREAM_SAMPLE);
    kept.size = sizeof kept;
    kept.sample_type =
        FLM_STREAM_SAMPLE | PERF_SAMPLE_CALLCHAIN | (attr->sample_type & PERF_SAMPLE_RAW);
    kept.sample_regs_user = 0;
    kept.sample_stack_user = 0;
    kept.branch_sample_type = 0;
    kept.exclude_callchain_user = 0;
    /* Unwound chains are not limited; those of the kernel are. */
    if (attr->sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK))
        kept.sample_max_stack = UINT16_MAX;
    size_t name_size = strlen(name), room = round_up(name_size + 1);
    for (size_t first = 0; first < id_count; first += IDS_A_RECORD) {
        size_t count = id_count - first < IDS_A_RECORD ? id_count - first : IDS_A_RECORD;
        add_header(stream, FLM_RECORD_ATTRIBUTES, 8 + sizeof kept + 8 * count);
        add(stream, &kept, sizeof kept);
        add(stream, ids + first, 8 * count);
        add_header(stream, FLM_RECORD_EVENT_UPDATE, 24 + room);
        add_word(stream, UPDATE_NAME);
        add_word(stream, ids[first]);
        add(stream, name, name_size);
        add_zeros(stream, room - name_size);
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

void flm_perf_stream_record(struct flm_perf_stream *stream, const char *record, size_t size)
{
    add(stream, record, size);
}

void flm_perf_stream_sample(struct flm_perf_stream *stream, const char *record, size_t size,
                            const uint64_t *chain, size_t count, struct flm_bytes raw)
{
    enum { BEGINNING = 8 + FLM_STREAM_SAMPLE_SIZE, MOST_RAW = 4096 };
    struct perf_event_header header;
    assert(size >= BEGINNING);
    uint32_t raw_size = (uint32_t)(raw.size < MOST_RAW ? raw.size : MOST_RAW);
    size_t raw_room = raw.at ? round_up(sizeof raw_size + raw_size) : 0;
    size_t most_chain = (MOST_RECORD - BEGINNING - 8 - raw_room) / 8;
    if (count > most_chain)
        count = most_chain;
    memcpy(&header, record, sizeof header);
    header.size = (uint16_t)(BEGINNING + 8 + 8 * count + raw_room);
    add(stream, &header, sizeof header);
    add(stream, record + 8, FLM_STREAM_SAMPLE_SIZE);
    add_word(stream, count);
    add(stream, chain, 8 * count);
    if (!raw.at)
        return;
    add(stream, &raw_size, sizeof raw_size);
    add(stream, raw.at, raw_size);
    add_zeros(stream, raw_room - sizeof raw_size - raw_size);
}

/* Cuts a text that is too long for a record. */
static struct flm_bytes cut(struct flm_bytes text)
{
    enum { MOST = 16384 };
    return (struct flm_bytes){text.at, text.size < MOST ? text.size : MOST};
}

static void add_own(struct flm_perf_stream *stream, const void *fixed, size_t fixed_size,
                    const struct flm_bytes *texts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += texts[i].size;
    add_header(stream, FLM_RECORD_OWN, 24 + fixed_size + round_up(size));
    add_word(stream, 0);
    add_word(stream, FLM_OWN_MAGIC);
    add(stream, fixed, fixed_size);
    for (size_t i = 0; i < count; i++)
        flm_text_add(&stream->text, texts[i]);
    add_zeros(stream, round_up(size) - size);
}

void flm_perf_stream_code(struct flm_perf_stream *stream, const struct flm_event_code *code)
{
    const struct flm_bytes texts[] = {cut(code->function), cut(code->file), cut(code->module)};
    const struct flm_own_code fixed = {.kind = FLM_OWN_CODE,
                                       .line = code->line,
                                       .frame_kind = code->frame_kind,
                                       .function_size = (uint32_t)texts[0].size,
                                       .file_size = (uint32_t)texts[1].size,
                                       .module_size = (uint32_t)texts[2].size,
                                       .address = code->address};
    add_own(stream, &fixed, sizeof fixed, texts, 3);
}

void flm_perf_stream_note(struct flm_perf_stream *stream, const char *key, struct flm_bytes value)
{
    assert(key);
    const struct flm_bytes texts[] = {cut(flm_bytes_of(key)), cut(value)};
    const struct flm_own_note fixed = {.kind = FLM_OWN_NOTE,
                                       .key_size = (uint32_t)texts[0].size,
                                       .value_size = (uint32_t)texts[1].size};
    add_own(stream, &fixed, sizeof fixed, texts, 2);
}

void flm_perf_stream_marks(struct flm_perf_stream *stream, uint64_t id)
{
    const struct flm_own_marks fixed = {.kind = FLM_OWN_MARKS, .id = id};
    add_own(stream, &fixed, sizeof fixed, NULL, 0);
}

void flm_perf_stream_feature(struct flm_perf_stream *stream, enum flm_stream_feature feature,
                             struct flm_bytes text)
{
    text = cut(text);
    uint32_t room = (uint32_t)round_up(text.size + 1 + 4) - 4; /* after its own four bytes */
    add_header(stream, FLM_RECORD_FEATURE, 8 + 8 + 4 + room);
    add_word(stream, feature);
    add(stream, &room, sizeof room);
    flm_text_add(&stream->text, text);
    add_zeros(stream, room - text.size);
}

void flm_perf_stream_build_id(struct flm_perf_stream *stream, const char *path, bool in_kernel,
                              const struct flm_build_id *id)
{
    enum { ID_ROOM = 20, HAS_SIZE = 1 << 15 };
    struct {
        struct perf_event_header header;
        int32_t process;
        uint8_t id[ID_ROOM], size, unused[3];
        char path[28];
    } record = {
        .header = {.type = FLM_RECORD_BUILD_ID,
                   .misc = (in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) | HAS_SIZE,
                   .size = sizeof record},
        .process = -1,
        .size = id->size < ID_ROOM ? id->size : ID_ROOM};
    assert(strlen(path) < sizeof record.path);
    memcpy(record.path, path, strlen(path));
    memcpy(record.id, id->bytes, record.size);
    static_assert(sizeof record == 64, "as perf has it, and whole words");
    add(stream, &record, sizeof record);
}

bool flm_perf_stream_round(struct flm_perf_stream *stream, struct flm_error *why)
{
    add_header(stream, FLM_RECORD_ROUND, 8);
    return flm_text_flush(&stream->text) || explain(stream, why);
}

uint64_t flm_perf_stream_size(const struct flm_perf_stream *stream)
{
    return stream->text.handed_on + stream->text.size;
}
