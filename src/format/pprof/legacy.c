#include "format/pprof/legacy.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/scan.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "format/perf/frame.h"
#include "format/pprof/pprof.h"
#include "profile/internal.h"

/* ---- What the forms share -------------------------------------------------------------------- */

bool flm_legacy_line(struct flm_bytes *text, struct flm_bytes *line)
{
    if (text->size == 0)
        return false;
    const char *end = text->at + text->size, *to = flm_find(text->at, end, '\n');
    *line = (struct flm_bytes){text->at, (size_t)(to - text->at)};
    *text = flm_bytes_from(*text, line->size + (to < end));
    while (line->size > 0 && flm_is_one_of(line->at[line->size - 1], " \t\r"))
        line->size--;
    *line = flm_bytes_trimmed(*line);
    return true;
}

void flm_legacy_metrics(struct flm_legacy *l, const char *const (*types)[2], size_t count)
{
    l->metric_count = count;
    for (size_t i = count; i-- > 0;) { /* pprof shows the last one */
        size_t at = i == count - 1 ? i : count - 2 - i;
        l->metrics[at] = flm_builder_metric(l->builder, types[at][0], types[at][1]);
    }
}

void flm_legacy_note(struct flm_legacy *l, const char *key, int64_t value, const char *unit)
{
    char buffer[64];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_text_format(&text, *unit ? "%lld %s" : "%lld", (long long)value, unit);
    if (value != 0)
        flm_builder_note(l->builder, key, text.at, text.size);
}

void flm_legacy_period(struct flm_legacy *l, int64_t period, const char *type, const char *unit)
{
    flm_legacy_note(l, "period", period, unit);
    flm_builder_note(l->builder, "period type", type, strlen(type));
}

/* A number of hexadecimal digits at the beginning, with or without 0x; moves behind it. */
static bool take_hex(struct flm_bytes *text, uint64_t *value)
{
    size_t size = 0;
    if (flm_bytes_start_with(*text, "0x"))
        *text = flm_bytes_from(*text, 2);
    while (size < text->size && flm_hex_value(text->at[size]) >= 0)
        size++;
    struct flm_bytes digits = {text->at, size};
    *text = flm_bytes_from(*text, size);
    return flm_number_parse_hex(digits, value);
}

static struct flm_bytes take_word(struct flm_bytes *text)
{
    size_t from = 0, to;
    while (from < text->size && flm_is_one_of(text->at[from], " \t"))
        from++;
    for (to = from; to < text->size && !flm_is_one_of(text->at[to], " \t");)
        to++;
    struct flm_bytes word = {text->at + from, to - from};
    *text = flm_bytes_from(*text, to);
    return word;
}

static bool is_permission(struct flm_bytes word)
{
    for (size_t i = 0; i < word.size; i++)
        if (!flm_is_one_of(word.at[i], "-rwxps"))
            return false;
    return word.size >= 3;
}

/* "START-END [PERMISSIONS OFFSET DEVICE INODE] FILE" or "START-END: FILE [(@OFFSET) [BUILD ID]]" */
static void add_map(struct flm_legacy *l, struct flm_bytes line)
{
    struct flm_mapped map = {0};
    if (!take_hex(&line, &map.start) || !(line.size > 0 && flm_is_one_of(*line.at, "- ")))
        return;
    line = flm_bytes_from(line, 1);
    if (!take_hex(&line, &map.limit) || map.limit <= map.start)
        return;
    if (line.size > 0 && *line.at == ':')
        line = flm_bytes_from(line, 1);
    struct flm_bytes word = take_word(&line);
    if (is_permission(word)) {
        if (!memchr(word.at, 'x', word.size))
            return;
        word = take_word(&line);
        if (flm_number_parse_hex(word, &map.offset)) {
            struct flm_bytes device = take_word(&line);
            if (memchr(device.at, ':', device.size))
                take_word(&line);
            word = flm_bytes_trimmed(line);
            line.size = 0;
        }
    }
    map.path = word;
    word = take_word(&line);
    if (flm_bytes_start_with(word, "(@")) {
        word = flm_bytes_from(word, 2);
        take_hex(&word, &map.offset);
        word = take_word(&line);
    }
    map.build_id = word;
    l->failed = l->failed || !FLM_ARRAY_ADD(&l->maps, map);
}

void flm_legacy_maps(struct flm_legacy *l, struct flm_bytes text)
{
    struct flm_bytes line;
    while (!l->failed && flm_legacy_line(&text, &line))
        add_map(l, line);
}

/* "0x0000006 com.example.f (source.java:06)", "0x3 GC", "0x7 f (/lib/libc.so)" */
static void add_name(struct flm_legacy *l, struct flm_bytes line)
{
    struct flm_legacy_name name = {0};
    if (!flm_bytes_start_with(line, "0x") || !take_hex(&line, &name.address))
        return;
    name.function = line = flm_bytes_trimmed(line);
    size_t open = line.size;
    while (open > 0 && line.at[open - 1] != '(')
        open--;
    if (open > 1 && flm_bytes_end_with(line, ")")) {
        struct flm_bytes place = {line.at + open, line.size - open - 1};
        name.function = flm_bytes_trimmed((struct flm_bytes){line.at, open - 1});
        size_t colon = place.size, slash = 0;
        while (colon > 0 && place.at[colon - 1] != ':')
            colon--;
        uint64_t number;
        if (colon > 1 && flm_number_parse_uint(flm_bytes_from(place, colon), &number)) {
            name.line = number <= INT32_MAX ? (uint32_t)number : 0;
            place.size = colon - 1;
        } else {
            for (size_t i = 0; i < place.size; i++)
                slash = place.at[i] == '/' ? i + 1 : slash;
            place = flm_bytes_from(place, slash);
        }
        name.file = place;
    } else if (flm_bytes_contain(line, "generated stub/JIT")) {
        name.function = flm_bytes_of("STUB");
    }
    l->failed = !FLM_ARRAY_ADD(&l->names, name);
}

void flm_legacy_names(struct flm_legacy *l, struct flm_bytes text)
{
    struct flm_bytes line;
    while (!l->failed && flm_legacy_line(&text, &line))
        add_name(l, line);
}

/* The size of a name without the address that google-pprof adds to names that are not unique:
 * "inner<0000000000001189>". */
static size_t unique_size(const char *name, size_t size)
{
    enum { DIGITS = 16, ADDRESS = DIGITS + 2 };
    if (size <= ADDRESS || name[size - 1] != '>' || name[size - ADDRESS] != '<')
        return size;
    for (size_t i = 1; i <= DIGITS; i++)
        if (flm_hex_value(name[size - ADDRESS + i]) < 0)
            return size;
    return size - ADDRESS;
}

/* "0x00005608 inner--outer": the functions at an address, inlined ones first. */
static void add_symbols(struct flm_legacy *l, struct flm_bytes line)
{
    uint64_t address;
    if (!flm_bytes_start_with(line, "0x") || !take_hex(&line, &address))
        return;
    line = flm_bytes_trimmed(line);
    while (line.size > 0 && !l->failed) {
        size_t end = 0;
        while (end < line.size && !flm_bytes_start_with(flm_bytes_from(line, end), "--"))
            end++;
        struct flm_legacy_name name = {.address = address,
                                       .function = {line.at, unique_size(line.at, end)}};
        l->failed = end > 0 && !FLM_ARRAY_ADD(&l->names, name);
        line = flm_bytes_from(line, end + 2 < line.size ? end + 2 : line.size);
    }
}

void flm_legacy_symbols(struct flm_legacy *l, struct flm_bytes *text)
{
    struct flm_bytes line, rest = *text;
    if (!flm_bytes_start_with(*text, FLM_LEGACY_SYMBOLS))
        return;
    flm_legacy_line(&rest, &line);
    while (!l->failed && flm_legacy_line(&rest, &line) && !flm_bytes_start_with(line, "---"))
        add_symbols(l, line);
    *text = rest;
    /* Before a binary profile there is one more line: "--- profile" of google-pprof, "--- heap" or
     * another kind of jeprof. */
    if (flm_legacy_line(&rest, &line) && flm_legacy_words(rest).size > 0) {
        *text = rest;
        l->is_heap = flm_bytes_start_with(line, "--- heap");
    }
    l->has_symbols = true;
}

/* ---- Samples to stacks ----------------------------------------------------------------------- */

struct adding {
    struct flm_legacy *l;
    struct flm_index index; /* of addresses: which frame */
    struct FLM_ARRAY(uint64_t) addresses;
    struct FLM_ARRAY(struct flm_frame) frames;
    struct FLM_ARRAY(struct flm_frame) path;
    uint32_t *maps, *names; /* in order of addresses */
};

static int order_maps(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_mapped *maps = context;
    return (maps[a].start > maps[b].start) - (maps[a].start < maps[b].start);
}

static int order_names(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_legacy_name *names = context;
    if (names[a].address != names[b].address)
        return names[a].address < names[b].address ? -1 : 1;
    return (a > b) - (a < b);
}

/* Indices in order. NULL when memory ran out. */
static uint32_t *sorted(size_t count, flm_order order, const void *context)
{
    uint32_t *items = malloc((2 * count + 1) * sizeof *items);
    for (size_t i = 0; items && i < count; i++)
        items[i] = (uint32_t)i;
    if (items)
        flm_sort(items, count, items + count, order, context);
    return items;
}

static const struct flm_mapped *map_of(const struct adding *a, uint64_t address)
{
    size_t low = 0, high = a->l->maps.count;
    while (low < high) { /* the first one that starts behind it */
        size_t middle = low + (high - low) / 2;
        if (a->l->maps.at[a->maps[middle]].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct flm_mapped *map = &a->l->maps.at[a->maps[low - 1]];
    return address < map->limit ? map : NULL;
}

/* The first name of an address, in the order of `names`; their count, if it has none. */
static size_t name_of(const struct adding *a, uint64_t address)
{
    size_t low = 0, high = a->l->names.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->l->names.at[a->names[middle]].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < a->l->names.count && a->l->names.at[a->names[low]].address == address;
    return found ? low : a->l->names.count;
}

static struct flm_frame named_frame(struct adding *a, size_t name, uint32_t kind)
{
    struct flm_builder *b = a->l->builder;
    const struct flm_legacy_name *n = &a->l->names.at[a->names[name]];
    struct flm_frame_record record = {
        .function = flm_builder_string(b, n->function.at, n->function.size).index,
        .file = flm_builder_string(b, n->file.at ? n->file.at : "", n->file.size).index,
        .kind = kind,
    };
    return flm_builder_located(b, &record,
                               (struct flm_location){.address = n->address, .line = n->line});
}

/* Of Go: whether the function is a part of that of its caller, which is at the address `outer`. */
static bool is_inlined(const struct adding *a, size_t name, uint64_t outer)
{
    size_t caller = name_of(a, outer);
    if (caller == a->l->names.count)
        return false;
    const struct flm_legacy_name *n = &a->l->names.at[a->names[name]];
    const struct flm_legacy_name *o = &a->l->names.at[a->names[caller]];
    return n->entry != 0 && n->entry == o->entry && !flm_bytes_equal(n->function, o->function);
}

/* `outer`: the address of the caller; 0: it has none. */
static struct flm_frame make_frame(struct adding *a, uint64_t address, uint64_t outer)
{
    struct flm_builder *b = a->l->builder;
    size_t name = name_of(a, address);
    if (name < a->l->names.count)
        return named_frame(a, name,
                           a->l->has_symbols            ? FLM_KIND_NATIVE
                           : !a->l->has_go_names        ? FLM_KIND_PLAIN
                           : is_inlined(a, name, outer) ? FLM_KIND_INLINED
                                                        : FLM_KIND_NATIVE);
    char buffer[32];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_text_format(&text, "0x%llx", (unsigned long long)address);
    const struct flm_mapped *map = map_of(a, address);
    struct flm_frame_record record = {
        .function = flm_builder_string(b, text.at, text.size).index,
        .address = address,
        .kind = FLM_KIND_NATIVE,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    if (map) {
        record.module = flm_builder_string(b, map->path.at, map->path.size).index;
        record.kind = flm_perf_module_kind(map->path);
    }
    return flm_builder_frame(b, &record);
}

/* Of Go and --raw: pushes the functions that are inlined at this address. */
static bool push_inlined(struct adding *a, uint64_t address)
{
    size_t first = name_of(a, address), last = first;
    while (last + 1 < a->l->names.count && a->l->names.at[a->names[last + 1]].address == address)
        last++;
    if (first == a->l->names.count || first == last)
        return true;
    a->path.at[a->path.count - 1] = named_frame(a, last, FLM_KIND_NATIVE);
    while (last-- > first)
        if (!FLM_ARRAY_ADD(&a->path, named_frame(a, last, FLM_KIND_INLINED)))
            return false;
    return true;
}

/* Of Go: the outermost frame of a stack with names has none, because it is runtime.goexit. */
static bool ends_in_goexit(const struct adding *a, const struct flm_legacy_sample *s)
{
    if (s->count == 0)
        return false;
    const uint64_t *address = a->l->addresses.at + s->first;
    bool has_names = false;
    for (size_t i = 0; i + 1 < s->count && !has_names; i++)
        has_names = name_of(a, address[i]) < a->l->names.count;
    return has_names && name_of(a, address[s->count - 1]) == a->l->names.count;
}

/* Of heaps of Go: how many frames at the leaf have no name, below one that has. */
static size_t count_hidden(const struct adding *a, const struct flm_legacy_sample *s)
{
    for (size_t i = 0; i < s->count && a->l->is_heap; i++)
        if (name_of(a, a->l->addresses.at[s->first + i]) < a->l->names.count)
            return i;
    return 0;
}

/* Of jemalloc: how many frames of its library are at the leaf. jeprof leaves them out, too. */
static size_t count_allocator(const struct adding *a, const struct flm_legacy_sample *s)
{
    static const char library[] = "/libjemalloc.so";
    size_t count = 0;
    while (a->l->is_jemalloc && count + 1 < s->count) {
        const struct flm_mapped *map = map_of(a, a->l->addresses.at[s->first + count]);
        if (!map || !flm_bytes_contain(map->path, library))
            break;
        count++;
    }
    return count;
}

/* An address is always called from the same one, if it is inlined there. */
static bool push_frame(struct adding *a, uint64_t address, uint64_t outer)
{
    uint32_t hash = flm_hash_numbers(address, 0);
    for (struct flm_probe at = flm_index_probe(&a->index, hash); flm_index_next(&a->index, &at);)
        if (a->addresses.at[at.found] == address)
            return FLM_ARRAY_ADD(&a->path, a->frames.at[at.found]);
    struct flm_frame frame = make_frame(a, address, outer);
    return flm_index_add(&a->index, hash, (uint32_t)a->frames.count) &&
           FLM_ARRAY_ADD(&a->addresses, address) && FLM_ARRAY_ADD(&a->frames, frame) &&
           FLM_ARRAY_ADD(&a->path, frame);
}

static bool add_sample(struct adding *a, const struct flm_legacy_sample *s)
{
    struct flm_legacy *l = a->l;
    struct flm_builder *b = l->builder;
    a->path.count = 0;
    size_t count = s->count - (l->has_go_names && ends_in_goexit(a, s));
    size_t hidden = l->has_go_names ? count_hidden(a, s) : count_allocator(a, s);
    /* A file without any address has no array of them. */
    const uint64_t *address = s->count > 0 ? l->addresses.at + s->first : NULL;
    for (size_t i = count; i-- > hidden;)
        if (!push_frame(a, address[i], i + 1 < count ? address[i + 1] : 0) ||
            ((l->has_go_names || l->has_symbols) && !push_inlined(a, address[i])))
            return false;
    l->hidden += hidden;
    if (s->count == 0) {
        flm_builder_lost(b, "samples without a stack", "", 0, 1);
        return true;
    }
    bool has_value = false;
    for (size_t i = 0; i < l->metric_count; i++)
        has_value = has_value || s->value[i] != 0;
    if (!has_value) /* which pprof leaves out when it reads these forms */
        return true;
    struct flm_node node = flm_builder_stack(b, a->path.at, a->path.count);
    struct flm_label_set labels = {0};
    if (l->options->keep_times && s->block >= 0) {
        char buffer[32];
        struct flm_text text;
        flm_text_init_fixed(&text, buffer, sizeof buffer);
        flm_text_format(&text, "%lld", (long long)s->block);
        const struct flm_string label[2] = {flm_builder_string(b, "bytes", 5),
                                            flm_builder_string(b, text.at, text.size)};
        labels = flm_builder_label_set(b, label, 1);
    }
    if (labels.index != 0)
        flm_builder_sample(b, FLM_NO_TIME, node, labels, l->metrics[0], s->value[0]);
    for (size_t i = 0; i < l->metric_count; i++) {
        if (labels.index != 0 && i > 0)
            flm_builder_sample_add(b, l->metrics[i], s->value[i]);
        else if (labels.index == 0)
            flm_builder_add(b, node, l->metrics[i], s->value[i]);
    }
    return !flm_builder_failed(b);
}

static void add_samples(struct flm_legacy *l)
{
    struct adding a = {.l = l};
    a.maps = sorted(l->maps.count, order_maps, l->maps.at);
    a.names = sorted(l->names.count, order_names, l->names.at);
    bool good = a.maps && a.names;
    for (size_t i = 0; good && i < l->samples.count; i++)
        good = add_sample(&a, &l->samples.at[i]);
    if (!good)
        l->failed = true;
    flm_legacy_note(l,
                    l->is_jemalloc ? "frames of jemalloc at leaves, left out"
                                   : "frames of Go's runtime at leaves, left out",
                    (int64_t)l->hidden, "");
    static const char all[] = "all metrics", numeric[] = "bytes";
    flm_builder_note(l->builder, FLM_NOTE_SAMPLE_VALUES, all, sizeof all - 1);
    if (l->samples.count > 0 && l->samples.at[0].block >= 0 && l->options->keep_times)
        flm_builder_note(l->builder, FLM_NOTE_NUMERIC, numeric, sizeof numeric - 1);
    flm_mapped_note(l->builder, l->maps.at, l->maps.count);
    free(a.maps);
    free(a.names);
    flm_index_clear(&a.index);
    FLM_ARRAY_CLEAR(&a.addresses);
    FLM_ARRAY_CLEAR(&a.frames);
    FLM_ARRAY_CLEAR(&a.path);
}

/* ---- The entry ------------------------------------------------------------------------------- */

static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (flm_legacy_words(head).size > 0 || flm_bytes_start_with(head, FLM_LEGACY_SYMBOLS))
        return FLM_SNIFF_SURE;
    return flm_legacy_is_text(head) ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

static bool read_legacy(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_all(source, why))
        return false;
    struct flm_legacy l = {.builder = builder,
                           .options = options,
                           .all = {source->at, (size_t)(source->end - source->at)}};
    flm_legacy_symbols(&l, &l.all);
    struct flm_legacy_words words = flm_legacy_words(l.all);
    bool good =
        words.size > 0 ? flm_legacy_read_cpu(&l, words, why) : flm_legacy_read_text(&l, why);
    source->at = source->end;
    if (good && !l.failed)
        add_samples(&l);
    if (l.failed)
        flm_builder_fail_memory(builder);
    FLM_ARRAY_CLEAR(&l.addresses);
    FLM_ARRAY_CLEAR(&l.samples);
    FLM_ARRAY_CLEAR(&l.maps);
    FLM_ARRAY_CLEAR(&l.names);
    flm_index_clear(&l.named);
    return good;
}

const struct flm_format flm_format_pprof_legacy = {
    .name = "pprof-legacy",
    .title = "Legacy pprof",
    .extensions = "",
    .description =
        "what gperftools, jemalloc and old versions of pprof, Go and Java write: CPU, heap, locks",
    .keeps_labels = true,
    .needs_symbols = true,
    .sniff = sniff,
    .read = read_legacy,
};
