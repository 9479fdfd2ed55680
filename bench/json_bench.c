/* json_bench.c - the JSON reader alone: MB/s of texts as profiles are.
 *
 *     json_bench [MEGABYTES]
 *
 * Each text is read whole, value by value, then its arrays of numbers at once, then skipped; the
 * fastest of 5 rounds counts, in CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/json_read.h"

struct text {
    const char *name;
    char *at;
    size_t size;
};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint32_t dice(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* One array of whole numbers, as the column of a table is. */
static int add_indexes(char *out, double time)
{
    (void)time;
    return sprintf(out, "%u,", dice() % (dice() % 2 ? 100000 : 3000));
}

static int add_times(char *out, double time)
{
    return sprintf(out, "%.6f,", time);
}

static int add_long_times(char *out, double time)
{
    return sprintf(out, "%.17g,", time / 3);
}

static int add_events(char *out, double time)
{
    return sprintf(out, "{\"type\":\"%c\",\"frame\":%u,\"at\":%.3f},", "OC"[dice() % 2],
                   dice() % 5000, time);
}

static int add_spaced_events(char *out, double time)
{
    return sprintf(out,
                   "{\n      \"name\": \"f%u\",\n      \"ph\": \"X\",\n      \"ts\": %.3f,\n"
                   "      \"args\": { \"data\": [ 1, null, true ] }\n    },\n    ",
                   dice() % 5000, time);
}

static int add_names(char *out, double time)
{
    (void)time;
    static const char name[] = "std::vector<std::pair<int, std::string>, std::allocator<...>>::f";
    return sprintf(out, "\"%.*s%u\",", (int)(dice() % sizeof name), name, dice() % 1000);
}

static struct text make(const char *name, int (*add)(char *, double), size_t size)
{
    struct text text = {name, malloc(size + 1000), 1};
    if (!text.at)
        exit(1);
    text.at[0] = '[';
    for (double time = 1; text.size < size; time += 1.001)
        text.size += (size_t)add(text.at + text.size, time);
    while (text.at[text.size - 1] != ',')
        text.size--;
    text.at[text.size - 1] = ']';
    return text;
}

static double read_values(struct flm_json *json)
{
    struct flm_bytes bytes;
    double value, sum = 0;
    bool truth;
    do {
        switch (flm_json_type(json)) {
        case FLM_JSON_TYPE_OBJECT:
            flm_json_enter_object(json);
            break;
        case FLM_JSON_TYPE_ARRAY:
            flm_json_enter_array(json);
            break;
        case FLM_JSON_TYPE_STRING:
            flm_json_string(json, &bytes);
            sum += (double)bytes.size;
            break;
        case FLM_JSON_TYPE_NUMBER:
            flm_json_double(json, &value);
            sum += value;
            break;
        case FLM_JSON_TYPE_BOOL:
            flm_json_bool(json, &truth);
            break;
        default:
            flm_json_skip(json);
            break;
        }
        while (json->depth > 0 && !json->failed)
            if (flm_json_in_object(json) ? flm_json_next_key(json, &bytes)
                                         : flm_json_next_item(json))
                break;
    } while (json->depth > 0 && !json->failed);
    return sum;
}

static double read_numbers(struct flm_json *json)
{
    double values[512], sum = 0;
    flm_json_enter_array(json);
    for (size_t count; (count = flm_json_next_doubles(json, values, 512, 0)) > 0;)
        for (size_t i = 0; i < count; i++)
            sum += values[i];
    return sum;
}

static double read_integers(struct flm_json *json)
{
    int64_t values[512];
    double sum = 0;
    flm_json_enter_array(json);
    for (size_t count; (count = flm_json_next_integers(json, values, 512, 0)) > 0;)
        for (size_t i = 0; i < count; i++)
            sum += (double)values[i];
    return sum;
}

static double skip(struct flm_json *json)
{
    flm_json_skip(json);
    return 0;
}

static void measure(const struct text *text, const char *how, double (*work)(struct flm_json *))
{
    double least = 1e9, sum = 0;
    for (int round = 0; round < 5; round++) {
        struct flm_error why = {0};
        struct flm_source source = flm_source_of((struct flm_bytes){text->at, text->size});
        struct flm_json json;
        double start = cpu_seconds();
        flm_json_init(&json, &source, &why);
        sum = work(&json);
        if (!flm_json_finish(&json)) {
            fprintf(stderr, "json_bench: %s: %s\n", text->name, why.text);
            exit(1);
        }
        double used = cpu_seconds() - start;
        least = used < least ? used : least;
    }
    printf("%-14s %-9s %6.0f MB/s   (sum %.17g)\n", text->name, how,
           (double)text->size / 1e6 / least, sum);
}

int main(int argc, char **argv)
{
    size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
    static const struct {
        const char *name;
        int (*add)(char *, double);
        bool is_numbers, is_whole;
    } texts[] = {{"indexes", add_indexes, true, true},
                 {"times", add_times, true, false},
                 {"long times", add_long_times, true, false},
                 {"events", add_events, false, false},
                 {"spaced events", add_spaced_events, false, false},
                 {"names", add_names, false, false}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct text text = make(texts[i].name, texts[i].add, size);
        measure(&text, "by value", read_values);
        if (texts[i].is_numbers)
            measure(&text, "doubles", read_numbers);
        if (texts[i].is_whole)
            measure(&text, "integers", read_integers);
        measure(&text, "skipped", skip);
        free(text.at);
    }
    return 0;
}
