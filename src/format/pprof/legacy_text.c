/* legacy_text.c - heaps, delays of locks, threads and counts of goroutines, as texts. */
#include <math.h>

#include "base/number/number.h"
#include "format/pprof/legacy.h"

static bool is_map_header(struct flm_bytes line)
{
    return flm_bytes_contain(line, "--- Memory map: ---") ||
           flm_bytes_contain(line, "MAPPED_LIBRARIES:");
}

static bool is_comment(struct flm_bytes line)
{
    return line.size == 0 || *line.at == '#';
}

static void skip(struct flm_bytes *text, const char *set)
{
    while (text->size > 0 && flm_is_one_of(*text->at, set))
        *text = flm_bytes_from(*text, 1);
}

/* A whole number, blanks before it allowed; moves behind it. */
static bool take_number(struct flm_bytes *text, int64_t *value)
{
    skip(text, " \t");
    bool negative = text->size > 0 && *text->at == '-';
    size_t size = negative;
    while (size < text->size && text->at[size] >= '0' && text->at[size] <= '9')
        size++;
    uint64_t digits;
    if (!flm_number_parse_uint((struct flm_bytes){text->at + negative, size - negative}, &digits) ||
        digits > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)digits : (int64_t)digits;
    *text = flm_bytes_from(*text, size);
    return true;
}

static bool take_byte(struct flm_bytes *text, char byte)
{
    skip(text, " \t");
    if (text->size == 0 || *text->at != byte)
        return false;
    *text = flm_bytes_from(*text, 1);
    return true;
}

/* Adds the addresses in a text, moved by `shift` (but not the first one, if that is a leaf). */
static bool add_addresses(struct flm_legacy *l, struct flm_bytes text, unsigned shift,
                          bool leaf_too, struct flm_legacy_sample *sample)
{
    for (size_t i = 0; i + 2 < text.size && !l->failed; i++) {
        if (text.at[i] != '0' || text.at[i + 1] != 'x' || flm_hex_value(text.at[i + 2]) < 0)
            continue;
        size_t end = i + 2;
        while (end < text.size && flm_hex_value(text.at[end]) >= 0)
            end++;
        uint64_t address;
        if (!flm_number_parse_hex((struct flm_bytes){text.at + i + 2, end - i - 2}, &address))
            return false;
        bool is_leaf = sample->count == 0 && !leaf_too;
        l->failed = !FLM_ARRAY_ADD(&l->addresses, address - (is_leaf ? 0 : shift));
        sample->count++;
        i = end - 1;
    }
    return true;
}

static void add_sample(struct flm_legacy *l, const struct flm_legacy_sample *sample)
{
    l->failed = l->failed || !FLM_ARRAY_ADD(&l->samples, *sample);
}

/* The line of a sample: one without its end is the last of a text that was cut off. */
static void check_line(struct flm_legacy *l, struct flm_bytes line)
{
    if (line.at + line.size == l->all.at + l->all.size)
        flm_builder_lost(l->builder,
                         "stacks at the end of the text, without a line break: cut off?", "", 0, 1);
}

/* What the first line of a text has counted, and the sum of what follows. */
static void check_total(struct flm_legacy *l, double counted, double sum)
{
    if (sum < counted)
        flm_builder_lost(l->builder, "samples that the first line counts, and that do not follow",
                         "", 0, counted - sum);
}

static bool malformed(const struct flm_legacy *l, struct flm_bytes line, struct flm_error *why)
{
    uint64_t number = 1;
    for (const char *at = l->all.at; at < line.at; at++)
        number += *at == '\n';
    return flm_error_line(why, FLM_ERROR_FORMAT, number, "'%.*s' is no sample of such a profile",
                          (int)line.size, line.at);
}

/* ---- Scaling --------------------------------------------------------------------------------- */

/* 1 - exp(-x) for x > 0: this is compiled without a mathematical library too. exp(-x) is the
 * 2^k-th power of exp(-x / 2^k), whose series ends soon. */
static double one_minus_exp(double x)
{
    int k = 0;
    if (x > 700)
        return 1;
    for (; x > 0x1p-4; k++)
        x /= 2;
    double term = x, sum = x;
    for (int i = 2; i < 20; i++) {
        term *= -x / i;
        sum += term;
    }
    for (; k > 0; k--) /* 1 - (1 - s)^2 */
        sum = sum * (2 - sum);
    return sum;
}

/* What a sampled count and size stand for; `rate`: the mean number of bytes between samples. */
static void unsample(int64_t *count, int64_t *size, int64_t rate)
{
    if (*count == 0 || *size == 0) {
        *count = *size = 0;
        return;
    }
    if (rate <= 1)
        return;
    double x = (double)*size / (double)*count / (double)rate;
    double seen = x > 0 ? one_minus_exp(x) : 1;
    double new_count = (double)*count / seen, new_size = (double)*size / seen;
    *count = new_count < 9223372036854775808.0 && new_count > -9223372036854775808.0
                 ? (int64_t)new_count
                 : *count;
    *size = new_size < 9223372036854775808.0 && new_size > -9223372036854775808.0
                ? (int64_t)new_size
                : *size;
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

struct heap {
    int64_t in_use, in_use_size, allocated, allocated_size;
};

/* "N: BYTES [N: BYTES]" */
static bool take_numbers(struct flm_bytes *line, struct heap *heap)
{
    return take_number(line, &heap->in_use) && take_byte(line, ':') &&
           take_number(line, &heap->in_use_size) && take_byte(line, '[') &&
           take_number(line, &heap->allocated) && take_byte(line, ':') &&
           take_number(line, &heap->allocated_size) && take_byte(line, ']');
}

/* With "@", as in the header and in each sample. */
static bool take_heap(struct flm_bytes *line, struct heap *heap)
{
    return take_numbers(line, heap) && take_byte(line, '@');
}

/* "t*: N: BYTES [N: BYTES]" of jemalloc: the sum over all threads. */
static bool take_threads(struct flm_bytes line, struct heap *heap)
{
    if (!flm_bytes_start_with(line, "t*:"))
        return false;
    line = flm_bytes_from(line, 3);
    return take_numbers(&line, heap);
}

static const char heap_header[] = "heap profile:";

static bool read_heap(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why)
{
    static const char *const all[][2] = {{"alloc_objects", "count"},
                                         {"alloc_space", "bytes"},
                                         {"inuse_objects", "count"},
                                         {"inuse_space", "bytes"}};
    static const char *const one[][2] = {{"objects", "count"}, {"space", "bytes"}};
    struct flm_bytes line, first;
    struct heap heap;
    int64_t period = 1;
    flm_legacy_line(&text, &line);
    first = line;
    line = flm_bytes_from(line, sizeof heap_header - 1);
    if (!take_heap(&line, &heap))
        return malformed(l, first, why);
    skip(&line, " \t");
    bool is_v2 = flm_bytes_start_with(line, "heap_v2") || flm_bytes_start_with(line, "heapz_v2");
    bool is_heap = is_v2 || flm_bytes_start_with(line, "heap/") || flm_bytes_are(line, "heap");
    bool is_profile = flm_bytes_start_with(line, "heapprofile");
    l->is_heap = is_heap;
    for (size_t i = 0; i < line.size && is_heap; i++) {
        struct flm_bytes rate = flm_bytes_from(line, i + 1);
        if (line.at[i] != '/')
            continue;
        if (!take_number(&rate, &period))
            return malformed(l, first, why);
        period = is_v2 ? period : period / 2; /* as older versions have it */
        break;
    }
    if (!is_heap && !is_profile && !flm_bytes_start_with(line, "growth") &&
        !flm_bytes_start_with(line, "fragmentation"))
        return malformed(l, first, why);
    bool has_allocated = (is_heap || is_profile) &&
                         ((heap.allocated != heap.in_use && heap.allocated != 0) ||
                          (heap.allocated_size != heap.in_use_size && heap.allocated_size != 0));
    if (has_allocated)
        flm_legacy_metrics(l, all, 4);
    else
        flm_legacy_metrics(l, one, 2);
    flm_legacy_period(l, period, "space", "bytes");
    double counted = (double)heap.in_use, sum = 0; /* what was allocated is more in some files */
    while (!l->failed && flm_legacy_line(&text, &line)) {
        if (is_comment(line))
            continue;
        if (is_map_header(line))
            break;
        first = line;
        struct flm_legacy_sample sample = {.first = l->addresses.count};
        if (!take_heap(&line, &heap))
            return malformed(l, first, why);
        check_line(l, first);
        sum += (double)heap.in_use;
        sample.block = heap.in_use                       ? heap.in_use_size / heap.in_use
                       : heap.allocated && has_allocated ? heap.allocated_size / heap.allocated
                                                         : 0;
        if (is_heap) {
            unsample(&heap.in_use, &heap.in_use_size, period);
            unsample(&heap.allocated, &heap.allocated_size, period);
        }
        double *value = sample.value;
        if (has_allocated) {
            *value++ = (double)heap.allocated;
            *value++ = (double)heap.allocated_size;
        }
        *value++ = (double)heap.in_use;
        *value = (double)heap.in_use_size;
        if (!add_addresses(l, line, 1, true, &sample))
            return malformed(l, first, why);
        add_sample(l, &sample);
        flm_legacy_go_names(l, &text, &sample);
    }
    if (is_heap || is_profile)
        check_total(l, counted, sum);
    flm_legacy_maps(l, text);
    return true;
}

/* ---- Delays of locks; heaps of Java ---------------------------------------------------------- */

struct attributes {
    int64_t hertz, period, milliseconds;
    struct flm_bytes resolution;
    bool is_java;
};

/* "sampling period = 100" */
static bool read_attribute(struct flm_bytes line, struct attributes *a)
{
    size_t equal = 0;
    while (equal < line.size && line.at[equal] != '=')
        equal++;
    if (equal == line.size || flm_bytes_start_with(line, "---"))
        return false;
    struct flm_bytes key = flm_bytes_trimmed((struct flm_bytes){line.at, equal});
    struct flm_bytes value = flm_bytes_trimmed(flm_bytes_from(line, equal + 1)), number = value;
    int64_t *to = flm_bytes_are(key, "cycles/second")     ? &a->hertz
                  : flm_bytes_are(key, "sampling period") ? &a->period
                  : flm_bytes_are(key, "ms since reset")  ? &a->milliseconds
                                                          : NULL;
    if (to && !take_number(&number, to))
        return false;
    if (flm_bytes_are(key, "resolution"))
        a->resolution = value;
    if (flm_bytes_are(key, "format") && flm_bytes_are(value, "java"))
        a->is_java = true;
    return true;
}

static bool read_delays(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why)
{
    static const char *const delays[][2] = {{"contentions", "count"}, {"delay", "ns"}};
    static const char *const java_delays[][2] = {{"contentions", "count"}, {"delay", "us"}};
    static const char *const heap[][2] = {{"inuse_objects", "count"}, {"inuse_space", "bytes"}};
    struct attributes a = {.period = 1};
    struct flm_bytes line, rest, first;
    flm_legacy_line(&text, &line);
    bool is_heap = flm_bytes_start_with(line, "--- heapz");
    for (rest = text; flm_legacy_line(&rest, &line); text = rest)
        if (!is_comment(line) && !read_attribute(line, &a))
            break;
    l->is_java = a.is_java || is_heap;
    bool is_micro = flm_bytes_are(a.resolution, "microseconds");
    flm_legacy_metrics(l, is_heap ? heap : l->is_java && is_micro ? java_delays : delays, 2);
    if (!is_heap)
        flm_legacy_period(l, a.period, "contentions", "count");
    flm_legacy_note(
        l, "duration_ns",
        a.milliseconds > 0 && a.milliseconds < INT64_MAX / 1000000 ? a.milliseconds * 1000000 : 0,
        "");
    for (rest = text; !l->failed && flm_legacy_line(&rest, &line); text = rest) {
        int64_t size, count;
        struct flm_legacy_sample sample = {.first = l->addresses.count, .block = -1};
        if (is_comment(line))
            continue;
        if (flm_bytes_start_with(line, "---"))
            break;
        first = line;
        if (!take_number(&line, &size) || !take_number(&line, &count) || !take_byte(&line, '@')) {
            if (l->is_java)
                break; /* the names follow */
            return malformed(l, first, why);
        }
        if (is_heap) {
            sample.block = count ? size / count : 0;
            unsample(&count, &size, 524288);
            sample.value[0] = (double)count;
            sample.value[1] = (double)size;
        } else {
            double scale = a.period > 0 ? (double)a.period : 1;
            double cycles = a.hertz > 0 && a.period > 0 ? (double)a.hertz / 1e9 : 1;
            sample.value[0] = (double)count * scale;
            sample.value[1] = trunc((double)size * scale / cycles);
        }
        if (!add_addresses(l, line, l->is_java ? 0 : 1, true, &sample))
            return malformed(l, first, why);
        check_line(l, first);
        add_sample(l, &sample);
        if (!l->is_java)
            flm_legacy_go_names(l, &rest, &sample);
    }
    if (l->is_java) {
        flm_legacy_names(l, text);
        return true;
    }
    while (flm_legacy_line(&text, &line) && !is_map_header(line))
        ;
    flm_legacy_maps(l, text);
    return true;
}

/* ---- Counts of Go; threads ------------------------------------------------------------------- */

/* The name in "goroutine profile: total 12"; empty: it is no such line. */
static struct flm_bytes count_name(struct flm_bytes line, int64_t *total)
{
    static const char between[] = " profile: total ";
    size_t size = 0;
    while (size < line.size && !flm_is_one_of(line.at[size], " \t"))
        size++;
    struct flm_bytes rest = flm_bytes_from(line, size);
    if (size == 0 || size > 100 || !flm_bytes_start_with(rest, between))
        return (struct flm_bytes){"", 0};
    rest = flm_bytes_from(rest, sizeof between - 1);
    return take_number(&rest, total) && rest.size == 0 ? (struct flm_bytes){line.at, size}
                                                       : (struct flm_bytes){"", 0};
}

static bool read_counts(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why)
{
    char name[101];
    struct flm_bytes line, first;
    while (flm_legacy_line(&text, &line) && is_comment(line))
        ;
    int64_t total = 0;
    double sum = 0;
    struct flm_bytes found = count_name(line, &total);
    memcpy(name, found.at, found.size);
    name[found.size] = 0;
    const char *const types[][2] = {{name, "count"}};
    flm_legacy_metrics(l, types, 1);
    flm_legacy_period(l, 1, name, "count");
    while (!l->failed && flm_legacy_line(&text, &line)) {
        int64_t count;
        struct flm_legacy_sample sample = {.first = l->addresses.count, .block = -1};
        if (is_comment(line))
            continue;
        if (flm_bytes_start_with(line, "---"))
            break;
        first = line;
        if (!take_number(&line, &count) || !take_byte(&line, '@') ||
            !add_addresses(l, line, 1, true, &sample))
            return malformed(l, first, why);
        check_line(l, first);
        sum += (double)count;
        sample.value[0] = (double)count;
        add_sample(l, &sample);
        flm_legacy_go_names(l, &text, &sample);
    }
    check_total(l, (double)total, sum);
    if (!is_map_header(line))
        while (flm_legacy_line(&text, &line) && !is_map_header(line))
            ;
    flm_legacy_maps(l, text);
    return true;
}

static bool is_thread(struct flm_bytes line)
{
    return flm_bytes_start_with(line, "--- Thread ") && flm_bytes_end_with(line, " stack: ---");
}

/* "[same as previous thread]" stands for the stack of the thread before. */
static bool read_threads(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why)
{
    static const char *const types[][2] = {{"thread", "count"}};
    struct flm_bytes line = {0};
    flm_legacy_metrics(l, types, 1);
    flm_legacy_period(l, 1, "thread", "count");
    struct flm_legacy_sample sample = {.block = -1, .value = {1}};
    bool in_thread = false, is_same = false, more = true;
    while (more && !l->failed) {
        more = flm_legacy_line(&text, &line);
        if (!more && in_thread && l->all.at[l->all.size - 1] != '\n')
            check_line(l, text);
        bool ends = !more || flm_bytes_start_with(line, "---");
        if (ends && in_thread && (is_same || sample.count == 0) && l->samples.count > 0)
            l->samples.at[l->samples.count - 1].value[0]++;
        else if (ends && in_thread && sample.count > 0)
            add_sample(l, &sample);
        if (!more || is_map_header(line) || flm_bytes_start_with(line, "---- no stack trace"))
            break;
        if (ends) {
            in_thread = is_thread(line);
            is_same = false;
            sample.first = l->addresses.count;
            sample.count = 0;
        } else if (in_thread && flm_bytes_contain(line, "same as previous thread")) {
            is_same = true;
        } else if (in_thread && !add_addresses(l, line, 1, false, &sample)) {
            return malformed(l, line, why);
        }
    }
    for (size_t i = 0; i < l->samples.count; i++) { /* the leaf, from the stack and the signal */
        struct flm_legacy_sample *s = &l->samples.at[i];
        uint64_t *address = l->addresses.at + s->first;
        if (s->count > 1 && address[0] == address[1] + 1) {
            memmove(address + 1, address + 2, (s->count - 2) * sizeof *address);
            s->count--;
        }
    }
    if (!is_map_header(line))
        while (flm_legacy_line(&text, &line) && !is_map_header(line))
            ;
    flm_legacy_maps(l, text);
    return true;
}

/* ---- jemalloc's heaps ------------------------------------------------------------------------ */

static const char jemalloc_header[] = "heap_v2/";

/* Each stack, "@ 0x7f.. 0x..", is followed by a line with the sum over all threads, "t*: N: BYTES
 * [N: BYTES]", and one for each thread, which is skipped. As in jeprof, sampled sizes are scaled by
 * the mean size of the stack's blocks. */
static bool read_jemalloc(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why)
{
    static const char *const all[][2] = {{"alloc_objects", "count"},
                                         {"alloc_space", "bytes"},
                                         {"inuse_objects", "count"},
                                         {"inuse_space", "bytes"}};
    static const char *const one[][2] = {{"objects", "count"}, {"space", "bytes"}};
    struct flm_bytes line, first;
    struct heap heap, sum;
    int64_t period;
    flm_legacy_line(&text, &line);
    first = line;
    line = flm_bytes_from(line, sizeof jemalloc_header - 1);
    if (!take_number(&line, &period) || !flm_legacy_line(&text, &first) ||
        !take_threads(first, &sum))
        return malformed(l, first, why);
    bool has_allocated = sum.allocated > 0; /* with prof_accum */
    l->is_jemalloc = true;
    flm_legacy_metrics(l, has_allocated ? all : one, has_allocated ? 4 : 2);
    flm_legacy_period(l, period, "space", "bytes");
    struct flm_legacy_sample sample = {.first = l->addresses.count};
    bool has_stack = false;
    while (!l->failed && flm_legacy_line(&text, &line) && !is_map_header(line)) {
        if (flm_bytes_start_with(line, "@")) {
            sample.first = l->addresses.count;
            sample.count = 0;
            has_stack = add_addresses(l, line, 1, true, &sample);
            if (!has_stack)
                return malformed(l, line, why);
        } else if (has_stack && flm_bytes_start_with(line, "t*:")) {
            if (!take_threads(line, &heap))
                return malformed(l, line, why);
            sample.block = heap.in_use      ? heap.in_use_size / heap.in_use
                           : heap.allocated ? heap.allocated_size / heap.allocated
                                            : 0;
            unsample(&heap.in_use, &heap.in_use_size, period);
            unsample(&heap.allocated, &heap.allocated_size, period);
            size_t at = has_allocated ? 2 : 0;
            if (has_allocated) {
                sample.value[0] = (double)heap.allocated;
                sample.value[1] = (double)heap.allocated_size;
            }
            sample.value[at] = (double)heap.in_use;
            sample.value[at + 1] = (double)heap.in_use_size;
            add_sample(l, &sample);
            has_stack = false;
        }
    }
    flm_legacy_maps(l, text);
    return true;
}

/* ---- Which it is ----------------------------------------------------------------------------- */

typedef bool (*reader)(struct flm_legacy *l, struct flm_bytes text, struct flm_error *why);

static reader reader_of(struct flm_bytes text)
{
    struct flm_bytes line, rest = text;
    int64_t total;
    if (flm_bytes_start_with(text, heap_header))
        return read_heap;
    if (flm_bytes_start_with(text, jemalloc_header))
        return read_jemalloc;
    if (flm_bytes_start_with(text, "--- contentionz ") ||
        flm_bytes_start_with(text, "--- mutex:") || flm_bytes_start_with(text, "--- contention:") ||
        flm_bytes_start_with(text, "--- heapz "))
        return read_delays;
    for (int i = 0; i < 100 && flm_legacy_line(&rest, &line); i++) {
        if (is_comment(line))
            continue;
        if (count_name(line, &total).size > 0)
            return read_counts;
        return flm_bytes_start_with(line, "--- threadz ") || is_thread(line) ? read_threads : NULL;
    }
    return NULL;
}

bool flm_legacy_is_text(struct flm_bytes head)
{
    return reader_of(head) != NULL;
}

bool flm_legacy_read_text(struct flm_legacy *l, struct flm_error *why)
{
    reader read = reader_of(l->all);
    return read ? read(l, l->all, why)
                : flm_error_set(why, FLM_ERROR_FORMAT, "it has none of pprof's old headers");
}
