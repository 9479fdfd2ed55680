#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/core/hash.h"
#include "format/flm/packed.h"
#include "format/protobuf/wire_read.h"
#include "store/segment/internal.h"
#include "store/segment/segment.h"

struct group {
    struct flm_segment_group seen;
    struct flm_segment_block blocks[FLM_SEGMENT_VIEWS];
};

struct flm_segment {
    char *path;
    const unsigned char *at; /* the mapped file */
    size_t size;
    int64_t from_ms, until_ms;
    struct flm_text index; /* what the texts point into */
    struct FLM_ARRAY(struct flm_bytes) series;
    struct FLM_ARRAY(struct group) groups;
    struct flm_segment_block tree_block;
    struct flm_profile *tree; /* once it was asked for */
    struct flm_text raw;      /* of the block that was read last */
};

/* A damaged file may claim any size: no block of ours is larger, since more nodes than a profile
 * may have do not pack to more, and rows are sealed before. */
#define MOST_RAW ((uint64_t)4 << 30)

/* ---- Blocks ---------------------------------------------------------------------------------- */

static bool damaged(const struct flm_segment *s, uint64_t offset, const char *what,
                    struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "%s: byte %llu: %s: the segment is damaged",
                         s->path, (unsigned long long)offset, what);
}

static bool unpack(const struct flm_segment *s, const struct flm_segment_block *block,
                   const char *what, struct flm_text *raw, struct flm_error *why)
{
    if (block->offset > s->size || block->size > s->size - block->offset)
        return damaged(s, block->offset, what, why);
    const unsigned char *packed = s->at + block->offset;
    if (flm_checksum(packed, block->size) != block->checksum)
        return damaged(s, block->offset, what, why);
    /* The checksum is right, so this is what was written, unless it was made to deceive. */
    if (block->raw_size > MOST_RAW ||
        ZSTD_getFrameContentSize(packed, block->size) != block->raw_size)
        return damaged(s, block->offset, what, why);
    raw->size = 0;
    char *at = flm_text_reserve(raw, block->raw_size ? block->raw_size : 1);
    if (!at) {
        raw->failed = false; /* a smaller one may be read later */
        return flm_error_memory(why);
    }
    size_t got = ZSTD_decompress(at, block->raw_size, packed, block->size);
    if (ZSTD_isError(got) || got != block->raw_size)
        return damaged(s, block->offset, what, why);
    raw->size = got;
    return true;
}

/* ---- The index ------------------------------------------------------------------------------- */

static bool read_text(struct flm_wire *index, struct flm_bytes *text)
{
    uint64_t size;
    if (!flm_wire_varint(index, &index->at, &size))
        return false;
    if (size > (uint64_t)(index->end - index->at))
        return flm_wire_fail(index->input, index->at, "a text is longer than the index");
    *text = (struct flm_bytes){(const char *)index->at, (size_t)size};
    index->at += size;
    return true;
}

static bool read_number(struct flm_wire *index, uint64_t most, uint64_t *number)
{
    const unsigned char *start = index->at;
    return flm_wire_varint(index, &index->at, number) &&
           (*number <= most || flm_wire_fail(index->input, start, "a number is too large"));
}

static bool read_block(struct flm_wire *index, struct flm_segment_block *block)
{
    if (!read_number(index, UINT64_MAX, &block->offset) ||
        !read_number(index, UINT64_MAX, &block->size) ||
        !read_number(index, UINT64_MAX, &block->raw_size))
        return false;
    if (index->end - index->at < 8)
        return flm_wire_fail(index->input, index->at, "the index ends in a checksum");
    block->checksum = flm_get_u64(index->at);
    index->at += 8;
    return true;
}

static bool read_group(struct flm_segment *s, struct flm_wire *index, struct group *group)
{
    struct flm_segment_group *seen = &group->seen;
    uint64_t first, count;
    if (!read_text(index, &seen->type) || !read_number(index, s->series.count, &first) ||
        !read_number(index, s->series.count - first, &count) ||
        !read_number(index, UINT64_MAX, &seen->row_count))
        return false;
    seen->first_series = (uint32_t)first;
    seen->series_count = (uint32_t)count;
    for (int view = 0; view < FLM_SEGMENT_VIEWS; view++)
        if (!read_block(index, &group->blocks[view]))
            return false;
    return true;
}

static bool read_series(struct flm_segment *s, struct flm_wire *index)
{
    uint64_t count;
    if (!read_number(index, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct flm_bytes text;
        if (!read_text(index, &text) || !FLM_ARRAY_ADD(&s->series, text))
            return false;
        if (i > 0 && flm_bytes_compare(s->series.at[i - 1], text) >= 0)
            return flm_wire_fail(index->input, index->at, "the series are not in order");
    }
    return true;
}

/* False without an error of the input: memory ran out. */
static bool read_index(struct flm_segment *s, struct flm_wire *index)
{
    uint64_t count;
    if (!read_series(s, index) || !read_block(index, &s->tree_block) ||
        !read_number(index, UINT32_MAX, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct group group = {0};
        if (!read_group(s, index, &group) || !FLM_ARRAY_ADD(&s->groups, group))
            return false;
    }
    return index->at == index->end ||
           flm_wire_fail(index->input, index->at, "something follows the index");
}

static bool open_index(struct flm_segment *s, struct flm_error *why)
{
    const unsigned char *header = s->at;
    if (memcmp(header, FLM_SEGMENT_MAGIC, 8) != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "%s: this is no segment of a store", s->path);
    if (flm_checksum(header, 56) != flm_get_u64(header + 56))
        return damaged(s, 0, "header", why);
    const struct flm_segment_block block = {flm_get_u64(header + 24), flm_get_u64(header + 32),
                                            flm_get_u64(header + 40), flm_get_u64(header + 48)};
    s->from_ms = (int64_t)flm_get_u64(header + 8);
    s->until_ms = (int64_t)flm_get_u64(header + 16);
    if (s->from_ms >= s->until_ms)
        return damaged(s, 8, "header", why);
    if (!unpack(s, &block, "index", &s->index, why))
        return false;
    struct flm_wire_input input = flm_wire_input_of((struct flm_bytes){s->index.at, s->index.size});
    struct flm_wire index = flm_wire_all(&input);
    if (read_index(s, &index))
        return true;
    return input.reason ? damaged(s, block.offset, input.reason, why) : flm_error_memory(why);
}

struct flm_segment *flm_segment_open(const char *path, struct flm_error *why)
{
    struct flm_segment *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        flm_error_memory(why);
        return NULL;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool good = file >= 0 && fstat(file, &status) == 0;
    if (!good) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    } else if (status.st_size < FLM_SEGMENT_HEADER) {
        good = flm_error_set(why, FLM_ERROR_FORMAT,
                             "%s: this is no segment of a store: it is too short", path);
    } else {
        void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
        good = at != MAP_FAILED;
        if (good) {
            s->at = at;
            s->size = (size_t)status.st_size;
        } else {
            flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
        }
    }
    if (file >= 0)
        close(file);
    if (!good || !open_index(s, why)) {
        flm_segment_close(s);
        return NULL;
    }
    return s;
}

void flm_segment_close(struct flm_segment *s)
{
    if (!s)
        return;
    union {
        const unsigned char *seen;
        void *mapped;
    } at = {s->at};
    if (s->at)
        munmap(at.mapped, s->size);
    flm_profile_free(s->tree);
    FLM_ARRAY_CLEAR(&s->series);
    FLM_ARRAY_CLEAR(&s->groups);
    flm_text_clear(&s->index);
    flm_text_clear(&s->raw);
    free(s->path);
    free(s);
}

/* ---- What is in it --------------------------------------------------------------------------- */

int64_t flm_segment_from_ms(const struct flm_segment *s)
{
    return s->from_ms;
}

int64_t flm_segment_until_ms(const struct flm_segment *s)
{
    return s->until_ms;
}

uint64_t flm_segment_size(const struct flm_segment *s)
{
    return s->size;
}

uint32_t flm_segment_series_count(const struct flm_segment *s)
{
    return (uint32_t)s->series.count;
}

struct flm_bytes flm_segment_series(const struct flm_segment *s, uint32_t series)
{
    return s->series.at[series];
}

uint32_t flm_segment_group_count(const struct flm_segment *s)
{
    return (uint32_t)s->groups.count;
}

const struct flm_segment_group *flm_segment_group(const struct flm_segment *s, uint32_t group)
{
    return &s->groups.at[group].seen;
}

const struct flm_profile *flm_segment_tree(struct flm_segment *s, struct flm_error *why)
{
    if (s->tree || !unpack(s, &s->tree_block, "tree", &s->raw, why))
        return s->tree;
    struct flm_error inner;
    s->tree = flm_profile_unpack((struct flm_bytes){s->raw.at, s->raw.size}, &inner);
    if (!s->tree && inner.kind == FLM_ERROR_MEMORY)
        flm_error_memory(why);
    else if (!s->tree)
        damaged(s, s->tree_block.offset, "tree", why);
    return s->tree;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A block of rows, and what they may refer to. */
static bool read_rows(struct flm_segment *s, uint32_t group, enum flm_segment_view view,
                      struct flm_store_range *range, struct flm_error *why)
{
    static const char *const names[] = {"totals", "times", "rows"};
    const struct flm_profile *tree = flm_segment_tree(s, why);
    if (!tree || !unpack(s, &s->groups.at[group].blocks[view], names[view], &s->raw, why))
        return false;
    *range = (struct flm_store_range){
        .from_ms = 0,
        .until_ms = INT64_MAX,
        .series_count = view == FLM_SEGMENT_TOTALS ? 1 : s->groups.at[group].seen.series_count,
        .node_count = view == FLM_SEGMENT_TIMES ? 1 : flm_profile_node_count(tree)};
    return true;
}

/* An error of the columns gets the place of their block. */
static bool ended(const struct flm_segment *s, uint32_t group, enum flm_segment_view view,
                  bool good, const struct flm_error *inner, struct flm_error *why)
{
    if (good)
        return true;
    if (inner->kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    return damaged(s, s->groups.at[group].blocks[view].offset, inner->text, why);
}

static void add_to_node(void *context, uint32_t node, uint32_t series, double sum)
{
    double *self = context;
    (void)series;
    self[node] += sum;
}

bool flm_segment_sum(struct flm_segment *s, uint32_t group, int64_t from_ms, int64_t until_ms,
                     const unsigned char *series, double *self, struct flm_error *why)
{
    bool whole = from_ms <= s->from_ms && until_ms >= s->until_ms && !series;
    enum flm_segment_view view = whole ? FLM_SEGMENT_TOTALS : FLM_SEGMENT_ROWS;
    if (until_ms <= s->from_ms || from_ms >= s->until_ms)
        return true;
    struct flm_store_range range;
    struct flm_error inner = {0};
    if (!read_rows(s, group, view, &range, why))
        return false;
    if (!whole) {
        range.from_ms = from_ms > s->from_ms ? from_ms - s->from_ms : 0;
        range.until_ms = until_ms < s->until_ms ? until_ms - s->from_ms : INT64_MAX;
        range.series = series;
    }
    bool good = flm_store_rows_sum((struct flm_bytes){s->raw.at, s->raw.size}, &range, add_to_node,
                                   self, &inner);
    return ended(s, group, view, good, &inner, why);
}

bool flm_segment_times(struct flm_segment *s, uint32_t group, flm_segment_time_sink add,
                       void *context, struct flm_error *why)
{
    struct flm_store_range range;
    struct flm_store_rows rows = {0};
    struct flm_error inner = {0};
    if (!read_rows(s, group, FLM_SEGMENT_TIMES, &range, why))
        return false;
    bool good =
        flm_store_rows_decode((struct flm_bytes){s->raw.at, s->raw.size}, &range, &rows, &inner);
    for (size_t i = 0; good && i < rows.count; i++)
        add(context, rows.at[i].series, s->from_ms + rows.at[i].time_ms, rows.at[i].value);
    FLM_ARRAY_CLEAR(&rows);
    return ended(s, group, FLM_SEGMENT_TIMES, good, &inner, why);
}

bool flm_segment_rows(struct flm_segment *s, uint32_t group, struct flm_store_rows *rows,
                      struct flm_error *why)
{
    struct flm_store_range range;
    struct flm_error inner = {0};
    if (!read_rows(s, group, FLM_SEGMENT_ROWS, &range, why))
        return false;
    bool good =
        flm_store_rows_decode((struct flm_bytes){s->raw.at, s->raw.size}, &range, rows, &inner);
    return ended(s, group, FLM_SEGMENT_ROWS, good, &inner, why);
}

static void ignore(void *context, uint32_t series, int64_t time_ms, double value)
{
    (void)context, (void)series, (void)time_ms, (void)value;
}

bool flm_segment_check(struct flm_segment *s, struct flm_error *why)
{
    const struct flm_profile *tree = flm_segment_tree(s, why);
    double *self = tree ? calloc(flm_profile_node_count(tree), sizeof *self) : NULL;
    if (tree && !self)
        flm_error_memory(why);
    bool good = self != NULL;
    for (uint32_t group = 0; good && group < s->groups.count; group++)
        good = flm_segment_sum(s, group, INT64_MIN, INT64_MAX, NULL, self, why) &&
               flm_segment_times(s, group, ignore, NULL, why) &&
               flm_segment_sum(s, group, s->from_ms, s->until_ms - 1, NULL, self, why);
    free(self);
    return good;
}
