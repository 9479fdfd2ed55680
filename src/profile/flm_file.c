#include "profile/flm_file.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a .flm file is used in place, so flamel needs a little-endian machine"
#endif

static const char magic[8] = {'F', 'L', 'A', 'M', 'E', 'L', 0x1A, '\n'};

enum { VERSION = 1, ALIGNMENT = 64, SECTION_COUNT = 32 };

struct header {
    char magic[8];
    uint32_t version;
    uint32_t section_count;
    uint64_t file_size;
    uint64_t checksum; /* of the header with this field 0, and of the table after it */
    char reserved[32]; /* 0 */
};

struct entry {
    char id[4];
    uint32_t flags; /* ENTRY_... */
    uint64_t offset, size, checksum;
    uint64_t reserved; /* 0 */
};

/* A reader to which a section with this flag is unknown must refuse the file. */
enum { ENTRY_MUST_BE_UNDERSTOOD = 1 };

/* The sections in file order. `pointer` is where flm_profile points to the column. */
static const struct section {
    char id[5];
    size_t pointer;
    size_t item_size;
} sections[SECTION_COUNT] = {
    {"METR", offsetof(struct flm_profile, metrics), sizeof(struct flm_metric_record)},
    {"NOTE", offsetof(struct flm_profile, notes), sizeof(struct flm_note_record)},
    {"LOSS", offsetof(struct flm_profile, losses), sizeof(struct flm_loss_record)},
    {"STRE", offsetof(struct flm_profile, string_ends), sizeof(uint32_t)},
    {"STRB", offsetof(struct flm_profile, string_bytes), 1},
    {"FRAM", offsetof(struct flm_profile, frames), sizeof(struct flm_frame_record)},
    {"NFRM", offsetof(struct flm_profile, node_frame), sizeof(uint32_t)},
    {"NEND", offsetof(struct flm_profile, node_end), sizeof(uint32_t)},
    {"SELF", offsetof(struct flm_profile, self), sizeof(double)},
    {"LABL", offsetof(struct flm_profile, labels), sizeof(struct flm_label_record)},
    {"LSTE", offsetof(struct flm_profile, label_set_ends), sizeof(uint32_t)},
    {"LSTM", offsetof(struct flm_profile, set_members), sizeof(uint32_t)},
    {"STIM", offsetof(struct flm_profile, sample_time), sizeof(int64_t)},
    {"SNOD", offsetof(struct flm_profile, sample_node), sizeof(uint32_t)},
    {"SLAB", offsetof(struct flm_profile, sample_labels), sizeof(uint32_t)},
    {"SDUR", offsetof(struct flm_profile, sample_duration), sizeof(int64_t)},
    {"SVAL", offsetof(struct flm_profile, sample_value), sizeof(double)},
    {"MARK", offsetof(struct flm_profile, markers), sizeof(struct flm_marker_record)},
    {"CNTR", offsetof(struct flm_profile, counters), sizeof(struct flm_counter_record)},
    {"CTIM", offsetof(struct flm_profile, point_time), sizeof(int64_t)},
    {"CVAL", offsetof(struct flm_profile, point_value), sizeof(double)},
    {"FLOC", offsetof(struct flm_profile, frame_locations), sizeof(uint32_t)},
    {"LADR", offsetof(struct flm_profile, location_address), sizeof(uint64_t)},
    {"LFIL", offsetof(struct flm_profile, location_file), sizeof(uint32_t)},
    {"LLIN", offsetof(struct flm_profile, location_line), sizeof(uint32_t)},
    {"LCOL", offsetof(struct flm_profile, location_column), sizeof(uint32_t)},
    {"NCHN", offsetof(struct flm_profile, node_chains), sizeof(uint32_t)},
    {"CCLR", offsetof(struct flm_profile, chain_caller), sizeof(uint32_t)},
    {"CLOC", offsetof(struct flm_profile, chain_place), sizeof(uint32_t)},
    {"CSLF", offsetof(struct flm_profile, chain_value), sizeof(double)},
    {"SCHN", offsetof(struct flm_profile, sample_chain), sizeof(uint32_t)},
    {"RECU", offsetof(struct flm_profile, recursions), sizeof(struct flm_recursion_record)},
};

enum {
    METR,
    NOTE,
    LOSS,
    STRE,
    STRB,
    FRAM,
    NFRM,
    NEND,
    SELF,
    LABL,
    LSTE,
    LSTM,
    STIM,
    SNOD,
    SLAB,
    SDUR,
    SVAL,
    MARK,
    CNTR,
    CTIM,
    CVAL,
    FLOC,
    LADR,
    LFIL,
    LLIN,
    LCOL,
    NCHN,
    CCLR,
    CLOC,
    CSLF,
    SCHN,
    RECU
};

static void *section_at(const struct flm_profile *p, size_t section)
{
    void *at;
    memcpy(&at, (const char *)p + sections[section].pointer, sizeof at);
    return at;
}

static void set_section(struct flm_profile *p, size_t section, void *at)
{
    memcpy((char *)p + sections[section].pointer, &at, sizeof at);
}

static uint64_t section_items(const struct flm_sizes *s, size_t section)
{
    switch (section) {
    case METR:
        return s->metric_count;
    case NOTE:
        return s->note_count;
    case LOSS:
        return s->loss_count;
    case STRE:
        return s->string_count;
    case STRB:
        return s->string_bytes;
    case FRAM:
        return s->frame_count;
    case NFRM:
    case NEND:
        return s->node_count;
    case SELF:
        return (uint64_t)s->node_count * s->metric_count;
    case LABL:
        return s->label_count;
    case LSTE:
        return s->label_set_count;
    case LSTM:
        return s->set_member_count;
    case SDUR:
        return s->duration_count;
    case SVAL:
        return s->compact_values ? 0 : (uint64_t)s->sample_count * s->metric_count;
    case MARK:
        return s->marker_count;
    case CNTR:
        return s->counter_count;
    case CTIM:
    case CVAL:
        return s->point_count;
    case FLOC:
        return s->location_count > 0 ? s->frame_count : 0;
    case LADR:
    case LFIL:
    case LLIN:
        return s->location_count;
    case LCOL:
        return s->column_count;
    case NCHN:
        return s->chain_count > 0 ? s->node_count : 0;
    case CCLR:
    case CLOC:
        return s->chain_count;
    case CSLF:
        return (uint64_t)s->shared_count * s->metric_count;
    case SCHN:
        return s->chain_count > 0 ? s->sample_count : 0;
    case RECU:
        return s->recursion_count;
    default:
        return s->sample_count;
    }
}

static uint64_t section_size(const struct flm_sizes *s, size_t section)
{
    return section_items(s, section) * sections[section].item_size;
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The table always has room for every section, so that where a column lies does not depend on
 * which others are empty. */
static uint64_t first_section(void)
{
    return aligned(sizeof(struct header) + SECTION_COUNT * sizeof(struct entry));
}

uint64_t flm_file_size(const struct flm_sizes *sizes)
{
    uint64_t at = first_section();
    for (size_t i = 0; i < SECTION_COUNT; i++)
        at = aligned(at + section_size(sizes, i));
    return at;
}

void flm_file_place(struct flm_profile *p, const struct flm_sizes *sizes)
{
    struct flm_sizes kept = *sizes; /* `sizes` may be p's own */
    p->sizes = kept;
    uint64_t at = first_section();
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        set_section(p, i, (char *)p->image + at);
        at = aligned(at + section_size(&kept, i));
    }
}

void flm_file_move(const struct flm_profile *now, const struct flm_profile *old)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        bool by_metric = i == SELF || i == SVAL || i == CSLF;
        uint64_t columns = by_metric ? now->sizes.metric_count : 1;
        uint64_t now_size = columns ? section_size(&now->sizes, i) / columns : 0;
        uint64_t old_size = columns ? section_size(&old->sizes, i) / columns : 0;
        for (uint64_t c = 0; c < columns; c++) {
            char *to = (char *)section_at(now, i) + c * now_size;
            const char *from = (const char *)section_at(old, i) + c * old_size;
            if (to != from)
                memmove(to, from, (size_t)now_size);
        }
    }
}

/* ---- Compact values of samples: doubles in the file ------------------------------------------ */

enum { BLOCK = 1024 };

struct next_value {
    uint32_t metric, sample;
};

/* Expands the next values of the section to `to`: BLOCK of them, or all that are left. Returns how
 * many. */
static size_t next_values(const struct flm_profile *p, struct next_value *at, double *to)
{
    size_t count = 0;
    while (count < BLOCK && p->sizes.sample_count > 0 && at->metric < p->sizes.metric_count) {
        uint32_t left = p->sizes.sample_count - at->sample, room = (uint32_t)(BLOCK - count);
        uint32_t size = left < room ? left : room;
        flm_sample_values_expand(&p->values[at->metric], at->sample, size, to + count);
        count += size;
        at->sample += size;
        if (at->sample == p->sizes.sample_count)
            *at = (struct next_value){at->metric + 1, 0};
    }
    return count;
}

static uint64_t checksum_of_values(const struct flm_profile *p)
{
    struct flm_checksum_state state = {.size = 0};
    struct next_value at = {0};
    double block[BLOCK];
    size_t count;
    while ((count = next_values(p, &at, block)) == BLOCK)
        flm_checksum_add(&state, block, sizeof block);
    return flm_checksum_end(&state, block, count * sizeof *block);
}

static bool write_values(const struct flm_profile *p, flm_profile_sink sink, void *context)
{
    struct next_value at = {0};
    double block[BLOCK];
    for (size_t count; (count = next_values(p, &at, block)) > 0;)
        if (!sink(context, block, count * sizeof *block))
            return false;
    return true;
}

/* Moves the profile to a new image that has a column of doubles. False when memory ran out. */
static bool expand_values(struct flm_profile *p)
{
    struct flm_sizes sizes = p->sizes;
    sizes.compact_values = false;
    struct flm_profile *made = flm_profile_allocate(&sizes, NULL);
    if (!made)
        return false;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (i != SVAL && section_size(&sizes, i) > 0)
            memcpy(section_at(made, i), section_at(p, i), (size_t)section_size(&sizes, i));
    for (uint32_t m = 0; m < sizes.metric_count; m++)
        flm_sample_values_expand(&p->values[m], 0, sizes.sample_count, flm_sample_column(made, m));
    made->residuals = p->residuals;
    made->residual_count = p->residual_count;
    p->residuals = NULL; /* `made` frees the old image below, and not these */
    struct flm_profile old = *p;
    *p = *made;
    *made = old;
    flm_profile_free(made);
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The size of a section in the file, where no values are compact. */
static uint64_t size_in_file(const struct flm_sizes *s, size_t section)
{
    struct flm_sizes sizes = *s;
    sizes.compact_values = false;
    return section_size(&sizes, section);
}

/* What stands before the sections, with room for all entries. */
struct head {
    struct header header;
    struct entry table[SECTION_COUNT];
};

static void make_head(const struct flm_profile *profile, struct head *head)
{
    memset(head, 0, sizeof *head);
    uint64_t at = first_section();
    uint32_t count = 0;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        uint64_t size = size_in_file(&profile->sizes, i);
        bool expands = i == SVAL && profile->values;
        if (size > 0) {
            struct entry *entry = &head->table[count++];
            memcpy(entry->id, sections[i].id, sizeof entry->id);
            entry->offset = at;
            entry->size = size;
            entry->checksum = expands ? checksum_of_values(profile)
                                      : flm_checksum(section_at(profile, i), (size_t)size);
        }
        at = aligned(at + size);
    }
    memcpy(head->header.magic, magic, sizeof magic);
    head->header.version = VERSION;
    head->header.section_count = count;
    head->header.file_size = at;
    head->header.checksum = flm_checksum(head, sizeof head->header + count * sizeof(struct entry));
}

struct flm_bytes flm_profile_seal(struct flm_profile *profile)
{
    struct head head;
    if (profile->values && !expand_values(profile))
        return (struct flm_bytes){NULL, 0};
    char *image = profile->image;
    if (memcmp(image, magic, sizeof magic) != 0) {
        make_head(profile, &head);
        memcpy(image, &head, sizeof head);
        memset(image + sizeof head, 0, (size_t)first_section() - sizeof head);
        /* What was shrunk has left something between the sections. */
        for (size_t i = 0; i < SECTION_COUNT; i++) {
            uint64_t size = section_size(&profile->sizes, i);
            memset((char *)section_at(profile, i) + size, 0, (size_t)(aligned(size) - size));
        }
    }
    return (struct flm_bytes){profile->image, profile->image_size};
}

bool flm_profile_write(const struct flm_profile *profile, flm_profile_sink sink, void *context)
{
    assert(profile && sink);
    struct head head;
    make_head(profile, &head);
    static const char padding[ALIGNMENT] = {0};
    if (!sink(context, &head, sizeof head) ||
        !sink(context, padding, (size_t)(first_section() - sizeof head)))
        return false;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        uint64_t size = size_in_file(&profile->sizes, i);
        bool expands = i == SVAL && profile->values;
        if (size > 0 && (!(expands ? write_values(profile, sink, context)
                                   : sink(context, section_at(profile, i), (size_t)size)) ||
                         !sink(context, padding, (size_t)(aligned(size) - size))))
            return false;
    }
    return true;
}

/* The state of opening while it goes through the table. */
struct opening {
    const char *bytes;
    size_t size;
    struct flm_error *why;
    const struct entry *entries[SECTION_COUNT]; /* NULL: not in the file */
};

static bool refuse(struct flm_error *why, uint64_t offset, const char *reason)
{
    return flm_error_byte(why, FLM_ERROR_FORMAT, offset, "%s", reason);
}

static bool read_header(struct opening *o, struct header *header)
{
    if (o->size < sizeof *header || memcmp(o->bytes, magic, sizeof magic) != 0)
        return refuse(o->why, 0, "this is not a .flm file");
    memcpy(header, o->bytes, sizeof *header);
    if (header->version == 0 || header->version > VERSION)
        return flm_error_byte(o->why, FLM_ERROR_FORMAT, 8,
                              "this .flm file has version %u, and this flamel reads version %u: "
                              "install a newer flamel",
                              header->version, VERSION);
    if (header->file_size != o->size)
        return flm_error_byte(o->why, FLM_ERROR_FORMAT, 16,
                              "the .flm file should have %llu bytes and has %zu: it was cut off or "
                              "something was added",
                              (unsigned long long)header->file_size, o->size);
    uint64_t table_end = sizeof *header + (uint64_t)header->section_count * sizeof(struct entry);
    if (table_end > o->size)
        return refuse(o->why, 12, "the section table is longer than the file");
    /* The checksum covers the header with its own field 0: hashed in a copy, then the table. */
    char head[sizeof(struct header) + 64 * sizeof(struct entry)];
    if (header->section_count > 64)
        return refuse(o->why, 12, "the section table has more than 64 entries");
    memcpy(head, o->bytes, (size_t)table_end);
    memset(head + offsetof(struct header, checksum), 0, sizeof header->checksum);
    if (flm_checksum(head, (size_t)table_end) != header->checksum)
        return refuse(o->why, 24, "the checksum of the header does not match: the file is damaged");
    return true;
}

static bool read_entry(struct opening *o, const struct entry *entry)
{
    size_t known = 0;
    while (known < SECTION_COUNT && memcmp(sections[known].id, entry->id, 4) != 0)
        known++;
    uint64_t entry_offset = (uint64_t)((const char *)entry - o->bytes);
    if (known == SECTION_COUNT) {
        if (entry->flags & ENTRY_MUST_BE_UNDERSTOOD)
            return flm_error_byte(o->why, FLM_ERROR_FORMAT, entry_offset,
                                  "section '%.*s' is not known to this flamel and must be: install "
                                  "a newer one",
                                  4, entry->id);
        return true;
    }
    if (o->entries[known])
        return flm_error_byte(o->why, FLM_ERROR_FORMAT, entry_offset, "section '%s' appears twice",
                              sections[known].id);
    if (entry->offset % 8 != 0 || entry->offset > o->size ||
        entry->size > o->size - entry->offset || entry->size % sections[known].item_size != 0)
        return flm_error_byte(o->why, FLM_ERROR_FORMAT, entry_offset,
                              "section '%s' does not lie within the file", sections[known].id);
    if (flm_checksum(o->bytes + entry->offset, (size_t)entry->size) != entry->checksum)
        return flm_error_byte(o->why, FLM_ERROR_FORMAT, entry->offset,
                              "the checksum of section '%s' does not match: the file is damaged",
                              sections[known].id);
    o->entries[known] = entry;
    return true;
}

static uint64_t items_of(const struct opening *o, size_t section)
{
    return o->entries[section] ? o->entries[section]->size / sections[section].item_size : 0;
}

/* The counts that a table implies; false when one does not fit an index. */
static bool read_sizes(const struct opening *o, struct flm_sizes *s)
{
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (i != STRB && i != SELF && i != SVAL && i != CSLF && items_of(o, i) >= FLM_NONE)
            return flm_error_byte(o->why, FLM_ERROR_RANGE, o->entries[i]->offset,
                                  "section '%s' has more entries than an index can name",
                                  sections[i].id);
    *s = (struct flm_sizes){
        .string_count = (uint32_t)items_of(o, STRE),
        .frame_count = (uint32_t)items_of(o, FRAM),
        .node_count = (uint32_t)items_of(o, NFRM),
        .metric_count = (uint32_t)items_of(o, METR),
        .string_bytes = items_of(o, STRB),
        .note_count = (uint32_t)items_of(o, NOTE),
        .loss_count = (uint32_t)items_of(o, LOSS),
        .label_count = (uint32_t)items_of(o, LABL),
        .label_set_count = (uint32_t)items_of(o, LSTE),
        .set_member_count = (uint32_t)items_of(o, LSTM),
        .sample_count = (uint32_t)items_of(o, STIM),
        .duration_count = items_of(o, SDUR) ? (uint32_t)items_of(o, STIM) : 0,
        .marker_count = (uint32_t)items_of(o, MARK),
        .counter_count = (uint32_t)items_of(o, CNTR),
        .point_count = (uint32_t)items_of(o, CTIM),
        .location_count = (uint32_t)items_of(o, LADR),
        .column_count = items_of(o, LCOL) ? (uint32_t)items_of(o, LADR) : 0,
        .chain_count = (uint32_t)items_of(o, CLOC),
        .recursion_count = (uint32_t)items_of(o, RECU),
    };
    uint64_t shared = s->metric_count > 0 ? items_of(o, CSLF) / s->metric_count : 0;
    s->shared_count = shared < FLM_NONE ? (uint32_t)shared : 0;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (items_of(o, i) != section_items(s, i))
            return flm_error_set(o->why, FLM_ERROR_FORMAT,
                                 "section '%s' has %llu entries where the others ask for %llu",
                                 sections[i].id, (unsigned long long)items_of(o, i),
                                 (unsigned long long)section_items(s, i));
    return true;
}

struct flm_profile *flm_profile_open(const void *bytes, size_t size, void (*release)(void *context),
                                     void *context, struct flm_error *why)
{
    assert(bytes || size == 0);
    struct opening o = {.bytes = bytes, .size = size, .why = why};
    struct header header;
    if ((uintptr_t)bytes % 8 != 0) {
        flm_error_set(why, FLM_ERROR_USAGE, "a .flm file in memory must be aligned to 8 bytes");
        return NULL;
    }
    if (!read_header(&o, &header))
        return NULL;
    const struct entry *table = (const struct entry *)(const void *)(o.bytes + sizeof header);
    for (uint32_t i = 0; i < header.section_count; i++)
        if (!read_entry(&o, &table[i]))
            return NULL;
    struct flm_profile *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    /* The columns of an opened profile are never written to: they are not const only because a
     * profile that is being made is the same structure. */
    union {
        const void *given;
        void *kept;
    } image = {bytes};
    p->image = image.kept;
    p->image_size = size;
    bool good = read_sizes(&o, &p->sizes);
    for (size_t i = 0; good && i < SECTION_COUNT; i++)
        set_section(p, i, (char *)p->image + (o.entries[i] ? o.entries[i]->offset : 0));
    if (!good || !flm_profile_check(p, why)) {
        free(p);
        return NULL;
    }
    p->release = release;
    p->release_context = context;
    return p;
}
