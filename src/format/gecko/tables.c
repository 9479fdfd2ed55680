#include "format/gecko/tables.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/core/large_block.h"

enum { COLUMN_CHUNK = 512 }; /* values that are converted at once */

/* A block for the capacity of the column; NULL when memory ran out. */
static void *new_block(const struct flm_gecko_column *column, size_t item_size)
{
    size_t size = column->capacity * item_size;
    return flm_large_block(malloc(size), size);
}

/* Goes over from 16 bits to 32. */
static bool make_whole(struct flm_gecko_column *column)
{
    int32_t *whole = new_block(column, sizeof *whole);
    if (!whole)
        return false;
    for (size_t i = 0; i < column->count; i++)
        whole[i] =
            column->narrow[i] == FLM_GECKO_NARROW_NULL ? FLM_GECKO_WHOLE_NULL : column->narrow[i];
    free(column->narrow);
    column->narrow = NULL;
    column->whole = whole;
    return true;
}

/* Goes over to doubles. */
static bool make_any(struct flm_gecko_column *column)
{
    double *any = new_block(column, sizeof *any);
    if (!any)
        return false;
    for (size_t i = 0; i < column->count; i++)
        any[i] = flm_gecko_value(column, i);
    free(column->narrow);
    free(column->whole);
    column->narrow = NULL;
    column->whole = NULL;
    column->any = any;
    return true;
}

/* How many values at the front are whole numbers of 32 bits, or null, and were written to `whole`:
 * two at a time, up to a pair that has another one. A conversion that does not fit, as that of NaN,
 * makes INT32_MIN, which is null. */
static size_t convert_pairs(const double *values, size_t count, int32_t *whole)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; i + 2 <= count; i += 2) {
        __m128d value = _mm_loadu_pd(values + i);
        __m128i converted = _mm_cvttpd_epi32(value);
        __m128d same = _mm_and_pd(_mm_cmpeq_pd(_mm_cvtepi32_pd(converted), value),
                                  _mm_cmpgt_pd(value, _mm_set1_pd(INT32_MIN)));
        if (_mm_movemask_pd(_mm_or_pd(same, _mm_cmpunord_pd(value, value))) != 3)
            break;
        _mm_storel_epi64((__m128i *)(void *)(whole + i), converted);
    }
#else
    (void)values, (void)count, (void)whole;
#endif
    return i;
}

/* Writes those that are whole numbers of 32 bits, or null, up to the first other one: how many. */
static size_t convert_whole(const double *values, size_t count, int32_t *whole)
{
    size_t i = convert_pairs(values, count, whole);
    for (; i < count; i++) {
        double value = values[i];
        bool has_room = value > INT32_MIN && value <= INT32_MAX;
        whole[i] = has_room ? (int32_t)value : FLM_GECKO_WHOLE_NULL;
        if (has_room ? (double)whole[i] != value : value == value)
            break;
    }
    return i;
}

/* Narrows whole numbers, eight at a time, up to eight of which one does not fit 16 bits: how many.
 * A conversion that does not fit makes the nearest number that does, so null becomes null. */
static size_t narrow_eights(const int32_t *whole, size_t count, int16_t *narrow)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i lowest = _mm_set1_epi32(FLM_GECKO_NARROW_NULL);
    const __m128i null = _mm_set1_epi32(FLM_GECKO_WHOLE_NULL);
    for (; i + 8 <= count; i += 8) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(whole + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(whole + i + 4));
        __m128i both = _mm_packs_epi32(a, b);
        __m128i a_again = _mm_srai_epi32(_mm_unpacklo_epi16(both, both), 16);
        __m128i b_again = _mm_srai_epi32(_mm_unpackhi_epi16(both, both), 16);
        __m128i a_fits = _mm_andnot_si128(_mm_cmpeq_epi32(a, lowest), _mm_cmpeq_epi32(a, a_again));
        __m128i b_fits = _mm_andnot_si128(_mm_cmpeq_epi32(b, lowest), _mm_cmpeq_epi32(b, b_again));
        a_fits = _mm_or_si128(a_fits, _mm_cmpeq_epi32(a, null));
        b_fits = _mm_or_si128(b_fits, _mm_cmpeq_epi32(b, null));
        if (_mm_movemask_epi8(_mm_and_si128(a_fits, b_fits)) != 0xFFFF)
            break;
        _mm_storeu_si128((__m128i *)(void *)(narrow + i), both);
    }
#else
    (void)whole, (void)count, (void)narrow;
#endif
    return i;
}

/* Appends whole numbers to a column of 16 bits, if all of them fit. */
static bool append_narrow(struct flm_gecko_column *column, const int32_t *whole, size_t count)
{
    int16_t *narrow = column->narrow + column->count;
    for (size_t i = narrow_eights(whole, count, narrow); i < count; i++) {
        bool is_null = whole[i] == FLM_GECKO_WHOLE_NULL;
        narrow[i] = is_null ? FLM_GECKO_NARROW_NULL : (int16_t)whole[i];
        if (!is_null && (whole[i] != narrow[i] || narrow[i] == FLM_GECKO_NARROW_NULL))
            return false;
    }
    column->count += count;
    return true;
}

/* Makes room for more values. The first ones decide nothing: a column begins with 16 bits. */
static bool reserve(struct flm_gecko_column *column, size_t more)
{
    size_t item_size = column->any     ? sizeof *column->any
                       : column->whole ? sizeof *column->whole
                                       : sizeof *column->narrow;
    void *items = column->any     ? (void *)column->any
                  : column->whole ? (void *)column->whole
                                  : (void *)column->narrow;
    if (more <= column->capacity - column->count)
        return true;
    if (!flm_grow(&items, &column->capacity, column->count + more, item_size))
        return false;
    if (column->any)
        column->any = items;
    else if (column->whole)
        column->whole = items;
    else
        column->narrow = items;
    return true;
}

static bool append_chunk(struct flm_gecko_column *column, const double *values, size_t count)
{
    int32_t chunk[COLUMN_CHUNK];
    size_t i = 0;
    if (!reserve(column, count))
        return false;
    if (column->narrow) {
        i = convert_whole(values, count, chunk);
        if (i == count && append_narrow(column, chunk, count))
            return true;
        if (!make_whole(column))
            return false;
        memcpy(column->whole + column->count, chunk, i * sizeof *chunk);
        column->count += i;
    } else if (column->whole) {
        i = convert_whole(values, count, column->whole + column->count);
        column->count += i;
    }
    if (i == count)
        return true;
    if (column->whole && !make_any(column))
        return false;
    memcpy(column->any + column->count, values + i, (count - i) * sizeof *values);
    column->count += count - i;
    return true;
}

bool flm_gecko_column_append(struct flm_gecko_column *column, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i += COLUMN_CHUNK)
        if (!append_chunk(column, values + i, count - i < COLUMN_CHUNK ? count - i : COLUMN_CHUNK))
            return false;
    return true;
}

bool flm_gecko_column_add(struct flm_gecko_column *column, double value)
{
    if (column->narrow && column->count < column->capacity && value > FLM_GECKO_NARROW_NULL &&
        value <= INT16_MAX && (double)(int16_t)value == value) {
        column->narrow[column->count++] = (int16_t)value;
        return true;
    }
    return flm_gecko_column_append(column, &value, 1);
}

void flm_gecko_column_clear(struct flm_gecko_column *column)
{
    free(column->narrow);
    free(column->whole);
    free(column->any);
    *column = (struct flm_gecko_column){0};
}

bool flm_gecko_strings_add(struct flm_gecko_strings *strings, struct flm_bytes text)
{
    if (!FLM_ARRAY_RESERVE(&strings->bytes, text.size) || !FLM_ARRAY_RESERVE(&strings->ends, 1))
        return false;
    if (text.size > 0)
        memcpy(strings->bytes.at + strings->bytes.count, text.at, text.size);
    strings->bytes.count += text.size;
    strings->ends.at[strings->ends.count++] = strings->bytes.count;
    return true;
}

void flm_gecko_strings_clear(struct flm_gecko_strings *strings)
{
    FLM_ARRAY_CLEAR(&strings->bytes);
    FLM_ARRAY_CLEAR(&strings->ends);
}

struct flm_bytes flm_gecko_string(const struct flm_gecko_strings *strings, int64_t i)
{
    if (i < 0 || (uint64_t)i >= strings->ends.count)
        return (struct flm_bytes){"", 0};
    size_t start = i > 0 ? strings->ends.at[i - 1] : 0, size = strings->ends.at[i] - start;
    return (struct flm_bytes){size > 0 ? strings->bytes.at + start : "", size};
}

enum flm_gecko_column_name flm_gecko_column_named(enum flm_gecko_table table, struct flm_bytes name)
{
    static const struct {
        enum flm_gecko_table table;
        enum flm_gecko_column_name column;
        const char *name;
    } columns[] = {
        {FLM_GECKO_STACKS, FLM_GECKO_STACK_FRAME, "frame"},
        {FLM_GECKO_STACKS, FLM_GECKO_STACK_PREFIX, "prefix"},
        {FLM_GECKO_STACKS, FLM_GECKO_STACK_PREFIX_OFFSET, "prefixOffset"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_FUNC, "func"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_LOCATION, "location"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_ADDRESS, "address"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_LINE, "line"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_COLUMN, "column"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_INLINE_DEPTH, "inlineDepth"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_CATEGORY, "category"},
        {FLM_GECKO_FRAMES, FLM_GECKO_FRAME_LIB, "lib"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_NAME, "name"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_IS_JS, "isJS"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_RESOURCE, "resource"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_SOURCE, "source"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_FILE, "fileName"},
        {FLM_GECKO_FUNCS, FLM_GECKO_FUNC_LINE, "lineNumber"},
        {FLM_GECKO_RESOURCES, FLM_GECKO_RESOURCE_LIB, "lib"},
        {FLM_GECKO_RESOURCES, FLM_GECKO_RESOURCE_NAME, "name"},
        {FLM_GECKO_RESOURCES, FLM_GECKO_RESOURCE_TYPE, "type"},
        {FLM_GECKO_SOURCES, FLM_GECKO_SOURCE_FILE, "filename"},
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_STACK, "stack"},
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_TIME, "time"},
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_TIME_DELTA, "timeDeltas"},
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_WEIGHT, "weight"},
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_WEIGHT, "duration"}, /* as it was called first */
        {FLM_GECKO_SAMPLES, FLM_GECKO_SAMPLE_CPU, "threadCPUDelta"},
        {FLM_GECKO_JS_ALLOCATIONS, FLM_GECKO_JS_STACK, "stack"},
        {FLM_GECKO_JS_ALLOCATIONS, FLM_GECKO_JS_TIME, "time"},
        {FLM_GECKO_JS_ALLOCATIONS, FLM_GECKO_JS_WEIGHT, "weight"},
        {FLM_GECKO_JS_ALLOCATIONS, FLM_GECKO_JS_WEIGHT, "duration"},
        {FLM_GECKO_NATIVE_ALLOCATIONS, FLM_GECKO_NATIVE_STACK, "stack"},
        {FLM_GECKO_NATIVE_ALLOCATIONS, FLM_GECKO_NATIVE_TIME, "time"},
        {FLM_GECKO_NATIVE_ALLOCATIONS, FLM_GECKO_NATIVE_WEIGHT, "weight"},
        {FLM_GECKO_NATIVE_ALLOCATIONS, FLM_GECKO_NATIVE_WEIGHT, "duration"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_NAME, "name"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_START, "startTime"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_END, "endTime"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_TIME, "time"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_PHASE, "phase"},
        {FLM_GECKO_MARKERS, FLM_GECKO_MARKER_CATEGORY, "category"},
        {FLM_GECKO_COUNTS, FLM_GECKO_COUNT_TIME, "time"},
        {FLM_GECKO_COUNTS, FLM_GECKO_COUNT_TIME_DELTA, "timeDeltas"},
        {FLM_GECKO_COUNTS, FLM_GECKO_COUNT_VALUE, "count"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i].table == table && flm_bytes_are(name, columns[i].name))
            return columns[i].column;
    return FLM_GECKO_COLUMN_COUNT;
}

void flm_gecko_tables_clear(struct flm_gecko_tables *tables)
{
    for (int i = 0; i < FLM_GECKO_COLUMN_COUNT; i++)
        flm_gecko_column_clear(&tables->columns[i]);
    flm_gecko_strings_clear(&tables->strings);
}

void flm_gecko_process_clear(struct flm_gecko_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        flm_gecko_tables_clear(&process->threads.at[i].tables);
        flm_gecko_strings_clear(&process->threads.at[i].details);
        FLM_ARRAY_CLEAR(&process->threads.at[i].libs);
    }
    for (size_t i = 0; i < process->counters.count; i++)
        for (int k = 0; k < 3; k++)
            flm_gecko_column_clear(&process->counters.at[i].columns[k]);
    FLM_ARRAY_CLEAR(&process->threads);
    FLM_ARRAY_CLEAR(&process->counters);
    FLM_ARRAY_CLEAR(&process->categories);
    FLM_ARRAY_CLEAR(&process->libs);
    flm_gecko_tables_clear(&process->shared);
}

void flm_gecko_profile_clear(struct flm_gecko_profile *profile)
{
    for (size_t i = 0; i < profile->processes.count; i++)
        flm_gecko_process_clear(&profile->processes.at[i]);
    FLM_ARRAY_CLEAR(&profile->processes);
    flm_gecko_strings_clear(&profile->texts);
    FLM_ARRAY_CLEAR(&profile->string_fields);
    FLM_ARRAY_CLEAR(&profile->notes);
}
